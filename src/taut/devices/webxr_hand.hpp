// From the 25 joints of a hand that a browser measures (WebXR Hand Input) to a hand's pose: the
// wrist, and the angles of a glove. Only places of joints count, since their orientations differ
// from one headset to the next. A hand of any size gives the same angles.
//
// The arch of the palm and the wrist's own two angles cannot be seen and are 0: the palm's
// orientation has them already.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "taut/hand/hand_model.hpp"

namespace taut::devices {

/// In the order of WebXR: wrist; thumb: metacarpal, proximal, distal, tip; then of index, middle,
/// ring and little finger: metacarpal, proximal, intermediate, distal, tip.
inline constexpr int webxr_joint_count = 25;
using WebXrJoints = std::array<Vec3, webxr_joint_count>;  ///< m

/// Nothing where they cannot be a hand: no numbers, joints on top of each other, or spread over
/// more than any hand is long.
std::optional<hand::HandPose> pose_of_joints(const WebXrJoints& joints,
                                             const hand::HandModel& model);
/// The other way round: what a headset would see of a hand like this.
WebXrJoints joints_of_pose(const hand::HandPose& pose, const hand::HandModel& model);

}  // namespace taut::devices
