#include "check.hpp"

#include <cmath>

#include "taut/reference/planar_pendulum.hpp"

namespace peers {
namespace {

constexpr double g = 9.81;

BodyState state_after(const Setup& setup, const Scene& scene) {
  const auto engine = setup.make(scene);
  const long steps = std::lround(scene.duration() / scene.step);
  for (long i = 0; i < steps; ++i) engine->step();
  std::vector<BodyState> states;
  engine->states(states);
  return states.front();
}

Vec3 place_after(const Setup& setup, const Scene& scene) {
  return state_after(setup, scene).position - scene.bodies.front().position;
}

std::vector<Check> check_mechanisms(const Setup& engine) {
  std::vector<Check> checks;
  // A pendulum of 1 m, released from horizontal. Problem A01 of IFToMM tells its period.
  Scene pendulum;
  pendulum.kind = Kind::mechanism;
  pendulum.gravity = {0, -g, 0};
  pendulum.size = 1;
  pendulum.is_planar = true;
  pendulum.step = 1.0 / 960;
  Body bob;
  bob.is_point = true;
  bob.inertia.setZero();
  bob.position = {1, 0, 0};
  pendulum.bodies = {bob};
  pendulum.joints = {{JointType::rod, -1, 0, Vec3::Zero()}};
  constexpr double period = 2.367841947576;
  pendulum.windows = {{"swings", 0, 0.5, false}};
  taut::reference::PlanarPendulum known({{1}, {1}, {M_PI / 2}, {}, g, Vec3::Zero()});
  known.advance_to(0.25 * period);
  checks.push_back(
      {"the reference at a quarter of the period is at x =", known.position(0).x(), 0, 1e-9});
  taut::reference::PlanarPendulum half({{1}, {1}, {M_PI / 2}, {}, g, Vec3::Zero()});
  half.advance_to(0.5);
  checks.push_back(
      {"a pendulum is at x =", 1 + place_after(engine, pendulum).x(), half.position(0).x(), 0.01});

  // A top without gravity keeps its energy, and its tip stays.
  Scene top = spinning_top();
  top.reference = nullptr;
  top.gravity.setZero();
  top.step = 1.0 / 1920;
  top.windows = {{"turns", 0, 0.5, false}};
  Body& body = top.bodies.front();
  // Slowly, since explicit gyroscopic torques add energy: e^{ω² h t}, or so. Not about its axis
  // alone.
  body.turn = 0.1 * body.turn + Vec3(0, 0, 2);
  body.velocity = body.turn.cross(body.position);
  const auto energy = [&](const BodyState& state) {
    const Vec3 turn = state.orientation.conjugate() * state.turn;
    return 0.5 * body.mass * state.velocity.squaredNorm() +
           0.5 * turn.dot(body.inertia.cwiseProduct(turn));
  };
  const double start = energy({body.position, body.orientation, body.velocity, body.turn});
  checks.push_back({"the energy of a free top, relative, is",
                    energy(state_after(engine, top)) / start, 1, 0.03});
  return checks;
}

/// Cloth of four vertices, two of them held, is a pendulum of 1 m.
std::vector<Check> check_cloth(const Setup& engine) {
  Scene scene = cloth(2, true);
  scene.step = 1.0 / 960;
  scene.windows = {{"swings", 0, 0.5, false}};
  taut::reference::PlanarPendulum known({{1}, {1}, {M_PI / 2}, {}, g, Vec3::Zero()});
  known.advance_to(0.5);
  return {{"cloth of one square swings to a height of", place_after(engine, scene).y(),
           known.position(0).y(), 0.02}};
}

}  // namespace

bool Check::passed() const { return std::abs(found - expected) <= tolerance; }

std::vector<Check> check(const Setup& engine) {
  if (engine.use == Kind::mechanism) return check_mechanisms(engine);
  if (engine.use == Kind::cloth) return check_cloth(engine);
  std::vector<Check> checks;
  Scene scene;
  scene.planes = {{}};
  scene.bodies = {solid(taut::collision::box({0.1, 0.1, 0.05}), 1000)};
  Body& box = scene.bodies.front();

  const double time = 0.5;
  scene.windows = {{"falls", 0, time, false}};
  box.position = {0, 0, 3};
  // Methods of first order are off by g t h / 2.
  checks.push_back({"falls by", -place_after(engine, scene).z(), 0.5 * g * time * time,
                    0.51 * g * time * scene.step});

  const double speed = 2;
  scene.windows = {{"slides", 0, 1, false}};
  box.position = {0, 0, 0.05};
  box.velocity = {speed, 0, 0};
  const double way = speed * speed / (2 * scene.friction * g);
  checks.push_back({"slides", place_after(engine, scene).x(), way, 0.02 * way});
  return checks;
}

}  // namespace peers
