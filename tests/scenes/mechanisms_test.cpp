// The scenes of mechanisms: they run as they are, have the freedoms they should, and their
// redundant rows are named.
#include "support/mechanisms.hpp"

#include "taut/analysis/diagnosis.hpp"

namespace taut {
namespace {

using namespace testing;

struct Mechanism {
  const char* name;
  int freedoms, redundant;
};
const std::vector<Mechanism> mechanisms{
    {"double_rod", 2, 0},     {"triple_rod", 3, 0},        {"slider_crank", 1, 3},
    {"four_bar", 1, 3},       {"n_four_bar_hinges", 1, 6}, {"spinning_top", 3, 0},
    {"gyroscope", 3, 0},      {"scissor_lift", 0, 63},     {"rope_bridge", 98, 104},
    {"newtons_cradle", 5, 0}, {"differential", 2, 0},      {"driven_double_rod", 0, 0}};

void PrintTo(const Mechanism& mechanism, std::ostream* out) { *out << mechanism.name; }

class EveryMechanism : public ::testing::TestWithParam<Mechanism> {};
INSTANTIATE_TEST_SUITE_P(Scenes, EveryMechanism, ::testing::ValuesIn(mechanisms),
                         [](const auto& mechanism) { return std::string(mechanism.param.name); });

TEST_P(EveryMechanism, HasItsFreedomsAndNamesItsRedundantRows) {
  const io::Scene scene = io::load_scene(GetParam().name);
  const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
  EXPECT_EQ(diagnosis.degrees_of_freedom, GetParam().freedoms);
  EXPECT_EQ(diagnosis.rank, diagnosis.generic_rank);
  EXPECT_FALSE(diagnosis.has_conflict());
  EXPECT_TRUE(diagnosis.position_violations.empty());
  EXPECT_TRUE(diagnosis.velocity_violations.empty());
  ASSERT_EQ(diagnosis.dependencies.size(), static_cast<std::size_t>(GetParam().redundant));
  for (const Dependency& dependency : diagnosis.dependencies) {
    EXPECT_FALSE(dependency.constraint.empty());
    EXPECT_FALSE(dependency.depends_on.empty()) << dependency.constraint;
    EXPECT_FALSE(dependency.only_here) << dependency.constraint;
  }
}

TEST_P(EveryMechanism, RunsAsItIs) {
  const io::Scene scene = io::load_scene(GetParam().name);
  const long steps = std::min(200L, std::lround(scene.duration / scene.step));
  const RunReport report =
      watch(scene.system, scene.method, steps, static_cast<double>(steps) * scene.step).report;
  EXPECT_EQ(report.cost.halved_steps, 0);
  EXPECT_EQ(report.cost.compromise_steps, 0);
  EXPECT_EQ(report.cost.unconverged_steps, 0);
  EXPECT_EQ(report.activation.count, 0);  // the start is legal, in position and velocity
  EXPECT_LT(report.constraint_error.max, 1e-10);
  if (report.energy.conservative)
    EXPECT_LT(report.energy.max_abs_error, 1e-7 * std::max(1.0, std::abs(report.energy.initial)));
}

const std::vector<std::string> implicit_methods{"implicit1", "implicit2", "rattle",
                                                "icd",       "icd2",      "energy_momentum"};

// The work of the winch, from the heights: it has one freedom, and that is driven.
//   T = ½ M(φ) φ̇²,  V = weight·height;  force·ẇ = −d(T + V)/dt, w = L cos φ.
struct ScissorLift {
  int stages = 20;
  double L = 1, m = 2, d = 0.06, load = 50, low = 0.3, high = 1, T = 4, g = 9.81;

