// What touches, against closed forms, at all scales and under methods of all orders: a run may be
// wrong, but then it is not trusted.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "taut/analysis/verify.hpp"
#include "taut/scene/scene.hpp"

namespace taut::contact_verdict {
namespace {

constexpr double gravity = 9.81;

/// Lengths are in units of the parameter s, times of sqrt(s): so gravity stays as it is.
struct Case {
  const char* name;
  const char* text;
  double duration;
  Vec3 end;     // of the first body, for s = 1
  double size;  // of the motion
};

/// Where a motion x″ = f(x) gets to, as long as `holds`; then it flies on.
struct Arc {
  double angle, rate, time;
};
Arc follow(double rate, const std::function<double(double)>& acceleration,
           const std::function<bool(double, double)>& holds) {
  constexpr double h = 1e-5;
  Arc arc{0, rate, 0};
  while (holds(arc.angle, arc.rate)) {  // leapfrog
    const double middle = arc.rate + 0.5 * h * acceleration(arc.angle);
    arc.angle += h * middle;
    arc.rate = middle + 0.5 * h * acceleration(arc.angle);
    arc.time += h;
  }
  return arc;
}

Case rolling() {
  constexpr double angle = 0.5, time = 1.2;
  const double way = 0.5 * gravity * std::sin(angle) / 1.4 * time * time;
  return {"a ball rolls down",
          R"json({"taut": 1, "parameters": {"s": {"value": 1}},
      "shapes": [{"type": "plane", "friction": 0.9, "orientation": {"axis": [0, 1, 0], "angle": 0.5}}],
      "bodies": [{"type": "rigid", "mass": 2, "position": ["=0.1*s*sin(0.5)", 0, "=0.1*s*cos(0.5)"],
                  "shapes": [{"type": "sphere", "radius": "=0.1*s", "friction": 0.9}]}],
      "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]
})json",
          time,
          {0.1 * std::sin(angle) + way * std::cos(angle), 0,
           0.1 * std::cos(angle) - way * std::sin(angle)},
          1};
}

Case bouncing() {
  constexpr double end = 1.37;
  double speed = std::sqrt(2 * gravity), time = speed / gravity;
  for (speed *= 0.8; time + 2 * speed / gravity < end; speed *= 0.8) time += 2 * speed / gravity;
  const double flown = end - time;
  return {"a ball bounces",
          R"json({"taut": 1, "parameters": {"s": {"value": 1}}, "shapes": [{"type": "plane"}],
      "bodies": [{"type": "rigid", "mass": 0.5, "position": [0, 0, "=1.1*s"],
                  "shapes": [{"type": "sphere", "radius": "=0.1*s", "restitution": 0.8}]}],
      "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})json",
          end,
          {0, 0, 0.1 + speed * flown - 0.5 * gravity * flown * flown},
          1};
}

Case leaving() {
  constexpr double radius = 1.1, end = 1.1;
  const Arc arc = follow(
      0.5 / radius, [](double angle) { return gravity / radius * std::sin(angle); },
      [](double angle, double rate) { return gravity * std::cos(angle) >= radius * rate * rate; });
  const double flown = end - arc.time, speed = radius * arc.rate;
  return {"a ball leaves a dome",
          R"json({"taut": 1, "parameters": {"s": {"value": 1}},
      "shapes": [{"type": "sphere", "radius": "=s", "friction": 0}],
      "bodies": [{"type": "rigid", "mass": 1, "position": [0, 0, "=1.1*s"],
                  "velocity": ["=0.5*sqrt(s)", 0, 0],
                  "shapes": [{"type": "sphere", "radius": "=0.1*s", "friction": 0}]}],
      "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]
})json",
          end,
          {radius * std::sin(arc.angle) + speed * std::cos(arc.angle) * flown, 0,
           radius * std::cos(arc.angle) - speed * std::sin(arc.angle) * flown -
               0.5 * gravity * flown * flown},
          1};
}

