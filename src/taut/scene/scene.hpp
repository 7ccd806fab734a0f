// Scenes: JSON files that say what to simulate, and robots in URDF, MJCF and SDF. See
// docs/scenes.md, docs/urdf.md, docs/mjcf.md and docs/sdf.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/model/mesh.hpp"
#include "taut/model/system.hpp"
#include "taut/robot/visual.hpp"
#include "taut/sensor/sensor_set.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::io {

/// `key=value` from the command line: a parameter of the scene, or `method.<option>`.
struct Setting {
  std::string key;
  std::string value;
};

struct SceneParameter {
  std::string name, unit, description;
  double value = 0;  ///< in force, after settings
  std::optional<double> min = {}, max = {};
  bool integer = false;
};

/// A point masses' pendulum in the plane whose motion is known to 1e-10 from joint angles; see
/// reference/planar_pendulum.hpp.
struct SceneReference {
  std::vector<double> masses, lengths, angles;  ///< angles from the downward vertical, rad
  double gravity = 9.81;
  Vec3 pivot = Vec3::Zero();
  std::string point;  ///< name of the body that is compared
  int link = 0;       ///< which mass of the pendulum it is
  int axis = 1;
  double until = 10;
};

/// What is known, from outside, of the state at one time.
struct FinalValues {
  enum class Quantity { position, velocity, angle, angular_velocity };
  struct Value {
    Point point;
    Quantity quantity = Quantity::position;
    int axis = 0;
    double value = 0;
  };
  double time = 0;
  std::vector<Value> values;
};

struct Scene {
  std::string name, title, description;
  System system;
  std::vector<SceneParameter> parameters;
  SensorSet sensors;
  std::string method{auto_method};          ///< or the name of one
  std::vector<OptionValue> method_options;  ///< for `method`, from the file
  std::vector<OptionValue> method_settings;  ///< from settings `method.…`: for whatever method runs
  double step = 0.01;
  double duration = 10;
  long record_every = 1;
  Start start = Start::settle;
  std::optional<SceneReference> reference;
  std::optional<FinalValues> final_values;
  Vec3 down = -Vec3::UnitZ();         ///< of a robot by itself: where gravity pulls
  std::vector<Visual> visuals;        ///< of robots: for whoever draws them
  std::vector<Surface> surfaces;      ///< of cloths: for whoever draws or exports them
  std::vector<std::string> elements;  ///< which cloths got by themselves, and why, a line for each
  std::vector<std::string> ignored;   ///< what has no effect in robots' files, a line for each kind
  std::vector<std::string> warnings;  ///< … and makes the motion another one than in the file
  std::vector<std::string> remarks;   ///< on meshes that had to be repaired, or are rough
};

/// `name_or_path`: a built-in scene's name, a JSON file, or a robot: a file that is_robot_file(),
/// or the name of a built-in one such as "arm6.urdf". Throws Error with one clear message.
Scene load_scene(const std::string& name_or_path, std::span<const Setting> settings = {});

/// By its end: .urdf, .xml, .mjcf, .sdf or .world.
bool is_robot_file(std::string_view name);

/// The parameters, for formulas of sensors that are added later.
Constants constants_of(const Scene& scene);

/// The same from JSON text; `origin` stands for the file in messages, and robots are looked for in
/// its folder.
Scene parse_scene(std::string_view text, const std::string& origin,
                  std::span<const Setting> settings = {});

struct SceneSummary {
  std::string name, title;
  std::vector<SceneParameter> parameters;
};
/// The built-in scenes.
std::vector<SceneSummary> list_scenes();
/// The built-in robots, as scenes of their own: "arm6.urdf".
std::vector<SceneSummary> list_robots();

/// The JSON Schema of scenes, generated from the field lists.
std::string scene_schema();

}  // namespace taut::io
