#include "taut/scene/hand_fields_internal.hpp"
#include "taut/scene/parameters.hpp"
#include "taut/scene/scene_fields_internal.hpp"

namespace taut::io::detail {

const TypeInfo& ParticleFields::info() {
  static const TypeInfo info =
      describe(FieldList<ParticleFields>()
                   .required("mass", &ParticleFields::mass, "kg", "", Range::positive)
                   .required("position", &ParticleFields::position, "m", "at the start")
                   .optional("velocity", &ParticleFields::velocity, "m/s", "at the start"));
  return info;
}

const TypeInfo& RigidFields::info() {
  static const TypeInfo info = describe(
      FieldList<RigidFields>()
          .optional("mass", &RigidFields::mass, "kg",
                    "if not given, it follows from the shapes' density", Range::positive)
          .optional("inertia", &RigidFields::inertia, "kg·m²",
                    "about the centre of mass, in the body's frame: principal moments or a matrix; "
                    "if not given, it follows from the shapes")
          .required("position", &RigidFields::position, "m", "of the centre of mass at the start")
          .optional("orientation", &RigidFields::orientation, "",
                    "from the body's frame to the world's")
          .optional("velocity", &RigidFields::velocity, "m/s", "of the centre of mass at the start")
          .optional("angular_velocity", &RigidFields::angular_velocity, "rad/s",
                    "at the start, in the world's directions"));
  return info;
}

const TypeInfo& RobotFields::info() {
  static const TypeInfo info = describe(
      FieldList<RobotFields>()
          .optional("file", &RobotFields::file, "",
                    "URDF, MJCF or SDF, relative to the scene's folder, or the name of a built-in "
                    "robot; required")
          .optional("urdf", &RobotFields::urdf, "", "the same as \"file\"")
          .optional("base", &RobotFields::base, "", "whether the root link is fixed in the world")
          .optional("position", &RobotFields::position, "m", "of the root link at the start")
          .optional("orientation", &RobotFields::orientation, "", "of the root link at the start")
          .optional("collision", &RobotFields::collision, "",
                    "what its collision elements touch: what the format of its file says (URDF: "
                    "others); shapes of others; those of its own links as well (except of links "
                    "that a joint connects); or nothing")
          .optional("material", &RobotFields::material, "", "of its surface, as of a shape")
          .optional("friction", &RobotFields::friction, "", "of its surface, as of a shape",
                    Range::non_negative)
          .optional("restitution", &RobotFields::restitution, "", "of its surface, as of a shape",
                    Range::non_negative));
  return info;
}

const TypeInfo& ClothFields::info() {
  static const TypeInfo info = describe(
      FieldList<ClothFields>()
          .inherit(cloth_material_fields())
          .optional("grid", &ClothFields::grid, "", "a rectangular sheet")
          .optional("mesh", &ClothFields::mesh, "",
                    "instead of a grid: an OBJ, PLY or STL file, relative to the scene's folder")
          .optional("scale", &ClothFields::scale, "",
                    "of a mesh: metres per unit of length in the file; 1 if not given",
                    Range::positive)
          .optional("position", &ClothFields::position, "m",
                    "of a mesh: position of its origin at the start")
          .optional("orientation", &ClothFields::orientation, "",
                    "of a mesh: from its frame to the world's, about its origin")
          .optional("open_seams", &ClothFields::open_seams, "",
                    "of a mesh: true: vertices at the same place are different ones, and the cloth "
                    "is cut there; false: they are an error")
          .optional("touches", &ClothFields::touches, "",
                    "whether it touches shapes, other cloths and itself, or goes through them; "
                    "automatic: all of these where the scene has shapes")
          .optional("thickness", &ClothFields::thickness, "m",
                    "what two layers keep apart, and twice what it keeps from shapes; 1.5 mm if "
                    "not given, or an eighth of the shortest edge if that is less",
                    Range::positive)
          .optional("friction", &ClothFields::friction, "", "coefficient, with cloth and shapes",
                    Range::non_negative)
          .optional("release", &ClothFields::release, "",
                    "when what pressed lets go: complementarity, never to pull, or velocity: after "
                    "it pulled in a step, separated, or another feature came nearer")
          .optional("start", &ClothFields::start, "m",
                    "where its vertices are at the start, one place for each, if not in the rest "
                    "shape")
          .optional("start_formula", &ClothFields::start_formula, "m",
                    "the same by three formulas \"=…\" in x, y and z, the place at rest"));
  return info;
}

const TypeInfo& ClothPinFields::info() {
  static const TypeInfo info = describe(
      FieldList<ClothPinFields>()
          .optional("part", &ClothPinFields::part, "",
                    "of a grid: a side, all corners or one corner")
          .optional("vertices", &ClothPinFields::vertices, "", "names of vertices")
          .optional("near", &ClothPinFields::near, "m", "the vertex nearest to this place")
          .optional("radius", &ClothPinFields::radius, "m",
                    "with near: all vertices within this distance instead", Range::positive)
          .optional("every", &ClothPinFields::every, "",
                    "only every n-th of them, starting with the first", Range::positive)
          .optional("displacement", &ClothPinFields::displacement, "m",
                    "from their initial positions, constant or a motion")
          .optional("until", &ClothPinFields::until, "s",
                    "when they are released; never if not given")
          .optional("body", &ClothPinFields::body, "",
                    "the rigid body they are sewn to, where they are at the start; none: they are "
                    "held in the world"));
  return info;
}

const TypeInfo& ParameterFields::info() {
  static const TypeInfo info = describe(
      FieldList<ParameterFields>()
          .required("value", &ParameterFields::value, "",
                    "a number, or an expression in earlier parameters")
          .optional("unit", &ParameterFields::unit, "", "\"m\", \"kg\", … or \"\"")
          .optional("description", &ParameterFields::description, "", "one line")
          .optional("min", &ParameterFields::min, "", "smallest value allowed")
          .optional("max", &ParameterFields::max, "", "largest value allowed")
          .optional("integer", &ParameterFields::integer, "", "whether it must be a whole number"));
  return info;
}

const TypeInfo& InputFields::info() {
  static const TypeInfo info =
      describe(FieldList<InputFields>()
                   .optional("value", &InputFields::value, "", "at the start")
                   .optional("unit", &InputFields::unit, "", "\"N\", \"rad\", … or \"\"")
                   .optional("description", &InputFields::description, "", "one line")
                   .optional("min", &InputFields::min, "", "smallest value allowed")
                   .optional("max", &InputFields::max, "", "largest value allowed"));
  return info;
}

const TypeInfo& SensorFields::info() {
  static const TypeInfo info =
      describe(FieldList<SensorFields>()
                   .optional("unit", &SensorFields::unit, "",
                             "if not given and the formula is one quantity alone, that one's")
                   .optional("description", &SensorFields::description, "", "one line"));
  return info;
}

const TypeInfo& RepeatFields::info() {
  static const TypeInfo info = describe(
      FieldList<RepeatFields>()
          .required("count", &RepeatFields::count, "", "how many times", Range::non_negative)
          .optional("index", &RepeatFields::index, "", "name of the index, which counts from 0"));
  return info;
}

const TypeInfo& SimulationFields::info() {
  static const TypeInfo info = describe(
      FieldList<SimulationFields>()
          .optional(
              "method", &SimulationFields::method, "",
              "how constraints are enforced: auto, which chooses, or one of `taut list methods`")
          .optional("step", &SimulationFields::step, "s", "time step", Range::positive)
          .optional("duration", &SimulationFields::duration, "s", "simulated time", Range::positive)
          .optional("record_every", &SimulationFields::record_every, "",
                    "number of steps between records", Range::positive)
          .optional(
              "start", &SimulationFields::start, "",
              "what to do if the start violates the constraints: move it onto them first, or leave "
              "it to the method"));
  return info;
}

const TypeInfo& PendulumFields::info() {
  static const TypeInfo info = describe(
      FieldList<PendulumFields>()
          .required("masses", &PendulumFields::masses, "kg", "starting at the pivot",
                    Range::positive)
          .required("lengths", &PendulumFields::lengths, "m", "of the links", Range::positive)
          .required("angles", &PendulumFields::angles, "rad",
                    "of the links at the start, from straight down (−y) towards +x")
          .optional("gravity", &PendulumFields::gravity, "m/s²", "downwards (−y)",
                    Range::non_negative)
          .optional("pivot", &PendulumFields::pivot, "m", "where the first link is attached")
          .required("point", &PendulumFields::point, "", "the body that is compared")
          .required("link", &PendulumFields::link, "", "which mass of the reference it is, from 0",
                    Range::non_negative)
          .optional("axis", &PendulumFields::axis, "", "the coordinate that is compared")
          .optional("until", &PendulumFields::until, "s", "end of the comparison",
                    Range::positive));
  return info;
}

const TypeInfo& FinalValueFields::info() {
  static const TypeInfo info = describe(
      FieldList<FinalValueFields>()
          .required("point", &FinalValueFields::point, "", "a body, or a place in a rigid one")
          .optional("quantity", &FinalValueFields::quantity, "",
                    "of the point; or of its body: the angle by which it has turned about an axis "
                    "(modulo "
                    "full turns), or its angular velocity")
          .required("axis", &FinalValueFields::axis, "",
                    "which component, in the world's directions")
          .required("value", &FinalValueFields::value, "", "its known value"));
  return info;
}

const TypeInfo& FinalValuesFields::info() {
  static const TypeInfo info =
      describe(FieldList<FinalValuesFields>()
                   .required("time", &FinalValuesFields::time, "s",
                             "when the values hold; the run must end then", Range::positive)
                   .required("values", &FinalValuesFields::values, "", "what is compared"));
  return info;
}

const TypeInfo& HeaderFields::info() {
  static const TypeInfo info = describe(
      FieldList<HeaderFields>()
          .required("taut", &HeaderFields::taut, "", "version of the format")
          .optional("name", &HeaderFields::name, "", "the file's name if not given")
          .optional("title", &HeaderFields::title, "", "one line")
          .optional("description", &HeaderFields::description, "", "what the scene is for"));
  return info;
}

const std::vector<TypeInfo>& body_types() {
  static const std::vector<TypeInfo> all{ParticleFields::info(), RigidFields::info()};
  return all;
}

const std::vector<TypeInfo>& reference_types() {
  static const std::vector<TypeInfo> all{PendulumFields::info(), FinalValuesFields::info()};
  return all;
}

}  // namespace taut::io::detail

namespace taut::io {

std::vector<TypeInfo> part_infos() {
  const auto named = [](std::string_view type, std::string_view summary, TypeInfo info) {
    info.type = type;
    info.summary = summary;
    return info;
  };
  using namespace detail;
  return {ParticleFields::info(),
          RigidFields::info(),
          named("robot", "a robot from a URDF, MJCF or SDF file", RobotFields::info()),
          named("cloth", "a sheet of cloth: a grid, or a mesh from a file", ClothFields::info()),
          named("hand", "a hand that follows a motion or a device", HandFields::info()),
          named("stylus", "a tool that follows a motion or a device", StylusFields::info())};
}

}  // namespace taut::io
