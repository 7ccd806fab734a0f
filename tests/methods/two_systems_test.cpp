// One method object used on two systems in turn does what two objects would do: what it remembers
// belongs to a system.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/methods/method.hpp"

namespace taut {
namespace {

class OneMethodOnTwoSystems : public ::testing::TestWithParam<std::string> {};

struct Stepped {
  explicit Stepped(const System& moved)
      : system(moved), workspace(moved), state(moved.initial_state()) {}
  void step(Method& method) { method.step(system, 0.005, state, workspace); }

  const System& system;
  Workspace workspace;
  State state;
};

TEST_P(OneMethodOnTwoSystems, GivesWhatTwoMethodsGive) {
  const System first = testing::arm(3, 1), second = testing::arm(3, 0.5);
  Stepped a(first), b(second), alone_a(first), alone_b(second);
  const auto shared = make_method(GetParam()), of_a = make_method(GetParam()),
             of_b = make_method(GetParam());
  for (int i = 0; i < 40; ++i) {
    a.step(*shared);
    b.step(*shared);
    alone_a.step(*of_a);
    alone_b.step(*of_b);
    ASSERT_EQ(a.state.q, alone_a.state.q) << "step " << i;
    ASSERT_EQ(a.state.v, alone_a.state.v) << "step " << i;
    ASSERT_EQ(b.state.q, alone_b.state.q) << "step " << i;
    ASSERT_EQ(b.state.v, alone_b.state.v) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, OneMethodOnTwoSystems, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MethodInfo& method : methods())
                             names.emplace_back(method.name);
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

TEST(Pose, AMeanMayBeCopied) {
  const System system = testing::arm(2, 1);
  VecX from = system.initial_state().q, to = 2 * from;
  Pose copy;
  {
    Pose mean;
    mean.set_mean(system, Pose(system, from), Pose(system, to));
    copy = mean;
    mean.set_mean(system, Pose(system, to), Pose(system, to));
  }
  EXPECT_EQ(copy.position(0), (1.5 * from.segment<3>(0)).eval());
}

}  // namespace
}  // namespace taut
