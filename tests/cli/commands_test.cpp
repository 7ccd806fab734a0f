#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/methods/method.hpp"
#include "taut/scene/scene.hpp"
#include "taut/solve/linear_solver.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;

TEST(CliCompare, TableHasARowPerMethodAndStep) {
  const Result result = taut({"compare", "two_link", "--duration", "0.5", "--steps", "0.01,0.005"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const MethodInfo& method : methods()) EXPECT_TRUE(contains(result.out, method.name));
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = result.out.find(" 0.005  ", at)) != std::string::npos; ++at)
    ++rows;
  EXPECT_EQ(rows, methods().size()) << result.out;
  for (const char* heading : {"method", "step", "status", "error sum", "error max", "energy error",
                              "deviation", "solves/step", "µs/step", "node2 y"})
    EXPECT_TRUE(contains(result.out, heading)) << heading;
}

TEST(CliCheck, NamesShapesThatOverlap) {
  const Scratch scratch;
  const std::string scene = scratch.write("s.json", R"({"taut": 1,
    "shapes": [{"type": "plane", "name": "ground"}],
    "bodies": [{"type": "rigid", "name": "box", "mass": 1, "position": [0, 0, 0.4],
                "shapes": [{"type": "box", "size": [1, 1, 1]}]}]})");
  const Result text = taut({"check", scene});
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_TRUE(contains(text.out, "box and ground overlap by 0.1 m.")) << text.out;
  const json found = json::parse(taut({"check", scene, "--json"}).out);
  ASSERT_EQ(found["overlaps"].size(), 1u);
  EXPECT_EQ(found["overlaps"][0]["b"], "ground");
  const Result good = taut({"check", "box_stack"});
  EXPECT_EQ(good.code, 0);
  EXPECT_TRUE(contains(good.out, "No shapes overlap.")) << good.out;
}

TEST(CliCheck, NamesTangledCloth) {
  const Scratch scratch;
  // The second goes through the first and into the ground; the first is in the ball.
  const std::string scene = scratch.write("s.json", R"({"taut": 1,
    "shapes": [{"type": "plane", "name": "ground", "at": [0, 0, -0.6]},
               {"type": "sphere", "name": "ball", "radius": 0.1, "at": [0, 0, 0.3]}],
    "cloths": [
      {"name": "flat", "grid": {"columns": 3, "rows": 3, "width": 1, "height": 1, "origin": [-0.5, 0.5, 0.31]}},
      {"name": "upright", "grid": {"columns": 2, "rows": 2, "width": 0.1, "height": 1,
                                   "origin": [0.2, 0.2, 0.39], "along": [0, 0, -1]}}]})");
  const Result text = taut({"check", scene});
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_TRUE(contains(text.out, "flat is in ball: ")) << text.out;
  EXPECT_TRUE(contains(text.out, "by 0.09 m near flat_1_1")) << text.out;
  EXPECT_TRUE(contains(text.out, "upright is in ground: ")) << text.out;
  EXPECT_TRUE(contains(text.out, "upright: the edge upright_0_0 – upright_1_0 goes through"))
      << text.out;
  const json found = json::parse(taut({"check", scene, "--json"}).out);
  EXPECT_EQ(found["cloth_in_shapes"].size(), 2u) << found;
  EXPECT_GE(found["tangled"].size(), 2u) << found;
  EXPECT_EQ(found["tangled"][1]["other"], "flat") << found;
  const Result good = taut({"check", "cloth_four_corners"});
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_TRUE(contains(good.out, "No cloth is tangled or in a shape.")) << good.out;
}

