// Newton's matrix of cloth along yarns: factored as dense matrices are, what it leaves is what the
// matrix says, and it spares iterations.
#include "taut/solve/yarn_sweeps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/forces/bending.hpp"
#include "taut/forces/spring.hpp"
#include "taut/methods/workspace.hpp"
#include "taut/solve/kkt_krylov.hpp"
#include "taut/solve/normal_matrix.hpp"
#include "taut/solve/yarn_choice.hpp"

namespace taut {
namespace {

using testing::Random;
using Quad = Eigen::Array4f;

/// Yarns of their own, whose numbers are random, and the dense matrix of them.
struct LooseYarns {
  explicit LooseYarns(const std::vector<int>& lengths) {
    Random random(3);
    for (const int length : lengths) {
      YarnFactor::Yarn yarn;
      for (int k = 0; k < length; ++k) {
        yarn.particles.push_back(particles++);
        if (k > 0) yarn.rows.push_back(rows++);
      }
      yarns.push_back(yarn);
    }
    const int unknowns = 3 * particles + rows;
    K = MatX::Zero(unknowns, unknowns);
    gradients.assign(2 * static_cast<std::size_t>(rows), Quad::Zero());
    for (int i = 0; i < particles; ++i) add_block(i, i, random.uniform(0.1, 1) * Mat3::Identity());
    for (const YarnFactor::Yarn& yarn : yarns) {
      const int length = static_cast<int>(yarn.particles.size());
      for (int k = 0; k + 1 < length; ++k) {
        const int i = yarn.particles[k], j = yarn.particles[k + 1], row = yarn.rows[k];
        const double tension = random.uniform(0, 50);
        add_block(i, i, tension * Mat3::Identity());
        add_block(j, j, tension * Mat3::Identity());
        couple(i, j, -tension);
        for (int side = 0; side < 2; ++side) {
          const Vec3 gradient = random.vector_of(3);
          gradients[2 * row + side].head<3>() = gradient.array().cast<float>();
          const int at = 3 * (side == 0 ? i : j);
          K.block<1, 3>(3 * particles + row, at) = gradient.transpose();
          K.block<3, 1>(at, 3 * particles + row) = gradient;
        }
        K(3 * particles + row, 3 * particles + row) = -1e-7;
      }
      for (int k = 0; k + 2 < length; ++k) {  // bending
        const double weights[3] = {1, -2, 1};
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b <= a; ++b) {
            const int i = yarn.particles[k + b], j = yarn.particles[k + a];
            if (a == b)
              add_block(i, i, weights[a] * weights[a] * Mat3::Identity());
            else
              couple(i, j, weights[a] * weights[b]);
          }
      }
    }
    blocks.assign(2 * static_cast<std::size_t>(particles), Quad::Zero());
    for (int i = 0; i < particles; ++i) {
      const auto A = K.block<3, 3>(3 * i, 3 * i);
      blocks[2 * i] = Eigen::Array4d(A(0, 0), A(1, 1), A(2, 2), 0).cast<float>();
      blocks[2 * i + 1] = Eigen::Array4d(A(0, 1), A(0, 2), A(1, 2), 0).cast<float>();
    }
    compliance.assign(static_cast<std::size_t>(rows), 1e-7F);
  }

