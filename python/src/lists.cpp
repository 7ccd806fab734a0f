// What there is: the registries, as JSON.
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "taut/base/error.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/forces/force_info.hpp"
#include "taut/methods/method.hpp"
#include "taut/scene/parameters.hpp"
#include "taut/scene/scene.hpp"
#include "taut/text/json.hpp"

namespace taut::python {
namespace {

using io::Json;

Json entry(std::string_view name, std::string_view summary,
           const std::vector<io::Parameter>& parameters) {
  Json all = Json::array();
  for (const io::Parameter& p : parameters) {
    Json parameter{{"name", p.name}, {"type", p.type}, {"unit", p.unit}, {"required", p.required}};
    if (!p.default_value.empty()) parameter["default"] = p.default_value;
    parameter["description"] = p.doc;
    all.push_back(std::move(parameter));
  }
  return {{"name", name}, {"summary", summary}, {"parameters", std::move(all)}};
}

template <class Infos>
Json types(const Infos& infos) {
  Json all = Json::array();
  for (const TypeInfo& info : infos)
    all.push_back(entry(info.type, info.summary, io::parameters_of(info.fields, info.defaults)));
  return all;
}

Json method_entries() {
  Json all = Json::array();
  for (const MethodInfo& method : methods())
    all.push_back(
        entry(method.name, method.summary, io::parameters_of(method.options, method.defaults)));
  return all;
}

Json scene_entries(const std::vector<io::SceneSummary>& summaries) {
  Json all = Json::array();
  for (const io::SceneSummary& scene : summaries) {
    std::vector<io::Parameter> parameters;
    for (const io::SceneParameter& p : scene.parameters)
      parameters.push_back({p.name, "number", p.unit, false, number_text(p.value), p.description});
    all.push_back(entry(scene.name, scene.title, parameters));
  }
  return all;
}

std::string list(const std::string& kind) {
  if (kind == "constraints") return types(constraint_types()).dump();
  if (kind == "forces") return types(force_types()).dump();
  if (kind == "shapes") return types(io::shape_infos()).dump();
  if (kind == "parts") return types(io::part_infos()).dump();
  if (kind == "methods") return method_entries().dump();
  if (kind == "scenes") return scene_entries(io::list_scenes()).dump();
  if (kind == "robots") return scene_entries(io::list_robots()).dump();
  const std::vector<std::string_view> known{"constraints", "forces", "shapes", "parts",
                                            "methods",     "scenes", "robots"};
  throw Error("cannot list \"" + kind + "\"" + suggestion(kind, known));
}

/// ` (did you mean "length"?)`, or the list of what is known.
std::string suggest(const std::string& word, const std::vector<std::string>& known) {
  return suggestion(word, std::vector<std::string_view>(known.begin(), known.end()));
}

}  // namespace

void bind_lists(py::module_& module) {
  module.def("list", &list);
  module.def("suggestion", &suggest);
}

}  // namespace taut::python
