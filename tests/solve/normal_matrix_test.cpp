// J W Jᵀ by its plan, against dense matrices.
#include "taut/solve/normal_matrix.hpp"

#include <gtest/gtest.h>

#include "support/random_scene.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/model/system.hpp"

namespace taut {
namespace {

using testing::Random;

/// Joints with several rows in a chain that closes, with links of particles between them.
System mechanism(int bodies, int particles) {
  System system;
  std::vector<Point> ends{world_point(0, 0, 0)};
  for (int i = 1; i <= bodies; ++i) {
    RigidBody body;
    body.position = {1.0 * i, 0.1 * i, 0};
    const BodyId added = system.add(body);
    if (i % 3 == 0) {
      constrain(system, Ball{ends.back(), Point(added)});
    } else {
      Hinge hinge;
      if (!ends.back().body.is_world()) hinge.a = Point(ends.back().body);
      hinge.b = Point(added);
      hinge.at = Vec3(i - 0.5, 0, 0);
      constrain(system, hinge);
    }
    ends.push_back(Point(added));
  }
  if (bodies > 3) constrain(system, Ball{ends[1], ends[3]});
  for (int i = 0; i < particles; ++i) {
    const Point next = system.add(Particle{1, {1.0 * i, 2, 0}});
    constrain(system, Distance{ends.back(), next, 1});
    ends.push_back(next);
  }
  return system;
}

// A row that touches nothing that moves, beside joints: its zero is written each time.
TEST(NormalMatrix, ForgetsWhatWasAdded) {
  System system = mechanism(4, 0);
  constrain(system, Ball{world_point(1, 0, 0), world_point(1, 0, 0)});
  const RowPattern pattern(system);
  Random random(2);
  const VecX J = random.vector_of(pattern.jacobian_values);
  NormalMatrix A(pattern);
  const VecX before = A.assemble(J, J).value;
  for (int r = 0; r < pattern.rows(); ++r) A.add_to_diagonal(r, 1);
  EXPECT_EQ(A.assemble(J, J).value, before);
}

TEST(NormalMatrix, IsTheProduct) {
  Random random(1);
  for (const auto& [bodies, particles] : {std::pair{6, 3}, {1, 0}, {12, 0}, {0, 8}, {1, 20}}) {
    const System system = mechanism(bodies, particles);
    const RowPattern pattern(system);
    const VecX left = random.vector_of(pattern.jacobian_values),
               right = random.vector_of(pattern.jacobian_values);
    const MatX dense = dense_jacobian(pattern, left, system.velocity_size()) *
                       dense_jacobian(pattern, right, system.velocity_size()).transpose();
    std::vector<int> some, all;
    for (int r = 0; r < pattern.rows(); ++r) {
      all.push_back(r);
      if (r % 4 != 1) some.push_back(r);
    }
    for (const std::vector<int>& rows : {std::vector<int>{}, some}) {
      const std::vector<int>& wanted = rows.empty() ? all : rows;
      NormalMatrix A(pattern, rows);
      A.assemble(right, left);                                 // what was there before
      const SparseSymmetric& found = A.assemble(left, right);  // is written over
      ASSERT_EQ(found.size(), static_cast<int>(wanted.size()));
      MatX lower = MatX::Zero(found.size(), found.size());
      for (int i = 0; i < found.size(); ++i)
        for (int p = found.row_begin[i]; p < found.row_begin[i + 1]; ++p)
          lower(i, found.column[p]) = found.value[p];
      for (int i = 0; i < found.size(); ++i)
        for (int j = 0; j <= i; ++j)
          EXPECT_NEAR(lower(i, j), dense(wanted[i], wanted[j]), 1e-14)
              << bodies << " bodies, " << particles << " particles: " << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace taut
