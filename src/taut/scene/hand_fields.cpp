#include "taut/scene/hand_fields_internal.hpp"

namespace taut::io::detail {

const TypeInfo& HandFields::info() {
  static const TypeInfo info = describe(
      FieldList<HandFields>()
          .optional("side", &HandFields::side, "", "which hand it is")
          .optional("length", &HandFields::length, "m",
                    "from the wrist to the tip of the middle finger; 0.19 if not given",
                    Range::positive)
          .optional("sizes", &HandFields::sizes, "",
                    "instead of a length: a file with what was measured, relative to the scene's "
                    "folder")
          .optional("motion", &HandFields::motion, "",
                    "what the ghost does: a file, relative to the scene's folder, or the name of a "
                    "built-in motion; without one, and without keyframes, it stays where it is")
          .optional(
              "point", &HandFields::point, "m",
              "the point, in the frame of the wrist, that positions are of; a motion may have "
              "its own")
          .optional("position", &HandFields::position, "m",
                    "of that point; with a motion, where the motion's origin is")
          .optional("orientation", &HandFields::orientation, "",
                    "of the hand, or of the motion's frame")
          .optional("limbs", &HandFields::limbs, "",
                    "whether joints hold them together, or only the ghost")
          .optional("coupling", &HandFields::coupling, "",
                    "how limbs follow the ghost: quickly, or as slowly as Zaeh et al. had it")
          .optional("settling", &HandFields::settling, "s",
                    "of the quick coupling: time until a limb is within 2 % of its ghost",
                    Range::positive)
          .optional("force", &HandFields::force, "N",
                    "of the quick coupling: the most that the ghost does to a phalanx",
                    Range::positive)
          .optional("self_contact", &HandFields::self_contact, "",
                    "whether fingers touch other fingers and the palm")
          .optional("material", &HandFields::material, "", "of its skin, as of a shape")
          .optional("friction", &HandFields::friction, "", "of its skin, as of a shape",
                    Range::non_negative));
  return info;
}

const TypeInfo& StylusFields::info() {
  static const TypeInfo info = describe(
      FieldList<StylusFields>()
          .optional("tip", &StylusFields::tip, "",
                    "a point, of which the place is measured, or a pen, of which also the "
                    "orientation is")
          .optional("length", &StylusFields::length, "m", "of a pen", Range::positive)
          .optional("radius", &StylusFields::radius, "m", "of the tip and the pen", Range::positive)
          .optional("position", &StylusFields::position, "m",
                    "of the tip; with keyframes, where their origin is")
          .optional("orientation", &StylusFields::orientation, "",
                    "of the pen, which goes from its tip along z, or of the keyframes")
          .optional("settling", &StylusFields::settling, "s",
                    "time until it is within 2 % of its ghost", Range::positive)
          .optional("force", &StylusFields::force, "N", "the most that the ghost does to it",
                    Range::positive)
          .optional("material", &StylusFields::material, "", "as of a shape")
          .optional("friction", &StylusFields::friction, "", "as of a shape", Range::non_negative));
  return info;
}

const TypeInfo& HandKeyframeFields::info() {
  static const TypeInfo info =
      describe(FieldList<HandKeyframeFields>()
                   .required("time", &HandKeyframeFields::time, "s",
                             "when the hand is there, at rest", Range::non_negative)
                   .optional("position", &HandKeyframeFields::position, "m", "of the hand's point")
                   .optional("orientation", &HandKeyframeFields::orientation, "", "of the hand"));
  return info;
}

const TypeInfo& FingerSizesFields::info() {
  static const TypeInfo info = describe(
      FieldList<FingerSizesFields>()
          .optional("base", &FingerSizesFields::base, "m",
                    "its first joint, in the frame of the wrist of a right hand")
          .optional("lengths", &FingerSizesFields::lengths, "m", "of its limbs, from the base on",
                    Range::positive)
          .optional("radii", &FingerSizesFields::radii, "m", "of its limbs", Range::positive));
  return info;
}

const TypeInfo& PalmSizesFields::info() {
  static const TypeInfo info =
      describe(FieldList<PalmSizesFields>()
                   .optional("centre", &PalmSizesFields::centre, "m", "in the frame of the wrist")
                   .optional("size", &PalmSizesFields::size, "m", "its edges", Range::positive)
                   .optional("rounding", &PalmSizesFields::rounding, "m", "radius of its edges",
                             Range::positive));
  return info;
}

const TypeInfo& HandSizesFields::info() {
  static const TypeInfo info =
      describe(FieldList<HandSizesFields>()
                   .optional("length", &HandSizesFields::length, "m",
                             "from the wrist to the tip of the middle finger", Range::positive)
                   .optional("thumb", &HandSizesFields::thumb, "", "what was measured of the thumb")
                   .optional("index", &HandSizesFields::index, "", "… of the index finger")
                   .optional("middle", &HandSizesFields::middle, "", "… of the middle finger")
                   .optional("ring", &HandSizesFields::ring, "", "… of the ring finger")
                   .optional("pinkie", &HandSizesFields::pinkie, "", "… of the little finger")
                   .optional("palm", &HandSizesFields::palm, "", "… of the palm"));
  return info;
}

}  // namespace taut::io::detail
