// Single mistakes in an otherwise good_scene scene: one line that says file, place, what was found,
// what was expected, the nearest name.
#include "io/error_messages.hpp"

namespace taut::io {
namespace {

const std::string good_scene =
    R"({"taut": 1, "name": "n", "parameters": {"L": {"value": 2, "unit": "m"}},
    "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": ["=L", 0, 0]},
               {"type": "rigid", "name": "rod", "mass": 1, "inertia": [1, 1, 1],
                "position": [0, 0, 0], "orientation": [1, 0, 0, 0]}],
    "forces": [{"type": "spring", "a": "p", "b": "rod", "stiffness": 1}],
    "constraints": [{"type": "distance", "name": "c", "a": "p", "b": [0, 0, 0], "length": "=L"},
                    {"type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0]}],
    "simulation": {"method": "baumgarte", "options": {"alpha": 1}, "step": 0.1, "duration": 1}})";

TEST(BadScene, TheSceneWithoutMistakeIsGood) { EXPECT_EQ(parse_message(good_scene), "no error"); }

class SceneMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(SceneMistake, IsNamed) {
  EXPECT_TRUE(GetParam().is_named_by(parse_message(GetParam().in(good_scene)), "f.json"));
}

// The words themselves: a few samples, one of each form.
TEST(BadScene, MessagesInFull) {
  const auto message = [](const char* from, const char* to) {
    return parse_message(Mistake{from, to, "", "", ""}.in(good_scene));
  };
  EXPECT_EQ(
      message("\"stiffness\"", "\"stifness\""),
      R"(f.json: /forces/0/stifness: found an unknown key, expected a known one (did you mean "stiffness"?))");
  EXPECT_EQ(message("\"mass\": 1", "\"mass\": -1"),
            "f.json: /bodies/0/mass: found the number -1, expected a number > 0");
  EXPECT_EQ(
      message("\"b\": \"rod\"", "\"b\": \"rd\""),
      R"(f.json: /forces/0/b: found "rd", expected the name of a body (did you mean "rod"?))");
  EXPECT_EQ(message("[\"=L\", 0, 0]", "[\"=L\", 0]"),
            "f.json: /bodies/0/position: found an array of 2, expected [x, y, z]");
}

