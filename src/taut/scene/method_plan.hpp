// Which method a run of a scene uses, with which options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/scene/scene.hpp"

namespace taut::io {

struct MethodPlan {
  const MethodInfo* info = nullptr;
  std::vector<OptionValue> options;
  std::string reason;  ///< where `auto` chose it, in words

  std::unique_ptr<Method> make() const { return info->make(options); }
};

/// The scene's own options when it is the scene's method, then those of settings method.….
std::vector<OptionValue> method_options(const Scene& scene, const MethodInfo& method);

/// `name`, or the scene's where that is empty; "auto" chooses. `more`: options that come last.
/// Throws Error for a name that is unknown, with the nearest, and options that do not fit.
MethodPlan plan_method(const Scene& scene, const std::string& name, double step, double duration,
                       const std::vector<OptionValue>& more = {});

}  // namespace taut::io
