// The methods that engines use, held against what their authors say or what a closed form tells.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/forces/spring.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

using testing::arm;
using testing::run;
using testing::run_as_is;

/// A rigid body that swings and spins on a ball joint, about all its axes.
System gyrating() {
  System system;
  apply(system, Gravity{});
  RigidBody body;
  body.mass = 2;
  body.inertia = Vec3(0.3, 0.2, 0.1).asDiagonal();
  body.position = {0.5, 0, 0.2};
  body.angular_velocity = {1, 3, 2};
  body.velocity = body.angular_velocity.cross(body.position);
  const BodyId id = system.add(body);
  constrain(system, Ball{world_point(0, 0, 0), system.point_at(id, Vec3::Zero())});
  return system;
}

double error_at_end(const System& system, std::string_view method, double h,
                    const std::vector<OptionValue>& options) {
  const State truth = run(system, "dop853", 1e-3, 0.5).final_state;
  const State end = run(system, method, h, 0.5, options).final_state;
  VecX way;
  system.difference(truth.q, end.q, Chart::rotation_vector, way);
  return std::max(way.norm(), (truth.v - end.v).norm());
}

double order_of(const System& system, std::string_view method, double h,
                const std::vector<OptionValue>& options) {
  return std::log2(error_at_end(system, method, h, options) /
                   error_at_end(system, method, 0.5 * h, options));
}

// Generalised-α -----------------------------------------------------------------------------------

TEST(GeneralizedAlpha, IsOfSecondOrderWithAnyDamping) {
  for (const char* radius : {"1", "0.8", "0.5", "0"})
    for (const System& system : {arm(1, 1), gyrating()})
      EXPECT_GT(order_of(system, "generalized_alpha", 0.01, {{"spectral_radius", radius}}), 1.8)
          << radius;
  EXPECT_GT(order_of(gyrating(), "generalized_alpha", 0.01, {{"scheme", "hht"}}), 1.8);
}

// Of a vibration that is ten thousand times faster than the step, ρ is what a step leaves.
TEST(GeneralizedAlpha, DampsAsItsSpectralRadiusSays) {
  for (const double radius : {0.9, 0.8, 0.7}) {
    System system;
    const BodyId mass = system.add(Particle{1, {1.01, 0, 0}});
    apply(system, Spring{world_point(0, 0, 0), mass, 1e12, 0, 1});
    std::vector<double> size;
    run(system, "generalized_alpha", 0.01, 0.4, {{"spectral_radius", std::to_string(radius)}},
        [&](const State& state, const VecX&) { size.push_back(std::abs(state.v[0])); });
    ASSERT_GE(size.size(), 33u);
    // A double root: what is left is like n ρⁿ.
    EXPECT_NEAR(std::pow(0.5 * size[32] / size[16], 1.0 / 16), radius, 0.02) << radius;
  }
}

// Gear --------------------------------------------------------------------------------------------

TEST(GearStabilised, HasTheOrderOfItsFormulas) {
  for (const int order : {1, 2, 3, 4, 5})
    for (const System& system : {arm(1, 1), gyrating()})
      EXPECT_GT(order_of(system, "gear_stabilised", order < 4 ? 2.5e-3 : 5e-3,
                         {{"order", std::to_string(order)}}),
                order - 0.35)
          << order;
}

TEST(GearStabilised, MeetsPositionsAndVelocities) {
  const System system = arm(4, 1);
  const RunReport report = run(system, "gear_stabilised", 0.01, 1);
  EXPECT_LT(report.constraint_error.max, 1e-12);
  Workspace w(system);
  w.evaluate(system, report.final_state.q, report.final_state.time, w.end);
  w.J(w.end, report.final_state.v, w.Jv);
  EXPECT_LT(w.Jv.lpNorm<Eigen::Infinity>(), 1e-12);
  // Positions alone, as in icd2, leave some of it.
  const RunReport other = run(system, "icd2", 0.01, 1);
  w.evaluate(system, other.final_state.q, other.final_state.time, w.end);
  w.J(w.end, other.final_state.v, w.Jv);
  EXPECT_GT(w.Jv.lpNorm<Eigen::Infinity>(), 1e-6);
}

// Position-based dynamics -------------------------------------------------------------------------

/// A mass of 2 kg that hangs at the end of a link of 1 m, so much too long.
System hanging(double stretch) {
  System system;
  apply(system, Gravity{});
  const BodyId mass = system.add(Particle{2, {0, -1 - stretch, 0}});
  constrain(system, Distance{world_point(0, 0, 0), mass, 1});
  return system;
}

