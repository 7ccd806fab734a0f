// Derivatives that can be written down.
#include <gtest/gtest.h>

#include <cmath>

#include "families.hpp"
#include "support/messages.hpp"
#include "taut/base/error.hpp"
#include "taut/derivatives/gradient.hpp"

namespace taut::testing {
namespace {

const char* const thrown = R"({"taut": 1, "name": "thrown",
  "parameters": {"speed": {"value": 3}, "g": {"value": 9.81}, "mass": {"value": 2}},
  "bodies": [{"type": "particle", "name": "ball", "mass": "=mass", "position": [0, 0, 0],
              "velocity": ["=speed", "=2*speed", 0]}],
  "forces": [{"type": "gravity", "acceleration": [0, "=-g", 0]}],
  "simulation": {"step": 0.01, "duration": 1.5}})";

TEST(ClosedForms, Ballistic) {
  const ModelFamily family = text_family(thrown, {"speed", "g", "mass"});
  for (const char* method : {"energy_momentum", "rattle", "rk4_projected", "dop853"}) {
    SCOPED_TRACE(method);
    const Sensitivities found =
        sensitivities(family, derived(method), steps_of(0.01, 1.5), {.initial_state = true});
    EXPECT_NEAR(found.end_slopes[0].q[0], 1.5, 1e-8);
    EXPECT_NEAR(found.end_slopes[0].q[1], 3, 1e-8);
    EXPECT_NEAR(found.end_slopes[1].q[1], -0.5 * 1.5 * 1.5, 1e-8);
    EXPECT_NEAR(found.end_slopes[1].v[1], -1.5, 1e-8);
    EXPECT_NEAR(found.end_slopes[2].q.norm(), 0, 1e-8);
    EXPECT_NEAR(found.end_slopes[3].q[0], 1, 1e-8);        // of the start's x
    EXPECT_NEAR(found.end_slopes[3 + 4].q[1], 1.5, 1e-8);  // of its velocity along y
  }
}

// m ẍ = −k x − c ẋ, from x = 1 at rest.
TEST(ClosedForms, DampedOscillator) {
  const std::string scene = R"({"taut": 1, "name": "oscillator",
    "parameters": {"k": {"value": 40}, "c": {"value": 0.8}, "m": {"value": 1.5}},
    "bodies": [{"type": "particle", "name": "bob", "mass": "=m", "position": [2, 0, 0]}],
    "forces": [{"type": "spring", "a": [0, 0, 0], "b": "bob", "stiffness": "=k", "damping": "=c",
                "length": 1}],
    "simulation": {"step": 0.001, "duration": 2}})";
  const auto x = [](double k, double c, double m) {
    const double a = c / (2 * m), w = std::sqrt(k / m - a * a), t = 2;
    return 1 + std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t));
  };
  const auto slope = [](auto f, double at) {
    const double e = 1e-3 * at;
    return (f(at - 2 * e) - 8 * f(at - e) + 8 * f(at + e) - f(at + 2 * e)) / (12 * e);
  };
  const double of_k = slope([&](double k) { return x(k, 0.8, 1.5); }, 40);
  const double of_c = slope([&](double c) { return x(40, c, 1.5); }, 0.8);
  const double of_m = slope([&](double m) { return x(40, 0.8, m); }, 1.5);
  const ModelFamily family = text_family(scene, {"k", "c", "m"});
  for (const auto& [method, accuracy] :
       {std::pair{"dop853", 1e-7}, std::pair{"energy_momentum", 1e-4}, std::pair{"icd2", 1e-3}}) {
    SCOPED_TRACE(method);
    const Sensitivities found = sensitivities(family, derived(method), steps_of(0.001, 2));
    EXPECT_NEAR(found.end_slopes[0].q[0], of_k, accuracy * std::abs(of_k));
    EXPECT_NEAR(found.end_slopes[1].q[0], of_c, accuracy * std::abs(of_c));
    EXPECT_NEAR(found.end_slopes[2].q[0], of_m, accuracy * std::abs(of_m));
  }
}

