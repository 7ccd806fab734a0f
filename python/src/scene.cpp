#include "scene.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "failures.hpp"
#include "laws.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/text/json.hpp"

namespace taut::python {

io::Scene& ReadScene::get() {
  if (!scene) throw Error("this scene is already being simulated: read it again");
  return *scene;
}

io::Scene ReadScene::take() {
  io::Scene taken = std::move(get());
  scene.reset();
  return taken;
}

std::vector<io::Setting> settings_of(const std::map<std::string, std::string>& settings) {
  std::vector<io::Setting> all;
  for (const auto& [key, value] : settings) all.push_back({key, value});
  return all;
}

io::MethodPlan plan(const io::Scene& scene, const std::string& method, double step, double duration,
                    const std::map<std::string, std::string>& options) {
  std::vector<OptionValue> more;
  for (const auto& [name, value] : options) more.push_back({name, value});
  return io::plan_method(scene, method, step, duration, more);
}

namespace {

using Settings = std::map<std::string, std::string>;

std::unique_ptr<ReadScene> read(io::Scene scene) {
  auto made = std::make_unique<ReadScene>();
  made->scene.emplace(std::move(scene));
  return made;
}

std::unique_ptr<ReadScene> load(const std::string& name, const Settings& settings) {
  const py::gil_scoped_release others_may_run;
  return read(io::load_scene(name, settings_of(settings)));
}

std::unique_ptr<ReadScene> parse(const std::string& text, const std::string& origin,
                                 const Settings& settings) {
  const py::gil_scoped_release others_may_run;
  return read(io::parse_scene(text, origin, settings_of(settings)));
}

/// The JSON text of a built-in scene; None where there is none of that name.
std::optional<std::string> builtin_text(const std::string& name) {
  for (const EmbeddedText& scene : io::builtin_scenes())
    if (scene.name == name) return std::string(scene.text);
  return std::nullopt;
}

/// What can be told about it, as JSON.
std::string describe(ReadScene& read) {
  const io::Scene& scene = read.get();
  const System& system = scene.system;
  io::Json json{{"name", scene.name},
                {"title", scene.title},
                {"description", scene.description},
                {"method", scene.method},
                {"step", scene.step},
                {"duration", scene.duration},
                {"record_every", scene.record_every},
                {"bodies", system.body_names()},
                {"ignored", scene.ignored},
                {"not_simulated", scene.warnings},
                {"remarks", scene.remarks}};
  std::vector<std::string> sensors;
  for (const Sensor& sensor : scene.sensors.sensors()) sensors.push_back(sensor.name);
  json["sensors"] = sensors;
  json["parameters"] = io::Json::object();
  for (const io::SceneParameter& parameter : scene.parameters)
    json["parameters"][parameter.name] = parameter.value;
  json["constraints"] = io::Json::array();
  for (const auto& batch : system.constraints())
    for (int i = 0; i < batch->size(); ++i) json["constraints"].push_back(batch->name(i));
  json["joints"] = io::Json::array();
  for (const Joint& joint : system.joints()) json["joints"].push_back(joint.name);
  return json.dump();
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<ReadScene>(module, "ReadScene")
      .def("describe", &describe)
      .def("add_formula", &add_formula)
      .def("add_force_law", &add_force_law);
  module.def("load", &load);
  module.def("parse", &parse);
  module.def("builtin_text", &builtin_text);
}

}  // namespace taut::python