// A compliant link is a spring, whatever the number of sweeps and parts.
TEST(Xpbd, ComplianceDependsOnNeitherSweepsNorSteps) {
  const double compliance = 1e-3, stretch = 2 * 9.81 * compliance;
  for (const char* sweeps : {"1", "7"})
    for (const char* parts : {"1", "10"})
      for (const double h : {0.01, 0.002}) {
        const RunReport report =
            run_as_is(hanging(stretch), "xpbd", h, 0.5,
                      {{"compliance", "1e-3"}, {"iterations", sweeps}, {"substeps", parts}});
        EXPECT_NEAR(report.final_state.q[1], -1 - stretch, 1e-9) << sweeps << " " << parts;
      }
}

TEST(Xpbd, SmallStepsAreBetterThanManySweeps) {
  const System system = arm(10, 1);
  const double sweeps = run(system, "xpbd", 0.01, 0.5, {{"substeps", "1"}, {"iterations", "20"}})
                            .constraint_error.max;
  const double parts = run(system, "xpbd", 0.01, 0.5, {{"substeps", "20"}, {"iterations", "1"}})
                           .constraint_error.max;
  EXPECT_LT(parts, 0.5 * sweeps);
}

// e = (1 − k)(e + g h²) at rest: how stiff it is depends on the step. That k does not depend on the
// number of sweeps is so for a single constraint.
TEST(Pbd, StiffnessDependsOnTheStep) {
  for (const char* sweeps : {"1", "10"})
    for (const double h : {0.01, 0.005}) {
      const double sag = 9.81 * h * h * (1 - 0.3) / 0.3;
      const RunReport report =
          run_as_is(hanging(sag), "pbd", h, 0.5, {{"stiffness", "0.3"}, {"iterations", sweeps}});
      EXPECT_NEAR(report.final_state.q[1], -1 - sag, 1e-9) << sweeps << " " << h;
    }
}

TEST(Pbd, AChainIsStifferWithMoreSweeps) {
  const System system = arm(20, 0.1);
  const auto stretch = [&](const char* sweeps) {
    return run(system, "pbd", 0.01, 0.3, {{"iterations", sweeps}}).constraint_error.max;
  };
  EXPECT_LT(stretch("40"), 0.5 * stretch("10"));
}

// MuJoCo's soft constraints -----------------------------------------------------------------------

// An error beyond the width fades as (1 + t/T) e^(−t/T), however heavy the bodies are.
TEST(SoftConvex, ErrorsFadeAsTheTimeConstantSays) {
  for (const double mass : {0.01, 1.0, 300.0}) {
    System system;
    const BodyId body = system.add(Particle{mass, {1.02, 0, 0}});
    constrain(system, Distance{world_point(0, 0, 0), body, 1});
    int compared = 0;
    run_as_is(system, "soft_convex", 1e-5, 0.061, {}, [&](const State& state, const VecX&) {
      const double t = state.time / 0.02, expected = 0.02 * (1 + t) * std::exp(-t);
      EXPECT_NEAR(state.q[0] - 1, expected, 0.002 * 0.02) << state.time;
      ++compared;
    });
    EXPECT_GT(compared, 1000);
  }
}

// Under its weight a link rests where (1 − d) g = d k C, k = d/(d_width T)².
TEST(SoftConvex, ALoadRestsWhereTheImpedanceSays) {
  const double T = 0.02, widest = 0.95;
  double C = 1e-4;
  for (int i = 0; i < 200; ++i) {
    const double x = C / 1e-3, y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    const double d = 0.9 + y * 0.05;
    C = (1 - d) * 9.81 * (widest * T) * (widest * T) / (d * d);
  }
  const RunReport report = run(hanging(0), "soft_convex", 1e-3, 1);
  EXPECT_NEAR(-1 - report.final_state.q[1], C, 1e-9);
  EXPECT_GT(C, 1e-5);
}

TEST(SoftConvex, TakesDampingAtTheEndOfTheStep) {
  System system;
  const BodyId body = system.add(Particle{1, {1, 0, 0}, {1, 0, 0}});
  apply(system, Spring{world_point(0, 0, 0), body, 0, 1000, 1});  // a damper: h c/m = 10
  const State end = run(system, "soft_convex", 0.01, 0.01).final_state;
  EXPECT_NEAR(end.v[0], 1.0 / 11, 1e-9);
  const State plain = run(system, "soft_convex", 0.01, 0.01, {{"integrator", "euler"}}).final_state;
  EXPECT_NEAR(plain.v[0], 1 - 10, 1e-9);
}