  void add_block(int i, int j, const Mat3& block) { K.block<3, 3>(3 * i, 3 * j) += block; }
  void couple(int i, int j, double value) {
    add_block(i, j, value * Mat3::Identity());
    add_block(j, i, value * Mat3::Identity());
    for (auto& [a, b, sum] : pairs)
      if (a == i && b == j) {
        sum += value;
        return;
      }
    pairs.push_back({i, j, value});
  }
  int find(int i, int j) const {
    for (std::size_t p = 0; p < pairs.size(); ++p)
      if (pairs[p].i == i && pairs[p].j == j) return static_cast<int>(p);
    return -1;
  }
  bool factor(YarnFactor& factors) {
    factors.plan(yarns, [&](const YarnFactor::Yarn& yarn, int k) {
      const int count = static_cast<int>(yarn.particles.size());
      YarnFactor::Place place;
      place.particle = yarn.particles[k];
      if (k > 0) place.row = yarn.rows[k - 1], place.right = 2 * place.row + 1;
      if (k + 1 < count) {
        place.left = 2 * yarn.rows[k];
        place.next = find(yarn.particles[k], yarn.particles[k + 1]);
      }
      if (k + 2 < count) place.second = find(yarn.particles[k], yarn.particles[k + 2]);
      return place;
    });
    std::vector<float> couplings;
    for (const Pair& pair : pairs) couplings.push_back(static_cast<float>(pair.value));
    return factors.factor({blocks, gradients, compliance, couplings});
  }

  struct Pair {
    int i, j;
    double value;
  };
  std::vector<YarnFactor::Yarn> yarns;
  int particles = 0, rows = 0;
  MatX K;
  std::vector<Quad> blocks, gradients;
  std::vector<float> compliance;
  std::vector<Pair> pairs;
};

TEST(YarnFactor, SolvesYarnsOfAllLengths) {
  LooseYarns loose({1, 15, 2, 14, 1, 9, 3, 15, 15, 13, 4});
  YarnFactor factors;
  ASSERT_TRUE(loose.factor(factors));
  Random random(4);
  const VecX b = random.vector_of(3 * loose.particles + loose.rows);
  std::vector<Quad> f(static_cast<std::size_t>(loose.particles), Quad::Zero()), x = f;
  std::vector<float> c(static_cast<std::size_t>(loose.rows)), y = c;
  for (int i = 0; i < loose.particles; ++i)
    f[i].head<3>() = b.segment<3>(3 * i).array().cast<float>();
  for (int r = 0; r < loose.rows; ++r) c[r] = static_cast<float>(b[3 * loose.particles + r]);
  factors.solve(f.data(), c.data(), x.data(), y.data());
  VecX found(b.size());
  for (int i = 0; i < loose.particles; ++i)
    found.segment<3>(3 * i) = x[i].head<3>().cast<double>().matrix();
  for (int r = 0; r < loose.rows; ++r) found[3 * loose.particles + r] = y[r];
  const VecX expected = loose.K.partialPivLu().solve(b);
  EXPECT_LT((found - expected).norm(), 1e-3 * expected.norm());
  EXPECT_LT((loose.K * found - b).norm(), 1e-3 * b.norm());
}

TEST(YarnFactor, SaysWhatItCannotFactor) {
  LooseYarns loose({5, 12});
  YarnFactor factors;
  loose.blocks[2 * 7][1] = -3;
  EXPECT_FALSE(loose.factor(factors));
  loose.blocks[2 * 7][1] = NAN;
  EXPECT_FALSE(loose.factor(factors));
}

/// Cloth in motion, which bends and shears, its first line taut between two pins.
struct WovenCloth {
  explicit WovenCloth(int count) : n(count), system(testing::square_cloth(count, 2)) {
    const double l = 1.0 / (n - 1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto at = [&](int di, int dj) { return BodyId{(i + di) * n + j + dj}; };
        if (i + 1 < n && j + 1 < n) {
          apply(system, Spring{at(0, 0), at(1, 1), 5, std::sqrt(2.0) * l, 0});
          apply(system, Spring{at(1, 0), at(0, 1), 5, std::sqrt(2.0) * l, 0});
        }
        const double stiffness = 1e-5 / (l * l);
        if (i + 2 < n) apply(system, bend(at(0, 0), at(1, 0), at(2, 0), stiffness));
        if (j + 2 < n) apply(system, bend(at(0, 0), at(0, 1), at(0, 2), stiffness));
      }
    w = std::make_unique<Workspace>(system);
    q = system.initial_state().q;
    for (int i = 0; i < n * n; ++i)  // a wave
      q[3 * i + 1] += 0.03 * std::sin(7 * q[3 * i]) * std::cos(5 * q[3 * i + 2]);
    w->evaluate(system, q, 0, w->start, RowForm::smooth);
    rows = w->pattern.rows();
    VecX lambda = VecX::Constant(rows, 0.02);
    lambda.head(n - 1).setConstant(3);
    w->start.add_stiffness(system, w->pattern, w->start.pose, 0, lambda, RowForm::smooth,
                           Definiteness::positive);
    w->start.add_force_stiffness(system, w->pattern, w->start.pose, VecX::Zero(3 * n * n), 60);
    mobility = h * h / system.mass({0});
  }
  static Bending bend(BodyId a, BodyId b, BodyId c, double stiffness) {
    Bending bending;
    bending.points = ParticleGroup(a, b, c);
    bending.stiffness = stiffness;
    bending.weights = {1, -2, 1, 0};
    return bending;
  }

