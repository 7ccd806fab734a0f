// Cloths in scenes: what is read, and what is said of mistakes.
#include "io/error_messages.hpp"
#include "support/objects.hpp"

namespace taut::io {
namespace {

/// A scene with a cloth of 4 columns and 3 rows, with more members of it.
std::string with_cloth(const std::string& members, const std::string& rest = "") {
  return R"({"taut": 1, "parameters": {"n": {"value": 4}}, "cloths": [
    {"name": "c", "grid": {"columns": "=n", "rows": 3, "width": 3, "height": 2})" +
         members + "}]" + rest + "}";
}

Scene parse(const std::string& text) { return parse_scene(text, "test.json"); }

testing::ConstraintsOf<Pin> pins(const Scene& scene) {
  return testing::constraints_of<Pin>(scene.system);
}

std::vector<std::string> pinned(const std::string& list) {
  const Scene scene = parse(with_cloth(", \"pins\": " + list));
  std::vector<std::string> names;
  for (int i = 0; i < pins(scene).size(); ++i)
    names.push_back(scene.system.body_name(pins(scene)[i].point.body));
  return names;
}

TEST(ClothScene, IsReadAlone) {
  const Scene scene = parse(with_cloth(R"(, "density": 0.2, "stretch": "springs")"));
  EXPECT_EQ(scene.system.body_count(), 12);
  EXPECT_EQ(scene.system.constraint_count(), 0);
  ASSERT_EQ(scene.surfaces.size(), 1u);
  EXPECT_EQ(scene.surfaces[0].name, "c");
  EXPECT_EQ(scene.surfaces[0].faces.size(), 6u);
  EXPECT_EQ(scene.system.body_name(scene.surfaces[0].vertices[5]), "c_1_1");
  EXPECT_EQ(scene.system.initial_place(Point(BodyId{5})), Vec3(1, -1, 0));
  EXPECT_DOUBLE_EQ(scene.system.mass({5}), 0.2);
}

TEST(ClothScene, VerticesAreBodies) {
  const Scene scene = parse(with_cloth("", R"(, "bodies": [
    {"type": "particle", "name": "weight", "mass": 1, "position": [3, -3, 0]}],
    "constraints": [{"type": "distance", "name": "rod", "a": "c_2_{n-1}", "b": "weight"}],
    "forces": [{"type": "spring", "a": "c_0_0", "b": [0, 1, 0], "stiffness": 2},
               {"type": "bending", "points": ["c_1_3", "c_2_3", "weight"], "stiffness": 1}])"));
  EXPECT_EQ(scene.system.constraint_count(), 3 * 3 + 2 * 4 + 1);
  EXPECT_EQ(scene.system.constraints()[0]->name(17), "rod");
}

TEST(ClothScene, MayBeRepeated) {
  const Scene scene = parse(R"({"taut": 1, "cloths": [{"repeat": {"count": 2}, "items": [
    {"name": "c{i}", "grid": {"columns": 2, "rows": 2, "origin": ["=3*i", 0, 0]},
     "pins": [{"vertices": ["c{i}_0_1"]}]}]}]})");
  EXPECT_EQ(scene.surfaces.size(), 2u);
  EXPECT_EQ(scene.system.body_name(pins(scene)[1].point.body), "c1_0_1");
  EXPECT_EQ(pins(scene).name(1), "c1/pin0");
}

TEST(ClothScene, PinsHoldVertices) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(pinned(R"([{"part": "corners"}])"), (Names{"c_0_0", "c_0_3", "c_2_0", "c_2_3"}));
  EXPECT_EQ(pinned(R"([{"part": "top", "every": 3}])"), (Names{"c_0_0", "c_0_3"}));
  EXPECT_EQ(pinned(R"([{"part": "left"}])"), (Names{"c_0_0", "c_1_0", "c_2_0"}));
  EXPECT_EQ(pinned(R"([{"vertices": ["c_1_{n-2}", "c_0_0"]}])"), (Names{"c_1_2", "c_0_0"}));
  EXPECT_EQ(pinned(R"([{"near": [1.9, -0.8, 5]}])"), (Names{"c_1_2"}));
  EXPECT_EQ(pinned(R"([{"near": [0, 0, 0], "radius": 1.1}])"), (Names{"c_0_0", "c_0_1", "c_1_0"}));
}

