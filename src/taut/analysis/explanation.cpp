#include "taut/analysis/explanation.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/analysis/diagnosis_text.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut {

void explain(const System& system, const Promises& promises, RunReport& report) {
  if (!report.singular_state) return;
  const Diagnosis diagnosis = diagnose(system, *report.singular_state);
  const Dependency *conflict = nullptr, *singular = nullptr;
  for (const Dependency& dependency : diagnosis.dependencies) {
    report.findings.push_back(describe(dependency));
    if (dependency.conflict && !conflict) conflict = &dependency;
    if (dependency.only_here && !singular) singular = &dependency;
  }
  const double time = report.singular_state->time;
  if (std::any_of(report.doubts.begin(), report.doubts.end(), [](const std::string& doubt) {
        return doubt.find(compromise_taken) != std::string::npos;
      })) {
    report.doubts.push_back(
        conflict
            ? fmt::format("the constraints contradict each other at {:.4g} s: {}", time,
                          describe(*conflict))
            : fmt::format("at {:.4g} s, at the first compromise, no constraints are found that "
                          "contradict each other: the method failed there",
                          time));
  }
  if (singular && !conflict && !promises.passes_singular)
    report.doubts.push_back(
        fmt::format("at {:.4g} s the position is singular, and the method is not made for that: {}",
                    time, describe(*singular)));
}

}  // namespace taut
