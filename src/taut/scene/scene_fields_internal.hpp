// Field lists of those parts of a scene that are neither constraints nor forces. Reader and schema
// are both made from them.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "taut/base/field.hpp"
#include "taut/base/types.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/cloth/material.hpp"
#include "taut/scene/field_reader_internal.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::io::detail {

inline constexpr long format_version = 1;
inline constexpr long most_turns = 10'000'000;  // of all repeats together
inline constexpr std::size_t most_parameters = 1000;
inline constexpr double most_steps = 1e12;

struct ParticleFields {
  static constexpr std::string_view type = "particle";
  static constexpr std::string_view summary = "a point mass";
  double mass = 1;
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
  static constexpr auto fields() {
    using P = ParticleFields;
    return std::tuple{required("mass", &P::mass, "kg", "", Range::positive),
                      required("position", &P::position, "m", "at the start"),
                      optional("velocity", &P::velocity, "m/s", "at the start")};
  }
};

struct RigidFields {
  static constexpr std::string_view type = "rigid";
  static constexpr std::string_view summary = "a rigid body";
  double mass = 1;
  Inertia inertia;
  Vec3 position = Vec3::Zero();
  Orientation orientation;
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();
  static constexpr auto fields() {
    using R = RigidFields;
    return std::tuple{
        required("mass", &R::mass, "kg", "", Range::positive),
        required("inertia", &R::inertia, "kg·m²",
                 "about the centre of mass, in the body's frame: principal moments or a matrix"),
        required("position", &R::position, "m", "of the centre of mass at the start"),
        optional("orientation", &R::orientation, "", "from the body's frame to the world's"),
        optional("velocity", &R::velocity, "m/s", "of the centre of mass at the start"),
        optional("angular_velocity", &R::angular_velocity, "rad/s",
                 "at the start, in the world's directions")};
  }
};

using BodyTypes = TypeList<ParticleFields, RigidFields>;

struct RobotFields {
  std::string urdf;
  RobotBase base = RobotBase::fixed;
  Vec3 position = Vec3::Zero();
  Orientation orientation;
  static constexpr auto fields() {
    using R = RobotFields;
    return std::tuple{
        required("urdf", &R::urdf, "",
                 "a file, as seen from the scene's, or the name of a built-in robot"),
        optional("base", &R::base, "", "whether the root link is fixed in the world"),
        optional("position", &R::position, "m", "of the root link at the start"),
        optional("orientation", &R::orientation, "", "of the root link at the start")};
  }
};

/// A cloth is a grid, or a mesh from a file that is placed in the world.
struct ClothFields : ClothMaterial {
  std::optional<Grid> grid;
  std::optional<std::string> mesh;
  std::optional<double> scale;
  std::optional<Vec3> position;
  std::optional<Orientation> orientation;
  static constexpr auto fields() {
    using C = ClothFields;
    return std::tuple_cat(
        ClothMaterial::fields(),
        std::tuple{
            optional("grid", &C::grid, "", "a rectangular sheet"),
            optional("mesh", &C::mesh, "",
                     "instead of a grid: an OBJ or PLY file, as seen from the scene's"),
            optional("scale", &C::scale, "", "of a mesh: m per unit of length of the file; 1",
                     Range::positive),
            optional("position", &C::position, "m", "of a mesh: where its origin is at the start"),
            optional("orientation", &C::orientation, "",
                     "of a mesh: from its frame to the world's, about its origin")});
  }
};

/// Which vertices of a cloth are held: one of part, vertices and near.
struct ClothPinFields {
  std::optional<GridPart> part;
  std::optional<std::vector<std::string>> vertices;
  std::optional<Vec3> near;
  std::optional<double> radius;
  int every = 1;
  Motion<Vec3> displacement{Vec3(0, 0, 0)};
  std::optional<double> until;
  static constexpr auto fields() {
    using P = ClothPinFields;
    return std::tuple{
        optional("part", &P::part, "", "of a grid: a side, the corners or one of them"),
        optional("vertices", &P::vertices, "", "by their names"),
        optional("near", &P::near, "m", "the vertex nearest to this place"),
        optional("radius", &P::radius, "m", "with near: all vertices within this distance instead",
                 Range::positive),
        optional("every", &P::every, "", "only each so-manyth of them, from the first on",
                 Range::positive),
        optional("displacement", &P::displacement, "m",
                 "from where they start, constant or a motion"),
        optional("until", &P::until, "s", "when they are let go; never if not given")};
  }
};

