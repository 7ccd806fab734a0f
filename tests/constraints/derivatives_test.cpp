// Every constraint's J, J̇v, C_t and G(λ) against finite differences of its C and J, on random
// systems of particles, rigid bodies and world points.
#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/random_scene.hpp"
#include "taut/constraints/list.hpp"
#include "taut/model/rotation.hpp"

namespace taut {
namespace {

using testing::Random;

class EveryConstraint : public ::testing::TestWithParam<ConstraintInfo> {};

INSTANTIATE_TEST_SUITE_P(Derivatives, EveryConstraint, ::testing::ValuesIn(constraint_types()),
                         [](const auto& made) { return std::string(made.param.type); });

constexpr unsigned tries = 20;
constexpr double at_time = 0.4;

// A system with one random constraint, with rows and their pattern.
struct Case {
  System system;
  RowPattern pattern;
  Rows rows;
  State state;

  Case(const ConstraintInfo& info, Random& random) : system(testing::random_bodies(random)) {
    testing::add_random_constraint(info, system, random);
    pattern = RowPattern(system);
    rows.resize(pattern);
    state = system.initial_state();
  }
  Rows at(const VecX& q, double t) const {
    Rows out;
    out.resize(pattern);
    out.linearize(system, pattern, Pose(system, q), t);
    return out;
  }
  VecX moved(const VecX& velocity, double h) const {
    VecX q;
    system.advance(state.q, velocity, h, q);
    return q;
  }
  /// Zero for rows on velocities, which have no C.
  VecX of_positions(VecX rows_of_it) const {
    for (const int row : pattern.velocity_rows) rows_of_it[row] = 0;
    return rows_of_it;
  }
  /// As functions of the end of a step of 0.3 s.
  Rows way(const VecX& from, const VecX& to, Chart chart) const {
    Rows out = at(to, at_time);
    const Pose first(system, from), second(system, to);
    VecX increment;
    system.difference(from, to, chart, increment);
    std::vector<Mat3> tangent;
    for (int i = 0; i < system.body_count(); ++i) {
      if (!system.is_rigid({i})) continue;
      const Vec3 turn = increment.segment<3>(system.slot({i}).v + 3);
      tangent.push_back(chart == Chart::cayley ? inverse_cayley_tangent(turn)
                                               : logarithm_tangent(turn));
    }
    out.measure_way(system, pattern, {first, second, increment, tangent, 0.3, at_time},
                    WayJacobian::derive);
    return out;
  }
  RowLaw::Kind law() const { return system.constraints()[0]->law(0, 0).kind; }
  MatX jacobian(const Rows& r) const {
    return dense_jacobian(pattern, r.J, system.velocity_size());
  }
};

TEST_P(EveryConstraint, JacobianIsTheDerivativeOfC) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    const MatX J = c.jacobian(c.at(c.state.q, at_time));
    const double e = 1e-5;
    for (int i = 0; i < c.system.velocity_size(); ++i) {
      const VecX unit = VecX::Unit(c.system.velocity_size(), i);
      const VecX slope =
          (c.at(c.moved(unit, e), at_time).C - c.at(c.moved(unit, -e), at_time).C) / (2 * e);
      EXPECT_LT((slope - c.of_positions(J.col(i))).norm(), 2e-8 * (1 + J.norm()))
          << "seed " << seed << " dof " << i;
    }
  }
}

TEST_P(EveryConstraint, TimeDerivative) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    if (c.law() == RowLaw::Kind::rate) continue;  // C_t is the rate that is wanted, not that of C
    const double e = 1e-5, t = at_time;
    const VecX slope = (c.at(c.state.q, t + e).C - c.at(c.state.q, t - e).C) / (2 * e);
    const VecX C_t = c.of_positions(c.at(c.state.q, t).C_t);
    EXPECT_LT((slope - C_t).norm(), 1e-7 * (1 + C_t.norm())) << "seed " << seed;
    EXPECT_TRUE(c.system.constraints()[0]->depends_on_time() || C_t.norm() == 0);
  }
}

// bias = d/dt (J v + C_t) along the motion with constant v.
TEST_P(EveryConstraint, BiasIsTheSecondTimeDerivativeAtConstantVelocity) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    const VecX v = random.vector_of(c.system.velocity_size());
    const double e = 1e-5, t = at_time;
    const auto rate = [&](double dt) {
      const Rows rows = c.at(c.moved(v, dt), t + dt);
      return VecX(c.jacobian(rows) * v + rows.C_t);
    };
    const VecX slope = (rate(e) - rate(-e)) / (2 * e);
    const Pose pose(c.system, c.state.q);
    c.rows.linearize(c.system, c.pattern, pose, t);
    c.rows.add_bias(c.system, c.pattern, pose, v, t);
    EXPECT_LT((slope - c.rows.bias).norm(), 1e-6 * (1 + c.rows.bias.norm())) << "seed " << seed;
  }
}

