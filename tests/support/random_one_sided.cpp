// Families of random mechanisms with strings, stops, motors and friction, alone and together.
#include <cmath>

#include "support/random_mechanism.hpp"

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

/// Bodies on hinges and sliders, one on the other.
Mechanism arm(Random& random, int most) {
  Mechanism m;
  m.gravity = random.direction() * random.uniform(2, 10);
  const int n = random.integer(1, most);
  Vec3 at = random.vector(0.3);
  for (int i = 0; i < n; ++i) {
    Mechanism::Joint joint;
    joint.a = i - 1;
    joint.b = i;
    joint.at = at;
    joint.axis = random.direction();
    joint.type = random.integer(0, 3) == 0 ? JointType::slider : JointType::hinge;
    const Vec3 along = random.direction() * random.uniform(0.3, 0.6);
    m.bodies.push_back(random_body(random, at + 0.5 * along, random.uniform(0.5, 2) / (1 + i)));
    m.joints.push_back(joint);
    at += along;
  }
  return m;
}

void add_stop(Random& random, Mechanism& m, int joint) {
  Mechanism::Stop stop;
  stop.joint = joint;
  const int sides = random.integer(0, 2);
  if (sides != 1) stop.lower = -random.uniform(0.05, 0.6);
  if (sides != 0) stop.upper = random.uniform(0.05, 0.6);
  stop.restitution = random.integer(0, 1) == 0 ? 0 : random.uniform(0.2, 0.9);
  m.stops.push_back(stop);
}

void add_string(Random& random, Mechanism& m, int body) {
  const Mechanism::Body& on = m.bodies[static_cast<std::size_t>(body)];
  Mechanism::Rod string;
  string.is_string = true;
  string.b = {body, on.rigid ? Vec3(on.place + random.vector(0.2)) : on.place};
  string.a = {Mechanism::world, string.b.at + random.direction() * random.uniform(0.3, 1)};
  string.length = (string.a.at - string.b.at).norm() * random.uniform(1.02, 1.4);
  m.rods.push_back(string);
}

int any_joint(Random& random, const Mechanism& m) {
  return random.integer(0, static_cast<int>(m.bodies.size()) - 1);
}

Mechanism stop(Random& random) {
  Mechanism m = arm(random, 3);
  for (std::size_t i = 0; i < m.joints.size(); ++i)
    if (i == 0 || random.integer(0, 1) == 0) add_stop(random, m, static_cast<int>(i));
  return m;
}

Mechanism motor(Random& random) {
  Mechanism m = arm(random, 3);
  m.motors.push_back({any_joint(random, m), random.uniform(-4, 4), random.uniform(0.3, 8)});
  return m;
}

Mechanism friction(Random& random) {
  Mechanism m = arm(random, 3);
  for (std::size_t i = 0; i < m.joints.size(); ++i)
    if (i == 0 || random.integer(0, 1) == 0)
      m.motors.push_back({static_cast<int>(i), 0, std::pow(10.0, random.uniform(-1.5, 1))});
  return m;
}

/// Bobs on strings, and bodies that strings hold.
Mechanism string(Random& random) {
  if (random.integer(0, 2) == 0) {
    Mechanism m = arm(random, 2);
    for (int i = random.integer(1, 2); i > 0; --i) add_string(random, m, any_joint(random, m));
    return m;
  }
  Mechanism m;
  m.gravity = random.direction() * random.uniform(2, 10);
  const int bobs = random.integer(1, 3);
  for (int i = 0; i < bobs; ++i) {
    Mechanism::Body bob;
    bob.rigid = false;
    bob.mass = random.uniform(0.3, 3);
    bob.place = random.vector(0.7);
    m.bodies.push_back(bob);
    add_string(random, m, i);
    if (i > 0) {
      Mechanism::Rod& string = m.rods.back();
      string.a = {i - 1, m.bodies[static_cast<std::size_t>(i - 1)].place};
      string.length = (string.a.at - string.b.at).norm() * random.uniform(1.02, 1.4);
    }
  }
  return m;
}

/// Several of them on the same mechanism.
Mechanism mixed(Random& random) {
  Mechanism m = arm(random, 3);
  add_stop(random, m, any_joint(random, m));
  const int more = random.integer(1, 7);
  if (more & 1) add_string(random, m, any_joint(random, m));
  if (more & 2) m.motors.push_back({0, random.uniform(-3, 3), random.uniform(0.3, 5)});
  if (more & 4) {
    const int joint = static_cast<int>(m.bodies.size()) - 1;
    if (joint > 0) m.motors.push_back({joint, 0, std::pow(10.0, random.uniform(-1.5, 0.5))});
  }
  return m;
}

/// A linkage with redundant rows that meets a stop, is held by a string, driven or braked.
Mechanism one_sided_loop(Random& random) {
  const std::vector<NamedFamily> linkages = linkage_families();
  static const char* const suited[] = {"four_bar", "parallel_cranks", "bennett", "bricard",
                                       "sarrus"};
  const std::string_view wanted = suited[random.integer(0, 4)];
  Mechanism m;
  for (const NamedFamily& family : linkages)
    if (family.name == wanted) m = family.make(random);
  const int what = random.integer(0, 3);
  if (what == 0) add_stop(random, m, 0);
  if (what == 1) add_string(random, m, static_cast<int>(m.bodies.size()) - 1);
  if (what == 2) m.motors.push_back({0, random.uniform(-3, 3), random.uniform(0.3, 5)});
  if (what == 3) {
    add_stop(random, m, 0);
    m.motors.push_back({1, 0, std::pow(10.0, random.uniform(-1.5, 0.5))});
  }
  return m;
}

}  // namespace

std::vector<NamedFamily> one_sided_families() {
  return {{"string", string},     {"stop", stop},   {"motor", motor},
          {"friction", friction}, {"mixed", mixed}, {"one_sided_loop", one_sided_loop}};
}

}  // namespace taut::testing
