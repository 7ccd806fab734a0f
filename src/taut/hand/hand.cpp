#include "taut/hand/hand.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "taut/base/error.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/hinge.hpp"

namespace taut::hand {
namespace {

constexpr double palm_strength = 10;  // of the palm, against a phalanx
constexpr double lever = 0.02;        // m: of the largest torque, for the largest force

// Zaeh, Egermeier, Petzold and Schmid, "Haptic interaction with a glove interface in a physics
// based virtual environment", tables 1 and 2.
constexpr double zaeh_mass = 0.01;  // kg

struct LimbMass {
  double mass;
  Mat3 inertia;
};

/// There, inertia is that of a ball with the volume of the bounding box.
LimbMass mass_of(const HandModel::Limb& limb, const HandOptions& options) {
  if (options.preset == Preset::quick)
    return {options.density * limb.volume, options.density * limb.inertia};
  const collision::Bounds box = collision::bounds(limb.shape, limb.shape_pose);
  const Vec3 size = box.high - box.low;
  const double radius = std::cbrt(0.75 * size.prod() / std::numbers::pi);
  return {zaeh_mass, 0.4 * zaeh_mass * radius * radius * Mat3::Identity()};
}

void require(bool is_right, const char* what) {
  if (!is_right) throw Error(what);
}

/// Fingers turn in balls at their base, and in hinges further on.
void join(System& system, const HandModel& model, const Hand& hand) {
  for (int i = 1; i < limb_count; ++i) {
    const HandModel::Limb& limb = model.limb(i);
    const HandModel::Limb& parent = model.limb(limb.parent);
    const BodyId a = hand.bodies[static_cast<std::size_t>(limb.parent)];
    const BodyId b = hand.bodies[static_cast<std::size_t>(i)];
    const Point socket(a, limb.joint - parent.centre), head(b, -limb.centre);
    std::string name = hand.name + "/" + std::string(limb_name(i)) + "_joint";
    if (limb.parent == 0) {
      constrain(system, Ball{socket, head}, std::move(name));
    } else {
      Hinge hinge;
      hinge.a = socket;
      hinge.b = head;
      hinge.axis = {b, limb.turns.front().axis};
      constrain(system, hinge, std::move(name));
    }
  }
}

/// Limbs of one finger overlap at their joints, and the first ones overlap the palm, as does the
/// thumb when the hand is flat. The first limbs of two fingers are side by side in the palm.
void ignore_neighbours(collision::ShapeContacts& contacts, const Hand& hand) {
  const auto is_first = [](int limb) { return limb > 0 && (limb - 1) % 3 == 0; };
  for (int a = 0; a < limb_count; ++a)
    for (int b = a + 1; b < limb_count; ++b)
      if (finger_of(a) == finger_of(b) || (a == 0 && finger_of(b) == 0) ||
          (is_first(b) && (a == 0 || is_first(a))))
        contacts.ignore(hand.bodies[static_cast<std::size_t>(a)],
                        hand.bodies[static_cast<std::size_t>(b)]);
}

}  // namespace

// x̂ + 2 ω x̂' + ω² x = 0 is within 2 % after 5.83/ω.
LimbCoupling quick_coupling(double mass, const Mat3& inertia, double settling, double most_force) {
  const double rate = 5.83 / settling;
  // The turn is counted twice (see coupling.hpp). The largest moment, so that no axis rings.
  const double moment = 0.5 * inertia.diagonal().maxCoeff();
  return {mass * rate * rate, 2 * mass * rate, moment * rate * rate,
          2 * moment * rate,  most_force,      lever * most_force};
}

LimbCoupling zaeh_coupling() {
  constexpr double any = std::numeric_limits<double>::infinity();
  return {200, 800, 0.48, 0.06, any, any};
}

Hand add_hand(System& system, collision::ShapeContacts& contacts, const HandOptions& options,
              std::shared_ptr<const Ghost> ghost) {
  require(options.density > 0, "found a density that is no number > 0");
  require(options.settling > 0, "found a settling time that is no number > 0");
  require(options.most_force > 0, "found a largest force that is no number > 0");
  Hand hand{options.name, HandModel(options.sizes, options.side), {}, {}, std::move(ghost)};
  const LimbStates start = hand.ghost->limbs(0);
  for (int i = 0; i < limb_count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const HandModel::Limb& limb = hand.model.limb(i);
    const LimbMass mass = mass_of(limb, options);
    const LimbState& state = start[at];
    RigidBody body{mass.mass,      mass.inertia,
                   state.position, Quat(state.rotation),
                   state.velocity, state.rotation.transpose() * state.angular_velocity};
    hand.bodies[at] = system.add(body, options.name + "/" + std::string(limb_name(i)));
    const double most = (i == 0 ? palm_strength : 1) * options.most_force;
    hand.coupling[at] = options.preset == Preset::quick
                            ? quick_coupling(mass.mass, mass.inertia, options.settling, most)
                            : zaeh_coupling();
    const int group = options.self_contact ? 0 : options.group;
    contacts.add({hand.bodies[at], limb.shape, limb.shape_pose, options.surface, group, ""});
  }
  if (options.self_contact) ignore_neighbours(contacts, hand);
  if (options.limbs == Limbs::jointed) join(system, hand.model, hand);
  system.force_batch<HandCouplings>().add(hand);
  return hand;
}

}  // namespace taut::hand
