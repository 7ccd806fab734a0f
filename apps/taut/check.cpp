#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "run_plan.hpp"
#include "taut/analysis/diagnosis.hpp"
#include "taut/analysis/diagnosis_text.hpp"
#include "taut/base/version.hpp"
#include "taut/collision/cloth_faults.hpp"
#include "taut/collision/untangle.hpp"
#include "taut/model/pose.hpp"
#include "taut/record/output.hpp"
#include "taut/server/document.hpp"
#include "taut/simulate/overlaps.hpp"
#include "taut/simulate/stepping.hpp"
#include "taut/simulate/verdict.hpp"
#include "taut/text/json.hpp"

namespace taut::cli {
namespace {

struct CheckArguments {
  SceneArguments scene;
  bool json = false;
  std::string repaired;  // file
};

using collision::ClothFaults;
constexpr double deep = 1e-9;  // of the scene's size, as that of find_overlaps()

constexpr std::size_t most_lines = 20;

std::string count(int n, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", n, n == 1 ? singular : plural);
}

void print_section(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    fmt::print("  {}\n", lines[i]);
  if (lines.size() > most_lines)
    fmt::print("  … and {} more (--json lists all)\n", lines.size() - most_lines);
}

void print_text(const io::Scene& scene, const Diagnosis& d, const std::vector<Overlap>& overlaps,
                const ClothFaults& cloth) {
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
    auto& lines = dependency.conflict ? conflicts : dependency.only_here ? singular : redundant;
    lines.push_back(describe(dependency));
  }
  if (!singular.empty())
    fmt::print("In nearby positions the rank is {}: the start is a singular position.\n",
               d.generic_rank);
  print_section("In conflict: no configuration nearby satisfies all of them.", conflicts);
  print_section("Violated at the start:", positions);
  print_section("Violated by the velocities at the start:", velocities);
  print_section("Redundant: implied by other constraints, and consistent with them.", redundant);
  print_section("Singular at the start only: independent in nearby positions.", singular);

  std::vector<std::string> inside;
  for (const Overlap& overlap : overlaps)
    inside.push_back(
        fmt::format("{} and {} overlap by {:.4g} m.", overlap.a, overlap.b, overlap.depth));
  print_section("In each other at the start:", inside);
  print_section("Cloth in shapes at the start:", collision::describe_inside(cloth));
  print_section("Tangled at the start:", collision::describe_tangled(cloth));

  print_section("Elements of cloth:", scene.elements);
  print_section("In the robot's file but not simulated, so that the motion is another one:",
                scene.warnings);
  print_section("Ignored in the robot's file:", scene.ignored);
  print_section("About the shapes:", scene.remarks);

