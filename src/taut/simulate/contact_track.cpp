#include <algorithm>
#include <cmath>

#include "taut/methods/method.hpp"
#include "taut/simulate/contact_names.hpp"
#include "taut/simulate/contact_track_internal.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut::detail {
namespace {

bool is_before(const Touch& touch, const Contact& contact) {
  return touch.source != contact.source ? touch.source < contact.source
                                        : touch.feature < contact.feature;
}

constexpr double near_at_start = 0.1;  // of the thickness: what is farther apart came later

double gap_of(const SheetTouch& touch, const Pose& pose) {
  double distance = 0;
  for (const Share& share : touch.all())
    distance += share.weight * touch.normal.dot(pose.at(share.point));
  return distance - (touch.source < 0 ? touch.thickness : 0);
}

int number_of(const SheetTouch& touch, std::size_t side) {
  const auto [cloth, shape] = touch.sides[side];
  if (cloth >= 0) return cloth;
  if (touch.source < 0) return -1 - shape;
  return shape < 0 ? -1 - touch.shares[side].point.body.index : shape;
}

/// Whether its second surface is to be called first.
bool is_second(const SheetTouch& touch) {
  if (touch.source >= 0) return false;
  const int first = touch.sides[0].cloth, second = touch.sides[1].cloth;
  return second >= 0 && (first < 0 || second < first);
}

}  // namespace

ContactTrack::ContactTrack(const System& system) : system_(system) {}

// A step that is too short to move anything, done with what is left alone otherwise. What cloth
// touches at once bears in it what it does in a whole step: its forces are only as good as places
// are, relative to what forces move.
void ContactTrack::start(const State& state, double step) {
  SheetStep probing;
  Workspace workspace(system_);
  State probe = state;
  const double length = (system_.sheets() ? 1 : 1e-4) * step;
  const StepReport report =
      probing.step(system_, *make_method("implicit1"), length, probe, workspace);
  follow(probing);
  if (report.status != StepStatus::ok) loads_.clear();
  const Pose pose(system_, state.q);
  std::erase_if(loads_, [&](const SheetLoad& load) {
    return gap_of(load.touch, pose) > near_at_start * load.touch.thickness;
  });
}

void ContactTrack::follow(const SheetStep& last) {
  touches_.assign(last.touches().begin(), last.touches().end());
  loads_.assign(last.loads().begin(), last.loads().end());
}

void ContactTrack::sample(const State& state) {
  samples_.clear();
  pairs_.clear();
  const Pose pose(system_, state.q);
  sample_contacts(state, pose);
  sample_loads(state, pose);
}

void ContactTrack::sample_contacts(const State& state, const Pose& pose) {
  force_.resize(0);
  // What bore a load at the end of a step may be a little open or closed there.
  rows_.find(system_, state, 0, 1e-6 * scene_size(system_, state), {});
  rows_.velocities(state.v, u_);
  force_.setZero(rows_.size());
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    const auto touch = std::lower_bound(touches_.begin(), touches_.end(), contact, is_before);
    if (touch == touches_.end() || touch->source != contact.source ||
        touch->feature != contact.feature)
      continue;
    rows_.set_impulse(c, touch->force, touch->torque, force_);
    ContactSample& sample = samples_.emplace_back();
    sample.a = name_of_a(system_, contact);
    sample.b = name_of_b(system_, contact);
    sample.body_a = contact.a.body;
    sample.body_b = contact.b.body;
    sample.point = 0.5 * (pose.at(contact.a) + pose.at(contact.b));
    sample.normal = contact.normal;
    sample.gap = contact.gap;
    sample.force = touch->force;
    sample.slip = rows_.slip(c, u_);
    sample.torque = touch->torque;
    pairs_.push_back({contact.source,
                      contact.shape_a < 0 ? -1 - contact.a.body.index : contact.shape_a,
                      contact.shape_b < 0 ? -1 - contact.b.body.index : contact.shape_b});
  }
}

void ContactTrack::sample_loads(const State& state, const Pose& pose) {
  cloth_forces_.setZero(system_.velocity_size());
  for (const SheetLoad& load : loads_) {
    const SheetTouch& touch = load.touch;
    std::array<Vec3, 2> place{Vec3::Zero(), Vec3::Zero()};
    std::array<const Share*, 2> main{&touch.shares[0], &touch.shares[0]};  // of each side
    Vec3 slip = Vec3::Zero();
    for (const Share& share : touch.all()) {
      const std::size_t side = share.weight < 0 ? 1 : 0;
      place[side] += std::abs(share.weight) * pose.at(share.point);
      slip += share.weight * pose.velocity(share.point, state.v);
      pose.add_force(share.point, share.weight * load.force, cloth_forces_);
      if ((side == 0 ? 1 : -1) * (share.weight - main[side]->weight) > 0) main[side] = &share;
    }
    // The same two surfaces are always called in the same order, cloths first.
    const bool is_turned = is_second(touch);
    const double sign = is_turned ? -1 : 1;
    const std::size_t a = is_turned ? 1 : 0, b = 1 - a;
    ContactSample& sample = samples_.emplace_back();
    sample.a = name_of_side(system_, touch, a);
    sample.b = name_of_side(system_, touch, b);
    sample.body_a = main[a]->point.body;
    sample.body_b = main[b]->point.body;
    sample.point = 0.5 * (place[0] + place[1]);
    sample.normal = sign * touch.normal;
    sample.gap = gap_of(touch, pose);
    sample.force = sign * load.force;
    sample.slip = sign * (slip - touch.normal * touch.normal.dot(slip));
    pairs_.push_back({touch.source, number_of(touch, a), number_of(touch, b)});
  }
}

void ContactTrack::forces(VecX& out) const {
  out = cloth_forces_;
  rows_.add_impulses(force_, 1, out);
}

void ContactTrack::note(double time, RunReport& report) {
  auto& contacts = report.contacts;
  sums_.assign(contacts.pairs.size(), {});
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const ContactSample& sample = samples_[i];
    const auto [place, is_new] = numbers_.try_emplace(pairs_[i], contacts.pairs.size());
    if (is_new) {
      contacts.pairs.push_back({sample.a, sample.b});
      sums_.emplace_back();
    }
    if (sample.a != sample.b)
      sums_[place->second].force += sample.force;
    else
      sums_[place->second].normal += sample.normal.dot(sample.force);
    RunReport::ContactPair& pair = contacts.pairs[place->second];
    pair.slip = std::max(pair.slip, sample.slip.norm());
    contacts.slip = std::max(contacts.slip, pair.slip);
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    RunReport::ContactPair& pair = contacts.pairs[i];
    const double force = std::max(sums_[i].force.norm(), sums_[i].normal);
    if (force > pair.largest_force) {
      pair.largest_force = force;
      pair.at = time;
    }
    pair.final_force = sums_[i].force;
  }
}

}  // namespace taut::detail
