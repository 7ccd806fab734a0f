#include "check.hpp"

#include <cmath>

namespace peers {
namespace {

constexpr double g = 9.81;

Vec3 place_after(const Setup& setup, const Scene& scene) {
  const auto engine = setup.make(scene);
  const long steps = std::lround(scene.duration() / scene.step);
  for (long i = 0; i < steps; ++i) engine->step();
  std::vector<BodyState> states;
  engine->states(states);
  return states.front().position - scene.bodies.front().position;
}

}  // namespace

bool Check::passed() const { return std::abs(found - expected) <= tolerance; }

std::vector<Check> check(const Setup& engine) {
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