// G is the symmetric part of ∂(Jᵀλ)/∂q; the skew part is ½[τ]× of the torque in Jᵀλ on each body.
TEST_P(EveryConstraint, GeometricStiffnessIsTheDerivativeOfTheForce) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    const int n = c.system.velocity_size();
    // That of rows on velocities is no gradient, and only the symmetric part of it is used.
    const VecX lambda = c.of_positions(random.vector_of(c.pattern.rows()));
    const double e = 1e-5, t = at_time;
    const auto force = [&](const VecX& q) {
      return VecX(c.jacobian(c.at(q, t)).transpose() * lambda);
    };
    MatX slope(n, n);
    for (int i = 0; i < n; ++i) {
      const VecX unit = VecX::Unit(n, i);
      slope.col(i) = (force(c.moved(unit, e)) - force(c.moved(unit, -e))) / (2 * e);
    }
    const Pose pose(c.system, c.state.q);
    const RowPattern given(c.system, RowForm::given);
    c.rows.add_stiffness(c.system, given, pose, t, lambda);
    const MatX G = dense_stiffness(given.stiffness_blocks, c.rows.G, n);
    EXPECT_LT((G - G.transpose()).norm(), 1e-12 * (1 + G.norm()));
    EXPECT_LT((0.5 * (slope + slope.transpose()) - G).norm(), 2e-6 * (1 + G.norm()))
        << "seed " << seed;

    MatX skew = MatX::Zero(n, n);
    const VecX f = force(c.state.q);
    for (int b = 0; b < c.system.body_count(); ++b) {
      if (!c.system.is_rigid({b})) continue;
      const int w = c.system.slot({b}).v + 3;
      const Vec3 torque = f.segment<3>(w);
      for (int i = 0; i < 3; ++i) skew.block<3, 1>(w, w + i) = 0.5 * torque.cross(Vec3::Unit(i));
    }
    EXPECT_LT((0.5 * (slope - slope.transpose()) - skew).norm(), 2e-6 * (1 + G.norm()))
        << "seed " << seed;
  }
}

// The smooth form has the same derivatives, and on C = 0 the same gradient; its stiffness without
// the negative part is positive semi-definite, and no smaller than it.
TEST_P(EveryConstraint, SmoothFormAndPositiveStiffness) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    const int n = c.system.velocity_size();
    const double e = 1e-6, t = at_time;
    const auto smooth = [&](const VecX& q) {
      Rows rows;
      rows.resize(c.pattern);
      rows.linearize(c.system, c.pattern, Pose(c.system, q), t, RowForm::smooth);
      return rows;
    };
    const MatX J = c.jacobian(smooth(c.state.q));
    for (int i = 0; i < n; ++i) {
      const VecX unit = VecX::Unit(n, i);
      const VecX slope = (smooth(c.moved(unit, e)).C - smooth(c.moved(unit, -e)).C) / (2 * e);
      EXPECT_LT((slope - c.of_positions(J.col(i))).norm(), 1e-7 * (1 + J.norm()))
          << "seed " << seed;
    }
    const VecX lambda = c.of_positions(random.vector_of(c.pattern.rows()));
    const Pose pose(c.system, c.state.q);
    MatX G[2];
    for (const Definiteness wanted : {Definiteness::exact, Definiteness::positive}) {
      c.rows.add_stiffness(c.system, c.pattern, pose, t, lambda, RowForm::smooth, wanted);
      G[wanted == Definiteness::positive] =
          dense_stiffness(c.pattern.stiffness_blocks, c.rows.G, n);
    }
    const double size = 1 + G[0].norm();
    EXPECT_GT(testing::smallest_eigenvalue(G[1]), -1e-10 * size) << "seed " << seed;
    if (GetParam().type == OnCircle::type) continue;  // a part of both signs is left out
    EXPECT_GT(testing::smallest_eigenvalue(G[1] - G[0]), -1e-10 * size) << "seed " << seed;
  }
}

// J of a passage times the way gone is the change of C, for any passage; and each row of it is a
// force whose work is exact.
TEST_P(EveryConstraint, DiscreteGradientTimesTheWayIsTheChange) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    const double h = 0.3, t = at_time;
    const VecX from = c.state.q, to = c.moved(random.vector_of(c.system.velocity_size()), h);
    const Pose first(c.system, from), second(c.system, to);
    Pose mean;
    mean.set_mean(c.system, first, second);
    Rows rows, start, end;
    for (Rows* r : {&rows, &start, &end}) r->resize(c.pattern);
    start.linearize(c.system, c.pattern, first, t, RowForm::smooth);
    end.linearize(c.system, c.pattern, second, t, RowForm::smooth);
    rows.linearize_between(c.system, c.pattern, {first, second, mean, t});
    VecX way;
    c.system.difference(from, to, Chart::cayley, way);
    const VecX change = c.jacobian(rows) * way;
    // What rows on velocities ask of a step is that this vanishes: so their forces do no work.
    const VecX gone = c.way(from, to, Chart::cayley).C;
    for (const int row : c.pattern.velocity_rows) end.C[row] = gone[row];
    EXPECT_LT((change - (end.C - start.C)).norm(), 1e-12 * (1 + start.C.norm() + way.norm()))
        << "seed " << seed;
  }
}