// What is held as one needs no constraint within.
TEST(ClothScene, EdgesBetweenPinsAreLeftOut) {
  EXPECT_EQ(parse(with_cloth("")).system.constraint_count(), 17);
  EXPECT_EQ(parse(with_cloth(R"(, "pins": [{"part": "left"}])")).system.constraint_count(),
            17 - 2 + 3);
  EXPECT_EQ(parse(with_cloth(R"(, "pins": [{"vertices": ["c_0_0"]}, {"vertices": ["c_0_1"]}])"))
                .system.constraint_count(),
            17 + 2);
}

TEST(ClothScene, PinsSewToABody) {
  const Scene scene = parse(with_cloth(R"(, "pins": [{"part": "left", "body": "bar"}])",
                                       R"(, "bodies": [{"type": "rigid", "name": "bar", "mass": 1,
    "inertia": [1, 1, 1], "position": [-1, 0, 0],
    "orientation": {"axis": [0, 0, 1], "angle": "=pi/2"}}])"));
  EXPECT_EQ(scene.system.constraint_count(), 17 - 2 + 3);
  const auto balls = testing::constraints_of<Ball>(scene.system);
  ASSERT_EQ(balls.size(), 3);
  EXPECT_EQ(balls.name(2), "c/pin2");
  EXPECT_EQ(scene.system.body_name(balls[2].a.body), "bar");
  EXPECT_EQ(scene.system.body_name(balls[2].b.body), "c_2_0");
  // The vertex at (0, −2, 0), from the bar at (−1, 0, 0), which is turned by a quarter.
  EXPECT_LT((balls[2].a.local - Vec3(-2, -1, 0)).norm(), 1e-14);
}

TEST(ClothScene, ElementsAreChosen) {
  const auto of = [](const std::string& elements) {
    return parse(R"({"taut": 1, "cloths": [{"name": "c", "elements": ")" + elements + R"(",
      "grid": {"columns": 3, "rows": 3, "pattern": "triangles"},
      "pins": [{"part": "top"}, {"vertices": ["c_2_1"]}]}]})");
  };
  const Scene yarns = of("automatic");
  EXPECT_EQ(yarns.system.body_count(), 9);
  ASSERT_EQ(yarns.elements.size(), 1u);
  EXPECT_EQ(yarns.elements[0].find("c: yarns, since 8 of its 8 triangles are read in pairs"), 0u)
      << yarns.elements[0];
  // Of eight triangles three distances each; two middles of the top, and a vertex, are held.
  const Scene middles = of("nonconforming");
  EXPECT_EQ(middles.system.body_count(), 16);
  EXPECT_EQ(middles.system.constraint_count(), 3 * 8 + 2 + 1);
  EXPECT_TRUE(middles.elements.empty());
  // Warp and weft of each triangle, and four pins.
  EXPECT_EQ(of("strain_limited").system.constraint_count(), 2 * 8 + 4);
}

TEST(ClothScene, PinsMoveByADisplacement) {
  const Scene scene = parse(with_cloth(R"(, "pins": [
    {"part": "top_left", "displacement": [0.5, 0, 0]},
    {"part": "top_right", "displacement": {"type": "line", "from": [0, 0, 0], "velocity": [0, 2, 0]}}])"));
  EXPECT_EQ(pins(scene)[0].at.value(7), Vec3(0.5, 0, 0));
  EXPECT_TRUE(pins(scene)[0].at.is_constant());
  EXPECT_EQ(pins(scene)[1].at.value(3), Vec3(3, 6, 0));
  EXPECT_EQ(pins(scene)[1].at.at(3).rate, Vec3(0, 2, 0));
}

