// The schema accepts every built-in scene and refuses typical mistakes, as judged by an independent
// validator (python3-jsonschema).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "taut/base/error.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {
namespace {

const nlohmann::json& schema() {
  static const nlohmann::json parsed = nlohmann::json::parse(scene_schema());
  return parsed;
}

/// The entries of a section that have this "type".
const nlohmann::json* entry(const char* section, std::string_view type) {
  for (const auto& item : schema()["$defs"][section]["oneOf"])
    if (item["properties"].contains("type") && item["properties"]["type"]["const"] == type)
      return &item;
  return nullptr;
}

template <class Infos>
void expect_all(const Infos& infos, const char* section) {
  for (const TypeInfo& info : infos) {
    const auto* item = entry(section, info.type);
    ASSERT_TRUE(item) << info.type;
    for (const FieldInfo& field : info.fields)
      EXPECT_TRUE((*item)["properties"].contains(std::string(field.name)))
          << info.type << "." << field.name;
    EXPECT_EQ((*item)["additionalProperties"], false);
  }
}

TEST(Schema, HasEveryConstraintForceAndMethod) {
  expect_all(constraint_types(), "constraint");
  expect_all(force_types(), "force");
  const auto& simulation = schema()["properties"]["simulation"];
  EXPECT_EQ(simulation["properties"]["method"]["enum"].size(), methods().size() + 1);
  EXPECT_EQ(simulation["allOf"].size(), methods().size() + 1);  // auto
}

TEST(Schema, CarriesUnitsDefaultsAndChoices) {
  const auto& distance = *entry("constraint", "distance");
  EXPECT_EQ(distance["properties"]["form"]["enum"], (nlohmann::json{"length", "squared"}));
  EXPECT_EQ(distance["properties"]["form"]["default"], "length");
  const auto& spring = *entry("force", "spring");
  EXPECT_EQ(spring["properties"]["stiffness"]["description"], "force per extension, in N/m");
  EXPECT_EQ(spring["properties"]["damping"]["default"], 0.0);
  EXPECT_EQ(schema()["properties"]["simulation"]["properties"]["step"]["default"], 0.01);
}

/// Runs the validator over files; line i says "ok" or what is wrong with file i.
std::vector<std::string> validate(const std::vector<std::string>& scenes) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("taut_schema_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "schema.json") << scene_schema();
  std::ofstream(folder / "scenes.json") << nlohmann::json(scenes).dump();
  std::ofstream(folder / "validate.py") << R"(import json, sys, jsonschema
schema = json.load(open(sys.argv[1] + "/schema.json", encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for text in json.load(open(sys.argv[1] + "/scenes.json", encoding="utf-8")):
    errors = list(validator.iter_errors(json.loads(text)))
    print("ok" if not errors else ascii(errors[0].message)[:200])
)";
  const std::string command = "/usr/bin/python3 -W ignore " + (folder / "validate.py").string() +
                              " " + folder.string() + " > " + (folder / "out").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<std::string> lines;
  std::ifstream out(folder / "out");
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  out.close();
  std::filesystem::remove_all(folder);
  return lines;
}

bool has_validator() {
  return std::system("/usr/bin/python3 -c 'import jsonschema' >/dev/null 2>&1") == 0;
}

TEST(Schema, AcceptsTheScenesAndRefusesMistakes) {
  if (!has_validator()) GTEST_SKIP() << "python3-jsonschema is not installed";
  std::vector<std::string> texts, names;
  for (const auto& file : std::filesystem::directory_iterator(TAUT_SOURCE_DIR "/scenes")) {
    if (file.path().extension() != ".json") continue;
    std::ifstream in(file.path());
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    names.push_back(file.path().filename().string());
  }
  ASSERT_GE(names.size(), 8u);

  const std::string good = R"({"taut": 1, "parameters": {"L": {"value": 2, "min": 0}},
    "bodies": [{"type": "particle", "name": "p", "mass": "=L", "position": [1, 0, 0]},
      {"repeat": {"count": 2}, "items": [{"type": "rigid", "mass": 1, "inertia": [1, 1, 1],
        "position": [0, 0, 0], "orientation": {"axis": [0, 0, 1], "angle": 1}}]}],
    "cloths": [{"name": "c", "grid": {"columns": 3, "rows": "=3"}, "density": 2, "pins": [
      {"near": [0, 0, 0], "radius": 0.4}, {"part": "bottom", "displacement": [0, 1, 0]}]}],
    "forces": [{"type": "drag", "linear": 1}, {"type": "wind", "faces": [["p", "c_0_0", "c_0_1"]]}],
    "constraints": [{"type": "distance", "a": [0, 0, 0], "b": "p", "form": "squared",
      "length": {"type": "sine", "center": 2, "amplitude": 1, "frequency": 1}},
      {"type": "on_moving_plane", "point": "p", "normal": [1, 0, 0],
       "through": {"type": "formula", "value": ["=L*t", 0, 0]}}],
    "simulation": {"method": "baumgarte", "options": {"alpha": 3}, "step": 0.1},
    "reference": {"type": "final_values", "time": 5, "values": [
      {"point": "p", "axis": "y", "quantity": "velocity", "value": "=2*L"}]}})";
  texts.push_back(good);
  names.push_back("good");
  const std::size_t accepted = texts.size();

