#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run.hpp"
#include "side_by_side.hpp"

namespace peers {

Scene incline(double angle, double azimuth) {
  Scene scene;
  scene.name = "incline";
  scene.planes = {{}};
  scene.bodies = {solid(taut::collision::box({0.1, 0.1, 0.03}), 1000)};
  scene.bodies.front().position = {0, 0, 0.03};
  scene.gravity = 9.81 * Vec3(std::sin(angle) * std::cos(azimuth),
                              std::sin(angle) * std::sin(azimuth), -std::cos(angle));
  scene.windows = {{"", 0, 1, false}};
  return scene;
}

namespace {

constexpr int azimuths = 24;
constexpr double degree = M_PI / 180;

struct Slide {
  bool slips = false;
  double creep = 0;    ///< m/s, towards the end
  double seconds = 0;  ///< of CPU, for one second
};

/// What slips gets faster; what creeps does not.
Slide slide(const Setup& setup, const Scene& scene) {
  const auto engine = setup.make(scene);
  std::vector<BodyState> states;
  auto place_at = [&, done = 0L](double time) mutable {
    const long last = std::lround(time / scene.step);
    for (; done < last; ++done) engine->step();
    engine->states(states);
    return states.front().position;
  };
  const double begin = cpu_time();
  const Vec3 settled = place_at(0.25), middle = place_at(0.625), end = place_at(1);
  Slide out;
  out.seconds = cpu_time() - begin;
  const double before = (middle - settled).norm(), after = (end - middle).norm();
  // From rest it would be 1.86 times as far; without settling at once, less.
  out.slips = !(after < 1e-4) && !(after < 1.3 * before);
  out.creep = after / 0.375;
  return out;
}

}  // namespace

TextTable inclines(const std::vector<Setup>& setups) {
  TextTable table;
  table.title = "Box on an incline, friction 0.5, h = 1/240 s";
  table.about =
      "By bisection the angle is found at which a box begins to slip, downhill towards 24 "
      "azimuths: "
      "Coulomb's law says 26.57 degrees, whatever the azimuth. A range of angles tells of friction "
      "pyramids; what is below zero, of slipping too early. Creep is how fast the box moves one "
      "degree below the limit, where it should rest.";
  table.columns = {"", "least, degrees off", "most, degrees off", "creep, mm/s", "us per ms"};
  for (const Setup& setup : setups) {
    if (setup.use != Kind::contacts) continue;
    double least = 1e9, most = -1e9, creep = 0, seconds = 0;
    for (int i = 0; i < azimuths; ++i) {
      const double azimuth = 2 * M_PI * i / azimuths;
      const auto at = [&](double angle) {
        Scene scene = incline(angle, azimuth);
        scene.step = 1.0 / 240;
        return slide(setup, scene);
      };
      const double limit = std::atan(incline(0, 0).friction);
      double sticks = limit - 12 * degree, slips = limit + 12 * degree;
      for (int halving = 0; halving < 9; ++halving) {
        const double angle = 0.5 * (sticks + slips);
        (at(angle).slips ? slips : sticks) = angle;
      }
      const double off = (0.5 * (sticks + slips) - limit) / degree;
      least = std::min(least, off);
      most = std::max(most, off);
      const Slide rest = at(limit - degree);
      creep = std::max(creep, rest.creep);
      seconds += rest.seconds / azimuths;
    }
    table.rows.push_back({setup.engine + " " + setup.settings, fmt::format("{:+.2f}", least),
                          fmt::format("{:+.2f}", most), fmt::format("{:.2g}", 1e3 * creep),
                          fmt::format("{:.3g}", 1e3 * seconds)});
  }
  return table;
}

}  // namespace peers
