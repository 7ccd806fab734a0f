#include "taut/scene/scene.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/error_messages.hpp"
#include "support/objects.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/scene/final_error.hpp"

namespace taut::io {
namespace {

Scene parse(const std::string& text, std::vector<Setting> settings = {}) {
  return parse_scene(text, "test.json", settings);
}

/// Members of a scene with one particle "p" at (1, 2, 3) and one rigid body "rod".
std::string with_bodies(const std::string& rest) {
  return R"({"taut": 1, "bodies": [
    {"type": "particle", "name": "p", "mass": 2, "position": [1, 2, 3], "velocity": [4, 5, 6]},
    {"type": "rigid", "name": "rod", "mass": 1, "inertia": [1, 2, 3], "position": [0, 0, 0],
     "orientation": {"axis": [0, 0, 2], "angle": "=pi/2"}, "angular_velocity": [1, 0, 0]}], )" +
         rest + "}";
}

template <class C>
const C& first(const Scene& scene) {
  return testing::constraints_of<C>(scene.system)[0];
}

TEST(Scene, ReadsBodies) {
  const Scene scene = parse(with_bodies(R"("title": "t")"));
  EXPECT_EQ(scene.name, "test");
  EXPECT_EQ(scene.title, "t");
  ASSERT_EQ(scene.system.body_count(), 2);
  const State state = scene.system.initial_state();
  EXPECT_EQ(state.q.head<3>(), Vec3(1, 2, 3));
  EXPECT_EQ(state.v.head<3>(), Vec3(4, 5, 6));
  EXPECT_EQ(scene.system.mass({0}), 2);
  EXPECT_EQ(scene.system.inertia({1})(2, 2), 3);
  EXPECT_NEAR(state.q[6], std::sqrt(0.5), 1e-15) << "cos(π/4)";
  EXPECT_NEAR(state.q[9], std::sqrt(0.5), 1e-15);
  // The world's x is the body's −y, for a quarter turn about z.
  EXPECT_LT((state.v.tail<3>() - Vec3(0, -1, 0)).norm(), 1e-15);
}

TEST(Scene, ReadsPointsDirectionsMotionsAndCurves) {
  const Scene scene = parse(with_bodies(R"("constraints": [
    {"type": "distance", "a": {"body": "rod", "at": [0, 1, 0]}, "b": "p", "form": "squared",
     "length": {"type": "keyframes", "times": [0, 1], "values": [2, "=2+1"]}},
    {"type": "pin", "point": "p", "at": {"type": "sine", "center": [0, 0, 0],
     "amplitude": [1, 0, 0], "frequency": 0.25}},
    {"type": "on_plane", "point": "p", "through": [0, 0, 7],
     "normal": {"body": "rod", "axis": [0, 0, 5]}},
    {"type": "on_curve", "point": "p", "curve": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
     "closed": true}}])"));
  const auto& distance = first<Distance>(scene);
  EXPECT_EQ(distance.a.body.index, 1);
  EXPECT_EQ(distance.a.local, Vec3(0, 1, 0));
  EXPECT_EQ(distance.b.body.index, 0);
  EXPECT_EQ(distance.form, DistanceForm::squared);
  EXPECT_EQ(distance.length.value(0), 2);
  EXPECT_EQ(distance.length.value(5), 3);
  EXPECT_NEAR(first<Pin>(scene).at.value(1).x(), 1, 1e-15);
  const auto& plane = first<OnPlane>(scene);
  EXPECT_TRUE(plane.through.body.is_world());
  EXPECT_EQ(plane.through.local, Vec3(0, 0, 7));
  EXPECT_EQ(plane.normal.body.index, 1);
  EXPECT_EQ(plane.normal.local, Vec3(0, 0, 1));
  EXPECT_TRUE(first<OnCurve>(scene).curve.is_closed());
}

