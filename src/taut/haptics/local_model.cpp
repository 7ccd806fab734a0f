#include "taut/haptics/local_model.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/system.hpp"

namespace taut::haptics {
namespace {

constexpr double near = 0.003;    // m: what the ghost may reach before the next step is done
constexpr double touches = 1e-5;  // m: friction holds what is no farther away
constexpr double same = 0.001;    // m: of two points that are no farther apart the nearer is enough
constexpr int sweeps = 12;
constexpr double jumped = 0.15;         // m: no hand gets so far between two models
constexpr double longest_pause = 0.05;  // s: in which a jump goes away

Vec3 velocity_of(const System& system, const Pose& pose, const VecX& v, const Point& point) {
  if (point.body.is_world()) return Vec3::Zero();
  const BodySlot& slot = system.slot(point.body);
  Vec3 out = v.segment<3>(slot.v);
  if (slot.rigid >= 0) {
    const Vec3 turn = v.segment<3>(slot.v + 3);
    out += pose.rotations[static_cast<std::size_t>(slot.rigid)] * turn.cross(point.local);
  }
  return out;
}

/// The nearest force that the plane can exert.
Vec3 in_cone(const Vec3& force, const Vec3& normal, double friction) {
  const double along = force.dot(normal);
  if (!(along > 0)) return Vec3::Zero();
  const Vec3 across = force - along * normal;
  const double size = across.norm(), most = friction * along;
  return size > most ? Vec3(along * normal + most / size * across) : force;
}

}  // namespace

void LocalLook::look(const hand::Hand& hand, const System& system, const State& state,
                     LocalModel& out) {
  limb_of_.assign(static_cast<std::size_t>(system.body_count()), -1);
  pose_.set(system, state.q);
  const hand::LimbStates ghosts = hand.ghost->limbs(state.time);
  for (std::size_t i = 0; i < out.limbs.size(); ++i) {
    const BodyId body = hand.bodies[i];
    const BodySlot& slot = system.slot(body);
    limb_of_[static_cast<std::size_t>(body.index)] = static_cast<int>(i);
    LocalModel::Limb& limb = out.limbs[i];
    limb.count = 0;
    limb.ghost = ghosts[i];
    limb.limb.position = pose_.position(slot.q);
    limb.limb.rotation = pose_.rotations[static_cast<std::size_t>(slot.rigid)];
  }
  contacts_.clear();
  for (const auto& source : system.contact_sources())
    source->find(pose_, state.v, 0, near, contacts_);
  const auto limb_at = [&](BodyId body) {
    return body.is_world() ? -1 : limb_of_[static_cast<std::size_t>(body.index)];
  };
  for (const Contact& contact : contacts_) {
    const auto note = [&](const Point& mine, const Point& other, double sign) {
      const int number = limb_at(mine.body);
      if (number < 0) return;
      LocalModel::Limb& limb = out.limbs[static_cast<std::size_t>(number)];
      add(limb,
          {mine.local, limb.limb.position + limb.limb.rotation * mine.local, sign * contact.normal,
           velocity_of(system, pose_, state.v, other), contact.gap, contact.friction});
    };
    note(contact.a, contact.b, 1);
    note(contact.b, contact.a, -1);
  }
}

/// The nearest ones.
void LocalLook::add(LocalModel::Limb& limb, LocalModel::Plane plane) const {
  const auto begin = limb.planes.begin(), end = begin + limb.count;
  const auto alike = std::find_if(begin, end, [&](const LocalModel::Plane& other) {
    return (other.point - plane.point).norm() < same && other.normal.dot(plane.normal) > 0.99;
  });
  if (alike != end) {
    if (plane.gap < alike->gap) *alike = plane;
  } else if (limb.count < LocalModel::most_planes) {
    limb.planes[static_cast<std::size_t>(limb.count++)] = plane;
  } else {
    const auto farthest =
        std::max_element(begin, end, [](const auto& x, const auto& y) { return x.gap < y.gap; });
    if (plane.gap < farthest->gap) *farthest = plane;
  }
}

LocalForces::LocalForces(const hand::Hand& hand, const hand::HandPose& start,
                         const GhostLimits& ghost, const FeedbackLimits& feedback)
    : hand_(hand), filter_(start, ghost), feedback_(feedback), stale_(ghost.stale) {
  for (Forces& forces : forces_) forces.fill(Vec3::Zero());
  lag_.fill(Vec3::Zero());
  jump_.fill(Vec3::Zero());
}

void LocalForces::take(const LocalModel& model) {
  next_ = model;
  has_next_ = true;
}

Vec3 LocalForces::shift(std::size_t limb, const hand::LimbState& ghost, double age) {
  const LocalModel::Limb& at = model_.limbs[limb];
  const hand::LimbCoupling& law = hand_.coupling[limb];
  const double bends = 1 / law.stiffness, turns = 0.5 / law.angular_stiffness;
  Forces& forces = forces_[limb];
  std::array<Vec3, LocalModel::most_planes> arm, away;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(at.count); ++i) {
    const LocalModel::Plane& plane = at.planes[i];
    arm[i] = ghost.rotation * plane.point;
    // From where the point touches to where it would be at the ghost.
    away[i] = ghost.position + arm[i] - plane.place - age * plane.velocity +
              std::max(0.0, plane.gap) * plane.normal;
    force += forces[i];
    torque += arm[i].cross(forces[i]);
  }
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 0; i < static_cast<std::size_t>(at.count); ++i) {
      const LocalModel::Plane& plane = at.planes[i];
      const Vec3 off = away[i] + bends * force + (turns * torque).cross(arm[i]);
      const double response = bends + turns * arm[i].squaredNorm();
      const double friction = plane.gap < touches ? plane.friction : 0;
      const Vec3 next = in_cone(forces[i] - off / response, plane.normal, friction);
      force += next - forces[i];
      torque += arm[i].cross(next - forces[i]);
      forces[i] = next;
    }
  return bends * force;
}

