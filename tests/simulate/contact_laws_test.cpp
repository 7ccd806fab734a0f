// Contacts that give way, that resist rolling and spinning, and friction that depends on the
// direction, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/scene/scene.hpp"

namespace taut {
namespace {

constexpr double gravity = 10;

/// A body on a plane with given properties, under a gravity that leans towards `lean`.
std::string on_plane(const std::string& surface, const std::string& body, double step,
                     double duration, const Vec3& lean = Vec3::Zero()) {
  const auto number = [](double x) { return std::to_string(x); };
  return R"({ "taut": 1, "name": "n", "shapes": [ { "type": "plane", )" + surface +
         R"( } ], "bodies": [ { "type": "rigid", "name": "body", "mass": 2, )" + body +
         R"( } ], "forces": [ { "type": "gravity", "acceleration": [)" + number(lean.x()) + ", " +
         number(lean.y()) + ", " + number(-gravity) + R"(] } ], "simulation": { "step": )" +
         number(step) + R"(, "duration": )" + number(duration) + " } }";
}

RunReport run_scene(const std::string& text, std::string_view method) {
  const io::Scene scene = io::parse_scene(text, "scene");
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  options.reactions = true;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

/// Empty: the run is trusted.
std::string doubts(const RunReport& report) {
  if (report.is_trusted()) return "";
  return report.doubts.empty() ? "it did not end well" : report.doubts.front();
}

std::string ball(double height, const std::string& more = "") {
  return R"("position": [0, 0, )" + std::to_string(height) + "], " + more +
         R"("shapes": [ { "type": "sphere", "radius": 0.1, "friction": 0.5 } ])";
}

std::string block(double height, const std::string& more = "") {
  return R"("position": [0, 0, )" + std::to_string(height) + "], " + more +
         R"("shapes": [ { "type": "box", "size": [0.4, 0.4, 0.2], "friction": 1 } ])";
}

class ContactLaws : public ::testing::TestWithParam<std::string> {
 protected:
  static RunReport run(const std::string& text) { return run_scene(text, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Methods, ContactLaws,
                         ::testing::Values("implicit1", "icd2", "energy_momentum", "rattle",
                                           "dop853"),
                         [](const auto& info) { return info.param; });

// It swings about where the spring bears its weight, and never leaves the ground.
TEST_P(ContactLaws, ABallOnASpringSwings) {
  const double k = 2000, sag = 2 * gravity / k, rate = std::sqrt(k / 2), amplitude = 0.004;
  const double duration = 0.9;
  const RunReport report =
      run(on_plane(R"("stiffness": 2000)", ball(0.1 - sag - amplitude), 5e-4, duration));
  EXPECT_EQ(report.status, RunStatus::ok);
  const double swing = report.final_state.q[2] - (0.1 - sag);
  if (GetParam() == "implicit1" || GetParam() == "icd2") {
    EXPECT_LT(std::abs(swing), amplitude);
    return;
  }
  EXPECT_EQ(doubts(report), "");
  EXPECT_NEAR(swing, -amplitude * std::cos(rate * duration), 0.01 * amplitude);
  EXPECT_LT(report.energy.max_abs_error, 0.01 * 0.5 * k * amplitude * amplitude);
}

TEST_P(ContactLaws, ADamperTakesTheSwing) {
  const double k = 2000, d = 8, sag = 2 * gravity / k, amplitude = 0.004, duration = 0.5;
  const RunReport report = run(on_plane(R"("stiffness": 2000, "damping": 8)",
                                        ball(0.1 - sag - amplitude), 2.5e-4, duration));
  EXPECT_EQ(doubts(report), "");
  const double decay = d / 4, rate = std::sqrt(k / 2 - decay * decay);
  const double swing = report.final_state.q[2] - (0.1 - sag);
  const double expected = -amplitude * std::exp(-decay * duration) *
                          (std::cos(rate * duration) + decay / rate * std::sin(rate * duration));
  const bool is_first_order = GetParam() == "implicit1";
  EXPECT_NEAR(swing, expected, (is_first_order ? 0.15 : 0.02) * amplitude);
}

// A block bears on four points. However stiff, nothing needs a small step.
TEST_P(ContactLaws, ABlockSinksByItsWeightOverTheStiffness) {
  for (const double k : {500.0, 1e5, 1e9}) {
    const double damping = 2 * std::sqrt(k * 0.5);
    const std::string surface = R"("friction": 0.5, "stiffness": )" + std::to_string(k) +
                                R"(, "damping": )" + std::to_string(damping);
    const RunReport report = run(on_plane(surface, block(0.1), 1.0 / 60, 4));
    EXPECT_EQ(doubts(report), "");
    const double sag = 2 * gravity / (4 * k);
    EXPECT_NEAR(report.final_state.q[2], 0.1 - sag, 1e-6 * sag + 1e-11) << k;
    EXPECT_LT(report.final_state.v.norm(), 1e-8) << k;
    EXPECT_EQ(report.contacts.overlap, 0) << k;
    ASSERT_EQ(report.contacts.pairs.size(), 1u);
    EXPECT_NEAR(report.contacts.pairs.front().final_force.z(), 2 * gravity, 1e-5) << k;
  }
}

// What gives way along the normal does not creep along the surface.
TEST_P(ContactLaws, ABlockOnASoftInclineStaysWhereItIs) {
  const std::string surface = R"("friction": 0.5, "stiffness": 5000, "damping": 200)";
  const Vec3 lean(4, 0, 0);
  const RunReport soon = run(on_plane(surface, block(0.1), 0.01, 2, lean));
  const RunReport late = run(on_plane(surface, block(0.1), 0.01, 12, lean));
  EXPECT_EQ(doubts(late), "");
  EXPECT_LT((soon.final_state.q - late.final_state.q).norm(), 1e-8);
  EXPECT_GT(late.final_state.q[0], -0.01);
}

// It falls on the spring and leaves it again with nearly its speed: nothing overlaps at the end.
TEST_P(ContactLaws, ABallBouncesOffASpring) {
  const RunReport report = run(on_plane(R"("stiffness": 20000)", ball(0.3), 1e-4, 0.45));
  EXPECT_EQ(doubts(report), "");
  EXPECT_EQ(report.impacts.count, 0);
  EXPECT_GT(report.final_state.q[2], 0.25);
  EXPECT_LT(report.final_state.q[2], 0.3 + 1e-9);
}

// It rolls without sliding, against a torque ρ N: 7 r v² / (10 ρ g) to its rest.
TEST_P(ContactLaws, ARollingBallStops) {
  const double rho = 0.02;
  const std::string rolls = R"("velocity": [1, 0, 0], "angular_velocity": [0, 10, 0], )";
  const RunReport report =
      run(on_plane(R"("friction": 0.5, "rolling_friction": 0.02)", ball(0.1, rolls), 1e-3, 1));
  EXPECT_EQ(doubts(report), "");
  const double way = 7 * 0.1 / (10 * rho * gravity);
  EXPECT_NEAR(report.final_state.q[0], way, 2e-3 * way);
  EXPECT_LT(report.final_state.v.norm(), 1e-9);
  const double energy = 0.5 * 2 * 1 * 7 / 5;
  EXPECT_NEAR(report.energy.friction, -energy, 5e-3 * energy);
}

// A ball at rest on a slope begins to roll where tan α = ρ / r.
TEST_P(ContactLaws, ABallRestsOnASlightSlope) {
  for (const double steepness : {0.99, 1.01}) {
    const Vec3 lean(0, steepness * gravity * 0.02 / 0.1, 0);
    const RunReport report =
        run(on_plane(R"("friction": 0.5, "rolling_friction": 0.02)", ball(0.1), 1e-2, 2, lean));
    EXPECT_EQ(doubts(report), "");
    const double expected = 0.5 * 4 * 5.0 / 7 * 0.01 * gravity * 0.2;
    if (steepness < 1)
      EXPECT_LT(std::abs(report.final_state.q[1]), 1e-9);
    else
      EXPECT_NEAR(report.final_state.q[1], expected, 0.03 * expected);
  }
}

// About the vertical it slows down by σ m g / I.
TEST_P(ContactLaws, ASpinningBallStops) {
  const double sigma = 0.002, inertia = 0.4 * 2 * 0.01, rate = sigma * 2 * gravity / inertia;
  const std::string spins = R"("angular_velocity": [0, 0, 6], )";
  const std::string surface = R"("friction": 0.5, "spinning_friction": 0.002)";
  const RunReport spinning = run(on_plane(surface, ball(0.1, spins), 1e-3, 0.8));
  EXPECT_EQ(doubts(spinning), "");
  EXPECT_NEAR(spinning.final_state.v[5], 6 - 0.8 * rate, 1e-9 + 2e-3 * rate);
  const RunReport stopped = run(on_plane(surface, ball(0.1, spins), 1e-3, 6 / rate + 0.1));
  EXPECT_LT(std::abs(stopped.final_state.v[5]), 1e-9);
  EXPECT_LT(stopped.final_state.q.head<2>().norm(), 1e-9);
}

// The geometric means are 0.2 along the grain and 0.6 across it: a force in direction a is held up to
// N / |(cos a / 0.2, sin a / 0.6)|.
TEST_P(ContactLaws, FrictionDependsOnTheDirectionOfTheGrain) {
  for (const double azimuth : {0.0, 0.3, 0.8, 1.2, 1.5707963, 2.4, 4.0}) {
    const double held = 1 / std::hypot(std::cos(azimuth) / 0.2, std::sin(azimuth) / 0.6);
    for (const double steepness : {0.998, 1.002}) {
      const Vec3 lean = steepness * held * gravity * Vec3(std::cos(azimuth), std::sin(azimuth), 0);
      const std::string surface =
          R"("friction": 0.04, "friction_across": 0.36, "grain": [2, 0, 0.5])";
      const RunReport report = run(on_plane(surface, block(0.1), 0.01, 0.5, lean));
      EXPECT_EQ(doubts(report), "");
      const double way = report.final_state.q.head<2>().norm();
      if (steepness < 1)
        EXPECT_LT(way, 1e-9) << azimuth;
      else
        EXPECT_GT(way, 1e-4 * held) << azimuth;
    }
  }
}

// What slides is resisted by N (μ₁² u₁, μ₂² u₂) / |(μ₁ u₁, μ₂ u₂)|: the force that takes the most.
TEST_P(ContactLaws, FrictionOfAGrainTakesTheMostEnergy) {
  const std::string slides = R"("velocity": [3, 4, 0], )";
  const std::string surface = R"("friction": 0.04, "friction_across": 0.36, "grain": [1, 0, 0])";
  const double duration = 0.01;
  const RunReport report = run(on_plane(surface, block(0.1, slides), 1e-3, duration));
  EXPECT_EQ(doubts(report), "");
  const Vec3 force = Vec3(0.04 * 3, 0.36 * 4, 0) / std::hypot(0.2 * 3, 0.6 * 4);
  const Vec3 change = report.final_state.v.head<3>() - Vec3(3, 4, 0);
  EXPECT_LT((change + gravity * duration * force).norm(), 2e-3 * gravity * duration);
}

// One step of what other engines do: (A + CFM/h) λ = −(u + ERP g/h) / h.
TEST(ContactPresets, ErpAndCfmAsInOtherEngines) {
  const double h = 1e-3, erp = 0.2, cfm = 0.01, gap = -0.001;
  const std::string text = on_plane(R"("erp": 0.2, "cfm": 0.01)", ball(0.1 + gap), h, h);
  const RunReport report = run_scene(text, "implicit1");
  const double free = -gravity * h;
  const double lambda = -(free + erp * gap / h) / h / (0.5 + cfm / h);
  EXPECT_NEAR(report.final_state.v[2], free + 0.5 * h * lambda, 1e-9);
  const Compliance law = compliance_of(erp, cfm, h);
  EXPECT_NEAR(h * law.stiffness / (h * law.stiffness + law.damping), erp, 1e-14);
  EXPECT_NEAR(1 / (h * law.stiffness + law.damping), cfm, 1e-14);
}

}  // namespace
}  // namespace taut
