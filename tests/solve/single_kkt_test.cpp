// Directions of Newton's method on cloth, in single precision: the same as dense matrices give.
#include "taut/solve/single_kkt.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/forces/spring.hpp"
#include "taut/methods/workspace.hpp"

namespace taut {
namespace {

using testing::Random;

/// A spring between two particles that is not of the system.
struct Touch final : AddedStiffness {
  int a, b;
  Mat3 k;
  Touch(int first, int second, const Mat3& stiffness) : a(first), b(second), k(stiffness) {}
  void add_to(BodyDiagonal& diagonal) const override {
    for (const int body : {a, b}) Eigen::Map<Mat3>(diagonal.block(body)) += k;
  }
  void add_product(const VecX& x, VecX& out) const override {
    add_beside_diagonal(x, out);
    for (const int body : {a, b}) out.segment<3>(3 * body) += k * x.segment<3>(3 * body);
  }
  void add_beside_diagonal(const VecX& x, VecX& out) const override {
    out.segment<3>(3 * a) -= k * x.segment<3>(3 * b);
    out.segment<3>(3 * b) -= k * x.segment<3>(3 * a);
  }
};

TEST(SingleKkt, IsTheMatrixTimesItsPreconditioner) {
  Random random(11);
  const int n = 6, bodies = n * n;
  System system = testing::square_cloth(n);
  for (int i = 0; i + n + 1 < bodies; ++i)
    apply(system, Spring{BodyId{i}, BodyId{i + n + 1}, 20, 0.1, 0.2});
  State state = system.initial_state();
  state.q += 0.03 * random.vector_of(3 * bodies);
  Workspace w(system);
  w.evaluate(system, state.q, 0, w.start, RowForm::smooth);
  const int rows = w.pattern.rows();
  const VecX lambda = VecX::Constant(rows, 3);
  w.start.add_stiffness(system, w.pattern, w.start.pose, 0, lambda, RowForm::smooth,
                        Definiteness::positive);
  w.start.add_force_stiffness(system, w.pattern, w.start.pose, state.v, 100);
  ASSERT_TRUE(SingleKkt::suits(w.pattern));
  const Touch touch(3, bodies - 2, 40 * Mat3::Identity() + Mat3::Ones());
  const double mass = 100 * 100;
  VecX B = w.start.J;
  for (double& value : B) value *= random.uniform(0.9, 1.1);
  const VecX compliance = VecX::Constant(rows, 1e-3);
  VecX scale = VecX::Ones(3 * bodies + rows);
  for (double& s : scale.head(3 * bodies)) s = random.uniform(1, 3);

  for (const AddedStiffness* added :
       {static_cast<const AddedStiffness*>(nullptr), static_cast<const AddedStiffness*>(&touch)}) {
    BodyMatrix H(system);
    ASSERT_TRUE(H.assemble(system, w.pattern, {mass, nullptr, 1, &w.start.G, &w.start.K, added}));
    MatX dense(3 * bodies, 3 * bodies), D = MatX::Zero(3 * bodies, 3 * bodies);
    VecX column;
    for (int k = 0; k < 3 * bodies; ++k) {
      H.multiply(VecX::Unit(3 * bodies, k), column);
      dense.col(k) = column;
    }
    for (int i = 0; i < bodies; ++i) D.block<3, 3>(3 * i, 3 * i) = dense.block<3, 3>(3 * i, 3 * i);
    const MatX J = dense_jacobian(w.pattern, w.start.J, 3 * bodies);
    const MatX Bt = dense_jacobian(w.pattern, B, 3 * bodies).transpose();
    const MatX A = J * D.inverse() * Bt + MatX(compliance.asDiagonal());
    MatX K(3 * bodies + rows, 3 * bodies + rows), P;
    K << dense, Bt, J, -MatX(compliance.asDiagonal());
    P = K;
    P.topLeftCorner(3 * bodies, 3 * bodies) = D;

    SingleKkt single(w.pattern, bodies);
    ASSERT_TRUE(single.set(w.pattern, {H, w.start.J, B, compliance, scale}));
    const VecX v = random.vector_of(3 * bodies + rows);
    SingleKkt::Vector packed(single.size()), image(single.size());
    single.pack(v, packed);
    const Eigen::PartialPivLU<MatX> factored(A);
    single.apply(packed, image,
                 [&](SingleKkt::Vector& y) { y = factored.solve(y.cast<double>()).cast<float>(); });
    VecX found(v.size());
    single.unpack(image, found);
    const VecX z = P.partialPivLu().solve(v.cwiseQuotient(scale));
    const VecX expected = (K * z).cwiseProduct(scale);
    EXPECT_LT((found - expected).norm(), 2e-5 * expected.norm());
    single.solve(packed, found,
                 [&](SingleKkt::Vector& y) { y = factored.solve(y.cast<double>()).cast<float>(); });
    EXPECT_LT((found - z).norm(), 2e-5 * z.norm());
    single.unpack(packed, found);
    EXPECT_LT((found - v).norm(), 1e-6 * v.norm());
  }
}

// Numbers that single precision has no room for are noticed.
TEST(SingleKkt, SaysWhenItWillNotDo) {
  const System system = testing::square_cloth(4);
  Workspace w(system);
  w.evaluate(system, system.initial_state().q, 0, w.start, RowForm::smooth);
  BodyMatrix H(system);
  ASSERT_TRUE(H.assemble(system, w.pattern, {1, nullptr, 1, nullptr, nullptr, nullptr}));
  const VecX compliance = VecX::Zero(w.pattern.rows());
  VecX scale = VecX::Ones(system.velocity_size() + w.pattern.rows());
  SingleKkt single(w.pattern, system.body_count());
  EXPECT_TRUE(single.set(w.pattern, {H, w.start.J, w.start.J, compliance, scale}));
  scale[5] = 1e-60;
  EXPECT_FALSE(single.set(w.pattern, {H, w.start.J, w.start.J, compliance, scale}));
}

}  // namespace
}  // namespace taut
