#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "run_plan.hpp"
#include "taut/analysis/diagnosis.hpp"
#include "taut/base/version.hpp"

namespace taut::cli {
namespace {

struct Arguments {
  SceneArguments scene;
  bool json = false;
};

constexpr std::size_t most_lines = 20, most_names = 8;

std::string count(int n, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", n, n == 1 ? singular : plural);
}

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

void print_section(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    fmt::print("  {}\n", lines[i]);
  if (lines.size() > most_lines)
    fmt::print("  … and {} more (--json lists all)\n", lines.size() - most_lines);
}

void print_text(const io::Scene& scene, const Diagnosis& d) {
  fmt::print("{}: {} with {}; {} with {}.\n", scene.name, count(d.bodies, "body", "bodies"),
             count(d.velocities, "velocity", "velocities"),
             count(d.constraints, "constraint", "constraints"), count(d.rows, "row", "rows"));
  fmt::print("The rows have rank {}, which leaves {}.\n", d.rank,
             count(d.degrees_of_freedom, "degree of freedom", "degrees of freedom"));
  std::vector<std::string> positions, velocities, conflicts, redundant, singular;
  for (const Violation& v : d.position_violations)
    positions.push_back(
        fmt::format("{} ({}) is off by {:.4g} {}.", v.constraint, v.type, v.error, v.unit));
  for (const Violation& v : d.velocity_violations)
    velocities.push_back(
        fmt::format("{} ({}) drifts at {:.4g} {}/s.", v.constraint, v.type, v.rate, v.unit));
  for (const Dependency& dependency : d.dependencies) {
    if (dependency.conflict) {
      conflicts.push_back(conflict_text(dependency));
    } else if (dependency.only_here) {
      singular.push_back(singular_text(dependency));
    } else {
      redundant.push_back(redundant_text(dependency));
    }
  }
  if (!singular.empty())
    fmt::print("In nearby positions the rank is {}: the start is a singular position.\n",
               d.generic_rank);
  print_section("In conflict: no configuration nearby meets all of them.", conflicts);
  print_section("Violated at the start:", positions);
  print_section("Violated by the velocities at the start:", velocities);
  print_section("Redundant: said already by others, and consistent with them.", redundant);
  print_section("Singular at the start only: independent in nearby positions.", singular);

  std::string praise;
  if (d.rows > 0 && positions.empty() && velocities.empty())
    praise += "At the start every constraint holds, in position and in velocity.\n";
  if (d.dependencies.empty()) {
    praise += "No constraint is redundant and none are in conflict.\n";
  } else if (conflicts.empty()) {
    praise += "No constraints are in conflict.\n";
  }
  if (!praise.empty()) fmt::print("\n{}", praise);
}

nlohmann::ordered_json violations_json(const std::vector<Violation>& violations) {
  auto json = nlohmann::ordered_json::array();
  for (const Violation& v : violations)
    json.push_back({{"constraint", v.constraint},
                    {"type", v.type},
                    {"unit", v.unit},
                    {"error", v.error},
                    {"rate", v.rate}});
  return json;
}

void print_json(const io::Scene& scene, const Diagnosis& d) {
  nlohmann::ordered_json json{{"taut", version},
                              {"scene", scene.name},
                              {"bodies", d.bodies},
                              {"velocities", d.velocities},
                              {"constraints", d.constraints},
                              {"rows", d.rows},
                              {"rank", d.rank},
                              {"generic_rank", d.generic_rank},
                              {"degrees_of_freedom", d.degrees_of_freedom},
                              {"conflict", d.has_conflict()}};
  json["position_violations"] = violations_json(d.position_violations);
  json["velocity_violations"] = violations_json(d.velocity_violations);
  json["dependencies"] = nlohmann::ordered_json::array();
  for (const Dependency& dependency : d.dependencies)
    json["dependencies"].push_back({{"constraint", dependency.constraint},
                                    {"type", dependency.type},
                                    {"row", dependency.row},
                                    {"depends_on", dependency.depends_on},
                                    {"kind", dependency.conflict    ? "conflict"
                                             : dependency.only_here ? "singular"
                                                                    : "redundant"},
                                    {"mismatch", dependency.mismatch},
                                    {"rate_mismatch", dependency.rate_mismatch},
                                    {"unit", dependency.unit}});
  fmt::print("{}\n", json.dump(2));
}

ExitCode check(const Arguments& arguments) {
  const io::Scene scene = load_scene(arguments.scene);
  const MethodInfo& method = find_method(scene.method);
  method.make(method_options(scene, method));  // complains about options that do not fit
  const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
  if (arguments.json) {
    print_json(scene, diagnosis);
  } else {
    print_text(scene, diagnosis);
  }
  return diagnosis.has_conflict() ? exit_bad_result : exit_ok;
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "check", "Validate a scene; name constraints that are violated, redundant or in conflict");
  auto arguments = std::make_shared<Arguments>();
  add_scene_arguments(*command, arguments->scene);
  command->add_flag("--json", arguments->json, "Print the findings as one JSON object");
  command->footer("Example:\n  taut check my_scene.json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return check(*arguments); }; });
}

}  // namespace taut::cli
