// Single mistakes in an otherwise good scene: one line that says file, place, what was found, what
// was expected, the nearest name.
#include "io/error_messages.hpp"

namespace taut::io {
namespace {

/// A legal scene in which the text `from` is replaced: a mistake in an otherwise good file.
std::string mistake(const std::string& from, const std::string& to) {
  std::string text = R"({"taut": 1, "name": "n", "parameters": {"L": {"value": 2, "unit": "m"}},
    "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": ["=L", 0, 0]},
               {"type": "rigid", "name": "rod", "mass": 1, "inertia": [1, 1, 1],
                "position": [0, 0, 0], "orientation": [1, 0, 0, 0]}],
    "forces": [{"type": "spring", "a": "p", "b": "rod", "stiffness": 1}],
    "constraints": [{"type": "distance", "name": "c", "a": "p", "b": [0, 0, 0], "length": "=L"},
                    {"type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0]}],
    "simulation": {"method": "baumgarte", "options": {"alpha": 1}, "step": 0.1, "duration": 1}})";
  const auto at = text.find(from);
  if (at == std::string::npos) return "the text to replace is missing: " + from;
  return parse_message(text.replace(at, from.size(), to));
}

TEST(BadScene, TheSceneWithoutMistakeIsGood) { EXPECT_EQ(mistake("\"n\"", "\"n\""), "no error"); }

struct Case {
  const char *from, *to, *message;
};

class Mistake : public testing::TestWithParam<Case> {};

