// A hand of 16 limbs: the palm and three limbs of each finger, moved by the 22 angles that a glove
// measures and by the place of the wrist.
//
// Frames of a right hand held flat: x from the wrist to the fingertips, y to the side of the thumb,
// z out of the back of the hand. The frame of a limb has its origin in the limb's joint, and x
// along the limb. Positive flexion bends a finger towards the palm. A left hand is the mirror image
// in y, and the same angles make the mirrored pose.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/collision/shape.hpp"

namespace taut::hand {

enum class Side { right, left };

inline constexpr int finger_count = 5;  ///< thumb, index, middle, ring, pinkie
inline constexpr int limb_count = 16;   ///< palm, then those of each finger, from its base
inline constexpr int angle_count = 22;  ///< in the order of the sensors of a CyberGlove

using Angles = std::array<double, angle_count>;  ///< rad
/// Those of the thumb, between fingers and of the wrist, by number.
enum AngleNumber : int {
  thumb_rotate = 0,
  thumb_mpj = 1,
  thumb_ij = 2,
  thumb_ab = 3,
  middle_index_ab = 10,
  ring_middle_ab = 14,
  pinkie_ring_ab = 18,
  palm_arch = 19,
  wrist_pitch = 20,
  wrist_yaw = 21,
};
/// Of each finger; the others follow.
inline constexpr std::array<int, finger_count> first_flexion{thumb_mpj, 4, 7, 11, 15};

std::string_view limb_name(int limb);      ///< "palm", "index_distal", …
std::string_view finger_name(int finger);  ///< "index", …
std::string_view angle_name(int angle);    ///< "index_mpj", …
/// −1 where there is none of that name.
int find_angle(std::string_view name);
inline constexpr int limb_of(int finger, int phalanx) { return 1 + 3 * finger + phalanx; }
/// −1 for the palm.
inline constexpr int finger_of(int limb) { return limb == 0 ? -1 : (limb - 1) / 3; }

struct AngleLimits {
  double lower = 0, upper = 0;  ///< rad
};
/// What a hand can do.
AngleLimits angle_limits(int angle);
Angles within_limits(const Angles& angles);

/// m. Joints are given in the frame of the palm of a right hand.
struct HandSizes {
  std::array<Vec3, finger_count> bases;                     ///< first joint of each finger
  std::array<std::array<double, 3>, finger_count> lengths;  ///< of limbs, from the base on
  std::array<std::array<double, 3>, finger_count> radii;    ///< of limbs
  Vec3 palm_centre, palm_size;                              ///< edges, with rounding
  double palm_rounding = 0;

  /// Of an average hand that measures `length` from the wrist to the tip of the middle finger.
  static HandSizes of_length(double length);
};
inline constexpr double usual_length = 0.19;

/// Where the wrist is and how the joints are bent.
struct HandPose {
  Vec3 position = Vec3::Zero();  ///< of the wrist, m
  Quat orientation = Quat::Identity();
  Angles angles{};
};
/// A pose with its time derivative.
struct HandState : HandPose {
  Vec3 velocity = Vec3::Zero();          ///< m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< rad/s, in the world's directions
  Angles rates{};                        ///< rad/s
};

/// A limb in the world: its centre of mass and its axes.
struct LimbState {
  Vec3 position = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
  Vec3 velocity = Vec3::Zero();          ///< m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< rad/s, in the world's directions
};
using LimbStates = std::array<LimbState, limb_count>;

class HandModel {
 public:
  /// One turn of a limb against its parent.
  struct Turn {
    Vec3 axis;  ///< in the frame that the turns before it have left
    int angle;
    double factor;
  };
  struct Limb {
    int parent = -1;
    Vec3 joint = Vec3::Zero();   ///< in the parent's frame; of the palm in the wrist's
    std::vector<Turn> turns;     ///< one after the other
    Vec3 centre = Vec3::Zero();  ///< of mass, in the limb's frame
    double length = 0;           ///< m, along x
    collision::Shape shape;
    collision::Pose3 shape_pose;  ///< from the centre of mass
    double volume = 0;            ///< m³
    Mat3 inertia = Mat3::Zero();  ///< m⁵: for density 1, about the centre of mass
  };

  /// Throws Error for sizes that no hand has.
  explicit HandModel(const HandSizes& sizes = HandSizes::of_length(usual_length),
                     Side side = Side::right);

  Side side() const { return side_; }
  const Limb& limb(int i) const { return limbs_[static_cast<std::size_t>(i)]; }

  /// Forward kinematics.
  LimbStates limbs(const HandState& hand) const;
  LimbStates limbs(const HandPose& pose) const { return limbs(HandState{pose}); }
  /// The end of a finger, in the world.
  Vec3 fingertip(int finger, const LimbStates& limbs) const;

 private:
  void add_palm(const HandSizes& sizes);
  void add_finger(int finger, const HandSizes& sizes);
  void mirror();

  Side side_;
  std::array<Limb, limb_count> limbs_;
};

}  // namespace taut::hand

template <>
struct taut::Choices<taut::hand::Side> {
  static constexpr std::array<std::string_view, 2> names{"right", "left"};
};