TEST(CliCheck, RepairsTangledCloth) {
  const Scratch scratch;
  const std::string scene = scratch.write("s.json", R"({"taut": 1,
    "parameters": {"n": {"value": 3, "integer": true}},
    "cloths": [
      {"name": "flat", "touches": "all",
       "grid": {"columns": "=n", "rows": "=n", "width": 0.3, "height": 0.3, "along": [0, 1, 0]}},
      {"name": "upright", "touches": "all",
       "grid": {"columns": "=n", "rows": "=n", "width": 0.3, "height": 0.3,
                "origin": [0.11, 0.13, 0.1], "across": [0, 1, 0.1], "along": [0.2, 0, -1]}}],
    "simulation": {"step": 0.01, "duration": 0.1}})");
  const std::string apart = (scratch / "apart.json").string();
  const Result result = taut({"check", scene, "--set", "n=5", "--repair", apart});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "Repaired: ")) << result.out;
  const Result again = taut({"check", apart});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_TRUE(contains(again.out, "No cloth is tangled or in a shape.")) << again.out;
  EXPECT_EQ(taut({"run", apart}).code, 0);
  // Both are held: there is no way out.
  std::string held = file_text(scene);
  for (std::size_t at = 0; (at = held.find("\"touches\"", at)) != std::string::npos; at += 60)
    held.insert(at, R"("pins": [{"near": [0, 0, 0], "radius": 9}], )");
  const Result failed =
      taut({"check", scratch.write("held.json", held), "--repair", (scratch / "x.json").string()});
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(contains(failed.out, "Not repaired")) << failed.out;
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.json"));
}

TEST(CliList, ShapesAndMaterials) {
  const json shapes = json::parse(taut({"list", "shapes", "--json"}).out);
  ASSERT_EQ(shapes.size(), 10u);
  EXPECT_EQ(shapes[0]["name"], "plane");
  const Result materials = taut({"list", "materials"});
  EXPECT_EQ(materials.code, 0);
  EXPECT_TRUE(contains(materials.out, "steel")) << materials.out;
  EXPECT_TRUE(contains(materials.out, "0.02 on ice")) << materials.out;
}

TEST(CliCompare, DivergedRowsSayWhere) {
  const Result result = taut({"compare", "bead", "--methods", "implicit1,baumgarte", "--steps",
                              "0.1", "--set", "method.alpha=20", "--set", "method.beta=20"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "diverged at step ")) << result.out;
}

TEST(CliCompare, WritesItsFiles) {
  const Scratch scratch;
  const auto out = scratch / "out";
  const Result result = taut({"compare", "pendulum", "--methods", "rattle,implicit2", "--steps",
                              "0.01,0.02", "--duration", "0.2", "--out", out.string()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "full results: " + out.string())) << result.out;
  const json comparison = json::parse(file_text(out / "comparison.json"));
  EXPECT_EQ(comparison["scene"], "pendulum");
  EXPECT_EQ(comparison["runs"].size(), 4u);
  EXPECT_EQ(comparison["runs"][1]["method"], "rattle");
  EXPECT_EQ(comparison["runs"][1]["step"], 0.02);
  const std::string csv = file_text(out / "comparison.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_FALSE(file_text(out / "implicit2_h0.02.csv").empty());
}

TEST(CliCompare, JsonHasEveryReport) {
  const Result result = taut({"compare", "pendulum", "--duration", "0.1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json comparison = json::parse(result.out);
  EXPECT_TRUE(comparison.contains("taut"));
  EXPECT_EQ(comparison["runs"].size(), methods().size());
  for (const json& run : comparison["runs"]) EXPECT_TRUE(run.contains("constraint_error"));
}

// A particle between two pinned ones, on x = 0, 1 and 2.
std::string line_scene(const std::string& length, const std::string& more = "") {
  return R"({"taut": 1, "name": "line", "bodies": [
    {"type": "particle", "name": "a", "mass": 1, "position": [0, 0, 0]},
    {"type": "particle", "name": "b", "mass": 1, "position": [1, 0, 0]},
    {"type": "particle", "name": "c", "mass": 1, "position": [2, 0, 0]}],
   "constraints": [
    {"type": "pin", "name": "left", "point": "a"}, {"type": "pin", "name": "right", "point": "c"},
    {"type": "distance", "name": "ab", "a": "a", "b": "b", "length": )" +
         length + R"(},
    {"type": "distance", "name": "bc", "a": "b", "b": "c", "length": )" +
         length + "}" + more + "]}";
}

TEST(CliCheck, SoundScene) {
  const Result result = taut({"check", "two_link"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "2 bodies with 6 velocities; 2 constraints with 2 rows"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "rank 2, which leaves 4 degrees of freedom")) << result.out;
  EXPECT_TRUE(contains(result.out, "every constraint holds")) << result.out;
}

TEST(CliCheck, TautLineIsSingularNotAConflict) {
  const Scratch scratch;
  const Result result = taut({"check", scratch.write("line.json", line_scene("1"))});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "Singular at the start only")) << result.out;
  EXPECT_TRUE(contains(result.out, "bc (distance) acts along what left, right and ab"))
      << result.out;
}

TEST(CliCheck, ConflictIsNamedAndExitCodeOne) {
  const Scratch scratch;
  const std::string file = scratch.write("line.json", line_scene("0.9"));
  const Result result = taut({"check", file});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "In conflict")) << result.out;
  EXPECT_TRUE(contains(result.out, "bc (distance) is off by 0.2 m")) << result.out;
  EXPECT_TRUE(contains(result.out, "ab (distance) is off by 0.1 m.")) << result.out;
  const json findings = json::parse(taut({"check", file, "--json"}).out);
  EXPECT_EQ(findings["conflict"], true);
  EXPECT_EQ(findings["dependencies"][0]["kind"], "conflict");
  EXPECT_EQ(findings["position_violations"].size(), 2u);
}