TEST(Scene, ReadsCurvesByFormula) {
  const Scene scene = parse(with_bodies(R"#("parameters": {"r": {"value": 2}}, "constraints": [
    {"type": "on_curve", "point": "p", "curve": {"formula": ["=r*cos(s)", "=r*sin(s)", "=s^3"],
     "from": -1, "to": "=pi", "ends": "extended"}}])#"));
  const Curve& curve = first<OnCurve>(scene).curve;
  EXPECT_FALSE(curve.is_closed());
  EXPECT_EQ(curve.first(), -1);
  EXPECT_NEAR(curve.last(), M_PI, 1e-15);
  const Curve::Piece piece = curve.piece(0.5);
  const double s = std::sin(0.5), c = std::cos(0.5);
  EXPECT_LT((piece.a - Vec3(2 * c, 2 * s, 0.125)).norm(), 1e-15);
  EXPECT_LT((piece.b - Vec3(-2 * s, 2 * c, 0.75)).norm(), 1e-15);
  EXPECT_LT((2 * piece.c - Vec3(-2 * c, -2 * s, 3)).norm(), 1e-14);
  EXPECT_LT((6 * piece.d - Vec3(2 * s, -2 * c, 6)).norm(), 1e-14);
}

TEST(Scene, RefusesWrongCurves) {
  const auto message = [](const std::string& curve) {
    return parse_message(with_bodies(
        R"("constraints": [{"type": "on_curve", "point": "p", "curve": {)" + curve + "}}]"));
  };
  const std::string at = "f.json: /constraints/0/curve";
  EXPECT_EQ(message(R"("closed": true)"),
            at + ": found no \"points\" and no \"formula\", expected one of them");
  EXPECT_EQ(message(R"#("formula": ["=cos(s)", "=sin(s)", 0], "from": 0)#"),
            at + ": found no \"to\", expected a number");
  EXPECT_EQ(
      message(R"#("formula": ["=cos(s)", "=sin(s)", 0], "from": 0, "to": 3, "closed": true)#"),
      at + ": found a closed curve whose end does not continue at its start, expected the "
           "same place and derivative at both");
  EXPECT_EQ(message(R"#("formula": ["=s^3", 0, 0], "from": -1, "to": 1)#"),
            at + ": found a curve that stands still at s = 0, expected a derivative that is not "
                 "zero");
  EXPECT_EQ(message(R"#("formula": ["=sqrt(s)", 0, 0], "from": -1, "to": 1)#"),
            at + ": found a curve that is not finite, or has a derivative that is not, at s = -1");
  EXPECT_EQ(message(R"#("formula": ["=t", 0, 0], "from": -1, "to": 1)#"),
            at + "/formula/0: found the unknown name \"t\" in \"t\", expected a parameter or "
                 "function (did you mean \"s\"?)");
  EXPECT_EQ(
      message(R"("points": [[0, 0, 0], [9, 0, 0], [0, 9, 0]], "closed": true, "ends": "finite")"),
      at + "/ends: found \"ends\" of a closed curve, which has none");
  EXPECT_EQ(message(R"("points": [[5, 0, 0], [6, 0, 0]])"),
            "f.json: /constraints/0: point: it starts past the end of the curve (\"ends\": "
            "\"extended\" makes the curve go on)");
}

TEST(Scene, ReadsForcesByFormula) {
  const Scene scene = parse(with_bodies(R"#("forces": [
    {"type": "force", "point": "p", "force": {"type": "formula", "value": ["=10*sin(3*t)", 0, 1]}},
    {"type": "torque", "body": "rod", "torque": {"type": "line", "from": [0, 0, 1],
     "velocity": [0, 0, 2]}}])#"));
  VecX F;
  const State start = scene.system.initial_state();
  scene.system.forces(Pose(scene.system, start.q), VecX::Zero(scene.system.velocity_size()), 0.5,
                      F);
  const BodySlot& p = scene.system.slot(*scene.system.find_body("p"));
  EXPECT_LT((F.segment<3>(p.v) - Vec3(10 * std::sin(1.5), 0, 1)).norm(), 1e-14);
  const BodySlot& rod = scene.system.slot(*scene.system.find_body("rod"));
  EXPECT_NEAR(F.segment<3>(rod.v + 3).norm(), 2, 1e-14);
  EXPECT_FALSE(scene.system.is_conservative());
}