  int n, rows = 0;
  System system;
  std::unique_ptr<Workspace> w;
  VecX q;
  double mobility = 0;
  const double h = 1.0 / 60;
};

TEST(YarnSweeps, LeaveWhatTheMatrixSays) {
  WovenCloth cloth(11);
  const int velocities = 3 * cloth.n * cloth.n, rows = cloth.rows;
  const RowPattern& pattern = cloth.w->pattern;
  const VecX& J = cloth.w->start.J;
  BodyMatrix H(cloth.system);
  ASSERT_TRUE(H.assemble(
      cloth.system, pattern,
      {1 / (cloth.h * cloth.h), nullptr, 1, &cloth.w->start.G, &cloth.w->start.K, nullptr}));
  MatX K = MatX::Zero(velocities + rows, velocities + rows);
  VecX column;
  for (int k = 0; k < velocities; ++k) {
    H.multiply(VecX::Unit(velocities, k), column);
    K.col(k).head(velocities) = column;
  }
  const MatX dense = dense_jacobian(pattern, J, velocities);
  const VecX compliance = VecX::Constant(rows, 1e-7 * cloth.mobility);
  K.bottomLeftCorner(rows, velocities) = dense;
  K.topRightCorner(velocities, rows) = dense.transpose();
  K.bottomRightCorner(rows, rows) = -MatX(compliance.asDiagonal());

  NormalMatrix A(pattern);
  VecX DJ;
  H.inverse_diagonal().apply(pattern, J, DJ);
  A.assemble(J, DJ);
  PathFactor paths;
  paths.analyze(A.matrix());
  paths.factor(A.matrix());
  Random random(6);
  VecX scale = VecX::Ones(velocities + rows);
  scale.head(velocities) = 2 * H.mobility();
  SingleKkt single(pattern, cloth.system.body_count());
  ASSERT_TRUE(single.set(pattern, {H, J, J, compliance, scale}));
  YarnSweeps sweeps;
  const double mass = 1 / (cloth.h * cloth.h);
  ASSERT_TRUE(sweeps.factor({cloth.system, H, mass, single, paths}));
  // With inertia so small, the same cloth is a plate.
  EXPECT_FALSE(sweeps.factor({cloth.system, H, 1e-7 * mass, single, paths}));
  ASSERT_TRUE(sweeps.factor({cloth.system, H, mass, single, paths}));

  const VecX v = random.vector_of(velocities + rows);
  SingleKkt::Vector packed(single.size()), left;
  single.pack(v, packed);
  sweeps.solve(single, packed, left);
  VecX z = VecX::Zero(v.size()), found(v.size());
  sweeps.add_to(z);
  single.unpack(left, found);
  const VecX expected = v - (K * z).cwiseProduct(scale);
  EXPECT_LT((found - expected).norm(), 1e-3 * v.norm());
  // Of what acts along the weft, which is last, nothing much is left.
  EXPECT_LT(found.norm(), v.norm());
}

/// Iterations of the last of several solves, after which the solver knows what suits.
struct Solved {
  VecX x;
  long iterations = 0;
};
Solved solve_again_and_again(const WovenCloth& cloth, int times, double tolerance) {
  KktKrylov kkt(cloth.system, cloth.w->pattern);
  const RowModes modes;
  const std::vector<Mat3> turning;
  const Rows& at = cloth.w->start;
  Solved solved;
  for (int i = 0; i < times; ++i) {
    EXPECT_TRUE(kkt.factor(cloth.system,
                           {1 / (cloth.h * cloth.h), turning, 1, at.G, at.K, at.J, at.J, modes},
                           1e-7 * cloth.mobility));
    VecX y = VecX::Zero(cloth.rows);
    solved.x = VecX::Zero(3 * cloth.n * cloth.n);
    for (int k = 0; k < cloth.n * cloth.n; ++k) solved.x[3 * k + 1] = -9.81;
    LinearCost cost;
    kkt.solve(solved.x, y, tolerance, cost);
    solved.iterations = cost.linear_iterations;
  }
  return solved;
}

TEST(YarnSweeps, SpareIterations) {
  const WovenCloth cloth(60);
  const Solved without = solve_again_and_again(cloth, 1, 0.01);
  const Solved with = solve_again_and_again(cloth, 12, 0.01);
  EXPECT_LE(with.iterations, 20);
  EXPECT_GT(10 * without.iterations, 17 * with.iterations);
}

TEST(YarnSweeps, SolveTheSame) {
  const WovenCloth cloth(40);
  const Solved without = solve_again_and_again(cloth, 1, 1e-7);
  const Solved with = solve_again_and_again(cloth, 8, 1e-7);
  EXPECT_LT(with.iterations, without.iterations);
  EXPECT_LT((with.x - without.x).norm(), 1e-4 * without.x.norm());
}

TEST(YarnChoice, FollowsWhatIterationsCost) {
  YarnChoice choice;
  for (int i = 0; i < 50; ++i) choice.learn(5);
  EXPECT_FALSE(choice.uses());
  for (int i = 0; i < 20 && !choice.uses(); ++i) choice.learn(25);
  EXPECT_TRUE(choice.uses());
  for (int i = 0; i < 50; ++i) choice.learn(6);
  EXPECT_TRUE(choice.uses());
  EXPECT_FALSE(choice.is_in_doubt());
  for (int i = 0; i < 60 && choice.uses(); ++i) choice.learn(1);
  EXPECT_FALSE(choice.uses());
}

TEST(YarnChoice, GivesUpWhatIsOfNoUseForLongerEachTime) {
  YarnChoice choice;
  int waited = 0;
  for (int round = 0; round < 4; ++round) {
    int solves = 0;
    for (; !choice.uses() && solves < 1000; ++solves) choice.learn(20);
    EXPECT_TRUE(choice.uses());
    EXPECT_GE(solves, waited);
    waited = solves + 1;
    for (int i = 0; i < 20 && !choice.is_in_doubt(); ++i) choice.learn(20 + i);
    ASSERT_TRUE(choice.is_in_doubt());
    choice.judge(20);
    EXPECT_FALSE(choice.uses());
  }
  EXPECT_GT(waited, 30);
}

// Where what is without them takes far more, they stay.
TEST(YarnChoice, StaysWhereOthersTakeMore) {
  YarnChoice choice;
  while (!choice.uses()) choice.learn(15);
  for (int i = 0; i < 20 && !choice.is_in_doubt(); ++i) choice.learn(14 + i);
  ASSERT_TRUE(choice.is_in_doubt());
  choice.judge(150);
  EXPECT_TRUE(choice.uses());
  EXPECT_FALSE(choice.is_in_doubt());
}

}  // namespace
}  // namespace taut
