#include <algorithm>

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

}  // namespace

ContactTrack::ContactTrack(const System& system) : system_(system) {}

// A step that is too short to move anything, done with what is left alone otherwise.
void ContactTrack::start(const State& state, double step) {
  ContactStep contacts;
  Workspace workspace(system_);
  State probe = state;
  contacts.step(system_, *make_method("implicit1"), 1e-4 * step, probe, workspace);
  touches_ = contacts.touches();
}

void ContactTrack::sample(const State& state) {
  samples_.clear();
  pairs_.clear();
  force_.resize(0);
  // What bore a load at the end of a step may be a little open or closed there.
  const Pose pose(system_, state.q);
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

void ContactTrack::forces(VecX& out) const {
  out.setZero(system_.velocity_size());
  rows_.add_impulses(force_, 1, out);
}

void ContactTrack::note(double time, RunReport& report) {
  auto& contacts = report.contacts;
  sums_.assign(contacts.pairs.size(), Vec3::Zero());
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const ContactSample& sample = samples_[i];
    const auto [place, is_new] = numbers_.try_emplace(pairs_[i], contacts.pairs.size());
    if (is_new) {
      contacts.pairs.push_back({sample.a, sample.b});
      sums_.push_back(Vec3::Zero());
    }
    sums_[place->second] += sample.force;
    RunReport::ContactPair& pair = contacts.pairs[place->second];
    pair.slip = std::max(pair.slip, sample.slip.norm());
    contacts.slip = std::max(contacts.slip, pair.slip);
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    RunReport::ContactPair& pair = contacts.pairs[i];
    const double force = sums_[i].norm();
    if (force > pair.largest_force) {
      pair.largest_force = force;
      pair.at = time;
    }
    pair.final_force = sums_[i];
  }
}

}  // namespace taut::detail
