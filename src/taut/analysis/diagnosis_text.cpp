#include "taut/analysis/diagnosis_text.hpp"

#include <fmt/core.h>

#include <vector>

namespace taut {
namespace {

constexpr std::size_t most_names = 8;

/// "a, b and c", or "a, b … and 7 more"
std::string enumerate(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = names.size() > most_names ? most_names - 1 : names.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string subject(const Dependency& dependency) {
  if (dependency.rows == 1) return fmt::format("{} ({})", dependency.constraint, dependency.type);
  return fmt::format("{} ({}, row {} of {})", dependency.constraint, dependency.type,
                     dependency.row + 1, dependency.rows);
}

std::string conflict_text(const Dependency& d) {
  const std::string others = enumerate(d.depends_on);
  if (d.depends_on.empty())
    return fmt::format("{} is off by {:.4g} {} and acts on nothing that can move.", subject(d),
                       d.mismatch, d.unit);
  if (d.mismatch > 0)
    return fmt::format("{} is off by {:.4g} {} where {} hold{}.", subject(d), d.mismatch, d.unit,
                       others, d.depends_on.size() == 1 ? "s" : "");
  return fmt::format("{} is led away at {:.4g} {}/s from what {} allow{}.", subject(d),
                     d.rate_mismatch, d.unit, others, d.depends_on.size() == 1 ? "s" : "");
}

std::string redundant_text(const Dependency& d) {
  if (d.depends_on.empty()) return fmt::format("{} acts on nothing that can move.", subject(d));
  return fmt::format("{} follows from {}.", subject(d), enumerate(d.depends_on));
}

std::string singular_text(const Dependency& d) {
  if (d.depends_on.empty()) return fmt::format("{} has no direction to act in.", subject(d));
  return fmt::format("{} acts along what {} already hold{}.", subject(d), enumerate(d.depends_on),
                     d.depends_on.size() == 1 ? "s" : "");
}

}  // namespace

std::string describe(const Dependency& dependency) {
  if (dependency.conflict) return conflict_text(dependency);
  return dependency.only_here ? singular_text(dependency) : redundant_text(dependency);
}

std::string_view kind_text(const Dependency& dependency) {
  if (dependency.conflict) return "conflict";
  return dependency.only_here ? "singular" : "redundant";
}

}  // namespace taut