TEST(CliCheck, RedundantConstraintIsNamed) {
  const Scratch scratch;
  const Result result = taut(
      {"check", scratch.write("line.json", line_scene("1", R"(, {"type": "distance", "name": "ac",
        "a": "a", "b": "c", "length": 2})"))});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "ac (distance) follows from left and right.")) << result.out;
}

TEST(CliCheck, EveryBuiltInSceneIsFreeOfConflictsUnlessItIsAboutThem) {
  for (const io::SceneSummary& scene : io::list_scenes()) {
    const Result result = taut({"check", scene.name});
    const bool in_conflict = scene.name.starts_with("conflict");  // on purpose
    EXPECT_EQ(result.code != 0, in_conflict) << scene.name << "\n" << result.out << result.err;
    EXPECT_EQ(contains(result.out, "In conflict"), in_conflict) << scene.name;
  }
}

TEST(CliList, ListsAllOfEveryKind) {
  const auto names = [](const char* kind) {
    const Result result = taut({"list", kind, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> found;
    for (const json& entry : json::parse(result.out)) {
      found.push_back(entry["name"]);
      EXPECT_FALSE(entry["summary"].get<std::string>().empty()) << found.back();
      EXPECT_TRUE(entry["parameters"].is_array());
    }
    const std::string text = taut({"list", kind}).out;
    for (const std::string& name : found) EXPECT_TRUE(contains(text, name)) << name;
    return found;
  };
  EXPECT_EQ(names("constraints").size(), constraint_types().size());
  EXPECT_EQ(names("forces").size(), force_types().size());
  EXPECT_EQ(names("methods").size(), methods().size());
  EXPECT_EQ(names("scenes").size(), io::list_scenes().size());
  EXPECT_EQ(names("solvers").size(), linear_solvers().size() + 1);
}

TEST(CliList, ShowsUnitsAndDefaults) {
  EXPECT_TRUE(contains(taut({"list", "forces"}).out, "= [0, -9.81, 0] m/s²"));
  EXPECT_TRUE(contains(taut({"list", "constraints"}).out, "length | squared"));
  EXPECT_TRUE(contains(taut({"list", "scenes"}).out, "= 9.81 m/s²"));
  const Result unknown = taut({"list", "method"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean \"methods\"")) << unknown.err;
}

TEST(CliSchema, IsJson) {
  const Result result = taut({"schema"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json schema = json::parse(result.out);
  EXPECT_TRUE(schema.contains("$schema"));
}

}  // namespace
}  // namespace taut::cli
