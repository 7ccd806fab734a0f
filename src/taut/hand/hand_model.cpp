#include "taut/hand/hand_model.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/collision/mass_properties.hpp"

namespace taut::hand {
namespace {

/// A quarter turn that takes z, the axis of capsules, to x.
Mat3 z_to_x() {
  Mat3 turn;
  turn << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  return turn;
}

/// The turn about one of the axes.
Mat3 turned_about(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

void set_solid(HandModel::Limb& limb) {
  const collision::MassProperties mass = collision::mass_properties(limb.shape);
  const Mat3& turn = limb.shape_pose.rotation;
  limb.volume = mass.volume;
  limb.inertia = turn * mass.inertia * turn.transpose();
}

}  // namespace

// Millimetres of a hand of 190 mm: round figures of an adult hand.
HandSizes HandSizes::of_length(double length) {
  if (!(length > 0) || !std::isfinite(length))
    throw Error("found a hand of a length that is no number > 0");
  HandSizes sizes;
  sizes.bases = {Vec3(14, 24, -12), Vec3(95, 26, 0), Vec3(98, 4, 0), Vec3(92, -17, 0),
                 Vec3(83, -36, 0)};
  sizes.lengths = {{{46, 32, 27}, {40, 23, 20}, {45, 26, 21}, {41, 26, 21}, {33, 18, 19}}};
  sizes.radii = {{{11, 10.5, 9.5}, {9.5, 8.5, 7.5}, {9.5, 8.5, 7.5}, {9, 8, 7}, {8, 7, 6.5}}};
  sizes.palm_centre = Vec3(50, -5, 0);
  sizes.palm_size = Vec3(90, 84, 28);
  sizes.palm_rounding = 12;
  const double scale = length / 190;
  for (Vec3& base : sizes.bases) base *= scale;
  for (auto* table : {&sizes.lengths, &sizes.radii})
    for (auto& finger : *table)
      for (double& value : finger) value *= scale;
  sizes.palm_centre *= scale;
  sizes.palm_size *= scale;
  sizes.palm_rounding *= scale;
  return sizes;
}

HandModel::HandModel(const HandSizes& sizes, Side side) : side_(side) {
  add_palm(sizes);
  for (int finger = 0; finger < finger_count; ++finger) add_finger(finger, sizes);
  if (side == Side::left) mirror();
  for (Limb& limb : limbs_) set_solid(limb);
}

void HandModel::add_palm(const HandSizes& sizes) {
  const Vec3 core = 0.5 * sizes.palm_size - Vec3::Constant(sizes.palm_rounding);
  if (!(core.minCoeff() > 0) || !(sizes.palm_rounding > 0))
    throw Error("found a palm that is thinner than twice its rounding, or has none");
  Limb& palm = limbs_[0];
  palm.turns = {{Vec3::UnitZ(), wrist_yaw, 1}, {Vec3::UnitY(), wrist_pitch, 1}};
  palm.centre = sizes.palm_centre;
  palm.length = sizes.palm_size.x();
  palm.shape = collision::rounded(collision::box(core), sizes.palm_rounding);
}

void HandModel::add_finger(int finger, const HandSizes& sizes) {
  const std::size_t f = static_cast<std::size_t>(finger);
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  // How the base of the finger turns in the palm. The arch of the palm takes the outer fingers
  // along.
  const std::array<std::vector<Turn>, finger_count> base{{
      {{x, thumb_rotate, -1}, {z, thumb_ab, 1}},
      {{z, middle_index_ab, 1}},
      {},
      {{x, palm_arch, 0.5}, {z, ring_middle_ab, -1}},
      {{x, palm_arch, 1}, {z, ring_middle_ab, -1}, {z, pinkie_ring_ab, -1}},
  }};
  for (int phalanx = 0; phalanx < 3; ++phalanx) {
    const std::size_t p = static_cast<std::size_t>(phalanx);
    Limb& limb = limbs_[static_cast<std::size_t>(limb_of(finger, phalanx))];
    const double length = sizes.lengths[f][p], radius = sizes.radii[f][p];
    const bool is_last = phalanx == 2;
    // The last one ends at the tip; the others go from joint to joint, and their ends overlap.
    const double segment = is_last ? length - radius : length;
    if (!(radius > 0) || !(segment > 0) || !std::isfinite(length))
      throw Error("found a limb of a finger that is not longer than it is thick");
    limb.parent = phalanx == 0 ? 0 : limb_of(finger, phalanx - 1);
    limb.joint = phalanx == 0 ? sizes.bases[f] : sizes.lengths[f][p - 1] * x;
    if (phalanx == 0) limb.turns = base[f];
    // The thumb bends across the palm, the fingers towards it.
    if (finger > 0)
      limb.turns.push_back({y, first_flexion[f] + phalanx, 1});
    else if (phalanx > 0)
      limb.turns.push_back({z, first_flexion[f] + phalanx - 1, -1});
    limb.length = length;
    limb.centre = 0.5 * segment * x;
    limb.shape = collision::capsule(0.5 * segment, radius);
    limb.shape_pose.rotation = z_to_x();
  }
}

// In the mirror, places change the sign of y, and axes of turns those of x and z.
void HandModel::mirror() {
  for (Limb& limb : limbs_) {
    limb.joint.y() = -limb.joint.y();
    limb.centre.y() = -limb.centre.y();
    for (Turn& turn : limb.turns) {
      turn.axis.x() = -turn.axis.x();
      turn.axis.z() = -turn.axis.z();
    }
  }
}

LimbStates HandModel::limbs(const HandState& hand) const {
  LimbStates at_joint, out;  // limbs' frames; then their centres of mass
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const Limb& limb = limbs_[i];
    LimbState at;
    if (limb.parent < 0)
      at = {hand.position, hand.orientation.toRotationMatrix(), hand.velocity,
            hand.angular_velocity};
    else
      at = at_joint[static_cast<std::size_t>(limb.parent)];
    const Vec3 arm = at.rotation * limb.joint;
    at.position += arm;
    at.velocity += at.angular_velocity.cross(arm);
    for (const Turn& turn : limb.turns) {
      const std::size_t angle = static_cast<std::size_t>(turn.angle);
      at.angular_velocity += turn.factor * hand.rates[angle] * (at.rotation * turn.axis);
      at.rotation = at.rotation * turned_about(turn.axis, turn.factor * hand.angles[angle]);
    }
    at_joint[i] = at;
    const Vec3 centre = at.rotation * limb.centre;
    at.position += centre;
    at.velocity += at.angular_velocity.cross(centre);
    out[i] = at;
  }
  return out;
}

Vec3 HandModel::fingertip(int finger, const LimbStates& limbs) const {
  const int last = limb_of(finger, 2);
  const LimbState& at = limbs[static_cast<std::size_t>(last)];
  return at.position + at.rotation * (limb(last).length * Vec3::UnitX() - limb(last).centre);
}

}  // namespace taut::hand
