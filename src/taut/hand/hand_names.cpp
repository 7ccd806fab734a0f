// What limbs, fingers and angles are called, and how far the angles go.
#include <algorithm>
#include <numbers>

#include "taut/hand/hand_model.hpp"

namespace taut::hand {
namespace {

constexpr double degree = std::numbers::pi / 180;

constexpr std::array<std::string_view, limb_count> limb_names{
    "palm",           "thumb_metacarpal", "thumb_proximal", "thumb_distal",
    "index_proximal", "index_middle",     "index_distal",   "middle_proximal",
    "middle_middle",  "middle_distal",    "ring_proximal",  "ring_middle",
    "ring_distal",    "pinkie_proximal",  "pinkie_middle",  "pinkie_distal"};
constexpr std::array<std::string_view, finger_count> finger_names{"thumb", "index", "middle",
                                                                  "ring", "pinkie"};

struct AngleInfo {
  std::string_view name;
  double lower, upper;  // degrees
};
// In the order of a CyberGlove's sensors. mpj, pij and dij are the joints of a finger from its base
// on, ab is the angle between two fingers.
constexpr std::array<AngleInfo, angle_count> angles{{
    {"thumb_rotate", -15, 120},  {"thumb_mpj", -15, 80},       {"thumb_ij", -20, 90},
    {"thumb_ab", -20, 110},      {"index_mpj", -30, 95},       {"index_pij", -5, 115},
    {"index_dij", -10, 90},      {"middle_mpj", -30, 95},      {"middle_pij", -5, 115},
    {"middle_dij", -10, 90},     {"middle_index_ab", -10, 40}, {"ring_mpj", -30, 95},
    {"ring_pij", -5, 115},       {"ring_dij", -10, 90},        {"ring_middle_ab", -10, 40},
    {"pinkie_mpj", -30, 95},     {"pinkie_pij", -5, 115},      {"pinkie_dij", -10, 90},
    {"pinkie_ring_ab", -10, 40}, {"palm_arch", 0, 45},         {"wrist_pitch", -90, 90},
    {"wrist_yaw", -45, 45},
}};

const AngleInfo& info(int angle) { return angles[static_cast<std::size_t>(angle)]; }

}  // namespace

std::string_view limb_name(int limb) { return limb_names[static_cast<std::size_t>(limb)]; }
std::string_view finger_name(int finger) { return finger_names[static_cast<std::size_t>(finger)]; }
std::string_view angle_name(int angle) { return info(angle).name; }

int find_angle(std::string_view name) {
  for (int i = 0; i < angle_count; ++i)
    if (info(i).name == name) return i;
  return -1;
}

AngleLimits angle_limits(int angle) {
  return {degree * info(angle).lower, degree * info(angle).upper};
}

Angles within_limits(const Angles& given) {
  Angles out = given;
  for (int i = 0; i < angle_count; ++i) {
    const AngleLimits limits = angle_limits(i);
    double& angle = out[static_cast<std::size_t>(i)];
    angle = std::clamp(angle, limits.lower, limits.upper);
  }
  return out;
}

}  // namespace taut::hand
