// Families of random mechanisms whose parts are coupled by more than joints: by gears, also within
// loops and one too many; by edges that must not slip; by the spin of thin bodies.
#include <cmath>

#include "support/random_mechanism.hpp"

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

Mechanism::Joint joint_of(JointType type, int a, int b, const Vec3& at, const Vec3& axis) {
  Mechanism::Joint joint;
  joint.type = type;
  joint.a = a;
  joint.b = b;
  joint.at = at;
  joint.axis = axis;
  return joint;
}

/// Away from ratios that leave nothing to move.
double ratio(Random& random) {
  return random.uniform(0.3, 3) * (random.integer(0, 1) == 0 ? 1 : -1);
}

/// A tree of hinges, slides and screws, of which some are geared to each other. Where three are, a
/// third gear follows from the other two.
Mechanism gears(Random& random) {
  Mechanism m;
  m.gravity = random.direction() * random.uniform(1, 10);
  const int n = random.integer(2, 5);
  for (int i = 0; i < n; ++i) {
    const int a = i == 0 ? Mechanism::world : random.integer(-1, i - 1);
    const Vec3 base =
        a < 0 ? Vec3(random.vector(0.5)) : m.bodies[static_cast<std::size_t>(a)].place;
    const Vec3 at = base + random.direction() * random.uniform(0.2, 0.6);
    const JointType type = random.integer(0, 2) > 0   ? JointType::hinge
                           : random.integer(0, 1) > 0 ? JointType::slider
                                                      : JointType::screw;
    m.joints.push_back(joint_of(type, a, i, at, random.direction()));
    m.joints.back().pitch = random.uniform(0.3, 2);
    m.bodies.push_back(random_body(random, at + random.direction() * random.uniform(0.2, 0.6),
                                   std::pow(10.0, random.uniform(-1.5, 1.5))));
  }
  m.gears.push_back({0, 1, ratio(random)});
  if (n > 2) m.gears.push_back({1, 2, ratio(random)});
  if (n > 2 && random.integer(0, 1) == 0)
    m.gears.push_back({0, 2, m.gears[0].ratio * m.gears[1].ratio, true});
  m.freedoms = n > 2 ? n - 2 : 1;
  return m;
}

/// Five or six hinges with parallel axes around a loop, and gears that leave one freedom.
Mechanism geared_loop(Random& random) {
  const int n = random.integer(5, 6);
  std::vector<Axis> axes;
  const double first = random.uniform(0, 6);
  for (int i = 0; i < n; ++i) {
    const double angle = first + 2 * M_PI * (i + random.uniform(-0.2, 0.2)) / n;
    const double radius = random.uniform(0.6, 1.1);
    axes.push_back({{radius * std::cos(angle), radius * std::sin(angle), random.uniform(-0.2, 0.2)},
                    Vec3::UnitZ()});
  }
  Mechanism m = closed_loop(random, axes);
  for (int i = 0; i + 4 < n; ++i) m.gears.push_back({i, i + 1, ratio(random)});
  place_anywhere(random, m);
  return m;
}

/// Bodies a million times as easy to turn about one axis, on balls and Cardan joints, and spinning.
Mechanism spinning(Random& random) {
  Mechanism m;
  m.gravity = random.direction() * random.uniform(1, 10);
  const int n = random.integer(1, 3);
  Vec3 at = random.vector(0.3);
  for (int i = 0; i < n; ++i) {
    const Vec3 along = random.direction();
    const double length = random.uniform(0.5, 1);
    m.joints.push_back(joint_of(random.integer(0, 2) == 0 ? JointType::universal : JointType::ball,
                                i - 1, i, at, along.cross(random.direction()).normalized()));
    m.joints.back().second = m.joints.back().axis.cross(along).normalized();
    Mechanism::Body rod = random_body(random, at + 0.5 * length * along, random.uniform(0.5, 2));
    const Vec3 middle = (along + Vec3::UnitX()).normalized();  // half a turn about it: x to along
    rod.orientation = Quat(0, middle[0], middle[1], middle[2]);
    const double thin = std::pow(10.0, random.uniform(-6, -1));
    rod.inertia = rod.mass * length * length / 12 * Vec3(thin, 1, 1 + 0.5 * thin).asDiagonal();
    m.bodies.push_back(rod);
    at += length * along;
  }
  return m;
}

/// On ice: a skate, with others hinged to it, each on an edge of its own.
Mechanism skates(Random& random) {
  Mechanism m;
  m.gravity = Vec3(random.uniform(-3, 3), random.uniform(-3, 3), -9.81);
  const int n = random.integer(1, 3);
  Vec3 at(0, 0, 0);
  const auto flat = [&](double size) {
    return Vec3(random.uniform(-size, size), random.uniform(-size, size), 0);
  };
  for (int i = 0; i < n; ++i) {
    const Vec3 place = at + flat(0.4);
    m.bodies.push_back(random_body(random, place, random.uniform(0.5, 2)));
    m.joints.push_back(i == 0 ? joint_of(JointType::planar, Mechanism::world, 0, at, Vec3::UnitZ())
                              : joint_of(JointType::hinge, i - 1, i, at, Vec3::UnitZ()));
    const double heading = random.uniform(-1, 1);
    m.skates.push_back({{i, place + flat(0.4)}, {std::cos(heading), std::sin(heading), 0}});
    at = place + Vec3(-0.6, random.uniform(-0.3, 0.3), 0);
  }
  m.freedoms = 2;
  place_anywhere(random, m);
  return m;
}

}  // namespace

std::vector<NamedFamily> coupled_families() {
  return {
      {"gears", gears}, {"geared_loop", geared_loop}, {"spinning", spinning}, {"skates", skates}};
}

}  // namespace taut::testing