INSTANTIATE_TEST_SUITE_P(
    UnknownKeys, SceneMistake,
    ::testing::Values(
        Mistake{R"("forces")", R"("force")", "/force", "unknown", "known", "forces"},
        Mistake{R"("unit")", R"("units")", "/parameters/L/units", "unknown", "known", "unit"},
        Mistake{R"("mass": 1, "position")", R"("mas": 1, "position")", "/bodies/0/mas", "unknown",
                "known", "mass"},
        Mistake{R"("stiffness")", R"("stifness")", "/forces/0/stifness", "unknown", "known",
                "stiffness"},
        Mistake{R"("length")", R"("lenght")", "/constraints/0/lenght", "unknown", "known",
                "length"},
        Mistake{R"("step")", R"("stp")", "/simulation/stp", "unknown", "known", "step"},
        Mistake{R"("alpha")", R"("alfa")", "/simulation/options/alfa", "unknown", "known", "alpha"},
        Mistake{R"([0, 0, 0], "length")", R"({"body": "rod", "att": [0, 0, 0]}, "length")",
                "/constraints/0/b/att", "unknown", "known", "at"},
        Mistake{R"("type": "distance")", R"("type": "distnce")", "/constraints/0/type",
                R"("distnce")", "constraint", "distance"},
        Mistake{R"("baumgarte")", R"("baumgart")", "/simulation/method", R"("baumgart")", "method",
                "baumgarte"},
        Mistake{R"("a": "p", "b": "rod")", R"("a": "p", "b": "rd")", "/forces/0/b", R"("rd")",
                "body", "rod"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    WrongTypes, SceneMistake,
    ::testing::Values(
        Mistake{R"("mass": 1)", R"("mass": "heavy")", "/bodies/0/mass", R"("heavy")", R"(> 0|"=…")",
                "=heavy"},
        Mistake{R"("mass": 1)", R"("mass": null)", "/bodies/0/mass", "null", R"(> 0|"=…")"},
        Mistake{R"(["=L", 0, 0])", R"(["=L", 0])", "/bodies/0/position", "array|2", "[x, y, z]"},
        Mistake{R"(["=L", 0, 0])", R"(["=L", 0, true])", "/bodies/0/position/2", "true",
                R"(finite|"=…")"},
        Mistake{R"("name": "p")", R"("name": 3)", "/bodies/0/name", "number 3", "string"},
        Mistake{R"("b": [0, 0, 0], "length")", R"("b": 7, "length")", "/constraints/0/b",
                "number 7", R"("body"|[x, y, z])"},
        Mistake{R"([1, 1, 1])", R"([1, 1])", "/bodies/1/inertia", "array|2", "three|3×3"},
        Mistake{R"({"alpha": 1})", R"([1])", "/simulation/options", "array|1", "object"},
        Mistake{R"("forces": [)", R"("forces": 3, "constraints": [], "bodies": [)", "/bodies",
                R"("bodies"|twice)", "once"},
        Mistake{R"("taut": 1)", R"("taut": 2)", "/taut", "2", "1"},
        Mistake{R"("taut": 1, )", "", "/", R"(no "taut")", "whole number"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Values, SceneMistake,
    ::testing::Values(
        Mistake{R"("mass": 1)", R"("mass": -1)", "/bodies/0/mass", "number -1", "> 0"},
        Mistake{R"("mass": 1)", R"("mass": 0)", "/bodies/0/mass", "number 0", "> 0"},
        Mistake{R"("mass": 1)", R"("mass": "=L-2")", "/bodies/0/mass", R"("L-2"|0)", "> 0"},
        Mistake{R"("mass": 1)", R"#("mass": "=1/(L-2)")#", "/bodies/0/mass", R"#("1/(L-2)")#",
                "> 0"},
        Mistake{R"("step": 0.1)", R"("step": 0)", "/simulation/step", "number 0", "> 0"},
        Mistake{R"("duration": 1)", R"("duration": -5)", "/simulation/duration", "number -5",
                "> 0"},
        Mistake{R"("duration": 1)", R"("record_every": 0.5)", "/simulation/record_every", "0.5",
                "whole number|1|1000000000000"},
        Mistake{R"("duration": 1)", R"("start": "asis")", "/simulation/start", R"("asis")",
                R"("settle"|"as_is")", "as_is"},
        Mistake{R"("length": "=L")", R"("length": 0)", "/constraints/0/length", "number 0", "> 0"},
        Mistake{R"("length": "=L")", R"("length": {"type": "line", "from": 1, "velocity": -2})",
                "/constraints/0/length", "0|0.5 s", "> 0|time"},
        Mistake{R"("length": "=L")",
                R"("length": {"type": "keyframes", "times": [0, 0], "values": [1, 1]})",
                "/constraints/0/length/times", "0", "increasing"},
        Mistake{R"("length": "=L")",
                R"("length": {"type": "keyframes", "times": [0, 1], "values": [1]})",
                "/constraints/0/length", "2|1", "as many|2"},
        Mistake{R"("along": [1, 0, 0])", R"("along": [0, 0, 0])", "/constraints/1/along", "zero",
                "not zero"},
        Mistake{R"("along": [1, 0, 0])", R"("along": {"body": "p", "axis": [1, 0, 0]})",
                "/constraints/1/along/body", R"(particle|"p")", "rigid body"},
        Mistake{R"("a": "p", "b": "rod")", R"("a": "p", "b": "p")", "/forces/0/b", R"("a")",
                "another"},
        Mistake{R"("a": "p", "b": [0, 0, 0])", R"("a": "p", "b": {"body": "p"})",
                "/constraints/0/b", R"("a")", "another"},
        Mistake{R"("a": "p", "b": "rod")", R"("a": {"body": "p", "at": [0, 0, 0]}, "b": "rod")",
                "/forces/0/a/at", R"("p")", "rigid body"},
        Mistake{R"([1, 0, 0, 0])", R"([0, 0, 0, 0])", "/bodies/1/orientation", "zero", "not zero"},
        Mistake{R"([1, 1, 1])", R"([[1, 0, 0], [0, -1, 0], [0, 0, 1]])", "/bodies/1/inertia", "-1",
                "none below 0"},
        Mistake{R"([1, 1, 1])", R"([[1, 2, 0], [0, 1, 0], [0, 0, 1]])", "/bodies/1/inertia",
                "not symmetric", "symmetric"},
        Mistake{R"([1, 1, 1])", R"([5, 0.1, 0.1])", "/bodies/1/inertia", "0.1, 0.1, 5",
                "sum of the other two"},
        Mistake{R"("name": "rod")", R"("name": "p")", "/bodies/1/name", R"("p"|again)",
                "no other body"},
        Mistake{R"("type": "on_line")", R"("type": "on_line", "name": "c")", "/constraints/1/name",
                R"("c"|again)", "no other constraint"},
        Mistake{R"("name": "p")", R"("name": "a\nb")", "/bodies/0/name", R"("a\x0ab")",
                "control characters"},
        Mistake{R"("alpha": 1)", R"("alpha": "soft")", "/simulation/options/alpha: option alpha",
                R"("soft")", "≥ 0"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Formulas, SceneMistake,
    ::testing::Values(
        Mistake{R"("length": "=L")", R"#("length": {"type": "formula", "value": "=L+sin(t"})#",
                "/constraints/0/length/value", R"(end|8|"L+sin(t")", R"#(","|")")#"},
        Mistake{R"("length": "=L")", R"("length": {"type": "formula", "value": "=L+T"})",
                "/constraints/0/length/value", R"("T"|"L+T")", "parameter|function", "t"},
        Mistake{R"("length": "=L")", R"("length": {"type": "formula", "value": "L*t"})",
                "/constraints/0/length/value", R"("L*t")", R"(number|"=…")", "=L*t"},
        Mistake{R"("length": "=L")", R"("length": {"type": "formula", "value": [1, 2, 3]})",
                "/constraints/0/length/value", "array|3", R"(number|"=…")"},
        Mistake{R"("length": "=L")", R"#("length": {"type": "formula", "value": "=L+log(t)"})#",
                "/constraints/0/length/value", "-inf|0 s", "finite"},
        Mistake{R"("length": "=L")",
                R"#("length": {"type": "formula", "value": "=1+sqrt(0.5-t)"})#",
                "/constraints/0/length/value", "derivatives|0.5 s", "finite"},
        Mistake{R"("length": "=L")", R"("length": {"type": "formula", "value": "=1-2*t"})",
                "/constraints/0/length", "0|0.5 s", "> 0|time"},
        Mistake{R"("length": "=L")", R"("length": {"type": "formula"})", "/constraints/0/length",
                R"(no "value")", R"("=…"|time)"}),
    mistake_name);

// Numbers that are finite and still no use.
INSTANTIATE_TEST_SUITE_P(
    Extremes, SceneMistake,
    ::testing::Values(
        Mistake{R"("step": 0.1)", R"("step": 1e-300)", "/simulation", "1e+300", "at most 1e+12"},
        Mistake{R"("length": "=L")",
                R"("length": {"type": "keyframes", "times": [-1e308, 1e308], "values": [1, 1]})",
                "/constraints/0/length/times", "1e+308|-1e+308", "increasing"},
        Mistake{
            R"("type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0])",
            R"("type": "on_curve", "point": "p", "curve": {"points": [[0, 0, 0], [1, 0, 0], [1, 1e-20, 0]]})",
            "/constraints/1/curve/points", "1e-20|1", "differ"},
        Mistake{
            R"("type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0])",
            R"("type": "on_curve", "point": "p", "curve": {"points": [[-1e308, 0, 0], [1e308, 0, 0]]})",
            "/constraints/1/curve/points", "inf", "differ"}),
    mistake_name);

TEST(Scene, DirectionsOfAnySizeAreDirections) {
  const auto message = [](const char* from, const char* to) {
    return parse_message(Mistake{from, to, "", "", ""}.in(good_scene));
  };
  EXPECT_EQ(message(R"("along": [1, 0, 0])", R"("along": [1e308, -1e308, 0])"), "no error");
  EXPECT_EQ(message(R"("along": [1, 0, 0])", R"("along": [1e-300, 0, 0])"), "no error");
  EXPECT_EQ(message("[1, 0, 0, 0]", "[1e308, 0, 0, 1e308]"), "no error");
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, SceneMistake,
    ::testing::Values(Mistake{R"("mass": 1)", R"("mass": "=2*LL")", "/bodies/0/mass",
                              R"("LL"|"2*LL")", "parameter|function", "L"},
                      Mistake{R"("mass": 1)", R"("mass": "=2*")", "/bodies/0/mass", R"(end|3|"2*")",
                              R"(number|"(")"},
                      Mistake{R"("name": "p")", R"("name": "p{")", "/bodies/0/name", R"("p{")",
                              R"("}")"},
                      Mistake{R"("name": "p")", R"("name": "p{L/3}")", "/bodies/0/name",
                              R"(0.6666666666666666|"p{L/3}")", "whole"},
                      Mistake{R"("L": {)", R"("sin": {)", "/parameters/sin", R"("sin")", "another"},
                      Mistake{R"("L": {)", R"("2L": {)", "/parameters/2L", R"("2L")",
                              "letters|digits|underscores"}),
    mistake_name);

}  // namespace
}  // namespace taut::io
