// A scene that was read and is ready to be simulated, once.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/scene/method_plan.hpp"
#include "taut/scene/scene.hpp"

namespace taut::python {

namespace py = pybind11;

/// What Python functions have to say while a step works: the first error, which is raised after it.
struct Callbacks {
  std::exception_ptr error;
};

struct ReadScene {
  /// Empty after take().
  std::optional<io::Scene> scene;
  std::shared_ptr<Callbacks> callbacks = std::make_shared<Callbacks>();

  io::Scene& get();
  io::Scene take();
};

/// Parameters of a scene by name, as the command line would have them.
std::vector<io::Setting> settings_of(const std::map<std::string, std::string>& settings);
/// The method by name, or the scene's where that is empty.
io::MethodPlan plan(const io::Scene& scene, const std::string& method, double step, double duration,
                    const std::map<std::string, std::string>& options);

}  // namespace taut::python
