// Rods on hinges: loops that stay closed, a published motion, small swings, and inverse dynamics.

#include "support/matrices.hpp"
#include "support/mechanisms.hpp"
#include "taut/scene/final_error.hpp"

namespace taut {
namespace {

using namespace testing;

// IFToMM A02 as it is meant, with all five rows of every hinge.
TEST(NFourBarHinges, EndsWhereItShould) {
  const io::Scene scene = io::load_scene("n_four_bar_hinges");
  for (const auto& [method, order, steps, position_bound, velocity_bound] :
       {std::tuple{"energy_momentum", "4", 1000, 1e-8, 1e-7},
        {"energy_momentum", "2", 5000, 1e-4, 1e-3},
        {"rattle", "", 5000, 1e-3, 1e-2}}) {
    SCOPED_TRACE(method);
    std::vector<OptionValue> options;
    if (*order) options.push_back({"order", order});
    const RunReport report = watch(scene.system, method, steps, 10, options).report;
    const auto error = io::final_error(scene, report.final_state);
    ASSERT_TRUE(error);
    EXPECT_LT(error->position, position_bound);
    EXPECT_LT(error->velocity, velocity_bound);
    EXPECT_NEAR(report.energy.initial, 35.835, 1e-12);
    if (*order) EXPECT_LT(report.energy.max_abs_error, 1e-6);
    for (const std::string& body : scene.system.body_names())
      EXPECT_NEAR(position(scene.system, report.final_state, body).z(), 0, 1e-10) << body;
  }
}

// Undriven for 1,000 turns of the crank.
TEST(Linkages, StayClosedAndKeepTheirEnergyFor1000Turns) {
  for (const auto& [name, crank, duration, steps] :
       {std::tuple{"slider_crank", "main", 550.0, 22000L}, {"four_bar", "A", 850.0, 42500L}}) {
    SCOPED_TRACE(name);
    const io::Scene scene = io::load_scene(name);
    const Watched end = watch(scene.system, "energy_momentum", steps, duration);
    EXPECT_GT(end.joint(crank).value, 1000 * 2 * pi);
    EXPECT_LT(end.report.constraint_error.max, 1e-12);
    EXPECT_LT(end.report.energy.max_abs_error, 1e-9 * end.report.energy.initial);
    EXPECT_EQ(end.report.cost.halved_steps + end.report.cost.compromise_steps, 0);
  }
}

// What the joints say is what the geometry says: the piston is where the crank's angle puts it.
TEST(Linkages, PistonFollowsTheCrank) {
  const io::Scene scene = io::load_scene("slider_crank");
  for (const char* method : {"energy_momentum", "icd2", "dop853", "rattle"}) {
    const Watched end = watch(scene.system, method, 437, 1.37);
    const double a = end.joint("main").value;
    EXPECT_NEAR(position(scene.system, end.report.final_state, "piston").x(),
                0.1 * std::cos(a) + std::sqrt(0.09 - 0.01 * std::pow(std::sin(a), 2)), 1e-12)
        << method;
  }
}

// One freedom: ½ I(a) ȧ² stays, with I(a) from the geometry. That is the motion, by one quadrature.
TEST(Linkages, SliderCrankMovesAsItsOneEquationSays) {
  const io::Scene scene = io::load_scene("slider_crank");
  const double r = 0.1, l = 0.3, mc = 1, mr = 0.5, mp = 0.8;
  const auto inertia = [&](double a) {
    const double s = r * std::sin(a) / l, c = std::sqrt(1 - s * s);
    const double tilt = r * std::cos(a) / (l * c);  // per rad of the crank
    const double piston = -r * std::sin(a) - l * s * tilt;
    const double x = -r * std::sin(a) - 0.5 * l * s * tilt, y = 0.5 * r * std::cos(a);
    return mc * r * r / 3 + mr * (x * x + y * y + l * l / 12 * tilt * tilt) + mp * piston * piston;
  };
  const double start = 0.5, energy = 0.5 * inertia(start) * std::pow(4 * pi, 2);
  // A whole turn takes ∫ √(I/2E) da.
  const double turn =
      2 * integral_over_half_a_turn([&](double s) { return std::sqrt(inertia(s) / (2 * energy)); });
  EXPECT_NEAR(scene.system.energy(scene.system.initial_state()), energy, 1e-12);
  for (const auto& [method, order, tolerance] :
       {std::tuple{"dop853", "", 1e-8}, {"energy_momentum", "4", 1e-5}, {"rattle", "", 0.1}}) {
    std::vector<OptionValue> options;
    if (*order) options.push_back({"order", order});
    const Watched end = watch(scene.system, method, 1000, 10 * turn, options);
    EXPECT_NEAR(end.joint("main").value, start + 20 * pi, tolerance) << method;
    EXPECT_NEAR(end.joint("main").rate, 4 * pi, 100 * tolerance) << method;
  }
}

// N uniform rods hung in a row, absolute angles: M_ij = m L² (½ + N − 1 − j), M_ii with ⅓ for ½,
// K_ii = m g L (½ + N − 1 − i).
TEST(CompoundPendulum, HasItsLinearisedFrequencies) {
  const int N = 5;
  const double m = 1.5, L = 0.4, g = 9.81, amplitude = 1e-4;
  MatX M(N, N), K = MatX::Zero(N, N);
  for (int i = 0; i < N; ++i) {
    K(i, i) = m * g * L * (N - 0.5 - i);
    for (int j = 0; j < N; ++j) M(i, j) = m * L * L * (N - 0.5 - std::max(i, j));
    M(i, i) = m * L * L * (N - 2.0 / 3 - i);
  }
  const testing::Modes modes = testing::generalized_modes(K, M);
  for (int k = 0; k < N; ++k) {
    const VecX shape = modes.shapes.col(k).normalized() * amplitude;
    const double omega = std::sqrt(modes.values[k]);
    System system;
    apply(system, Gravity{{0, -g, 0}});
    Vec3 at = Vec3::Zero();
    BodyId last = world_body;
    for (int i = 0; i < N; ++i) {
      RigidBody rod;
      rod.mass = m;
      rod.inertia = Vec3(m * L * L / 12, 1e-3, m * L * L / 12).asDiagonal();
      rod.orientation = Quat(Eigen::AngleAxisd(shape[i], Vec3::UnitZ()));
      rod.position = at + rod.orientation * Vec3(0, -0.5 * L, 0);
      const BodyId body = system.add(rod, "rod" + std::to_string(i));
      Hinge joint = hinge(body, at, Vec3::UnitZ(), last);
      joint.turn_at_start = i == 0 ? shape[0] : shape[i] - shape[i - 1];
      constrain(system, joint, "hinge" + std::to_string(i));
      at += rod.orientation * Vec3(0, -L, 0);
      last = body;
    }
    // After 2¼ swings it passes through the middle, with its largest speed.
    const Watched end = watch(system, "dop853", 400, 2.25 * 2 * pi / omega);
    double sum = 0, rate = 0;
    for (int i = 0; i < N; ++i) {
      sum += end.joint("hinge" + std::to_string(i)).value;
      rate += end.joint("hinge" + std::to_string(i)).rate;
      EXPECT_NEAR(sum, 0, 1e-6 * amplitude) << "mode " << k << ", rod " << i;
      EXPECT_NEAR(rate, -omega * shape[i], 1e-6 * omega * amplitude) << "mode " << k;
    }
  }
}

// Torques by Lagrange's equations in the rods' own angles q1, q2.
struct Torques {
  double shoulder, elbow;
};
Torques torques(double t) {
  const double m = 1, L = 1, d = 0.02, g = 9.81, I = m * (d * d / 16 + L * L / 12);
  const auto motion = [&](double a, double swing, double f) {
    const double w = 2 * pi * f;
    return Vec3(a + swing * (1 - std::cos(w * t)), swing * w * std::sin(w * t),
                swing * w * w * std::cos(w * t));
  };
  const Vec3 q1 = motion(0.3, 0.8, 0.5), q2 = q1 + motion(0.2, 1, 0.8);
  const double c = 0.5 * m * L * L * std::cos(q1[0] - q2[0]);
  const double s = 0.5 * m * L * L * std::sin(q1[0] - q2[0]);
  const double Q1 = (I + 1.25 * m * L * L) * q1[2] + c * q2[2] + s * q2[1] * q2[1] +
                    1.5 * m * g * L * std::sin(q1[0]);
  const double Q2 = (I + 0.25 * m * L * L) * q2[2] + c * q1[2] - s * q1[1] * q1[1] +
                    0.5 * m * g * L * std::sin(q2[0]);
  return {Q1 + Q2, Q2};
}

TEST(InverseDynamics, TorquesAreThoseOfLagrangesEquations) {
  const io::Scene scene = io::load_scene("driven_double_rod");
  const int shoulder = row_of(scene.system, "shoulder_motor"),
            elbow = row_of(scene.system, "elbow_motor");
  for (const auto& [method, tolerance] : {std::pair{"dop853", 1e-10},
                                          {"rk4_projected", 1e-10},
                                          {"rattle", 1e-10},
                                          {"energy_momentum", 0.3},
                                          {"icd2", 0.3}}) {
    SCOPED_TRACE(method);
    double worst = 0;
    int count = 0;
    run(scene.system, method, 0.01, 5, {}, [&](const State& state, const VecX& lambda) {
      const Torques expected = torques(state.time);
      worst = std::max({worst, std::abs(-lambda[shoulder] - expected.shoulder),
                        std::abs(-lambda[elbow] - expected.elbow)});
      ++count;
    });
    EXPECT_EQ(count, 501);
    EXPECT_LT(worst, tolerance);
  }
}

}  // namespace
}  // namespace taut
