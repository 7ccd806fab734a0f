#include "taut/devices/webxr_hand.hpp"

#include <algorithm>
#include <cmath>

namespace taut::devices {
namespace {

using hand::HandModel;

enum Joint : int { wrist = 0, thumb_metacarpal = 1, first_finger = 5, per_finger = 5 };
/// Of the fingers but the thumb, from 1: the joint at the base of its first phalanx.
constexpr int base_of(int finger) { return first_finger + per_finger * (finger - 1) + 1; }
/// Where the limbs of a finger begin and end: four joints.
constexpr int first_joint(int finger) { return finger == 0 ? thumb_metacarpal : base_of(finger); }

constexpr double longest_bone = 0.3;     // m: nobody's is
constexpr double shortest_bone = 0.002;  // m
// Below this part of a finger's length seen from above, it points to the palm, and nobody can tell
// to which side it is spread.
constexpr double flat_part = 0.25;

double& angle_of(hand::HandPose& pose, int number) {
  return pose.angles[static_cast<std::size_t>(number)];
}

/// Axes that a palm's wrist and knuckles give: x along the palm, z out of its back.
std::optional<Mat3> palm_axes(const Vec3& at_wrist, const Vec3& index, const Vec3& pinkie) {
  const Vec3 along = 0.5 * (index + pinkie) - at_wrist, across = index - pinkie;
  const Vec3 back = along.cross(across);
  if (!(along.norm() > shortest_bone) || !(back.norm() > 0.1 * along.norm() * across.norm()))
    return std::nullopt;
  Mat3 axes;
  axes.col(0) = along.normalized();
  axes.col(2) = back.normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

bool are_a_hand(const WebXrJoints& joints) {
  for (const Vec3& joint : joints)
    if (!joint.allFinite() || !((joint - joints[wrist]).norm() < 2 * longest_bone)) return false;
  for (int finger = 0; finger < hand::finger_count; ++finger)
    for (int bone = 0; bone < 3; ++bone) {
      const std::size_t at = static_cast<std::size_t>(first_joint(finger) + bone);
      const double length = (joints[at + 1] - joints[at]).norm();
      if (!(length > shortest_bone) || !(length < longest_bone)) return false;
    }
  return true;
}

struct Bone {
  double flexion = 0, spread = 0;
};

/// Of a finger whose first limb points along `u` of the palm: Rz(spread) Ry(flexion) x̂ = u.
Bone bend(const Vec3& u) {
  const double flat = std::hypot(u.x(), u.y());
  const double forward = u.x() < 0 ? -1 : 1;  // beyond a right angle it points backwards
  Bone out;
  out.flexion = std::atan2(-u.z(), forward * flat);
  if (flat > flat_part) out.spread = std::atan2(forward * u.y(), forward * u.x());
  return out;
}

Mat3 turned(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

// A left hand is a right hand in the mirror: seen from its palm, y has the other sign.
std::optional<hand::HandPose> pose_of_joints(const WebXrJoints& joints, const HandModel& model) {
  if (!are_a_hand(joints)) return std::nullopt;
  const double mirror = model.side() == hand::Side::left ? -1 : 1;
  const auto knuckle = [&](int finger) {
    return model.limb(hand::limb_of(finger, 0)).joint;  // in the frame of the palm
  };
  const auto seen = [&](int joint) { return joints[static_cast<std::size_t>(joint)]; };
  const auto axes = palm_axes(seen(wrist), seen(base_of(1)), seen(base_of(4)));
  const auto own = palm_axes(Vec3::Zero(), knuckle(1), knuckle(4));
  if (!axes || !own) return std::nullopt;

  hand::HandPose pose;
  const Mat3 rotation = *axes * own->transpose();
  pose.orientation = Quat(rotation);
  pose.position = seen(wrist);
  const auto direction = [&](int finger, int bone) -> Vec3 {
    const int at = first_joint(finger) + bone;
    Vec3 u = rotation.transpose() * (seen(at + 1) - seen(at));
    u.y() *= mirror;
    return u.normalized();
  };
  std::array<double, hand::finger_count> spread{};
  for (int finger = 1; finger < hand::finger_count; ++finger) {
    const std::size_t f = static_cast<std::size_t>(finger);
    const Bone base = bend(direction(finger, 0));
    spread[f] = base.spread;
    angle_of(pose, hand::first_flexion[f]) = base.flexion;
    Mat3 limb = turned(Vec3::UnitZ(), base.spread) * turned(Vec3::UnitY(), base.flexion);
    for (int bone = 1; bone < 3; ++bone) {
      const Vec3 u = limb.transpose() * direction(finger, bone);
      const double flexion = std::atan2(-u.z(), u.x());
      angle_of(pose, hand::first_flexion[f] + bone) = flexion;
      limb = limb * turned(Vec3::UnitY(), flexion);
    }
  }
  // A glove measures fingers against their neighbours.
  angle_of(pose, hand::middle_index_ab) = spread[1] - spread[2];
  angle_of(pose, hand::ring_middle_ab) = spread[2] - spread[3];
  angle_of(pose, hand::pinkie_ring_ab) = spread[3] - spread[4];

  // The thumb: Rx(−rotate) Rz(ab) x̂ = (cos ab, cos rotate sin ab, −sin rotate sin ab).
  const Vec3 u = direction(0, 0);
  angle_of(pose, hand::thumb_ab) = std::acos(std::clamp(u.x(), -1.0, 1.0));
  angle_of(pose, hand::thumb_rotate) = std::atan2(-u.z(), u.y());
  Mat3 limb = turned(Vec3::UnitX(), -angle_of(pose, hand::thumb_rotate)) *
              turned(Vec3::UnitZ(), angle_of(pose, hand::thumb_ab));
  for (int bone = 1; bone < 3; ++bone) {
    const Vec3 next = limb.transpose() * direction(0, bone);
    const double flexion = std::atan2(-next.y(), next.x());
    angle_of(pose, hand::thumb_mpj + bone - 1) = flexion;
    limb = limb * turned(Vec3::UnitZ(), -flexion);
  }
  pose.angles = hand::within_limits(pose.angles);
  return pose;
}

WebXrJoints joints_of_pose(const hand::HandPose& pose, const HandModel& model) {
  const hand::LimbStates limbs = model.limbs(pose);
  WebXrJoints out;
  const auto place = [&](int limb, const Vec3& in_limb) -> Vec3 {
    const hand::LimbState& at = limbs[static_cast<std::size_t>(limb)];
    return at.position + at.rotation * (in_limb - model.limb(limb).centre);
  };
  out[wrist] = place(0, Vec3::Zero());
  for (int finger = 0; finger < hand::finger_count; ++finger) {
    const int first = first_joint(finger);
    for (int bone = 0; bone < 3; ++bone)
      out[static_cast<std::size_t>(first + bone)] =
          place(hand::limb_of(finger, bone), Vec3::Zero());
    out[static_cast<std::size_t>(first + 3)] = model.fingertip(finger, limbs);
    if (finger > 0)  // the metacarpal begins near the wrist
      out[static_cast<std::size_t>(first - 1)] =
          out[wrist] + 0.3 * (out[static_cast<std::size_t>(first)] - out[wrist]);
  }
  return out;
}

}  // namespace taut::devices
