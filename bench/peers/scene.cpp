#include "scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/dice.hpp"
#include "taut/collision/mass_properties.hpp"

namespace peers {
namespace {

using taut::collision::box;
using taut::testing::Dice;

constexpr double density = 1000;
// s: what lies at the start has found its place by then. Engines do not see contacts of things that
// just touch, and let them fall for a step.
constexpr double settled = 0.5;

/// One of three kinds, at most 0.2 m in size.
Body mixed(int number, Dice& dice) {
  const auto part = [&] { return dice.between(0.05, 0.1); };
  switch (number % 3) {
    case 0:
      return solid(box({part(), part(), part()}), density);
    case 1:
      return solid(taut::collision::capsule(0.5 * part(), 0.5 * part()), density);
    default:
      return solid(taut::collision::sphere(part()), density);
  }
}

}  // namespace

double Scene::mass() const {
  double sum = 0;
  for (const Body& body : bodies) sum += body.mass;
  return sum;
}

double Scene::energy_scale() const {
  double kinetic = 0;
  for (const Body& body : bodies) {
    const Vec3 turn = body.orientation.conjugate() * body.turn;
    kinetic +=
        0.5 * (body.mass * body.velocity.squaredNorm() + turn.dot(body.inertia.cwiseProduct(turn)));
  }
  return std::max(mass() * gravity.norm() * size, kinetic);
}

Body solid(taut::collision::Shape shape, double of_density) {
  const auto of = taut::collision::mass_properties(shape);
  Body body;
  body.shape = std::move(shape);
  body.mass = of_density * of.volume;
  body.inertia = of_density * of.inertia.diagonal();
  return body;
}

Scene stack(int boxes, double heavy_top) {
  Scene scene;
  scene.name = fmt::format("stack of {}, top {:g}x", boxes, heavy_top);
  scene.about = "A column of boxes should stand; the heavier its top, the harder.";
  scene.planes = {{}};
  for (int i = 0; i < boxes; ++i) {
    Body body = solid(box({0.1, 0.1, 0.1}), density);
    body.position = {0, 0, 0.1 + 0.2 * i};
    if (i + 1 == boxes) {
      body.mass *= heavy_top;
      body.inertia *= heavy_top;
    }
    scene.bodies.push_back(body);
  }
  scene.windows = {{"rests", settled, settled + 2, true}};
  return scene;
}

Scene wall(int courses, int boxes_in_a_course) {
  Scene scene;
  scene.planes = {{}};
  for (int course = 0; course < courses; ++course)
    for (int i = 0; i < boxes_in_a_course - course % 2; ++i) {  // each lies on two
      Body body = solid(box({0.1, 0.05, 0.05}), density);
      // A hair's breadth between neighbours, so that they do not touch.
      body.position = {0.201 * (i + 0.5 * (course % 2)), 0, 0.05 + 0.1 * course};
      scene.bodies.push_back(body);
    }
  scene.name = fmt::format("wall of {}", scene.bodies.size());
  scene.about = "Many contacts at rest, each box on two others: nothing should move.";
  scene.windows = {{"rests", settled, settled + 2, true}};
  return scene;
}

namespace {

/// Above a tray, as wide as high, with walls that keep it together.
Scene above_tray(int bodies, const std::function<Body(int, Dice&)>& make) {
  Scene scene;
  Dice dice(7);
  const int across = std::max(2, static_cast<int>(std::lround(std::cbrt(bodies))));
  const double half = 0.15 * across;
  scene.planes = {{},
                  {Vec3::UnitX(), -half},
                  {-Vec3::UnitX(), -half},
                  {Vec3::UnitY(), -half},
                  {-Vec3::UnitY(), -half}};
  for (int i = 0; i < bodies; ++i) {
    Body body = make(i, dice);
    const int x = i % across, y = i / across % across, z = i / (across * across);
    body.position = {0.3 * (x + 0.5) - half, 0.3 * (y + 0.5) - half, 0.25 + 0.4 * z};
    body.position += 0.02 * dice.vector();
    body.orientation = dice.rotation();
    body.velocity = 0.5 * dice.vector();
    body.turn = 2 * dice.vector();
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace

Scene pile(int bodies) {
  Scene scene = above_tray(bodies, mixed);
  scene.name = fmt::format("pile of {}", bodies);
  scene.about =
      "Boxes, capsules and spheres fall into a tray: how deep do they overlap, and does energy "
      "come from nowhere?";
  scene.windows = {{"tumbles", 0, 1, false}, {"settles", 1, 2, false}};
  return scene;
}

Scene heap(int bodies) {
  Scene scene = above_tray(bodies, [](int, Dice& dice) {
    const auto part = [&] { return dice.between(0.05, 0.1); };
    return solid(box({part(), part(), part()}), density);
  });
  scene.name = fmt::format("heap of {}", bodies);
  scene.about =
      "Boxes fall into a tray and come to rest: do they stay where they are, without overlapping?";
  scene.windows = {{"tumbles", 0, 1, false}, {"lies", 4, 5, true}};
  return scene;
}

Scene swarm(int bodies) {
  Scene scene;
  scene.name = fmt::format("swarm of {}", bodies);
  scene.about =
      "Bodies fly at each other without gravity: momentum should stay, and nothing overlap.";
  scene.gravity.setZero();
  Dice dice(11);
  const int across = std::max(2, static_cast<int>(std::lround(std::cbrt(bodies))));
  const Vec3 middle = 0.15 * (across - 1) * Vec3::Ones();
  for (int i = 0; i < bodies; ++i) {
    Body body = mixed(i, dice);
    const int x = i % across, y = i / across % across, z = i / (across * across);
    body.position = 0.3 * Vec3(x, y, z) - middle;
    body.orientation = dice.rotation();
    body.velocity = -2 * body.position + 0.2 * dice.vector();
    body.turn = 2 * dice.vector();
    scene.bodies.push_back(body);
  }
  scene.windows = {{"collides", 0, 1, false}};
  return scene;
}

namespace {

/// A ball that falls without restitution, slides, and rolls. At the impact friction is at most μ
/// times the impulse of the ground, and stops what slides if it can, which takes 2/7 m u.
Vec3 ball_after(double time, const Body& ball, double friction, const Vec3& gravity) {
  const double g = -gravity.z(), radius = ball.shape.radius;
  const double height = ball.position.z() - radius, rise = ball.velocity.z();
  const double landing = (rise + std::sqrt(rise * rise + 2 * g * height)) / g;
  if (time < landing) return ball.position + time * ball.velocity + 0.5 * time * time * gravity;
  Vec3 along = ball.velocity;
  along.z() = 0;
  const Vec3 at = ball.position + landing * along;
  Vec3 slip = along + ball.turn.cross(Vec3(0, 0, -radius));
  const double most = friction * (g * landing - rise);
  const Vec3 change =
      3.5 * most < slip.norm() ? Vec3(-most * slip.normalized()) : Vec3(-slip / 3.5);
  along += change;
  slip += 3.5 * change;
  const double since = time - landing, slides = slip.norm() / (3.5 * friction * g);
  const Vec3 brake = slides > 0 ? Vec3(-friction * g * slip.normalized()) : Vec3(Vec3::Zero());
  const double braked = std::min(since, slides);
  Vec3 place = at + since * along + braked * (since - 0.5 * braked) * brake;
  place.z() = radius;
  return place;
}

}  // namespace

Scene balls(int count) {
  Scene scene;
  scene.name = fmt::format("{} balls", count);
  scene.about = "Balls land, slide and roll, as is known in closed form.";
  scene.planes = {{}};
  Dice dice(5);
  for (int i = 0; i < count; ++i) {
    Body ball = solid(taut::collision::sphere(dice.between(0.05, 0.1)), density);
    ball.position = {0, 10.0 * i, dice.between(0.15, 0.5)};
    ball.velocity = {dice.between(-3, 3), dice.between(-1, 1), dice.between(-1, 1)};
    ball.turn = 10 * dice.vector();
    ball.turn.z() = 0;  // what spins about the vertical goes on doing so
    scene.bodies.push_back(ball);
  }
  scene.windows = {{"land, slide and roll", 0, 1.5, false}};
  scene.reference = [bodies = scene.bodies, friction = scene.friction, gravity = scene.gravity](
                        double time, std::vector<Vec3>& places) {
    places.clear();
    for (const Body& ball : bodies) places.push_back(ball_after(time, ball, friction, gravity));
  };
  return scene;
}

Scene cube(int n, bool is_kicked, double step) {
  Scene scene;
  scene.name = fmt::format("{}cube of {}", is_kicked ? "kicked " : "", n * n * n);
  scene.step = step;
  scene.planes = {{}};
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        Body body = solid(box({0.1, 0.1, 0.1}), density);
        // Each layer is shifted, so that each box lies on up to four.
        const double shift = z % 2 * 0.1;
        body.position = {0.201 * x + shift, 0.201 * y + shift, 0.1 + 0.2 * z};
        if (is_kicked && z == 0) body.velocity = {0.5, 0.2, 0};
        scene.bodies.push_back(body);
      }
  scene.windows = {{is_kicked ? "moves" : "rests", 0, 10 * step, !is_kicked}};
  return scene;
}

std::vector<Scene> all_scenes() {
  return {stack(10, 1), stack(10, 1e3), stack(10, 1e6), wall(4, 7),
          pile(16),     heap(16),       swarm(27),      balls(16)};
}

std::vector<Scene> large_scenes() { return {wall(10, 21), pile(64), heap(64)}; }

std::vector<Scene> growing_scenes() {
  std::vector<Scene> scenes;
  const double step = 1.0 / 240;
  for (const bool is_kicked : {false, true})
    for (const int n : {2, 3, 4, 5, 6, 8, 9}) scenes.push_back(cube(n, is_kicked, step));
  for (const int bodies : {25, 50, 100, 200, 400}) {
    scenes.push_back(heap(bodies));
    scenes.back().step = step;
    scenes.back().windows = {{"tumbles", 0.3, 0.4, false}};
  }
  return scenes;
}

}  // namespace peers
