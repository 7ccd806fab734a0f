#include "taut/scene/method_plan.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/analysis/method_choice.hpp"
#include "taut/base/error.hpp"

namespace taut::io {
namespace {

void override_with(const std::vector<OptionValue>& settings, std::vector<OptionValue>& options) {
  for (const OptionValue& setting : settings) {
    std::erase_if(options, [&](const OptionValue& o) { return o.name == setting.name; });
    options.push_back(setting);
  }
}

}  // namespace

std::vector<OptionValue> method_options(const Scene& scene, const MethodInfo& method) {
  std::vector<OptionValue> options;
  if (method.name == scene.method) options = scene.method_options;
  override_with(scene.method_settings, options);
  return options;
}

MethodPlan plan_method(const Scene& scene, const std::string& name, double step, double duration,
                       const std::vector<OptionValue>& more) {
  const std::string& wanted = name.empty() ? scene.method : name;
  MethodPlan plan;
  if (wanted != auto_method) {
    std::vector<std::string_view> known{auto_method};
    for (const MethodInfo& method : methods()) known.push_back(method.name);
    if (std::find(known.begin(), known.end(), wanted) == known.end())
      throw Error(fmt::format("there is no method \"{}\"{}", wanted, suggestion(wanted, known)));
    plan.info = &find_method(wanted);
    plan.options = method_options(scene, *plan.info);
  } else {
    MethodChoice choice = choose_method(scene.system, scene.system.initial_state(), step, duration);
    plan.info = &find_method(choice.method);
    plan.options = std::move(choice.options);
    plan.reason = std::move(choice.reason);
    override_with(scene.method_settings, plan.options);
  }
  override_with(more, plan.options);
  plan.make();  // throws now, not when the method is needed
  return plan;
}

}  // namespace taut::io