TEST(Scene, ReadsMotionsByFormula) {
  const Scene scene = parse(with_bodies(R"#("parameters": {"w": {"value": 3}}, "constraints": [
    {"type": "pin", "point": "p", "at": {"type": "formula", "value": ["=1+sin(w*t)", 2, "=3*exp(-t)"]}},
    {"type": "distance", "a": [0, 0, 0], "b": "p",
     "length": {"type": "formula", "value": "=2+t^2"}},
    {"type": "on_moving_plane", "point": "p", "normal": {"type": "formula", "value": ["=cos(t)", "=sin(t)", 0]}}])#"));
  const MotionSample<Vec3> place = first<Pin>(scene).at.at(0.5);
  EXPECT_LT((place.value - Vec3(1 + std::sin(1.5), 2, 3 * std::exp(-0.5))).norm(), 1e-15);
  EXPECT_LT((place.rate - Vec3(3 * std::cos(1.5), 0, -3 * std::exp(-0.5))).norm(), 1e-14);
  EXPECT_LT((place.acceleration - Vec3(-9 * std::sin(1.5), 0, 3 * std::exp(-0.5))).norm(), 1e-14);
  EXPECT_EQ(first<Distance>(scene).length.at(3).rate, 6);
  EXPECT_EQ(first<Distance>(scene).length.at(3).acceleration, 2);
  EXPECT_TRUE(scene.system.constraints_depend_on_time());
  EXPECT_TRUE(first<OnMovingPlane>(scene).through.is_constant());
}

TEST(Scene, ReadsFinalValues) {
  const Scene scene =
      parse(with_bodies(R"("reference": {"type": "final_values", "time": 2, "values": [
    {"point": "p", "axis": "y", "value": 2.5},
    {"point": "p", "quantity": "velocity", "axis": "z", "value": 5},
    {"point": {"body": "rod", "at": [1, 0, 0]}, "axis": "y", "value": 1},
    {"point": "rod", "quantity": "angle", "axis": "z", "value": "=pi/2+4*pi"},
    {"point": "rod", "quantity": "angular_velocity", "axis": "x", "value": 1}]})"));
  EXPECT_FALSE(scene.reference);
  State state = scene.system.initial_state();
  EXPECT_FALSE(final_error(scene, state)) << "of another time";
  state.time = 2;
  const auto error = final_error(scene, state);
  ASSERT_TRUE(error);
  EXPECT_NEAR(error->position, 0.5, 1e-14);  // p.y is 2; the rest is right
  EXPECT_NEAR(error->velocity, 1, 1e-14);    // p's v.z is 6
}

TEST(Scene, ReadsEveryForce) {
  const Scene scene = parse(with_bodies(R"("cloths": [{"name": "c", "shear_stiffness": 0,
    "bending_stiffness": 0, "grid": {"columns": 2, "rows": 2}}], "constraints": [
    {"type": "hinge", "name": "elbow", "b": "rod"}], "forces": [
    {"type": "joint_spring", "joint": "elbow", "stiffness": 1},
    {"type": "joint_torque", "joint": "elbow", "torque": 2},
    {"type": "servo", "joint": "elbow", "target": 1, "stiffness": 2},
    {"type": "gravity"}, {"type": "force", "point": "p", "force": [1, 0, 0]},
    {"type": "torque", "body": "rod", "torque": [0, 0, 1], "frame": "body"},
    {"type": "spring", "a": "p", "b": [0, 0, 0], "stiffness": 3}, {"type": "drag", "linear": 1},
    {"type": "bending", "points": ["p", "c_0_0", "c_0_1"], "stiffness": 1},
    {"type": "wind", "faces": [["p", "c_0_0", "c_0_1"]], "velocity": [1, 0, 0]},
    {"type": "drag", "point": "p", "quadratic": 1},
    {"type": "pull", "point": "p", "to": [0, 1, 0], "stiffness": 2}])"));
  EXPECT_EQ(scene.system.all_forces().size(), force_types().size());
}

TEST(Scene, LeavesLengthsToBeMeasured) {
  const Scene scene =
      parse(with_bodies(R"("constraints": [{"type": "distance", "a": [1, 2, 0], "b": "p"}])"));
  EXPECT_EQ(first<Distance>(scene).length.value(0), 3);
}

TEST(Scene, AConstraintOnTheWorldAloneIsAllowed) {
  const Scene scene = parse(with_bodies(
      R"("constraints": [{"type": "distance", "a": [1, 2, 0], "b": [0, 0, 0], "length": 1}])"));
  EXPECT_EQ(scene.system.constraint_count(), 1);
}

