// Rows and curvature of joints about a point, written for two bodies at once, against the general
// way from anchors to bodies.
#include <gtest/gtest.h>

#include "support/random_scene.hpp"
#include "taut/constraints/joint_frame.hpp"
#include "taut/constraints/point_joint_batch.hpp"

namespace taut {
namespace {

using testing::Random;

struct Frame : JointFrame {
  static constexpr std::string_view type = "joint", summary = "";
};
struct LikeAHinge : Frame, BilinearRows<LikeAHinge, 5, 5> {
  std::array<Anchor, 5> anchors() const { return {*a, b, ua, vb, wb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 3), square(2, 4)};
  void prepare(const System& system) { complete(system, type); }
};
struct LikeAWeld : Frame, BilinearRows<LikeAWeld, 6, 6> {
  std::array<Anchor, 6> anchors() const { return {*a, b, ua, va, vb, wb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 4),      square(2, 5),      square(3, 5)};
  void prepare(const System& system) { complete(system, type); }
};

/// A chain from the world through bodies that were not added in its order, with a loop.
template <class C, template <class, class> class BatchType>
System chain_of(Random& random) {
  System system;
  std::vector<BodyId> bodies{world_body};
  for (int i = 0; i < 4; ++i) bodies.push_back(system.add(testing::random_rigid_body(random)));
  std::swap(bodies[1], bodies[3]);
  const auto join = [&](BodyId a, BodyId b) {
    Frame frame;
    if (!a.is_world()) frame.a = Point(a);
    frame.b = Point(b);
    frame.at = random.vector();
    frame.axis = {world_body, random.direction()};
    add_constraint<C, Frame, BatchType>(system, std::move(frame), "");
  };
  for (std::size_t i = 1; i < bodies.size(); ++i) join(bodies[i - 1], bodies[i]);
  join(bodies[4], bodies[2]);
  return system;
}

template <class C>
void expect_alike(unsigned seed) {
  Random first(seed), second(seed);
  const System general = chain_of<C, Batch>(first), joint = chain_of<C, PointJointBatch>(second);
  const RowPattern pattern(general);
  Random random(seed + 100);
  const auto somewhere = [&] {
    State state = general.initial_state();
    VecX q = state.q;
    general.advance(state.q, random.vector_of(general.velocity_size()), 0.5, q);
    return q;
  };
  const VecX from = somewhere(), to = somewhere(), lambda = random.vector_of(pattern.rows());
  const Pose start(general, from), end(general, to);
  Pose mean;
  mean.set_mean(general, start, end);
  const Passage passage{start, end, mean, 0.1};
  Rows expected, found;
  for (Rows* rows : {&expected, &found}) rows->resize(pattern);
  const auto expect_same = [&](const VecX& a, const VecX& b, const char* what) {
    EXPECT_GT(a.norm(), 0.1);
    EXPECT_LT((a - b).norm(), 1e-13 * a.norm()) << what << ", seed " << seed;
  };
  // What was there before is written over.
  found.J.setConstant(7);
  found.C_t.setConstant(7);
  expected.linearize(general, pattern, end, 0.2, RowForm::smooth);
  found.linearize(joint, pattern, end, 0.2, RowForm::smooth);
  expect_same(expected.C, found.C, "C");
  expect_same(expected.J, found.J, "J");
  EXPECT_EQ(found.C_t.norm(), 0);
  const VecX v = random.vector_of(general.velocity_size());
  expected.add_bias(general, pattern, end, v, 0.2);
  found.bias.setConstant(7);
  found.add_bias(joint, pattern, end, v, 0.2);
  expect_same(expected.bias, found.bias, "bias");
  expected.linearize_between(general, pattern, passage);
  found.J.setConstant(7);
  found.linearize_between(joint, pattern, passage);
  expect_same(expected.J, found.J, "J over the step");
  for (const Definiteness wanted : {Definiteness::exact, Definiteness::positive}) {
    expected.add_stiffness(general, pattern, end, 0.2, lambda, RowForm::smooth, wanted);
    found.add_stiffness(joint, pattern, end, 0.2, lambda, RowForm::smooth, wanted);
    expect_same(expected.G, found.G, "G");
    expected.add_stiffness_between(general, pattern, passage, lambda, wanted);
    found.add_stiffness_between(joint, pattern, passage, lambda, wanted);
    expect_same(expected.G, found.G, "G over the step");
  }
}

TEST(PointJoint, IsWhatTheGeneralWayLeadsTo) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    expect_alike<LikeAHinge>(seed);
    expect_alike<LikeAWeld>(seed);
  }
}

}  // namespace
}  // namespace taut
