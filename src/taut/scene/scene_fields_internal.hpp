// Those parts of a scene that are neither constraints nor forces, with their fields. Reader and
// schema are both made from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"
#include "taut/cloth/cloth_material.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/model/sheet_source.hpp"
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
  static const TypeInfo& info();
};

struct RigidFields {
  static constexpr std::string_view type = "rigid";
  static constexpr std::string_view summary = "a rigid body";
  std::optional<double> mass;
  std::optional<Inertia> inertia;
  Vec3 position = Vec3::Zero();
  Orientation orientation;
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();
  static const TypeInfo& info();
};

/// Of the list "bodies".
const std::vector<TypeInfo>& body_types();

/// What the collision elements of a robot touch. `file`: as its file's format has it.
enum class RobotCollision { file, others, all, nothing };

struct RobotFields {
  std::string file, urdf;  ///< the same; one of them
  RobotBase base = RobotBase::fixed;
  Vec3 position = Vec3::Zero();
  Orientation orientation;
  RobotCollision collision = RobotCollision::file;
  std::string material;
  std::optional<double> friction, restitution;
  static const TypeInfo& info();
};

/// What a cloth does not go through.
enum class ClothTouches { automatic, nothing, all };

/// A cloth is a grid, or a mesh from a file that is placed in the world.
struct ClothFields : ClothMaterial {
  std::optional<Grid> grid;
  std::optional<std::string> mesh;
  std::optional<double> scale;
  std::optional<Vec3> position;
  std::optional<Orientation> orientation;
  bool open_seams = false;
  ClothTouches touches = ClothTouches::automatic;
  std::optional<double> thickness;
  double friction = 0.3;
  Release release = Release::complementarity;
  std::optional<std::vector<Vec3>> start;
  std::optional<std::vector<std::string>> start_formula;
  static const TypeInfo& info();
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
  BodyId body = world_body;
  static const TypeInfo& info();
};

struct ParameterFields {
  double value = 0;
  std::string unit, description;
  std::optional<double> min, max;
  bool integer = false;
  static const TypeInfo& info();
};

struct InputFields {
  double value = 0;
  std::string unit, description;
  std::optional<double> min, max;
  static const TypeInfo& info();
};

struct SensorFields {
  std::string unit, description;
  static const TypeInfo& info();
};

struct RepeatFields {
  long count = 0;
  std::string index = "i";
  static const TypeInfo& info();
};

struct SimulationFields {
  std::string method{auto_method};
  double step = 0.01, duration = 10;
  long record_every = 1;
  Start start = Start::settle;
  static const TypeInfo& info();
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
  static const TypeInfo& info();
};

struct FinalValueFields {
  Point point;
  FinalValues::Quantity quantity = FinalValues::Quantity::position;
  Axis axis = Axis::x;
  double value = 0;
  static const TypeInfo& info();
};

struct FinalValuesFields {
  static constexpr std::string_view type = "final_values";
  static constexpr std::string_view summary = "what is known of the state at one time";
  double time = 0;
  std::vector<FinalValueFields> values;
  static const TypeInfo& info();
};

/// Of "reference".
const std::vector<TypeInfo>& reference_types();

struct HeaderFields {
  long taut = format_version;
  std::string name, title, description;
  static const TypeInfo& info();
};

}  // namespace taut::io::detail

template <>
struct taut::Choices<taut::io::FinalValues::Quantity> {
  static constexpr std::array<std::string_view, 4> names{"position", "velocity", "angle",
                                                         "angular_velocity"};
};
template <>
struct taut::Choices<taut::io::detail::ClothTouches> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "nothing", "all"};
};
template <>
struct taut::Choices<taut::Release> {
  static constexpr std::array<std::string_view, 2> names{"complementarity", "velocity"};
};
template <>
struct taut::Choices<taut::io::RobotBase> {
  static constexpr std::array<std::string_view, 2> names{"fixed", "floating"};
};
template <>
struct taut::Choices<taut::io::detail::RobotCollision> {
  static constexpr std::array<std::string_view, 4> names{"file", "others", "all", "nothing"};
};
template <>
struct taut::Choices<taut::io::detail::Axis> {
  static constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
};
