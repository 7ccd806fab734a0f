#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "run_plan.hpp"
#include "taut/base/error.hpp"
#include "taut/base/join.hpp"
#include "taut/collision/material.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/forces/force_info.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/methods/method.hpp"
#include "taut/model/motion.hpp"
#include "taut/record/export.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/scene/parameters.hpp"
#include "taut/scene/scene.hpp"
#include "taut/solve/contact_solvers.hpp"
#include "taut/solve/linear_solver.hpp"
#include "taut/text/json.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

struct Entry {
  std::string name, summary;
  std::vector<io::Parameter> parameters;
};

std::vector<Entry> summary_entries(const std::vector<io::SceneSummary>& summaries) {
  std::vector<Entry> entries;
  for (const io::SceneSummary& scene : summaries) {
    Entry entry{scene.name, scene.title, {}};
    for (const io::SceneParameter& p : scene.parameters)
      entry.parameters.push_back(
          {p.name, "number", p.unit, false, fmt::format("{:.10g}", p.value), p.description});
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> scene_entries() { return summary_entries(io::list_scenes()); }
std::vector<Entry> robot_entries() { return summary_entries(io::list_robots()); }

std::vector<Entry> method_entries() {
  std::vector<Entry> entries;
  for (const MethodInfo& method : methods()) {
    entries.push_back({std::string(method.name), std::string(method.summary),
                       io::parameters_of(method.options, method.defaults)});
  }
  return entries;
}

template <class Infos>
std::vector<Entry> type_entries(const Infos& infos) {
  std::vector<Entry> entries;
  for (const TypeInfo& info : infos)
    entries.push_back({std::string(info.type), std::string(info.summary),
                       io::parameters_of(info.fields, info.defaults)});
  return entries;
}
std::vector<Entry> constraint_entries() { return type_entries(constraint_types()); }
std::vector<Entry> force_entries() { return type_entries(force_types()); }

std::vector<Entry> shape_entries() { return type_entries(io::shape_infos()); }

std::vector<Entry> material_entries() {
  std::vector<Entry> entries;
  for (const collision::Material& material : collision::materials()) {
    Entry entry{material.name,
                fmt::format("{} kg/m³, friction {} on itself", material.density.value_or(0),
                            material.friction),
                {}};
    for (const collision::MaterialPair& pair : collision::material_pairs())
      if (pair.a == material.name || pair.b == material.name)
        entry.summary +=
            fmt::format(", {} on {}", pair.friction, pair.a == material.name ? pair.b : pair.a);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> solver_entries() {
  std::vector<Entry> entries{{"auto", "chooses one of these by size and structure", {}}};
  for (const SolverInfo& solver : linear_solvers())
    entries.push_back({std::string(solver.name), std::string(solver.summary), {}});
  return entries;
}

std::vector<Entry> contact_solver_entries() {
  std::vector<Entry> entries;
  for (const ContactSolverInfo& solver : contact_solvers())
    entries.push_back({std::string(solver.name), std::string(solver.summary), {}});
  return entries;
}

std::vector<Entry> output_entries() {
  std::vector<Entry> entries;
  for (const io::RunWriterInfo& writer : io::run_writers()) {
    Entry entry{std::string(writer.name), fmt::format("{}: {}", writer.file, writer.summary), {}};
    for (const io::RunWriterOption& option : writer.options)
      entry.parameters.push_back({fmt::format("--{}", option.name), join(option.choices, "|"), "",
                                  false, std::string(option.choices.front()),
                                  std::string(option.summary)});
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> mesh_entries() {
  std::vector<Entry> entries;
  for (const io::MeshFormat& format : io::mesh_formats())
    entries.push_back({std::string(format.name), std::string(format.summary), {}});
  return entries;
}

std::vector<Entry> export_entries() {
  std::vector<Entry> entries;
  for (const io::ExportFormat& format : io::export_formats()) {
    const std::string files =
        format.is_folder() ? "a folder" : fmt::format("{}", fmt::join(format.extensions, ", "));
    entries.push_back({std::string(format.name), fmt::format("{}: {}", files, format.summary), {}});
  }
  return entries;
}

std::string motions_note() {
  std::string text = "\nA motion is a constant, or one of\n";
  TextTable table;
  table.left("").left("");
  for (const TypeInfo& info : motion_types<double>())
    table.row({std::string(info.type), std::string(info.summary)});
  return text + table.text("  ");
}

struct Kind {
  std::string_view name;
  std::vector<Entry> (*entries)();
  std::string_view note;
};
constexpr std::array kinds{
    Kind{"scenes", scene_entries, "Set parameters with --set NAME=VALUE."},
    Kind{"robots", robot_entries,
         "Run one as a scene: taut run arm6.urdf --set elbow=1. Your own URDF, MJCF and SDF files "
         "work the same "
         "way."},
    Kind{"methods", method_entries,
         "Set options with --set method.NAME=VALUE. auto, the default of taut run, chooses one."},
    Kind{"constraints", constraint_entries, ""},
    Kind{"forces", force_entries, ""},
    Kind{"shapes", shape_entries, ""},
    Kind{"materials", material_entries,
         "\"material\" of a shape names one of these, or one of the scene's own \"materials\". "
         "On materials\nnot listed here, friction is the geometric mean of both."},
    Kind{"solvers", solver_entries, "Choose one with taut run --solver NAME."},
    Kind{"contact_solvers", contact_solver_entries,
         "Choose one with taut run --contact-solver NAME."},
    Kind{"outputs", output_entries,
         "taut run --out DIR writes the tables and the report; --recording FILE, --frames DIR and "
         "--export FILE write the others."},
    Kind{"exports", export_entries,
         "taut run SCENE --export FILE and taut export RECORDING --out FILE write them; --to NAME "
         "where the\nextension does not tell which."},
    Kind{"meshes", mesh_entries,
         "Scenes read cloth from these files; --frame-format and taut export --to write them."},
};

void print_text(const Kind& kind, const std::vector<Entry>& entries) {
  std::size_t longest = 0;
  for (const Entry& entry : entries) longest = std::max(longest, entry.name.size());
  for (const Entry& entry : entries) {
    fmt::print("{:<{}}  {}\n", entry.name, longest, entry.summary);
    TextTable table;
    table.left("").left("").left("").left("");
    for (const io::Parameter& p : entry.parameters) {
      std::string value = p.required ? "required" : "optional";
      if (!p.default_value.empty())
        value = fmt::format("= {}{}{}", p.default_value, p.unit.empty() ? "" : " ", p.unit);
      else if (!p.unit.empty())
        value += fmt::format(", {}", p.unit);
      table.row({p.name, p.type, value, p.doc});
    }
    fmt::print("{}", table.text("    "));
  }
  if (!kind.note.empty()) fmt::print("\n{}\n", kind.note);
  if (kind.name == "constraints") fmt::print("{}", motions_note());
}

void print_json(const std::vector<Entry>& entries) {
  auto json = io::Json::array();
  for (const Entry& entry : entries) {
    auto parameters = io::Json::array();
    for (const io::Parameter& p : entry.parameters) {
      io::Json parameter{
          {"name", p.name}, {"type", p.type}, {"unit", p.unit}, {"required", p.required}};
      if (!p.default_value.empty()) parameter["default"] = p.default_value;
      parameter["description"] = p.doc;
      parameters.push_back(std::move(parameter));
    }
    json.push_back(
        {{"name", entry.name}, {"summary", entry.summary}, {"parameters", std::move(parameters)}});
  }
  fmt::print("{}\n", json.dump(2));
}

/// What sensors of a scene may refer to.
ExitCode list_sensors(const SceneArguments& arguments, bool is_json) {
  if (arguments.scene.empty()) throw Error("found no scene, expected one: taut list sensors SCENE");
  const io::Scene scene = load_scene(arguments);
  auto json = io::Json::array();
  TextTable table;
  table.left("").left("").left("");
  for (const QuantityGroup& group : list_quantities(scene.system)) {
    std::string parts;
    for (const QuantityGroup::Part& part : group.parts) {
      const std::string name = group.name.empty() ? part.name : group.name + "." + part.name;
      json.push_back({{"name", name}, {"unit", part.unit}, {"of", group.kind}});
      parts += fmt::format("{}{}{}", parts.empty() ? "" : ", ", part.name,
                           part.unit.empty() ? "" : " (" + part.unit + ")");
    }
    table.row({group.name.empty() ? "scene" : group.name, group.kind, parts});
  }
  if (is_json) {
    fmt::print("{}\n", json.dump(2));
    return exit_ok;
  }
  fmt::print("{}\n", table.text());
  for (const Sensor& sensor : scene.sensors.sensors())
    fmt::print("sensor {} {}{}\n", sensor.name, sensor.value,
               sensor.unit.empty() ? "" : " (" + sensor.unit + ")");
  fmt::print(
      "A sensor is a formula over these: --sensor 'NAME=arm.y + 0.1', \"sensors\" of a scene.\n"
      "distance(a, b), |a - b|, distance_rate(a, b), angle(a, b, c) and contact(a, b).force take "
      "bodies;\narm(x, y, z) is a point of one, and world(x, y, z) one that stays.\n");
  return exit_ok;
}

struct ListArguments {
  std::string kind;
  SceneArguments scene;
  bool json = false;
};

ExitCode list(const ListArguments& arguments) {
  if (arguments.kind == "sensors") return list_sensors(arguments.scene, arguments.json);
  if (!arguments.scene.scene.empty())
    throw Error(fmt::format("found the scene \"{}\", expected none: only sensors are of one",
                            arguments.scene.scene));
  std::vector<std::string_view> known{"sensors"};
  for (const Kind& kind : kinds) {
    if (kind.name == arguments.kind) {
      const std::vector<Entry> entries = kind.entries();
      if (arguments.json) {
        print_json(entries);
      } else {
        print_text(kind, entries);
      }
      return exit_ok;
    }
    known.push_back(kind.name);
  }
  throw Error(
      fmt::format("cannot list \"{}\"{}", arguments.kind, suggestion(arguments.kind, known)));
}

}  // namespace

void add_list(CLI::App& app, Action& chosen) {
  std::string names, choices;
  for (const Kind& kind : kinds) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    choices += fmt::format("{}|", kind.name);
  }
  names += " or sensors";
  choices += "sensors";
  CLI::App* command =
      app.add_subcommand("list", fmt::format("List {}, with their parameters", names));
  auto arguments = std::make_shared<ListArguments>();
  command->add_option("KIND", arguments->kind, "What to list: " + names)
      ->type_name(choices)
      ->required();
  command
      ->add_option("SCENE", arguments->scene.scene,
                   "With sensors: the scene whose quantities are listed")
      ->type_name("");
  command->add_option("--set", arguments->scene.settings, "A parameter of the scene")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command->add_flag("--json", arguments->json, "Print a JSON array");
  command->footer(
      "Examples:\n"
      "  taut list methods\n"
      "  taut list constraints --json\n"
      "  taut list sensors two_link");
  command->callback([arguments, &chosen] { chosen = [arguments] { return list(*arguments); }; });
}

}  // namespace taut::cli