// Block descent -----------------------------------------------------------------------------------

// With enough sweeps it is the step of backward Euler with these springs.
TEST(BlockDescent, LeadsToImplicitSprings) {
  const System system = arm(3, 1);
  const VecX springs =
      run(system, "implicit_springs", 0.01, 0.2, {{"max_iterations", "30"}}).final_state.q;
  const VecX vbd = run(system, "vbd", 0.01, 0.2, {{"iterations", "2000"}}).final_state.q;
  EXPECT_LT((vbd - springs).norm(), 1e-7);
  const VecX few = run(system, "vbd", 0.01, 0.2, {{"iterations", "2"}}).final_state.q;
  EXPECT_GT((few - springs).norm(), 1e-3);
}

TEST(ProjectiveDynamics, LeadsToImplicitSprings) {
  // Of l − L and of (l² − L²)/2L the energies differ by a part of C³.
  const System system = arm(3, 1);
  const VecX springs =
      run(system, "implicit_springs", 0.01, 0.2, {{"max_iterations", "30"}}).final_state.q;
  const VecX end =
      run(system, "projective_dynamics", 0.01, 0.2, {{"iterations", "500"}}).final_state.q;
  EXPECT_LT((end - springs).norm(), 1e-4);
  const VecX few =
      run(system, "projective_dynamics", 0.01, 0.2, {{"iterations", "1"}}).final_state.q;
  EXPECT_GT((few - springs).norm(), 1e-3);
}

TEST(Avbd, MoreSweepsMakeAHeavyChainHard) {
  const io::Setting few{"N", "20"};
  const io::Scene scene = io::load_scene("heavy_chain", {&few, 1});
  const auto error = [&](const char* sweeps) {
    return run(scene.system, "avbd", 1.0 / 60, 1, {{"iterations", sweeps}}).constraint_error.max;
  };
  const double rough = error("10"), better = error("40"), best = error("160");
  EXPECT_LT(better, 0.5 * rough);
  EXPECT_LT(best, 0.5 * better);
}

// What is not balanced after the last sweep is momentum that nobody got.
TEST(Avbd, MoreSweepsKeepMomentumBetter) {
  System system;
  const BodyId a = system.add(Particle{1, {0, 0, 0}, {1, 0, 0}});
  const BodyId b = system.add(Particle{2, {1, 0, 0}, {0, 1, 0}});
  constrain(system, Distance{a, b, {}});
  const auto lost = [&](const char* sweeps) {
    const VecX v = run(system, "avbd", 0.01, 1, {{"iterations", sweeps}}).final_state.v;
    return (v.head<3>() + 2 * v.tail<3>() - Vec3(1, 2, 0)).norm();
  };
  const double few = lost("3");
  EXPECT_GT(few, 1e-8);
  EXPECT_LT(lost("30"), 0.01 * few);
}

// All of them -------------------------------------------------------------------------------------

// What gives way may do so by a hundredth of the scene's size; beyond that a run is not trusted.
TEST(Engines, LargeErrorsAreNeverTrusted) {
  const System system = arm(10, 1, 1);
  int suspect = 0;
  for (const MethodInfo& method : methods()) {
    if (!testing::gives_way(method.name)) continue;
    for (const double h : {0.1, 0.02}) {
      const RunReport report = run(system, method.name, h, 1);
      if (report.constraint_error.max > 0.1) {
        EXPECT_FALSE(report.is_trusted()) << method.name << " " << h;
        ++suspect;
      }
    }
  }
  EXPECT_GE(suspect, 3);
}

// The force of a contact acts in the free step. Where it did not, each step was solved as if things
// had just met, and friction was lost.
TEST(Engines, ContactsAreHeldByWhatGivesWay) {
  const io::Scene scene = io::load_scene("sliding_block");
  for (const MethodInfo& method : methods()) {
    // Those that solve contacts themselves do so to first order: ImpulseMethods.
    if (!testing::gives_way(method.name) || method.promises.solves_contacts) continue;
    const RunReport report = run(scene.system, method.name, 0.01, 0.5);
    EXPECT_NEAR(report.energy.friction, -4, 0.02) << method.name;
    EXPECT_LT(report.cost.linear_solves, 12 * report.steps) << method.name;
  }
}

}  // namespace
}  // namespace taut