TEST_P(Mistake, IsNamed) {
  EXPECT_EQ(mistake(GetParam().from, GetParam().to), std::string("f.json: ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    UnknownKeys, Mistake,
    testing::Values(
        Case{R"("forces")", R"("force")",
             R"(/force: found an unknown key, expected a known one (did you mean "forces"?))"},
        Case{
            R"("unit")", R"("units")",
            R"(/parameters/L/units: found an unknown key, expected a known one (did you mean "unit"?))"},
        Case{R"("mass": 1, "position")", R"("mas": 1, "position")",
             R"(/bodies/0/mas: found an unknown key, expected a known one (did you mean "mass"?))"},
        Case{
            R"("stiffness")", R"("stifness")",
            R"(/forces/0/stifness: found an unknown key, expected a known one (did you mean "stiffness"?))"},
        Case{
            R"("length")", R"("lenght")",
            R"(/constraints/0/lenght: found an unknown key, expected a known one (did you mean "length"?))"},
        Case{
            R"("step")", R"("stp")",
            R"(/simulation/stp: found an unknown key, expected a known one (did you mean "step"?))"},
        Case{
            R"("alpha")", R"("alfa")",
            R"(/simulation/options/alfa: found an unknown key, expected a known one (did you mean "alpha"?))"},
        Case{
            R"([0, 0, 0], "length")", R"({"body": "rod", "att": [0, 0, 0]}, "length")",
            R"(/constraints/0/b/att: found an unknown key, expected a known one (did you mean "at"?))"},
        Case{
            R"("type": "distance")", R"("type": "distnce")",
            R"(/constraints/0/type: found the string "distnce", expected a type of constraint, see `taut list constraints` (did you mean "distance"?))"},
        Case{
            R"("type": "spring")", R"("type": "magnet")",
            "/forces/0/type: found the string \"magnet\", expected a type of force, see `taut list "
            "forces` (known: gravity, force, torque, spring, bending, drag, wind, joint_spring, "
            "joint_torque)"},
        Case{
            R"("baumgarte")", R"("baumgart")",
            R"(/simulation/method: found the string "baumgart", expected a method, see `taut list methods` (did you mean "baumgarte"?))"},
        Case{R"("a": "p", "b": "rod")", R"("a": "p", "b": "rd")",
             R"(/forces/0/b: found "rd", expected the name of a body (did you mean "rod"?))"}));

INSTANTIATE_TEST_SUITE_P(
    WrongTypes, Mistake,
    testing::Values(
        Case{
            R"("mass": 1)", R"("mass": "heavy")",
            R"(/bodies/0/mass: found the string "heavy", expected a number > 0 or an expression "=…" (did you mean "=heavy"?))"},
        Case{R"("mass": 1)", R"("mass": null)",
             R"(/bodies/0/mass: found null, expected a number > 0 or an expression "=…")"},
        Case{R"(["=L", 0, 0])", R"(["=L", 0])",
             R"(/bodies/0/position: found an array of 2, expected [x, y, z])"},
        Case{R"(["=L", 0, 0])", R"(["=L", 0, true])",
             R"(/bodies/0/position/2: found true, expected a finite number or an expression "=…")"},
        Case{R"("name": "p")", R"("name": 3)",
             R"(/bodies/0/name: found the number 3, expected a name, a string)"},
        Case{
            R"("b": [0, 0, 0], "length")", R"("b": 7, "length")",
            R"(/constraints/0/b: found the number 7, expected a body's name, {"body": …, "at": [x, y, z]}, or a place in the world [x, y, z])"},
        Case{
            R"([1, 1, 1])", R"([1, 1])",
            R"(/bodies/1/inertia: found an array of 2, expected three moments or a 3×3 matrix of rows)"},
        Case{R"({"alpha": 1})", R"([1])",
             R"(/simulation/options: found an array of 1, expected an object {…})"},
        Case{R"("forces": [)", R"("forces": 3, "constraints": [], "bodies": [)",
             R"(/bodies: found the key "bodies" twice in one object, expected it once)"},
        Case{R"("taut": 1)", R"("taut": 2)",
             R"(/taut: found version 2, expected 1 (of the format of scenes))"},
        Case{R"("taut": 1, )", "", R"(/: found no "taut", expected a whole number)"}));

INSTANTIATE_TEST_SUITE_P(
    Values, Mistake,
    testing::Values(
        Case{R"("mass": 1)", R"("mass": -1)",
             "/bodies/0/mass: found the number -1, expected a number > 0"},
        Case{R"("mass": 1)", R"("mass": 0)",
             "/bodies/0/mass: found the number 0, expected a number > 0"},
        Case{R"("mass": 1)", R"("mass": "=L-2")",
             "/bodies/0/mass: found \"L-2\" = 0, expected a number > 0"},
        Case{R"("mass": 1)", R"#("mass": "=1/(L-2)")#",
             "/bodies/0/mass: found \"1/(L-2)\" = inf, expected a number > 0"},
        Case{R"("step": 0.1)", R"("step": 0)",
             "/simulation/step: found the number 0, expected a number > 0"},
        Case{R"("duration": 1)", R"("duration": -5)",
             "/simulation/duration: found the number -5, expected a number > 0"},
        Case{
            R"("duration": 1)", R"("record_every": 0.5)",
            "/simulation/record_every: found 0.5, expected a whole number from 1 to 1000000000000"},
        Case{R"("duration": 1)", R"("start": "asis")",
             "/simulation/start: found the string \"asis\", expected one of \"settle\" \"as_is\" "
             "(did you "
             "mean \"as_is\"?)"},
        Case{R"("length": "=L")", R"("length": 0)",
             "/constraints/0/length: found the number 0, expected a number > 0"},
        Case{R"("length": "=L")", R"("length": {"type": "line", "from": 1, "velocity": -2})",
             "/constraints/0/length: found a motion that is 0 at time 0.5 s, expected a number > 0 "
             "all the time"},
        Case{R"("length": "=L")",
             R"("length": {"type": "keyframes", "times": [0, 0], "values": [1, 1]})",
             "/constraints/0/length/times: found 0 after 0, expected strictly increasing times"},
        Case{R"("length": "=L")",
             R"("length": {"type": "keyframes", "times": [0, 1], "values": [1]})",
             "/constraints/0/length: found 2 times and 1 values, expected as many values as times, "
             "at least 2"},
        Case{R"("along": [1, 0, 0])", R"("along": [0, 0, 0])",
             "/constraints/1/along: found the zero direction, expected one that is not zero"},
        Case{R"("along": [1, 0, 0])", R"("along": {"body": "p", "axis": [1, 0, 0]})",
             "/constraints/1/along/body: found the particle \"p\", expected the name of a rigid "
             "body"},
        Case{R"("a": "p", "b": "rod")", R"("a": "p", "b": "p")",
             "/forces/0/b: found the same point as \"a\", expected another one"},
        Case{R"("a": "p", "b": [0, 0, 0])", R"("a": "p", "b": {"body": "p"})",
             "/constraints/0/b: found the same point as \"a\", expected another one"},
        Case{R"("a": "p", "b": "rod")", R"("a": {"body": "p", "at": [0, 0, 0]}, "b": "rod")",
             "/forces/0/a/at: found a place in the particle \"p\", expected a rigid body (a "
             "particle "
             "has one place, its own)"},
        Case{R"([1, 0, 0, 0])", R"([0, 0, 0, 0])",
             "/bodies/1/orientation: found the zero quaternion, expected one that is not zero"},
        Case{R"([1, 1, 1])", R"([[1, 0, 0], [0, -1, 0], [0, 0, 1]])",
             "/bodies/1/inertia: found the principal moments -1, 1, 1, expected none below 0"},
        Case{R"([1, 1, 1])", R"([[1, 2, 0], [0, 1, 0], [0, 0, 1]])",
             "/bodies/1/inertia: found an inertia that is not symmetric, expected a symmetric one"},
        Case{R"([1, 1, 1])", R"([5, 0.1, 0.1])",
             "/bodies/1/inertia: found the principal moments 0.1, 0.1, 5, expected the largest to "
             "be at most the sum of the other two, as in every real body"},
        Case{R"("name": "rod")", R"("name": "p")",
             "/bodies/1/name: found \"p\" again, expected a name that no other body has"},
        Case{
            R"("type": "on_line")", R"("type": "on_line", "name": "c")",
            "/constraints/1/name: found \"c\" again, expected a name that no other constraint has"},
        Case{R"("name": "p")", R"("name": "a\nb")",
             "/bodies/0/name: found the name \"a\\x0ab\", expected one without control characters"},
        Case{R"("alpha": 1)", R"("alpha": "soft")",
             "/simulation/options/alpha: option alpha: found \"soft\", expected a number ≥ 0"}));

INSTANTIATE_TEST_SUITE_P(
    Formulas, Mistake,
    testing::Values(
        Case{R"("length": "=L")", R"#("length": {"type": "formula", "value": "=L+sin(t"})#",
             "/constraints/0/length/value: found the end at character 8 of \"L+sin(t\", expected "
             "\",\" or \")\""},
        Case{R"("length": "=L")", R"("length": {"type": "formula", "value": "=L+T"})",
             "/constraints/0/length/value: found the unknown name \"T\" in \"L+T\", expected a "
             "parameter or function (did you mean \"t\"?)"},
        Case{
            R"("length": "=L")", R"("length": {"type": "formula", "value": "L*t"})",
            "/constraints/0/length/value: found the string \"L*t\", expected a number or a formula "
            "\"=…\" in the time t (did you mean \"=L*t\"?)"},
        Case{R"("length": "=L")", R"("length": {"type": "formula", "value": [1, 2, 3]})",
             "/constraints/0/length/value: found an array of 3, expected a number or a formula "
             "\"=…\" in the time t"},
        Case{R"("length": "=L")", R"#("length": {"type": "formula", "value": "=L+log(t)"})#",
             "/constraints/0/length/value: found a formula that is -inf at time 0 s, expected a "
             "finite number"},
        Case{
            R"("length": "=L")", R"#("length": {"type": "formula", "value": "=1+sqrt(0.5-t)"})#",
            "/constraints/0/length/value: found a formula whose derivatives are not finite at time "
            "0.5 s, expected finite ones: constraints need them"},
        Case{R"("length": "=L")", R"("length": {"type": "formula", "value": "=1-2*t"})",
             "/constraints/0/length: found a motion that is 0 at time 0.5 s, expected a number > 0 "
             "all the time"},
        Case{
            R"("length": "=L")", R"("length": {"type": "formula"})",
            "/constraints/0/length: found no \"value\", expected a formula \"=…\" in the time t"}));

// Numbers that are finite and still no use.
INSTANTIATE_TEST_SUITE_P(
    Extremes, Mistake,
    testing::Values(
        Case{R"("step": 0.1)", R"("step": 1e-300)",
             "/simulation: found 1e+300 steps (duration / step), expected at most 1e+12"},
        Case{
            R"("length": "=L")",
            R"("length": {"type": "keyframes", "times": [-1e308, 1e308], "values": [1, 1]})",
            "/constraints/0/length/times: found 1e+308 after -1e+308, expected strictly increasing "
            "times"},
        Case{
            R"("type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0])",
            R"("type": "on_curve", "point": "p", "curve": {"points": [[0, 0, 0], [1, 0, 0], [1, 1e-20, 0]]})",
            "/constraints/1/curve/points: found neighbours 1e-20 apart on a curve of length 1, "
            "expected them to differ"},
        Case{
            R"("type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0])",
            R"("type": "on_curve", "point": "p", "curve": {"points": [[-1e308, 0, 0], [1e308, 0, 0]]})",
            "/constraints/1/curve/points: found neighbours inf apart on a curve of length inf, "
            "expected them to differ"}));