TEST(Scene, AutomaticNamesGiveWayToChosenOnes) {
  const Scene scene = parse(with_bodies(R"("constraints": [
    {"type": "pin", "name": "pin1", "point": "p"}, {"type": "pin", "point": "p"}])"));
  const auto& batch = *scene.system.constraints()[0];
  EXPECT_EQ(batch.name(0), "pin1");
  EXPECT_EQ(batch.name(1), "pin2");
}

const std::string parametric = R"({"taut": 1, "name": "p",
  "parameters": {"L": {"value": 2, "unit": "m", "description": "length"},
                 "N": {"value": 3, "integer": true, "min": 1, "max": 10},
                 "twice": {"value": "=2*L"}},
  "bodies": [{"type": "particle", "name": "p{N}", "mass": "=twice", "position": ["=-L", 0, 0]}]})";

TEST(Scene, ParametersMayUseEarlierOnes) {
  const Scene scene = parse(parametric);
  ASSERT_EQ(scene.parameters.size(), 3u);
  EXPECT_EQ(scene.parameters[0].name, "L");
  EXPECT_EQ(scene.parameters[0].unit, "m");
  EXPECT_EQ(scene.parameters[2].value, 4);
  EXPECT_EQ(scene.system.body_name({0}), "p3");
}

TEST(Scene, SettingsChangeParametersAndWhatFollowsFromThem) {
  const Scene scene = parse(parametric, {{"N", "4"}, {"L", "1+pi"}, {"L", "=2.5*2"}});
  EXPECT_EQ(scene.parameters[0].value, 5);
  EXPECT_EQ(scene.parameters[2].value, 10);
  EXPECT_EQ(scene.system.mass({0}), 10);
  EXPECT_EQ(scene.system.body_name({0}), "p4");
}

TEST(Scene, SettingsForTheMethodAreKeptForWhicheverRuns) {
  const Scene scene = parse(parametric, {{"method.alpha", "2*L"}});
  ASSERT_EQ(scene.method_settings.size(), 1u);
  EXPECT_EQ(scene.method_settings[0].name, "alpha");
  EXPECT_EQ(scene.method_settings[0].value, "4");
}

TEST(Scene, ReadsTheSimulation) {
  const Scene scene = parse(with_bodies(R"("simulation": {"method": "baumgarte",
    "options": {"alpha": "=2*5", "beta": 5}, "step": 0.5, "duration": 3, "record_every": 7,
    "start": "as_is"})"));
  EXPECT_EQ(scene.method, "baumgarte");
  ASSERT_EQ(scene.method_options.size(), 2u);
  EXPECT_EQ(scene.method_options[0].value, "10");
  EXPECT_EQ(scene.step, 0.5);
  EXPECT_EQ(scene.duration, 3);
  EXPECT_EQ(scene.record_every, 7);
  EXPECT_EQ(scene.start, Start::as_is);
}

TEST(Scene, RepeatsNest) {
  const Scene scene = parse(R"({"taut": 1, "bodies": [
    {"repeat": {"count": 2, "index": "i"}, "items": [
      {"repeat": {"count": "=2+i", "index": "j"}, "items": [
        {"type": "particle", "name": "p{i}_{j+1}", "mass": 1, "position": ["=i", "=j", 0]}]}]},
    {"repeat": {"count": 0}, "items": [{"type": "nonsense"}]}]})");
  const std::vector<std::string> names{"p0_1", "p0_2", "p1_1", "p1_2", "p1_3"};
  EXPECT_EQ(scene.system.body_names(), names);
  EXPECT_EQ(scene.system.initial_place(Point(BodyId{4})), Vec3(1, 2, 0));
}

