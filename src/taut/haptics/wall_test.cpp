#include "taut/haptics/wall_test.hpp"

#include <algorithm>
#include <limits>

#include "taut/base/error.hpp"
#include "taut/haptics/force_feedback.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::haptics {
namespace {

constexpr double radius = 0.004;         // m, of the stylus
constexpr double at_rest = 0.01;         // swing, of how deep it is
constexpr double dies_down = 0.8;        // swing, of what it was half the time before
constexpr double thrown_away = 10;       // m: it has been thrown away
constexpr double tool_settling = 0.004;  // s

/// What moves along z, up from the wall.
struct Handle {
  double x = 0, v = 0;

  /// With a constant force: m v' = f − b v.
  void move(double mass, double friction, double force, double time) {
    if (friction == 0) {
      x += time * v + 0.5 * time * time * force / mass;
      v += time * force / mass;
      return;
    }
    const double final = force / friction, decay = std::exp(-friction / mass * time);
    x += final * time + (v - final) * (1 - decay) * mass / friction;
    v = final + (v - final) * decay;
  }
};

struct Swing {
  double lowest = INFINITY, highest = -INFINITY, sum = 0;
  long count = 0;
  void add(double x) {
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
    sum += x;
    ++count;
  }
  double size() const { return count > 0 ? highest - lowest : 0; }
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

/// A stylus above a plane, without weight.
System stylus_above_wall(const WallTest& test, const std::shared_ptr<hand::HeldStylus>& ghost) {
  System system;
  auto contacts = std::make_unique<collision::ShapeContacts>();
  contacts->add({BodyId{-1}, collision::plane(), {}, {}, 0, "wall"});
  hand::StylusOptions options;
  options.tip = test.tip;
  options.radius = radius;
  const hand::Stylus stylus = hand::add_stylus(system, *contacts, options, ghost);
  hand::LimbCoupling coupling = stylus.coupling;
  const double mass = system.mass(stylus.body);
  coupling.stiffness = test.stiffness;
  coupling.damping = 2 * std::max(std::sqrt(test.stiffness * mass), mass / tool_settling);
  coupling.most_force = std::numeric_limits<double>::infinity();
  hand::set_coupling(system, 0, coupling);
  system.add_contacts(std::move(contacts));
  return system;
}

}  // namespace

WallResult press(const WallTest& test) {
  for (const double value : {test.stiffness, test.rate, test.mass, test.push, test.seconds})
    if (!(value > 0) || !std::isfinite(value))
      throw Error("found a wall test with a number that is not above 0");
  const double T = 1 / test.rate;
  auto ghost = std::make_shared<hand::HeldStylus>();
  hand::HandState tip;
  tip.position.z() = radius + test.start;
  ghost->put(tip, 0);
  const System system = stylus_above_wall(test, ghost);
  const hand::Stylus& stylus = hand::styluses_of(system).front();
  const int at = system.slot(stylus.body).q + 2, speed_at = system.slot(stylus.body).v + 2;
  const auto method = make_method("icd");
  RunOptions options;
  options.step = T;
  options.contact_solver = "real_time";
  Stepping stepping(system, system.initial_state(), *method, options);

  Handle handle{test.start, 0};
  PassivityLimiter limiter;
  double before = handle.x, taken = 0;
  WallResult result;
  Swing middle, last;
  const long turns = std::lround(test.seconds / T);
  for (long turn = 0; turn < turns; ++turn) {
    const double x = handle.x;
    const double speed = (x - before) / T;
    before = x;
    tip.position.z() = radius + x;
    tip.velocity.z() = speed;
    ghost->put(tip, stepping.state().time + T);
    if (!stepping.step() || std::abs(x) > thrown_away) {
      result.swing = std::abs(x);
      return result;
    }
    const State& state = stepping.state();
    const double tool = state.q[at] - stylus.centre.z() - radius;
    double force = test.stiffness * (tool - x) + test.damping * (state.v[speed_at] - speed);
    if (test.is_limited) force = limiter.step(x, std::max(0.0, force));
    const double start = handle.x;
    handle.move(test.mass, test.friction, force - test.push, T);
    taken -= force * (handle.x - start);
    result.given = std::max(result.given, -taken);
    const double part = static_cast<double>(turn) / static_cast<double>(turns);
    if (part >= 0.45 && part < 0.55) middle.add(handle.x);
    if (part >= 0.9) last.add(handle.x);
  }
  result.swing = last.size();
  result.depth = -last.mean();
  result.is_stable = result.swing <= at_rest * test.push / test.stiffness ||
                     result.swing < dies_down * middle.size();
  return result;
}

}  // namespace taut::haptics