TEST(Scene, DirectionsOfAnySizeAreDirections) {
  EXPECT_EQ(mistake(R"("along": [1, 0, 0])", R"("along": [1e308, -1e308, 0])"), "no error");
  EXPECT_EQ(mistake(R"("along": [1, 0, 0])", R"("along": [1e-300, 0, 0])"), "no error");
  EXPECT_EQ(mistake("[1, 0, 0, 0]", "[1e308, 0, 0, 1e308]"), "no error");
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, Mistake,
    testing::Values(
        Case{
            R"("mass": 1)", R"("mass": "=2*LL")",
            R"(/bodies/0/mass: found the unknown name "LL" in "2*LL", expected a parameter or function (did you mean "L"?))"},
        Case{
            R"("mass": 1)", R"("mass": "=2*")",
            R"#(/bodies/0/mass: found the end at character 3 of "2*", expected a number, a name or "(")#"},
        Case{R"("name": "p")", R"("name": "p{")",
             R"(/bodies/0/name: found "p{", expected every "{" to have its "}")"},
        Case{
            R"("name": "p")", R"("name": "p{L/3}")",
            R"(/bodies/0/name: found 0.6666666666666666 in "p{L/3}", expected whole numbers in {})"},
        Case{
            R"("L": {)", R"("sin": {)",
            R"(/parameters/sin: found the name "sin", which means something else in expressions, expected another name)"},
        Case{
            R"("L": {)", R"("2L": {)",
            R"(/parameters/2L: found the name "2L", expected letters, digits and underscores, not starting with a digit)"}));

}  // namespace
}  // namespace taut::io