struct ParameterFields {
  double value = 0;
  std::string unit, description;
  std::optional<double> min, max;
  bool integer = false;
  static constexpr auto fields() {
    using P = ParameterFields;
    return std::tuple{
        required("value", &P::value, "", "a number, or an expression of earlier ones"),
        optional("unit", &P::unit, "", "\"m\", \"kg\", … or \"\""),
        optional("description", &P::description, "", "one line"),
        optional("min", &P::min, "", "smallest value allowed"),
        optional("max", &P::max, "", "largest value allowed"),
        optional("integer", &P::integer, "", "whether it must be whole")};
  }
};

struct RepeatFields {
  long count = 0;
  std::string index = "i";
  static constexpr auto fields() {
    using R = RepeatFields;
    return std::tuple{required("count", &R::count, "", "how many times", Range::non_negative),
                      optional("index", &R::index, "", "name of the index, which counts from 0")};
  }
};

struct SimulationFields {
  std::string method{auto_method};
  double step = 0.01, duration = 10;
  long record_every = 1;
  Start start = Start::settle;
  static constexpr auto fields() {
    using S = SimulationFields;
    return std::tuple{
        optional("method", &S::method, "",
                 "how constraints are kept: auto, which chooses, or one of taut list methods"),
        optional("step", &S::step, "s", "time step", Range::positive),
        optional("duration", &S::duration, "s", "simulated time", Range::positive),
        optional("record_every", &S::record_every, "", "steps from record to record",
                 Range::positive),
        optional("start", &S::start, "",
                 "what to do about a start that violates the constraints: bring it to them first, "
                 "or leave it to the method")};
  }
};

enum class Axis { x, y, z };

struct PendulumFields {
  static constexpr std::string_view type = "planar_pendulum";
  static constexpr std::string_view summary =
      "point masses on massless links in the x-y plane, starting at rest, integrated in joint "
      "angles to 1e-10";
  std::vector<double> masses, lengths, angles;
  double gravity = 9.81;
  Vec3 pivot = Vec3::Zero();
  BodyName point;
  int link = 0;
  Axis axis = Axis::y;
  double until = 10;
  static constexpr auto fields() {
    using P = PendulumFields;
    return std::tuple{
        required("masses", &P::masses, "kg", "from the pivot on", Range::positive),
        required("lengths", &P::lengths, "m", "of the links", Range::positive),
        required("angles", &P::angles, "rad",
                 "of the links at the start, from straight down (−y) towards +x"),
        optional("gravity", &P::gravity, "m/s²", "downwards (−y)", Range::non_negative),
        optional("pivot", &P::pivot, "m", "where the first link hangs"),
        required("point", &P::point, "", "the body that is compared"),
        required("link", &P::link, "", "which mass of the reference it is, from 0",
                 Range::non_negative),
        optional("axis", &P::axis, "", "the coordinate that is compared"),
        optional("until", &P::until, "s", "end of the comparison", Range::positive)};
  }
};

struct FinalValueFields {
  Point point;
  FinalValues::Quantity quantity = FinalValues::Quantity::position;
  Axis axis = Axis::x;
  double value = 0;
  static constexpr auto fields() {
    using F = FinalValueFields;
    return std::tuple{
        required("point", &F::point, "", "a body, or a place in a rigid one"),
        optional("quantity", &F::quantity, "",
                 "of the point, or of its body: the angle it has turned about an axis (whole turns "
                 "do not count), or its angular velocity"),
        required("axis", &F::axis, "", "which component, in the world's directions"),
        required("value", &F::value, "", "what it is")};
  }
};

struct FinalValuesFields {
  static constexpr std::string_view type = "final_values";
  static constexpr std::string_view summary = "what is known of the state at one time";
  double time = 0;
  std::vector<FinalValueFields> values;
  static constexpr auto fields() {
    using F = FinalValuesFields;
    return std::tuple{
        required("time", &F::time, "s", "when; the run must end there", Range::positive),
        required("values", &F::values, "", "what is compared")};
  }
};

using ReferenceTypes = TypeList<PendulumFields, FinalValuesFields>;

struct HeaderFields {
  long taut = format_version;
  std::string name, title, description;
  static constexpr auto fields() {
    using H = HeaderFields;
    return std::tuple{required("taut", &H::taut, "", "version of the format"),
                      optional("name", &H::name, "", "the file's name if not given"),
                      optional("title", &H::title, "", "one line"),
                      optional("description", &H::description, "", "what the scene is for")};
  }
};

}  // namespace taut::io::detail

template <>
struct taut::Choices<taut::io::FinalValues::Quantity> {
  static constexpr std::array<std::string_view, 4> names{"position", "velocity", "angle",
                                                         "angular_velocity"};
};
template <>
struct taut::Choices<taut::io::RobotBase> {
  static constexpr std::array<std::string_view, 2> names{"fixed", "floating"};
};
template <>
struct taut::Choices<taut::io::detail::Axis> {
  static constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
};