  double width(double t) const {
    return L * (std::cos(low) + (std::cos(high) - std::cos(low)) * (1 - std::cos(pi * t / T)) / 2);
  }
  double width_rate(double t) const {
    return L * (std::cos(high) - std::cos(low)) * std::sin(pi * t / T) * pi / (2 * T);
  }
  double angle(double t) const { return std::acos(width(t) / L); }
  double height(double t) const { return stages * L * std::sin(angle(t)); }
  double energy(double t) const {
    const double a = angle(t), rate = -width_rate(t) / (L * std::sin(a));
    const double I = m * (d * d / 16 + L * L / 12);
    const double x = 0.5 * L * std::sin(a) * rate;  // of the bars' middles
    double sum = 0;
    for (int i = 0; i < stages; ++i) {
      const double y = (i + 0.5) * L * std::sin(a), v = (i + 0.5) * L * std::cos(a) * rate;
      sum += 2 * (0.5 * m * (x * x + v * v) + 0.5 * I * rate * rate + m * g * y);
    }
    const double v = stages * L * std::cos(a) * rate;
    sum += 0.5 * load * v * v + load * g * height(t);              // the platform
    sum += 0.5 * (4 * x * x + v * v) + g * height(t) + 2 * x * x;  // shoe and foot, 1 kg each
    return sum;
  }
  /// Along the rail, by central differences.
  double force(double t) const {
    const double h = 1e-4;
    return (energy(t + h) - energy(t - h)) / (2 * h) / width_rate(t);
  }
};

TEST(ScissorLift, RisesUnderEveryImplicitMethod) {
  const io::Scene scene = io::load_scene("scissor_lift");
  const ScissorLift lift;
  EXPECT_NEAR(scene.system.energy(scene.system.initial_state()), lift.energy(0), 1e-9);
  for (const std::string& method : implicit_methods) {
    SCOPED_TRACE(method);
    const bool exact = method != "implicit1" && method != "implicit2";
    const Watched end = watch(scene.system, method, 100, 1);
    const Vec3 top = position(scene.system, end.report.final_state, "platform");
    EXPECT_NEAR(top.y(), lift.height(1), exact ? 1e-9 : 0.05);
    EXPECT_NEAR(top.z(), 0, 1e-9);
    if (exact) EXPECT_LT(end.report.constraint_error.max, 1e-10);
    const double force = -end.lambda[row_of(scene.system, "winch")];
    if (method == "rattle") EXPECT_NEAR(force, lift.force(1), 1e-5 * std::abs(lift.force(1)));
  }
}

TEST(ScissorLift, TheWinchPullsAsItsGeometrySays) {
  for (const int stages : {1, 3, 20}) {
    SCOPED_TRACE(stages);
    const io::Scene scene = io::load_scene(
        "scissor_lift", std::vector<io::Setting>{{"stages", std::to_string(stages)}});
    ScissorLift lift;
    lift.stages = stages;
    RunOptions options;
    options.step = 0.02;
    options.duration = 2;
    options.record_every = 25;
    options.record = [&](const State& state, const VecX& lambda) {
      if (state.time == 0) return;  // the rate is zero there
      const double expected = lift.force(state.time);
      EXPECT_NEAR(-lambda[row_of(scene.system, "winch")], expected, 1e-6 * std::abs(expected))
          << state.time;
    };
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method("rattle"), options);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  }
}

TEST(RopeBridge, HangsUnderEveryImplicitMethod) {
  const io::Scene scene = io::load_scene("rope_bridge");
  const State close =
      watch(scene.system, "rattle", 120, 0.3).report.final_state;  // others come near it
  const double height = position(scene.system, close, "walker").y();
  for (const std::string& method : implicit_methods) {
    SCOPED_TRACE(method);
    const Watched end = watch(scene.system, method, 60, 0.3);
    EXPECT_LT(end.report.constraint_error.max, method == "implicit1"   ? 1e-5
                                               : method == "implicit2" ? 1e-6
                                                                       : 1e-11);
    const double y = position(scene.system, end.report.final_state, "walker").y();
    EXPECT_NEAR(y, height, method == "implicit1" || method == "icd" ? 3e-3 : 1e-4);
    // In one plane, and both ropes alike.
    for (const std::string& body : scene.system.body_names())
      EXPECT_NEAR(position(scene.system, end.report.final_state, body).z(), 0, 1e-9) << body;
    const int left = row_of(scene.system, "bank_left"), right = row_of(scene.system, "bank_right");
    EXPECT_NEAR(end.lambda[left], end.lambda[right], 1e-6 * std::abs(end.lambda[left]));
    EXPECT_NEAR(end.lambda[left + 1], end.lambda[right + 1], 1e-6 * std::abs(end.lambda[left]));
  }
}

// A pendulum as long as the V is deep.
TEST(NewtonsCradle, SwingsAsDeepAsItHangs) {
  const io::Scene scene = io::load_scene("newtons_cradle");
  const double period = 4 * std::comp_ellint_1(std::sin(0.4)) * std::sqrt(0.25 / 9.81);
  const State end = watch(scene.system, "dop853", 200, 2.25 * period).report.final_state;
  EXPECT_NEAR(position(scene.system, end, "ball0").x(), 0, 1e-9);
  EXPECT_NEAR(velocity(scene.system, end, "ball0").x(), 2 * std::sqrt(9.81 * 0.25) * std::sin(0.4),
              1e-9);
  for (int i = 1; i < 5; ++i) {
    const Vec3 ball = position(scene.system, end, "ball" + std::to_string(i));
    EXPECT_LT((ball - Vec3(0.04 * i, -0.25, 0)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace taut