/// It does not turn, so that its inertia does not matter: not for how large the scene is either.
Case rubbing() {
  constexpr double end = 0.37, stiffness = 200, shift = 0.3 * gravity / stiffness;
  const double half = M_PI / std::sqrt(stiffness);
  double x = 0.5, time = 0;
  for (; time + half < end; time += half) x = 2 * std::copysign(shift, x) - x;
  const double centre = std::copysign(shift, x);
  return {
      "a block on a spring rubs",
      R"json({"taut": 1, "parameters": {"s": {"value": 1}}, "shapes": [{"type": "plane", "friction": 0.3}],
      "bodies": [{"type": "rigid", "name": "block", "mass": 1,
                  "inertia": ["=1000*s*s", "=1000*s*s", "=1000*s*s"], "position": ["=0.5*s", 0, "=0.05*s"],
                  "shapes": [{"type": "box", "size": ["=0.2*s", "=0.2*s", "=0.1*s"], "friction": 0.3}]}],
      "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]},
                 {"type": "spring", "a": [0, 0, "=0.05*s"], "b": "block", "stiffness": "=200/s", "length": 0}]})json",
      end,
      {centre + (x - centre) * std::cos(std::sqrt(stiffness) * (end - time)), 0, 0.05},
      0.5};
}

struct Outcome {
  RunReport report;
  double error;  // of the motion's size
};

Outcome run(const Case& given, const std::string& method, double scale, double step,
            const std::string& solver = "exact") {
  const std::vector<io::Setting> settings{{"s", std::to_string(scale * 1e6) + "e-6"}};
  const io::Scene scene = io::parse_scene(given.text, "scene", settings);
  RunOptions options;
  options.step = step * std::sqrt(scale);
  options.duration = given.duration * std::sqrt(scale);
  options.contact_solver = solver;
  Outcome outcome{
      simulate_verified(
          scene.system, scene.system.initial_state(), [&] { return make_method(method); }, options,
          trusted_error, VerifyWhat::unasked),
      0};
  outcome.error = (outcome.report.final_state.q.head<3>() / scale - given.end).norm() / given.size;
  return outcome;
}

TEST(ContactVerdict, WhatIsTrustedIsRight) {
  for (const Case& given : {rolling(), bouncing(), leaving(), rubbing()})
    for (const char* method : {"dop853", "energy_momentum", "rattle", "icd2", "implicit1"})
      for (const double scale : {1e-6, 1.0, 1e3})
        for (const double step : {0.01, 1.0 / 30}) {
          const Outcome outcome = run(given, method, scale, step);
          const std::string_view verdict = verdict_text(outcome.report);
          EXPECT_TRUE(verdict == "suspect" || outcome.error < 2 * trusted_error)
              << given.name << ", " << method << ", scale " << scale << ", step " << step
              << ": off by " << outcome.error;
          EXPECT_NE(verdict, "sensitive") << given.name << ", " << method;
        }
}

// What is right needs no doubt: an impact is no sign of too long a step.
TEST(ContactVerdict, WhatIsRightIsTrusted) {
  for (const Case& given : {rolling(), bouncing(), leaving(), rubbing()})
    for (const double scale : {1e-6, 1.0, 1e3}) {
      const Outcome outcome = run(given, "dop853", scale, 0.01);
      EXPECT_LT(outcome.error, 2e-3) << given.name;
      EXPECT_TRUE(outcome.report.is_trusted())
          << given.name << ", scale " << scale << ": " << outcome.report.doubts.front();
    }
  const Outcome bounced = run(bouncing(), "energy_momentum", 1, 0.01);
  EXPECT_LT(bounced.error, 1e-9);
  EXPECT_TRUE(bounced.report.is_trusted()) << bounced.report.doubts.front();
}

// It was slowed down just before it bounced, by the same at every step.
TEST(ContactVerdict, BouncesInRealTimeAreExact) {
  EXPECT_LT(run(bouncing(), "dop853", 1, 0.01, "real_time").error, 1e-9);
}

// Nothing else would do better: it is trusted until then.
TEST(ContactVerdict, SensitiveMotionIsNotHeldAgainstTheMethod) {
  const io::Scene scene = io::load_scene("dominoes", {});
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  const RunReport report = simulate_verified(
      scene.system, scene.system.initial_state(), [] { return make_method("dop853"); }, options,
      trusted_error, VerifyWhat::unasked);
  EXPECT_EQ(verdict_text(report), "sensitive");
  EXPECT_GT(report.verification->until, 0.05);
  EXPECT_LT(report.verification->until, scene.duration);
}

}  // namespace
}  // namespace taut::contact_verdict