  const std::pair<const char*, const char*> mistakes[] = {
      {"\"taut\": 1", "\"taut\": 2"},
      {"\"taut\": 1", "\"tout\": 1"},
      {"\"taut\": 1, ", ""},
      {"\"value\": 2", "\"value\": \"two\""},
      {"\"type\": \"particle\"", "\"type\": \"particel\""},
      {"\"mass\": \"=L\"", "\"mass\": 0"},
      {"\"mass\": \"=L\"", "\"mass\": \"L\""},
      {"\"mass\": \"=L\", ", ""},
      {"[1, 0, 0]", "[1, 0]"},
      {"\"count\": 2", "\"count\": -2"},
      {"[1, 1, 1]", "[1, 1]"},
      {"\"linear\": 1", "\"linear\": -1"},
      {"\"name\": \"c\", ", ""},
      {"\"columns\": 3, ", ""},
      {"\"grid\": {\"columns\": 3, \"rows\": \"=3\"}, ", ""},
      {"\"grid\": {", "\"mesh\": \"c.obj\", \"grid\": {"},
      {"\"density\": 2", "\"scale\": 2"},
      {"\"density\": 2", "\"density\": 0"},
      {"\"near\": [0, 0, 0], ", ""},
      {"\"part\": \"bottom\"", "\"part\": \"botom\""},
      {"\"part\": \"bottom\"", "\"part\": \"bottom\", \"near\": [0, 0, 0]"},
      {"[\"p\", \"c_0_0\", \"c_0_1\"]", "[\"p\", \"c_0_0\"]"},
      {"\"squared\"", "\"square\""},
      {"\"b\": \"p\"", "\"b\": 3"},
      {"\"center\": 2", "\"centre\": 2"},
      {"\"frequency\": 1", "\"frequency\": 0"},
      {"\"baumgarte\"", "\"baumgart\""},
      {"\"baumgarte\"", "\"implicit1\""},
      {"\"method\": \"baumgarte\", ", ""},
      {"\"alpha\": 3", "\"alfa\": 3"},
      {"\"step\": 0.1", "\"step\": 0"},
      {"[\"=L*t\", 0, 0]", "\"=L*t\""},
      {"\"time\": 5", "\"time\": 0"},
      {"\"velocity\"", "\"speed\""},
      {"\"axis\": \"y\", ", ""},
  };
  for (const auto& [from, to] : mistakes) {
    std::string text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    texts.push_back(text.replace(text.find(from), std::string(from).size(), to));
    names.push_back(std::string(from) + " → " + to);
  }

  const std::vector<std::string> verdicts = validate(texts);
  ASSERT_EQ(verdicts.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(verdicts[i] == "ok", i < accepted) << names[i] << ": " << verdicts[i];
    // The reader and the schema agree.
    if (i < accepted)
      EXPECT_NO_THROW(parse_scene(texts[i], names[i])) << names[i];
    else
      EXPECT_THROW(parse_scene(texts[i], names[i]), Error) << names[i];
  }
}

}  // namespace
}  // namespace taut::io