  std::string praise;
  if (d.rows > 0 && positions.empty() && velocities.empty())
    praise += "At the start every constraint holds, in position and in velocity.\n";
  if (d.dependencies.empty()) {
    praise += "No constraint is redundant and none are in conflict.\n";
  } else if (conflicts.empty()) {
    praise += "No constraints are in conflict.\n";
  }
  if (!scene.system.contact_sources().empty() && overlaps.empty()) praise += "No shapes overlap.\n";
  if (!scene.surfaces.empty() && cloth.empty()) praise += "No cloth is tangled or in a shape.\n";
  if (!praise.empty()) fmt::print("\n{}", praise);
}

io::Json violations_json(const std::vector<Violation>& violations) {
  auto json = io::Json::array();
  for (const Violation& v : violations)
    json.push_back({{"constraint", v.constraint},
                    {"type", v.type},
                    {"unit", v.unit},
                    {"error", v.error},
                    {"rate", v.rate}});
  return json;
}

void print_json(const io::Scene& scene, const Diagnosis& d, const std::vector<Overlap>& overlaps,
                const ClothFaults& cloth) {
  io::Json json{{"taut", version},
                {"scene", scene.name},
                {"bodies", d.bodies},
                {"velocities", d.velocities},
                {"constraints", d.constraints},
                {"rows", d.rows},
                {"rank", d.rank},
                {"generic_rank", d.generic_rank},
                {"degrees_of_freedom", d.degrees_of_freedom},
                {"conflict", d.has_conflict()}};
  json["overlaps"] = io::Json::array();
  for (const Overlap& overlap : overlaps)
    json["overlaps"].push_back({{"a", overlap.a}, {"b", overlap.b}, {"depth", overlap.depth}});
  json["tangled"] = io::Json::array();
  for (const collision::TangledPair& pair : cloth.tangled)
    json["tangled"].push_back(
        {{"cloth", pair.cloth},
         {"edge", io::Json::array({pair.edge[0], pair.edge[1]})},
         {"other", pair.other},
         {"face", io::Json::array({pair.face[0], pair.face[1], pair.face[2]})}});
  json["cloth_in_shapes"] = io::Json::array();
  for (const collision::ClothInShape& in : cloth.inside)
    json["cloth_in_shapes"].push_back({{"cloth", in.cloth},
                                       {"shape", in.shape},
                                       {"faces", in.faces},
                                       {"depth", in.depth},
                                       {"vertex", in.vertex}});
  if (!scene.elements.empty()) json["cloth_elements"] = scene.elements;
  if (!scene.ignored.empty()) json["ignored"] = scene.ignored;
  if (!scene.warnings.empty()) json["not_simulated"] = scene.warnings;
  if (!scene.remarks.empty()) json["shape_remarks"] = scene.remarks;
  json["position_violations"] = violations_json(d.position_violations);
  json["velocity_violations"] = violations_json(d.velocity_violations);
  json["dependencies"] = io::Json::array();
  for (const Dependency& dependency : d.dependencies)
    json["dependencies"].push_back({{"constraint", dependency.constraint},
                                    {"type", dependency.type},
                                    {"row", dependency.row},
                                    {"depends_on", dependency.depends_on},
                                    {"kind", kind_text(dependency)},
                                    {"mismatch", dependency.mismatch},
                                    {"rate_mismatch", dependency.rate_mismatch},
                                    {"unit", dependency.unit}});
  fmt::print("{}\n", json.dump(2));
}

ClothFaults cloth_faults(const io::Scene& scene, const State& state) {
  return collision::find_cloth_faults(scene.system, scene.surfaces, Pose(scene.system, state.q),
                                      deep * scene_size(scene.system, state));
}

/// Writes the scene with cloths that start where they are not tangled, and says what became of it.
ExitCode repair(const CheckArguments& arguments, const io::Scene& scene) {
  if (arguments.scene.scene == "-") throw Error("--repair: expected a scene by name, or a file");
  State state = scene.system.initial_state();
  const collision::Untangling found = collision::untangle(scene.system, scene.surfaces, state.q);
  // A run begins with lengths that are exact.
  const auto method = make_method("icd");
  RunOptions options;
  options.step = scene.step;
  const bool is_done =
      found.is_done &&
      cloth_faults(scene, Stepping(scene.system, state, *method, options).state()).empty();
  fmt::print(
      "\n{}: {} rounds, vertices moved by up to {:.3g} m, edges off by up to {:.2g} of their "
      "length.\n",
      is_done ? "Repaired" : "Not repaired", found.rounds, found.farthest, found.strain);
  if (!is_done) {
    fmt::print("Intersections are left: start the cloth elsewhere. Nothing was written.\n");
    return exit_bad_result;
  }
  std::map<std::string, double> parameters;
  for (const io::SceneParameter& parameter : scene.parameters)
    parameters[parameter.name] = parameter.value;
  const server::Document document =
      server::Document::load(arguments.scene.scene).with_parameters(parameters);
  io::write_file(arguments.repaired, document.with_starts(scene, state.q).text());
  fmt::print("Written to {}\n", arguments.repaired);
  return exit_ok;
}

ExitCode check(const CheckArguments& arguments) {
  const io::Scene scene = load_scene(arguments.scene);
  // Complains about options that do not fit. To choose a method may take as long as a run.
  if (scene.method != auto_method || !scene.method_settings.empty())
    chosen_method(scene, "", scene.step, scene.duration);
  const State start = scene.system.initial_state();
  const Diagnosis diagnosis = diagnose(scene.system, start);
  const std::vector<Overlap> overlaps = find_overlaps(scene.system, start);
  const ClothFaults cloth = cloth_faults(scene, start);
  if (arguments.json) {
    print_json(scene, diagnosis, overlaps, cloth);
  } else {
    print_text(scene, diagnosis, overlaps, cloth);
  }
  if (!arguments.repaired.empty()) return repair(arguments, scene);
  // Cloth that touches nothing may be tangled.
  const bool is_tangled = scene.system.sheets() && !cloth.empty();
  return diagnosis.has_conflict() || !overlaps.empty() || is_tangled ? exit_bad_result : exit_ok;
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Validate a scene; name constraints that are violated, redundant or in conflict, shapes "
      "that overlap, and cloth that is tangled");
  auto arguments = std::make_shared<CheckArguments>();
  add_scene_arguments(*command, arguments->scene);
  command->add_flag("--json", arguments->json, "Print all findings as one JSON object");
  command
      ->add_option("--repair", arguments->repaired,
                   "Move tangled cloth apart, and write the scene with that start to this file")
      ->type_name("FILE");
  command->footer(
      "The exit code is 1 when constraints are in conflict, shapes overlap, or cloth is tangled or "
      "in a shape.\n\n"
      "Examples:\n"
      "  taut check my_scene.json\n"
      "  taut check robot.urdf\n"
      "  taut check model.xml            (MJCF; what is simulated, and what is not)\n"
      "  taut check tangled.json --repair apart.json\n"
      "  generate_scene | taut check -");
  command->callback([arguments, &chosen] { chosen = [arguments] { return check(*arguments); }; });
}

}  // namespace taut::cli
