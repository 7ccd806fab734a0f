// Mistakes in joints and in what acts on them.
#include "io/error_messages.hpp"

namespace taut::io {
namespace {

std::string joint_mistake(const std::string& from, const std::string& to) {
  std::string text = R"({"taut": 1, "name": "n",
    "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": [0, 0, 0]},
               {"type": "rigid", "name": "rod", "mass": 1, "inertia": [1, 1, 1],
                "position": [1, 0, 0]}],
    "forces": [{"type": "joint_spring", "joint": "elbow", "stiffness": 1}],
    "constraints": [{"type": "hinge", "name": "elbow", "b": "rod", "at": [0, 0, 0]},
                    {"type": "limit", "joint": "elbow", "lower": -1, "upper": 2}]})";
  const auto at = text.find(from);
  if (at == std::string::npos) return "the text to replace is missing: " + from;
  return parse_message(text.replace(at, from.size(), to));
}

struct JointCase {
  const char *from, *to, *message;
};
class JointMistake : public testing::TestWithParam<JointCase> {};

TEST_P(JointMistake, IsNamed) {
  EXPECT_NE(joint_mistake(GetParam().from, GetParam().to).find(GetParam().message),
            std::string::npos)
      << joint_mistake(GetParam().from, GetParam().to);
}

TEST(JointMistakes, WithoutAnyTheSceneIsGood) {
  EXPECT_EQ(joint_mistake("\"n\"", "\"n\""), "no error");
}

INSTANTIATE_TEST_SUITE_P(
    Joints, JointMistake,
    testing::Values(
        JointCase{R"("b": "rod")", R"("b": "p")",
                  "/constraints/0: hinge: \"p\" is a particle, which does not turn"},
        JointCase{R"("b": "rod")", R"("a": "rod", "b": "rod")", "/constraints/0: hinge: a and b"},
        JointCase{R"("b": "rod")", R"("a": "rod")", "found no \"b\""},
        JointCase{R"("b": "rod")", R"("b": {"body": "rod", "at": [1, 0, 0]})",
                  "/constraints/0: at: points of the joint on a or b are given as well; expected "
                  "one or the other"},
        JointCase{R"("at": [0, 0, 0])", R"("axis": [0, 0, 0])", "zero"},
        JointCase{
            R"("joint": "elbow", "lower")", R"("joint": "elbo", "lower")",
            "/constraints/1/joint: found \"elbo\", expected the name of a joint (did you mean "
            "\"elbow\"?)"},
        JointCase{R"("joint": "elbow", "stiff)", R"("joint": 3, "stiff)",
                  "/forces/0/joint: found the number 3, expected the name of a joint"},
        JointCase{R"("upper": 2)", R"("upper": -2)", "is not below upper"},
        JointCase{R"("upper": 2)", R"("restitution": 2)", "restitution"},
        JointCase{R"("type": "hinge")", R"("type": "cylindrical")", "elbow.turn"},
        JointCase{R"("type": "hinge")", R"("type": "weld")", "does not move"},
        JointCase{R"("type": "limit", "joint": "elbow", "lower": -1, "upper": 2)",
                  R"("type": "gear", "first": "elbow", "second": "elbow", "ratio": 0)", "ratio"},
        JointCase{R"("type": "limit", "joint": "elbow", "lower": -1, "upper": 2)",
                  R"("type": "rack", "rack": "elbow", "pinion": "elbow", "radius": 1)",
                  "expected one that slides"},
        JointCase{R"("type": "hinge")", R"("type": "screw", "pitch": 0)", "pitch"}));

}  // namespace
}  // namespace taut::io