TEST(ClothScene, MayStartElsewhereThanAtRest) {
  const Scene scene = parse(with_cloth(R"json(, "pins": [{"part": "top_right"}],
    "start_formula": ["=2*sin(x/2)", "=y", "=2-2*cos(x/2)+n"])json"));
  const Vec3 corner(2 * std::sin(1.5), 0, 6 - 2 * std::cos(1.5));
  EXPECT_LT((scene.system.initial_place(Point(BodyId{3})) - corner).norm(), 1e-14);
  EXPECT_LT((pins(scene)[0].at.value(0) - corner).norm(), 1e-14);  // where it starts
  // Lengths are those at rest.
  const Scene placed = parse(R"({"taut": 1, "cloths": [{"name": "c",
    "grid": {"columns": 2, "rows": 2}, "start": [[0, 0, 5], [1, 0, 5], [0, -1, 6], [1, -1, 6]]}]})");
  EXPECT_EQ(placed.system.initial_place(Point(BodyId{2})), Vec3(0, -1, 6));
  const State start = placed.system.initial_state();
  const Pose pose(placed.system, start.q);
  std::vector<double> errors(4);
  placed.system.constraints()[0]->errors(pose, 0, errors);
  EXPECT_GT(*std::max_element(errors.begin(), errors.end()), 0.4);  // √2 m long, not 1 m
}

