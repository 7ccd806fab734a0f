#include "taut/sweep/plan.hpp"

#include <fmt/core.h>

#include <set>

#include "taut/base/error.hpp"

namespace taut::sweep {
namespace {

constexpr double most_cases = 1e7;

}  // namespace

std::vector<Case> cases_of(const Plan& plan) {
  std::set<std::string> names;
  std::vector<const Axis*> random;
  double count = static_cast<double>(plan.repeat);
  for (const Axis& axis : plan.axes) {
    if (!names.insert(axis.name).second)
      throw Error(
          fmt::format("--set {}: found twice, expected once, with all its values", axis.name));
    if (axis.is_random())
      random.push_back(&axis);
    else
      count *= static_cast<double>(axis.values.size());
  }
  if (plan.repeat < 1) throw Error("--repeat: expected a whole number ≥ 1");
  if (plan.samples < 1) throw Error("--samples: expected a whole number ≥ 1");
  if (!random.empty()) count *= static_cast<double>(plan.samples);
  count *= static_cast<double>(std::max<std::size_t>(1, plan.methods.size()) *
                               std::max<std::size_t>(1, plan.steps.size()));
  if (count > most_cases)
    throw Error(fmt::format("found {:g} cases, expected at most {:g}", count, most_cases));

  std::vector<Case> cases(1);
  const auto vary = [&](const std::vector<std::string>& values, const auto& set) {
    if (values.empty()) return;
    std::vector<Case> more;
    for (const Case& each : cases)
      for (const std::string& value : values) {
        more.push_back(each);
        set(more.back(), value);
      }
    cases = std::move(more);
  };
  for (const Axis& axis : plan.axes)
    if (!axis.is_random())
      vary(axis.values, [&](Case& to, const std::string& value) {
        to.settings.push_back({axis.name, value});
      });
  if (!random.empty()) {
    const auto points =
        random_points(static_cast<std::size_t>(plan.samples), random.size(), plan.latin, plan.seed);
    std::vector<Case> more;
    for (const Case& each : cases)
      for (const std::vector<double>& point : points) {
        more.push_back(each);
        for (std::size_t i = 0; i < random.size(); ++i)
          more.back().settings.push_back({random[i]->name, random[i]->sample(point[i])});
      }
    cases = std::move(more);
  }
  vary(plan.methods, [](Case& to, const std::string& value) { to.method = value; });
  vary(plan.steps, [](Case& to, const std::string& value) { to.step = value; });
  std::vector<Case> all;
  for (const Case& each : cases)
    for (long i = 0; i < plan.repeat; ++i) {
      all.push_back(each);
      all.back().repeat = i;
    }
  return all;
}

std::vector<std::string> case_columns(const Plan& plan) {
  std::vector<std::string> columns{"case"};
  for (const Axis& axis : plan.axes) columns.push_back(axis.name);
  if (!plan.methods.empty()) columns.push_back("method");
  if (!plan.steps.empty()) columns.push_back("step");
  if (plan.repeat > 1) columns.push_back("repeat");
  return columns;
}

std::vector<std::string> case_cells(const Plan& plan, long number, const Case& of) {
  std::vector<std::string> cells{std::to_string(number + 1)};
  for (const Axis& axis : plan.axes)
    for (const io::Setting& setting : of.settings)
      if (setting.key == axis.name) cells.push_back(setting.value);
  if (!plan.methods.empty()) cells.push_back(of.method);
  if (!plan.steps.empty()) cells.push_back(of.step);
  if (plan.repeat > 1) cells.push_back(std::to_string(of.repeat + 1));
  return cells;
}

}  // namespace taut::sweep
