// The preconditioner along paths: exact where there are no loops, yarns on a grid, and always
// symmetric and positive.
#include "taut/solve/path_factor.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "cloth/discs.hpp"
#include "support/builders.hpp"
#include "support/matrices.hpp"
#include "support/random_scene.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/methods/workspace.hpp"
#include "taut/solve/linear_solver.hpp"

namespace taut {
namespace {

using testing::Random;

struct Assembled {
  explicit Assembled(const System& system, const VecX& q)
      : workspace(system), A(workspace.pattern) {
    workspace.linearize(system, q, 0, workspace.start);
    A.assemble(workspace.start.J, workspace.start.WJ);
  }
  const SparseSymmetric& matrix() const { return A.matrix(); }
  Workspace workspace;
  NormalMatrix A;
};

TEST(PathFactor, ChainsAndTreesAreSolvedExactly) {
  Random random(3);
  System tree = testing::arm(30, 1);
  for (int i = 0; i < 20; ++i) {
    const BodyId from{random.integer(0, 29)};
    const BodyId leaf = tree.add(Particle{1, random.vector() * 5});
    constrain(tree, Distance{from, leaf, {}});
  }
  const Assembled at(tree, tree.initial_state().q);
  PathFactor paths;
  paths.analyze(at.matrix());
  EXPECT_EQ(paths.core_size(), 0);
  paths.factor(at.matrix());
  const VecX x = random.vector_of(at.matrix().size());
  VecX b, found;
  at.matrix().multiply(x, b);
  paths.solve(b, found);
  EXPECT_LT((found - x).norm(), 1e-9 * x.norm());
}

TEST(PathFactor, OnAGridThePathsAreItsYarns) {
  const int n = 12;
  const System cloth = testing::square_cloth(n);
  const Assembled at(cloth, cloth.initial_state().q);
  PathFactor paths;
  paths.analyze(at.matrix());
  EXPECT_EQ(paths.core_size(), 2 * n * (n - 1));  // all but the pins
  paths.factor(at.matrix());
  EXPECT_EQ(paths.path_count(), 2 * n);
  EXPECT_NEAR(paths.left_out(at.matrix()), 0, 1e-12);  // at right angles
}

TEST(PathFactor, EveryRowIsInOnePath) {
  Random random(8);
  const System system = testing::square_cloth(9);
  const Assembled at(system, VecX(system.initial_state().q + 0.05 * random.vector_of(3 * 81)));
  std::vector<int> rows(static_cast<std::size_t>(at.matrix().size()));
  std::iota(rows.begin(), rows.end(), 0);
  const PathCover cover = cover_with_paths(at.matrix(), rows);
  std::vector<int> sorted = cover.order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, rows);
  EXPECT_EQ(cover.begin.front(), 0);
  EXPECT_EQ(cover.begin.back(), static_cast<int>(rows.size()));
  EXPECT_TRUE(std::is_sorted(cover.begin.begin(), cover.begin.end()));
}

TEST(PathFactor, IsSymmetricAndPositive) {
  Random random(5);
  const System cloth = testing::square_cloth(8);
  const Assembled at(cloth, VecX(cloth.initial_state().q + 0.04 * random.vector_of(3 * 64)));
  PathFactor paths;
  paths.analyze(at.matrix());
  paths.factor(at.matrix());
  const int size = at.matrix().size();
  MatX inverse(size, size);
  VecX z;
  for (int i = 0; i < size; ++i) {
    paths.solve(VecX::Unit(size, i), z);
    inverse.col(i) = z;
  }
  EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-9 * inverse.norm());
  EXPECT_GT(testing::smallest_eigenvalue(inverse), 0);
}

TEST(PathFactor, SinglePrecisionDiffersByRoundOff) {
  Random random(8);
  for (const int n : {2, 3, 9}) {  // paths of one row, of few, and of different lengths
    const System cloth = testing::square_cloth(n);
    const Assembled at(cloth,
                       VecX(cloth.initial_state().q + 0.3 / n * random.vector_of(3 * n * n)));
    PathFactor paths;
    paths.analyze(at.matrix());
    paths.factor(at.matrix());
    paths.round_off();
    const VecX b = random.vector_of(at.matrix().size());
    VecX z = b, other;
    paths.solve(z);
    paths.solve(b, other);
    EXPECT_EQ(z, other);
    Eigen::VectorXf single = b.cast<float>();
    paths.solve(single);
    EXPECT_LT((single.cast<double>() - z).norm(), 1e-4 * z.norm());
  }
}

// Crumpled, sheared, with random masses: few iterations, hardly more on the larger cloth.
TEST(PathSolver, TakesFewIterationsOnClothOfAnySize) {
  Random random(2);
  for (const int n : {15, 30, 60}) {
    const System cloth = testing::square_cloth(n);
    State state = cloth.initial_state();
    const double l = 1.0 / (n - 1);
    for (int i = 0; i < n * n; ++i) {
      auto place = state.q.segment<3>(3 * i);
      place.x() += 0.3 * place.z();  // 17° of shear
      place += 0.15 * l * random.vector();
    }
    const Assembled at(cloth, state.q);
    const auto solver = make_linear_solver("pcg_paths", at.matrix());
    solver->factor(at.matrix());
    VecX x;
    const VecX b = random.vector_of(at.matrix().size());
    const SolveSummary summary = solver->solve_within(b, x, 1e-6);
    EXPECT_TRUE(summary.ok);
    EXPECT_LE(summary.iterations, 45) << n;
    EXPECT_LE(solver->solve_within(b, x, 1e-1).iterations, 15) << n;
  }
}

// Yarns of a disc of triangles turn and end: no paths are good.
TEST(LinearSolver, PathsGiveWayToFactorsOfTheWhole) {
  System system;
  constexpr int rings = 16;
  add_cloth(system, testing::disc_of_triangles(1, rings), {}, "c");
  Random random(5);
  State state = system.initial_state();
  for (int i = 0; i < system.body_count(); ++i)
    state.q.segment<3>(system.slot({i}).q) += 0.1 / rings * random.vector();
  const Assembled at(system, state.q);
  const auto solver = make_linear_solver("pcg_paths", at.matrix());
  VecX b, first, x;
  at.matrix().multiply(random.vector_of(at.matrix().size()), b);
  solver->factor(at.matrix());
  const int with_paths = solver->solve(b, first).iterations;
  ASSERT_GT(with_paths, 60);
  solver->factor(at.matrix());
  solver->solve(b, x);  // with other paths
  solver->factor(at.matrix());
  const SolveSummary whole = solver->solve(b, x);
  EXPECT_TRUE(whole.ok);
  EXPECT_LT(whole.iterations, 10);
  // Of all solutions the smallest, as with paths.
  EXPECT_LT((x - first).norm(), 1e-6 * first.norm());
}

TEST(LinearSolver, AutoTakesPathsForClothAndFactorsForTheRest) {
  const System cloth = testing::square_cloth(40), chain = testing::arm(3000, 1);
  for (const System* system : {&cloth, &chain}) {
    const Assembled at(*system, system->initial_state().q);
    EXPECT_EQ(make_linear_solver("auto", at.matrix())->name(),
              system == &cloth ? "pcg_paths" : "ldlt_sparse");
  }
}

}  // namespace
}  // namespace taut
