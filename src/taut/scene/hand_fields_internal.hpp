// The fields of hands in a scene, of their motions and of their sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/hand/hand.hpp"
#include "taut/hand/stylus.hpp"
#include "taut/scene/field_reader_internal.hpp"

namespace taut::io::detail {

struct HandFields {
  hand::Side side = hand::Side::right;
  std::optional<double> length;
  std::optional<std::string> sizes, motion;
  Vec3 point = Vec3::Zero(), position = Vec3::Zero();
  Orientation orientation;
  hand::Limbs limbs = hand::Limbs::free;
  hand::Preset coupling = hand::Preset::quick;
  double settling = 0.01, force = 40;
  bool self_contact = false;
  std::string material;
  std::optional<double> friction;
  static const TypeInfo& info();
};

struct StylusFields {
  hand::Tip tip = hand::Tip::pen;
  double length = 0.12, radius = 0.004;
  Vec3 position = Vec3::Zero();
  Orientation orientation;
  double settling = 0.01, force = 20;
  std::string material;
  std::optional<double> friction;
  static const TypeInfo& info();
};

/// What a keyframe leaves out is as in the one before.
struct HandKeyframeFields {
  double time = 0;
  std::optional<Vec3> position;
  std::optional<Orientation> orientation;
  static const TypeInfo& info();
};

/// Sizes that were measured; all others follow from the length.
struct FingerSizesFields {
  std::optional<Vec3> base, lengths, radii;
  static const TypeInfo& info();
};
struct PalmSizesFields {
  std::optional<Vec3> centre, size;
  std::optional<double> rounding;
  static const TypeInfo& info();
};
struct HandSizesFields {
  double length = hand::usual_length;
  std::optional<FingerSizesFields> thumb, index, middle, ring, pinkie;
  std::optional<PalmSizesFields> palm;
  static const TypeInfo& info();
};

}  // namespace taut::io::detail