TEST(Scene, AHundredThousandLinksLoadFast) {
  const std::vector<Setting> settings{{"N", "100000"}};
  const auto start = std::chrono::steady_clock::now();
  const Scene scene = load_scene("chain", settings);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(scene.system.constraint_count(), 100'000);
  // About 0.2 s; the rest is for slow machines, sanitizers and debug builds.
  EXPECT_LT(seconds.count(), 10);
  RecordProperty("seconds", std::to_string(seconds.count()));
}

TEST(BuiltinScenes, AreAllThere) {
  const std::vector<SceneSummary> scenes = list_scenes();
  std::vector<std::string> names;
  for (const SceneSummary& scene : scenes) {
    names.push_back(scene.name);
    EXPECT_FALSE(scene.title.empty()) << scene.name;
    EXPECT_FALSE(scene.parameters.empty()) << scene.name;
  }
  for (const char* name : {"bead",
                           "bead_on_curve",
                           "chain",
                           "driven_pin",
                           "pendulum",
                           "rigid_pendulum",
                           "ten_link",
                           "two_link",
                           "iftomm_a01",
                           "n_four_bar",
                           "andrews",
                           "car_axis",
                           "heavy_chain",
                           "conflict_pins",
                           "conflict_walls",
                           "cloth",
                           "cloth_four_corners",
                           "flag",
                           "flag_on_hinged_pole",
                           "cloth_with_weight",
                           "curtain"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(BuiltinScenes, LoadAndStartLegally) {
  for (const EmbeddedText& builtin : builtin_scenes()) {
    const Scene scene = load_scene(std::string(builtin.name));
    EXPECT_EQ(scene.name, builtin.name);
    EXPECT_FALSE(scene.description.empty()) << scene.name;
    if (scene.name == "bead" || scene.name == "pinned" || scene.name.starts_with("conflict"))
      continue;  // off their places on purpose
    const State state = scene.system.initial_state();
    const Pose pose(scene.system, state.q);
    for (const auto& batch : scene.system.constraints()) {
      std::vector<double> errors(static_cast<std::size_t>(batch->size()));
      batch->errors(pose, 0, errors);
      for (const double error : errors) EXPECT_LT(error, 1e-12) << scene.name;
    }
  }
}

// Not only the positions, the velocities too: J v + C_t = 0.
TEST(BuiltinScenes, ReferenceProblemsStartWithLegalVelocities) {
  for (const char* name : {"iftomm_a01", "n_four_bar", "andrews", "car_axis", "heavy_chain"}) {
    const Scene scene = load_scene(name);
    const RowPattern pattern(scene.system);
    Rows rows;
    rows.resize(pattern);
    const State state = scene.system.initial_state();
    rows.linearize(scene.system, pattern, Pose(scene.system, state.q), 0);
    const VecX rate =
        dense_jacobian(pattern, rows.J, scene.system.velocity_size()) * state.v + rows.C_t;
    EXPECT_LT(rate.norm(), 1e-13) << name;
  }
}

TEST(BuiltinScenes, AreWhatTheirNamesPromise) {
  const Scene arm = load_scene("two_link");
  EXPECT_EQ(arm.system.body_names(), (std::vector<std::string>{"node1", "node2"}));
  EXPECT_EQ(arm.step, 0.01);
  EXPECT_EQ(arm.duration, 20);
  ASSERT_TRUE(arm.reference);
  EXPECT_EQ(arm.reference->point, "node2");
  EXPECT_EQ(arm.reference->link, 1);
  EXPECT_EQ(arm.reference->axis, 1);
  EXPECT_EQ(arm.reference->until, 10);

  const Scene ten = load_scene("ten_link");
  EXPECT_EQ(ten.system.body_count(), 9);
  EXPECT_EQ(ten.system.constraint_count(), 10);
  EXPECT_EQ(ten.step, 0.001);

  const Scene bead = load_scene("bead");
  const State state = bead.system.initial_state();
  EXPECT_EQ(state.q.head<3>(), Vec3(65, 0, 0));
  EXPECT_NEAR(state.v.norm(), 50, 1e-12);
  EXPECT_NEAR(std::atan2(state.v[0], state.v[1]), 9 * M_PI / 180, 1e-15);
}

TEST(Scene, LoadsFromAFile) {
  const auto path = std::filesystem::temp_directory_path() / "taut_scene_test_loads.json";
  std::ofstream(path) << "\xEF\xBB\xBF" << with_bodies(R"("title": "from a file")");  // with BOM
  const Scene scene = load_scene(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(scene.title, "from a file");
  EXPECT_EQ(scene.name, "taut_scene_test_loads");
}

TEST(Documentation, ItsExampleIsAScene) {
  std::ifstream file(TAUT_SOURCE_DIR "/docs/scenes.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const auto start = page.find("```json\n{\n  \"taut\": 1");
  ASSERT_NE(start, std::string::npos);
  const std::string example = page.substr(start + 8, page.find("\n```", start) - start - 8);
  const Scene scene = parse(example);
  EXPECT_GT(scene.system.body_count(), 0);
  EXPECT_GT(scene.system.constraint_count(), 0);
}

}  // namespace
}  // namespace taut::io