/// A model of before a jump of the device: what the hand touches is carried along with it
/// (haptics/transport.hpp).
void LocalForces::follow_jump(const hand::LimbStates& ghost, LocalModel& model) {
  const Vec3 way = ghost[0].position - model.limbs[0].ghost.position;
  if (way.norm() < jumped) return;
  for (LocalModel::Limb& limb : model.limbs) {
    limb.ghost.position += way;
    limb.limb.position += way;
    for (LocalModel::Plane& plane : limb.planes) plane.place += way;
  }
}

/// Of what the simulation found beside balance, because the limb was still on its way.
Vec3 LocalForces::lag(std::size_t limb, double age) const {
  const hand::LimbCoupling& law = hand_.coupling[limb];
  return std::exp(-age * law.stiffness / law.damping) * lag_[limb];
}

// A limb is shown at balance + lag + jump: the lag is what it was beside balance when the model was
// made; the jump is that from what was shown with the model before, at the moment of change.
const devices::HandForces& LocalForces::step(const std::optional<devices::HandSample>& sample,
                                             double h) {
  const hand::HandState& hand = filter_.step(sample, h);
  const hand::LimbStates ghost = hand_.model.limbs(hand);
  if (has_model_) follow_jump(ghost, model_);
  if (has_next_) follow_jump(ghost, next_);
  age_ += h;
  const auto left_of_jump = [&] { return std::max(0.0, 1 - age_ / std::max(pause_, h)); };
  hand::LimbStates limbs = ghost;
  if (has_next_) {
    std::array<Vec3, hand::limb_count> shown;
    for (std::size_t i = 0; i < shown.size(); ++i)
      shown[i] = has_model_
                     ? Vec3(shift(i, ghost[i], age_) + lag(i, age_) + left_of_jump() * jump_[i])
                     : Vec3(Vec3::Zero());
    pause_ = std::min(age_, longest_pause);
    age_ = 0;
    model_ = next_;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const LocalModel::Limb& at = model_.limbs[i];
      forces_[i].fill(Vec3::Zero());
      lag_[i] = at.limb.position - at.ghost.position - shift(i, at.ghost, 0);
      jump_[i] = shown[i] - shift(i, ghost[i], 0) - lag_[i];
    }
    has_model_ = true;
    has_next_ = false;
  }
  const bool is_stale = filter_.is_stale() || !has_model_ || age_ > stale_;
  if (!is_stale)
    for (std::size_t i = 0; i < limbs.size(); ++i)
      limbs[i].position += shift(i, ghost[i], age_) + lag(i, age_) + left_of_jump() * jump_[i];
  return feedback_.step(hand_, limbs, ghost, is_stale, h);
}

}  // namespace taut::haptics
