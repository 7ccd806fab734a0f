// Mistakes in joints and in what acts on them.
#include "io/error_messages.hpp"

namespace taut::io {
namespace {

const std::string good_joints = R"({"taut": 1, "name": "n",
    "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": [0, 0, 0]},
               {"type": "rigid", "name": "rod", "mass": 1, "inertia": [1, 1, 1],
                "position": [1, 0, 0]}],
    "forces": [{"type": "joint_spring", "joint": "elbow", "stiffness": 1}],
    "constraints": [{"type": "hinge", "name": "elbow", "b": "rod", "at": [0, 0, 0]},
                    {"type": "limit", "joint": "elbow", "lower": -1, "upper": 2}]})";

TEST(JointMistakes, WithoutAnyTheSceneIsGood) { EXPECT_EQ(parse_message(good_joints), "no error"); }

class JointMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(JointMistake, IsNamed) {
  EXPECT_TRUE(GetParam().is_named_by(parse_message(GetParam().in(good_joints)), "f.json"));
}

INSTANTIATE_TEST_SUITE_P(
    Joints, JointMistake,
    ::testing::Values(Mistake{R"("b": "rod")", R"("a": "rod")", "/constraints/0", R"(no "b")",
                              R"("body")"},
                      Mistake{R"("at": [0, 0, 0])", R"("axis": [0, 0, 0])", "/constraints/0/axis",
                              "zero", "not zero"},
                      Mistake{R"("joint": "elbow", "lower")", R"("joint": "elbo", "lower")",
                              "/constraints/1/joint", R"("elbo")", "joint", "elbow"},
                      Mistake{R"("joint": "elbow", "stiff)", R"("joint": 3, "stiff)",
                              "/forces/0/joint", "number 3", "joint"},
                      Mistake{R"("type": "hinge")", R"("type": "cylindrical")",
                              "/constraints/1/joint", R"("elbow"|cylindrical)", R"("elbow.turn")"},
                      Mistake{R"("type": "hinge")", R"("type": "weld")", "/constraints/1/joint",
                              R"("elbow"|weld)", "another"}),
    mistake_name);

// Rules that join several fields: the place is the constraint, the field is named.
TEST(JointMistakes, OfSeveralFields) {
  const auto message = [](const char* from, const char* to) {
    return parse_message(Mistake{from, to, "", "", ""}.in(good_joints));
  };
  const char* limit = R"("type": "limit", "joint": "elbow", "lower": -1, "upper": 2)";
  const std::string hinge = "f.json: /constraints/0", other = "f.json: /constraints/1";
  EXPECT_TRUE(
      mentions(message(R"("b": "rod")", R"("b": "p")"), hinge, R"("p"|particle|rigid body)"));
  EXPECT_TRUE(
      mentions(message(R"("b": "rod")", R"("a": "rod", "b": "rod")"), hinge, "a and b|same body"));
  EXPECT_TRUE(mentions(message(R"("b": "rod")", R"("b": {"body": "rod", "at": [1, 0, 0]})"), hinge,
                       "at|a or b"));
  EXPECT_TRUE(mentions(message(R"("upper": 2)", R"("upper": -2)"), other, "lower|-1|upper|-2"));
  EXPECT_TRUE(mentions(message(R"("upper": 2)", R"("restitution": 2)"), other, "restitution|1"));
  EXPECT_TRUE(
      mentions(message(limit, R"("type": "gear", "first": "elbow", "second": "elbow", "ratio": 0)"),
               other, "ratio|zero"));
  EXPECT_TRUE(
      mentions(message(limit, R"("type": "rack", "rack": "elbow", "pinion": "elbow", "radius": 1)"),
               other, "rack|turns|slides"));
  EXPECT_TRUE(mentions(message(R"("type": "hinge")", R"("type": "screw", "pitch": 0)"), hinge,
                       "pitch|zero"));
}

}  // namespace
}  // namespace taut::io