TEST(ClothScene, NinetyThousandVerticesLoad) {
  const std::vector<Setting> settings{{"n", "300"}};
  const Scene scene = load_scene("cloth", settings);
  EXPECT_EQ(scene.system.body_count(), 90'000);
  EXPECT_EQ(scene.system.constraint_count(), 2 * 300 * 299 + 2);
}

constexpr const char* no_more = "";
class ClothMistake : public ::testing::TestWithParam<Mistake> {};
TEST_P(ClothMistake, IsNamed) {
  EXPECT_TRUE(GetParam().is_named_by(parse_message(with_cloth(GetParam().to)), "f.json"));
}
INSTANTIATE_TEST_SUITE_P(
    All, ClothMistake,
    ::testing::Values(
        Mistake{no_more, R"(, "densty": 1)", "/cloths/0/densty", "unknown", "known", "density"},
        Mistake{no_more, R"(, "density": 0)", "/cloths/0/density", "number 0", "> 0"},
        Mistake{no_more, R"(, "stretch": "spring")", "/cloths/0/stretch", R"("spring")",
                R"("constraints"|"springs"|"limited")", "springs"},
        Mistake{no_more, R"(, "wind": 3)", "/cloths/0/wind", "number 3", "[x, y, z]"},
        Mistake{no_more, R"(, "pins": {})", "/cloths/0/pins", "object", "array"},
        Mistake{no_more, R"(, "pins": [{}])", "/cloths/0/pins/0", "pin",
                R"("part"|"vertices"|"near")"},
        Mistake{no_more, R"(, "pins": [{"part": "top", "near": [0, 0, 0]}])", "/cloths/0/pins/0",
                "pin", R"("part"|"vertices"|"near")"},
        Mistake{
            no_more, R"(, "pins": [{"part": "botom"}])", "/cloths/0/pins/0/part", R"("botom")",
            R"("top"|"bottom"|"left"|"right"|"corners"|"top_left"|"top_right"|"bottom_left"|"bottom_right")",
            "bottom"},
        Mistake{no_more, R"(, "pins": [{"part": "top", "radius": 1}])", "/cloths/0/pins/0/radius",
                "radius", R"("near")"},
        Mistake{no_more, R"(, "pins": [{"part": "top", "every": 0}])", "/cloths/0/pins/0/every",
                "0", "whole number|1|2147483647"},
        Mistake{no_more, R"(, "pins": [{"vertices": ["c_0_4"]}])", "/cloths/0/pins/0/vertices/0",
                R"("c_0_4")", R"("c_0_0"|"c_2_3")"},
        Mistake{no_more, R"(, "pins": [{"near": [9, 0, 0], "radius": 0.5}])", "/cloths/0/pins/0",
                "0.5", R"("c_0_3")"},
        Mistake{no_more, R"(, "pins": [{"part": "top"}, {"part": "left"}])", "/cloths/0/pins/1",
                R"("c_0_0")", "others"}),
    mistake_name);

TEST(BadCloth, OtherMistakes) {
  const auto message = [](const std::string& rest) {
    return parse_message(R"({"taut": 1, )" + rest + "}");
  };
  EXPECT_TRUE(says(message(R"("cloths": [])"), "f.json: /cloths", "no body", "at least one"));
  EXPECT_TRUE(says(message(R"("cloths": [{"name": "c"}])"), "f.json: /cloths/0",
                   R"(no "grid" and no "mesh")", "one"));
  EXPECT_TRUE(says(message(R"("cloths": [{"grid": {"columns": 2, "rows": 2}}])"),
                   "f.json: /cloths/0", R"(no "name")", "string"));
  EXPECT_TRUE(mentions(message(R"("cloths": [{"name": "c", "grid": {"columns": 1, "rows": 2}}])"),
                       "f.json: /cloths/0/grid", "at least 2|found 2|1"));
  EXPECT_TRUE(
      mentions(message(R"("cloths": [{"name": "c", "grid": {"columns": 90000, "rows": 90000}}])"),
               "f.json: /cloths/0/grid", "10 million|found 90000 × 90000"));
  EXPECT_TRUE(mentions(
      message(
          R"("cloths": [{"name": "c", "grid": {"columns": 2, "rows": 2, "along": [1, 0, 0]}}])"),
      "f.json: /cloths/0/grid", "across|along|parallel"));
  const std::string begun = R"("cloths": [{"name": "c", "grid": {"columns": 2, "rows": 2}, )";
  const std::string bar =
      R"("bodies": [{"type": "rigid", "name": "bar", "mass": 1, "inertia": [1, 1, 1],
      "position": [0, 0, 0]}], )";
  EXPECT_TRUE(says(
      message(bar + begun + R"("pins": [{"part": "left", "body": "bar", "until": 2}]}])"),
      "f.json: /cloths/0/pins/0/until", "body", "one of the two"));
  EXPECT_TRUE(mentions(message(bar + begun + R"("pins": [{"part": "left", "body": "rod"}]}])"),
                       "f.json: /cloths/0/pins/0/body", "rod|bar"));
  EXPECT_TRUE(says(message(begun + R"("start": [[0, 0, 0]]}])"), "f.json: /cloths/0/start",
                   "1 places", "4|one for each vertex"));
  EXPECT_TRUE(says(message(begun + R"("start_formula": ["=x", "=y"]}])"),
                   "f.json: /cloths/0/start_formula", "2 formulas", "3"));
  EXPECT_TRUE(mentions(message(begun + R"("start_formula": ["=x", "=y", "=1/(x-x)+1"]}])"),
                       "f.json: /cloths/0/start_formula/2", "finite"));
  EXPECT_TRUE(says(message(begun + R"("start": [], "start_formula": ["=x", "=y", "=z"]}])"),
                   "f.json: /cloths/0", "start|start_formula", "one of the two"));
  EXPECT_TRUE(mentions(message(begun + R"("release": "seed"}])"), "f.json: /cloths/0/release",
                       "complementarity|velocity"));
  const std::string small = R"({"name": "c", "grid": {"columns": 2, "rows": 2}})";
  EXPECT_TRUE(says(message("\"cloths\": [" + small + ", " + small + "]"), "f.json: /cloths/1/name",
                   R"("c"|again)", "no other"));
  EXPECT_TRUE(mentions(message(R"("bodies": [{"type": "particle", "name": "c_0_1", "mass": 1,
                                  "position": [0, 0, 0]}], "cloths": [)" +
                               small + "]"),
                       "f.json: /cloths/0", "\"c\"|\"c_0_1\""));
  EXPECT_TRUE(says(message("\"cloths\": [" + small + R"(], "constraints": [
              {"type": "pin", "name": "c/edge7", "point": "c_0_0"}])"),
                   "f.json: /constraints/0/name", R"("c/edge7"|again)", "no other constraint"));
  EXPECT_TRUE(says(message("\"cloths\": [" + small + R"(], "constraints": [
              {"type": "pin", "point": "c_0_2"}])"),
                   "f.json: /constraints/0/point", R"("c_0_2")", "body", "c_0_0"));
  EXPECT_TRUE(says(message("\"cloths\": [" + small + R"(], "forces": [
              {"type": "bending", "points": ["c_0_0", "c_0_1"], "stiffness": 1}])"),
                   "f.json: /forces/0/points", "array|2", "three|four"));
  EXPECT_TRUE(says(message("\"cloths\": [" + small + R"(], "forces": [
              {"type": "wind", "faces": [["c_0_0", "c_0_1", "c_0_0"]]}])"),
                   "f.json: /forces/0/faces/0/2", R"("c_0_0"|again)", "another"));
}

}  // namespace
}  // namespace taut::io