// The period is 4 K(sin(θ/2)) √(L/g), so an angle after a time t is a function of t √(g/L):
// L ∂φ/∂L = −g ∂φ/∂g = −½ t φ̇. The force of the rod is proportional to the mass.
TEST(ClosedForms, Pendulum) {
  ModelFamily family = text_family("pendulum", {"L", "g", "m"});
  family.make = [make = family.make](const VecX& values) {
    Model model = make(values);
    model.sensors.add(model.system, {"angle", "atan(bob.x/(-bob.y))"});
    model.sensors.add(model.system, {"tension", "link.tension"});
    return model;
  };
  for (const char* method : {"icd2", "energy_momentum", "dop853"}) {
    SCOPED_TRACE(method);
    const double accuracy = std::string_view(method) == "dop853" ? 1e-6 : 2e-4;
    const Sensitivities found =
        sensitivities(family, derived(method), steps_of(0.001, 1), {.forces = true});
    const Model model = family.make(family.values());
    const int angle = model.sensors.find("angle"), tension = model.sensors.find("tension");
    const double x = found.end.q[0], y = found.end.q[1], vx = found.end.v[0], vy = found.end.v[1];
    const double rate = (x * vy - y * vx) / (x * x + y * y);
    const MatX& slopes = found.slopes.back();
    EXPECT_NEAR(slopes(angle, 0), -0.5 * rate, accuracy * std::abs(rate));
    EXPECT_NEAR(slopes(angle, 1) * 9.81, 0.5 * rate, accuracy * std::abs(rate));
    EXPECT_NEAR(slopes(angle, 2), 0, 1e-7);
    const double force = found.values.back()[static_cast<std::size_t>(tension)];
    EXPECT_NEAR(slopes(tension, 2), force, 1e-6 * force);
    EXPECT_NEAR(found.lambda[0], force, 1e-12 * force);
    EXPECT_NEAR(found.lambda_slopes(0, 1), slopes(tension, 1), 1e-9 * force);
  }
}

// A rigid body that turns freely about its axis of symmetry: the angle is ω t.
TEST(ClosedForms, SpinOfARigidBody) {
  const std::string scene = R"({"taut": 1, "name": "top",
    "parameters": {"spin": {"value": 2}},
    "bodies": [{"type": "rigid", "name": "disc", "mass": 1, "inertia": [1, 1, 2],
                "position": [0, 0, 0], "angular_velocity": [0, 0, "=spin"]}],
    "simulation": {"step": 0.01, "duration": 3}})";
  for (const char* method : {"icd", "icd2", "energy_momentum", "rattle"}) {
    SCOPED_TRACE(method);
    const Sensitivities found =
        sensitivities(text_family(scene, {"spin"}), derived(method), steps_of(0.01, 3));
    // (energy_momentum turns by Cayley's map: a little less.)
    EXPECT_NEAR(found.end_slopes[0].q[5], 3, 1e-3);
    EXPECT_NEAR(found.end_slopes[0].v[5], 1, 1e-8);
  }
}

TEST(Refusals, SayWhy) {
  const auto run = [](const std::string& scene, const char* name, RunOptions options) {
    return message_of([&] { sensitivities(text_family(scene, {name}), derived("icd"), options); });
  };
  const RunOptions options = steps_of(0.01, 0.1);
  EXPECT_TRUE(has_all(run("chain", "N", options), "N|whole number"));
  EXPECT_TRUE(has_all(run("pendulum", "l", options), "\"l\"|\"L\""));
  const std::string varied_step = R"({"taut": 1, "name": "s",
    "parameters": {"h": {"value": 0.01}},
    "bodies": [{"type": "particle", "name": "ball", "mass": 1, "position": [0, 0, 0]}],
    "simulation": {"step": "=h", "duration": 0.1}})";
  EXPECT_TRUE(has_all(run(varied_step, "h", options), "step|\"h\"|no derivative"));
  const std::string varied_count = R"json({"taut": 1, "name": "s",
    "parameters": {"n": {"value": 2}},
    "bodies": [{"repeat": {"count": "=floor(n)", "index": "i"}, "items": [
       {"type": "particle", "name": "ball{i}", "mass": 1, "position": ["=i", 0, 0]}]}],
    "simulation": {"step": 0.01, "duration": 0.1}})json";
  EXPECT_TRUE(has_all(run(varied_count, "n", options), "bodies|\"n\""));
  RunOptions automatic = options;
  automatic.tolerance = 1e-6;
  EXPECT_TRUE(has_all(run(thrown, "g", automatic), "fixed steps"));
}

}  // namespace
}  // namespace taut::testing
