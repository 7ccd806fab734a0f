// Sweeps: the cases, and the log of results; the runs themselves are Python's.
#include <pybind11/stl.h>

#include <memory>

#include "bindings.hpp"
#include "taut/base/build_identity.hpp"
#include "taut/base/checksum.hpp"
#include "taut/farm/farm.hpp"
#include "taut/sweep/plan.hpp"
#include "taut/sweep/result_log.hpp"
#include "taut/sweep/table.hpp"

namespace taut::python {
namespace {

using CaseSettings = std::vector<std::pair<std::string, std::string>>;

std::vector<CaseSettings> sweep_cases(const std::vector<std::string>& axes, long samples,
                                      const std::string& sampling, std::uint64_t seed) {
  sweep::Plan plan;
  for (const std::string& axis : axes) plan.axes.push_back(sweep::parse_axis(axis, "vary"));
  plan.samples = samples;
  plan.latin = sampling == "latin";
  plan.seed = seed;
  std::vector<CaseSettings> all;
  for (const sweep::Case& each : sweep::cases_of(plan)) {
    CaseSettings settings;
    for (const sweep::Axis& axis : plan.axes)
      for (const io::Setting& setting : each.settings)
        if (setting.key == axis.name) settings.emplace_back(setting.key, setting.value);
    all.push_back(std::move(settings));
  }
  return all;
}

/// Tells a job from others, with a description of it.
std::string job_name(const std::string& description) {
  return fmt::format("taut.run_many {:016x}, {}, {}", checksum(description), build_identity(),
                     kernel_identity());
}

}  // namespace

void bind_sweep(py::module_& module) {
  module.def("sweep_cases", &sweep_cases);
  module.def("sweep_job", &job_name);
  module.def("csv_line", &sweep::csv_line);
  module.def("core_count", &farm::core_count);
  py::class_<sweep::ResultLog>(module, "ResultLog")
      .def(py::init<std::string, std::string>())
      .def_property_readonly("results", &sweep::ResultLog::results)
      .def("add", &sweep::ResultLog::add)
      .def("remove", &sweep::ResultLog::remove);
}

}  // namespace taut::python
