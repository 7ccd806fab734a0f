// Taut lines in cloth: found, solved for as a dense matrix says, and worth it.
#include "taut/solve/taut_lines.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/methods/workspace.hpp"
#include "taut/solve/kkt_krylov.hpp"
#include "taut/solve/normal_matrix.hpp"

namespace taut {
namespace {

using testing::Random;

/// Cloth, bent a little, whose first line of n particles is under much more tension than the rest.
struct TautCloth {
  explicit TautCloth(int count, double tension = 100)
      : n(count), system(testing::square_cloth(count, 2)), w(system) {
    Random random(5);
    q = system.initial_state().q + 1e-4 * random.vector_of(3 * n * n);
    w.evaluate(system, q, 0, w.start, RowForm::smooth);
    rows = w.pattern.rows();
    VecX lambda = VecX::Constant(rows, 0.01);
    lambda.head(n - 1).setConstant(tension);
    w.start.add_stiffness(system, w.pattern, w.start.pose, 0, lambda, RowForm::smooth,
                          Definiteness::positive);
    mobility = 0.01 * 0.01 / system.mass({0});
    compliance = VecX::Constant(rows, 1e-7 * mobility);
  }

  int n, rows = 0;
  System system;
  Workspace w;
  VecX q, compliance;
  double mobility = 0;
  const double mass = 1 / (0.01 * 0.01);
};

TEST(TautLines, AreSolvedForAsTheyAre) {
  TautCloth cloth(9);
  const int n = cloth.n, velocities = 3 * n * n, rows = cloth.rows;
  const RowPattern& pattern = cloth.w.pattern;
  const VecX& J = cloth.w.start.J;
  BodyMatrix H(cloth.system);
  ASSERT_TRUE(
      H.assemble(cloth.system, pattern, {cloth.mass, nullptr, 1, &cloth.w.start.G, nullptr, {}}));
  MatX K = MatX::Zero(velocities + rows, velocities + rows);
  VecX column;
  for (int k = 0; k < velocities; ++k) {
    H.multiply(VecX::Unit(velocities, k), column);
    K.col(k).head(velocities) = column;
  }
  const MatX dense = dense_jacobian(pattern, J, velocities);
  K.bottomLeftCorner(rows, velocities) = dense;
  K.topRightCorner(velocities, rows) = dense.transpose();
  K.bottomRightCorner(rows, rows) = -MatX(cloth.compliance.asDiagonal());

  NormalMatrix A(pattern);
  VecX DJ;
  H.inverse_diagonal().apply(pattern, J, DJ);
  A.assemble(J, DJ);
  PathFactor paths;
  paths.analyze(A.matrix());
  paths.factor(A.matrix());
  TautLines lines(pattern, n * n);
  lines.set({cloth.system, H, cloth.mass, J, cloth.compliance, paths});
  std::vector<int> first(static_cast<std::size_t>(n));
  std::iota(first.begin(), first.end(), 0);
  ASSERT_EQ(lines.particles(), first);

  Random random(6);
  const VecX r = random.vector_of(velocities + rows);
  lines.solve([&](int i) { return Vec3(r.segment<3>(3 * i)); },
              [&](int row) { return r[velocities + row]; });
  VecX z = VecX::Zero(r.size()), image = z;
  lines.each_of_solution([&](int i, const Vec3& x) { z.segment<3>(3 * i) = x; },
                         [&](int row, double y) { z[velocities + row] = y; });
  lines.each_of_image([&](int i, const Vec3& f) { image.segment<3>(3 * i) = f; },
                      [&](int row, double c) { image[velocities + row] = c; });
  EXPECT_LT((image - K * z).norm(), 1e-10 * (K * z).norm());
  // What acts on the line is met, and so are the rows within it.
  EXPECT_LT((image - r).head(3 * n).norm(), 1e-6 * r.head(3 * n).norm());
  EXPECT_LT((image - r).segment(velocities, n - 1).norm(), 1e-6 * r.tail(rows).norm());
}

TEST(TautLines, AreNoneWhereTensionsAreAlike) {
  TautCloth cloth(9, 0.01);
  BodyMatrix H(cloth.system);
  ASSERT_TRUE(H.assemble(cloth.system, cloth.w.pattern,
                         {cloth.mass, nullptr, 1, &cloth.w.start.G, nullptr, {}}));
  PathFactor paths;
  TautLines lines(cloth.w.pattern, cloth.n * cloth.n);
  lines.set({cloth.system, H, cloth.mass, cloth.w.start.J, cloth.compliance, paths});
  EXPECT_TRUE(lines.empty());
}

// A line of 40 particles is solved for in as few iterations as one of 20, without its Newton's
// matrix in many more.
TEST(TautLines, SpareIterations) {
  for (const int n : {20, 40}) {
    TautCloth cloth(n);
    KktKrylov kkt(cloth.system, cloth.w.pattern);
    const RowModes modes;
    const VecX none;
    const std::vector<Mat3> turning;
    const VecX copy = cloth.w.start.J;
    VecX force = VecX::Zero(3 * n * n);
    for (int i = 0; i < n; ++i) force[3 * i + 1] = -1;  // across the line
    const auto iterations = [&](const VecX& B) {
      // Where B is another vector than J, no lines are looked for.
      EXPECT_TRUE(kkt.factor(
          cloth.system, {cloth.mass, turning, 1, cloth.w.start.G, none, B, cloth.w.start.J, modes},
          1e-7 * cloth.mobility));
      VecX x = force, y = VecX::Zero(cloth.rows);
      LinearCost cost;
      kkt.solve(x, y, 1e-4, cost);
      return cost.linear_iterations;
    };
    const long with = iterations(cloth.w.start.J), without = iterations(copy);
    EXPECT_LE(with, 14);
    EXPECT_GT(without, 2 * with);
  }
}

// The same at any scale of forces, also where single precision has no room for them; and to a rough
// tolerance, where the answer is of single precision alone.
TEST(KktKrylov, SolvesAtAnyScale) {
  const int n = 12;
  TautCloth cloth(n);
  const RowModes modes;
  const VecX none;
  const std::vector<Mat3> turning;
  Random random(7);
  const VecX force = random.vector_of(3 * n * n);
  const VecX& J = cloth.w.start.J;
  const VecX G = cloth.w.start.G;
  VecX expected;
  KktKrylov kkt(cloth.system, cloth.w.pattern);
  for (const auto& [scale, tolerance] :
       {std::pair{1.0, 1e-9}, {1.0, 0.05}, {1e60, 1e-9}, {1.0, 0.05}}) {
    const VecX scaled = scale * G;
    ASSERT_TRUE(kkt.factor(cloth.system,
                           {scale * cloth.mass, turning, 1, scaled, none, J, J, modes},
                           1e-7 * cloth.mobility / scale));
    VecX x = scale * force, y = VecX::Zero(cloth.rows);
    LinearCost cost;
    kkt.solve(x, y, tolerance, cost);
    if (expected.size() == 0) expected = x;
    EXPECT_LT((x - expected).norm(), 20 * tolerance * expected.norm()) << scale;
  }
}

}  // namespace
}  // namespace taut