// Of rows on velocities: C over a step, and its derivative with respect to the end.
TEST_P(EveryConstraint, TheWayIsAFunctionOfTheEndOfTheStep) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    if (c.pattern.velocity_rows.empty()) continue;
    const int n = c.system.velocity_size();
    const double h = 0.3, e = 1e-5;
    const VecX v = random.vector_of(n), from = c.state.q;
    for (const Chart chart : {Chart::rotation_vector, Chart::cayley}) {
      const VecX to = c.moved(v, h);
      const MatX J = c.jacobian(c.way(from, to, chart));
      for (int i = 0; i < n; ++i) {
        const auto at = [&](double move) {
          VecX q;
          c.system.advance(to, VecX::Unit(n, i), move, q);
          return c.way(from, q, chart).C;
        };
        const VecX slope = (at(e) - at(-e)) / (2 * e);
        for (const int row : c.pattern.velocity_rows)
          EXPECT_NEAR(slope[row], J(row, i), 1e-7 * (1 + J.norm())) << "seed " << seed;
      }
    }
    // Over a short step it is h (J v + C_t), with an error of third order.
    const auto miss = [&](double step) {
      const Rows half = c.at(c.moved(v, 0), at_time);
      VecX q0, q1;
      c.system.advance(from, v, -0.5 * step, q0);
      c.system.advance(from, v, 0.5 * step, q1);
      const VecX C = c.way(q0, q1, Chart::rotation_vector).C;
      double worst = 0;
      for (const int row : c.pattern.velocity_rows)
        worst = std::max(worst, std::abs(C[row] - step * c.jacobian(half).row(row).dot(v)));
      return worst;
    };
    EXPECT_LT(miss(0.005), 0.2 * miss(0.01) + 1e-12) << "seed " << seed;
  }
}

// The reported error is zero exactly where C is.
TEST_P(EveryConstraint, ErrorVanishesWithC) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    Random random(seed);
    Case c(GetParam(), random);
    if (c.pattern.blocks.empty()) continue;           // all in the world: nothing can move
    if (c.law() != RowLaw::Kind::equation) continue;  // C = 0 means nothing
    double error = 0;
    for (int i = 0; i < 100; ++i) {  // Gauss–Newton on to C = 0
      const Rows rows = c.at(c.state.q, at_time);
      c.system.constraints()[0]->errors(Pose(c.system, c.state.q), at_time, {&error, 1});
      const double size = rows.C.norm();
      EXPECT_LE(error, 50 * size + 1e-12);
      EXPECT_GE(50 * error + 1e-12, size);
      if (size < 1e-13) break;
      const MatX J = c.jacobian(rows);
      const VecX move = testing::least_squares(J, rows.C);
      c.state.q = c.moved(move, -std::min(1.0, 0.3 / move.norm()));
    }
    EXPECT_LT(error, 1e-11) << "seed " << seed;
  }
}

// Distances between particles are evaluated from a table of their own where a batch has nothing
// else; beside others, and where one of them is driven, they must be the same.
TEST(Distance, OfParticlesIsTheSameInAnyCompany) {
  Random random(8);
  const VecX places = random.vector_of(15), lambda = random.vector_of(6);
  enum { alone, with_world, with_body, with_driven };
  VecX C, J, G;
  for (const int company : {alone, with_world, with_body, with_driven}) {
    System system;
    for (int i = 0; i < 4; ++i) system.add(Particle{1, places.segment<3>(3 * i), Vec3::Zero()});
    for (int i = 0; i < 3; ++i)
      constrain(system, Distance{BodyId{i}, BodyId{i + 1}, 0.5 + 0.1 * i});
    if (company == with_world) constrain(system, Distance{BodyId{0}, world_point(1, 2, 3), 1.0});
    if (company == with_body) {
      RigidBody body;
      body.position = places.tail<3>();
      const BodyId rigid = system.add(body);
      constrain(system, Distance{BodyId{0}, Point(rigid, Vec3(0.1, 0, 0)), 1.0});
    }
    if (company == with_driven)
      constrain(system, Distance{BodyId{0}, BodyId{3}, LineMotion<double>{1, 0.2}});
    const RowPattern pattern(system);
    const VecX q = system.initial_state().q;
    const Pose pose(system, q);
    Rows rows;
    rows.resize(pattern);
    rows.linearize(system, pattern, pose, 0.3, RowForm::smooth);
    rows.add_stiffness(system, pattern, pose, 0.3, lambda.head(pattern.rows()), RowForm::smooth,
                       Definiteness::positive);
    if (company == alone) {
      C = rows.C;
      J = rows.J;
      G = rows.G;
    }
    EXPECT_LT((rows.C.head(3) - C).norm(), 1e-15) << company;
    EXPECT_LT((rows.J.head(18) - J).norm(), 1e-15) << company;
    EXPECT_LT((rows.G.head(9) - G).norm(), 1e-15) << company;
    EXPECT_NEAR(C[1], ((places.segment<3>(6) - places.segment<3>(3)).squaredNorm() - 0.36) / 1.2,
                1e-14);
  }
}

}  // namespace
}  // namespace taut
