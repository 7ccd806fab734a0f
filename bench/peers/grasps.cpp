#include <fmt/format.h>

#include <cmath>

#include "scene.hpp"

namespace peers {

namespace {

constexpr double settled = 0.5;  // s

Body finger(taut::collision::Shape shape, const Vec3& at, double force) {
  Body body;
  body.shape = std::move(shape);
  body.mass = 1;
  body.inertia = 1e-4 * Vec3::Ones();
  body.position = at;
  body.is_guided = true;
  body.push = {at.x() < 0 ? force : -force, 0, 0};
  return body;
}

}  // namespace

Scene grasp(int fingers, double margin) {
  Scene scene;
  scene.name = fmt::format("grasp of {} fingers, {:g} % {} the limit", fingers,
                           100 * std::abs(margin), margin > 0 ? "above" : "below");
  scene.about =
      "Fingers press on a box with a constant force. Above the limit of friction it should stay "
      "where it is; below it should slip, as fast as is known.";
  scene.size = 0.1;
  const Vec3 half(0.04, 0.05, 0.15);
  Body box;
  box.shape = taut::collision::box(half);
  box.mass = 1;
  box.inertia =
      box.mass / 3 *
      Vec3(half.y() * half.y() + half.z() * half.z(), half.x() * half.x() + half.z() * half.z(),
           half.x() * half.x() + half.y() * half.y());
  scene.bodies = {box};
  const double weight = box.mass * -scene.gravity.z();
  const double force = (1 + margin) * weight / (2 * scene.friction);  // on each side
  if (fingers == 2) {
    const double pad = 0.02;
    for (const double side : {-1.0, 1.0})
      scene.bodies.push_back(
          finger(taut::collision::box({pad, pad, pad}), {side * (half.x() + pad), 0, 0}, force));
  } else {
    const double tip = 0.01;
    const double at = half.x() + tip;
    scene.bodies.push_back(finger(taut::collision::sphere(tip), {-at, 0, 0}, force));
    const int others = fingers - 1;
    for (int i = 0; i < others; ++i)
      scene.bodies.push_back(finger(taut::collision::sphere(tip),
                                    {at, 0, 0.025 * (i - 0.5 * (others - 1))}, force / others));
  }
  if (margin > 0) {
    scene.windows = {{"is held", settled, settled + 2, true}};
  } else {
    scene.windows = {{"slips", 0, 1, false}};
    scene.reference = [bodies = scene.bodies, fall = Vec3(-margin * scene.gravity)](
                          double time, std::vector<Vec3>& places) {
      places.clear();
      for (const Body& body : bodies) places.push_back(body.position);
      places.front() += 0.5 * time * time * fall;
    };
  }
  scene.equal_steps = {1.0 / 60, 1.0 / 240};
  return scene;
}

std::vector<Scene> grasps() {
  std::vector<Scene> scenes;
  for (const int fingers : {2, 5})
    for (const double margin : {0.05, 0.01, 0.001, -0.01}) scenes.push_back(grasp(fingers, margin));
  return scenes;
}

}  // namespace peers
