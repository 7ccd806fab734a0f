// Families of random mechanisms without loops, and with joints or rods that repeat each other.
#include <cmath>

#include "support/random_mechanism.hpp"

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

Mechanism tree_of(Random& random, const std::vector<JointType>& types, int most) {
  Mechanism m;
  m.gravity = random.direction() * random.uniform(1, 10);
  const int n = random.integer(1, most);
  // A light tip on a heavy base is no problem for the motion; the reverse would make it fast.
  const double decades = random.integer(0, 2) == 0 ? random.uniform(1, 9.0) : 0;
  for (int i = 0; i < n; ++i) {
    Mechanism::Joint joint;
    joint.a = i == 0 ? Mechanism::world : random.integer(i > 2 ? i - 2 : -1, i - 1);
    joint.b = i;
    const Vec3 base = joint.a == Mechanism::world
                          ? Vec3(Vec3::Zero())
                          : m.bodies[static_cast<std::size_t>(joint.a)].place;
    joint.at = base + random.direction() * random.uniform(0.2, 0.6);
    joint.axis = random.direction();
    joint.second = joint.axis.cross(random.direction()).normalized();
    joint.pitch = random.uniform(0.3, 2);
    joint.type =
        types[static_cast<std::size_t>(random.integer(0, static_cast<int>(types.size()) - 1))];
    const double mass = std::pow(10.0, -decades * i / std::max(1, n - 1)) * random.uniform(0.5, 2);
    m.bodies.push_back(
        random_body(random, joint.at + random.direction() * random.uniform(0.2, 0.6), mass));
    m.joints.push_back(joint);
  }
  return m;
}

Mechanism tree(Random& random) {
  return tree_of(
      random,
      {JointType::hinge, JointType::hinge, JointType::slider, JointType::cylindrical,
       JointType::universal, JointType::planar, JointType::screw, JointType::ball, JointType::weld},
      5);
}

/// Bodies whose moments of inertia differ by up to a million.
Mechanism thin(Random& random) {
  Mechanism m = tree_of(random, {JointType::hinge, JointType::universal, JointType::slider}, 3);
  for (Mechanism::Body& body : m.bodies) {
    const double ratio = std::pow(10.0, random.uniform(-6, -2));
    body.inertia = body.mass * 0.03 * Vec3(1, 1 + 0.5 * ratio, ratio).asDiagonal();
  }
  return m;
}

Mechanism particles(Random& random) {
  Mechanism m;
  m.gravity = random.direction() * random.uniform(1, 10);
  const int n = random.integer(1, 5);
  for (int i = 0; i < n; ++i) {
    const int parent = i == 0 ? Mechanism::world : random.integer(-1, i - 1);
    const Vec3 base = parent == Mechanism::world ? random.vector(0.5)
                                                 : m.bodies[static_cast<std::size_t>(parent)].place;
    Mechanism::Body body;
    body.rigid = false;
    body.mass = std::pow(10.0, random.uniform(-1, 0.3) - 0.3 * i);
    body.place = base + random.direction() * random.uniform(0.4, 1.5);
    m.bodies.push_back(body);
    m.rods.push_back({{parent, base}, {i, body.place}});
  }
  return m;
}

/// Particles and bodies hung on each other, with springs between them.
Mechanism springs(Random& random) {
  Mechanism m = tree_of(random, {JointType::hinge, JointType::slider, JointType::hinge}, 3);
  const int bodies = static_cast<int>(m.bodies.size());
  for (int i = 0; i < bodies; ++i) {
    const Vec3 at = m.bodies[static_cast<std::size_t>(i)].place + random.vector(0.2);
    const Vec3 to = at + random.direction() * random.uniform(0.5, 1);
    const double mass = m.bodies[static_cast<std::size_t>(i)].mass;
    if (random.integer(0, 1) == 0)
      m.springs.push_back({{Mechanism::world, to},
                           {i, at},
                           mass * random.uniform(1, 30),
                           random.integer(0, 1) * mass * random.uniform(0, 2),
                           random.uniform(0.3, 0.8)});
    else
      m.joint_springs.push_back({i, mass * random.uniform(0.5, 5),
                                 random.integer(0, 1) * mass * random.uniform(0, 0.5),
                                 random.uniform(-0.5, 0.5)});
  }
  const int hung = random.integer(0, bodies - 1);
  const Mechanism::Body& from = m.bodies[static_cast<std::size_t>(hung)];
  Mechanism::Body bob;
  bob.rigid = false;
  bob.mass = from.mass * random.uniform(0.05, 0.5);
  const Vec3 at = from.place + random.vector(0.2);
  bob.place = at + random.direction() * random.uniform(0.4, 1);
  m.rods.push_back({{hung, at}, {bodies, bob.place}});
  m.bodies.push_back(bob);
  return m;
}

/// Springs so stiff that they are rods: k/m of 1e8 … 1e12. What they stretch is g m/k.
Mechanism stiff(Random& random) {
  Mechanism out;
  out.gravity = random.direction() * random.uniform(1, 10);
  const double stiffness = std::pow(10.0, random.uniform(8, 12));
  Vec3 base = random.vector(0.5);
  const int n = random.integer(1, 2);
  for (int i = 0; i < n; ++i) {
    Mechanism::Body body;
    body.rigid = false;
    body.mass = random.uniform(0.5, 2);
    body.place = base + random.direction() * random.uniform(0.4, 1.5);
    out.bodies.push_back(body);
    const double length = (body.place - base).norm();
    if (i == 0 || random.integer(0, 1) == 0)
      out.springs.push_back(
          {{i - 1, base}, {i, body.place}, stiffness * body.mass, 0, length, true});
    else
      out.rods.push_back({{i - 1, base}, {i, body.place}});
    base = body.place;
  }
  out.imperfection = 1000 / stiffness;
  return out;
}

/// Two or three hinges in line, exactly or nearly.
Mechanism door(Random& random) {
  Mechanism m;
  m.gravity = random.direction() * random.uniform(1, 10);
  const Vec3 axis = random.direction(), at = random.vector(0.5);
  const Vec3 aside = axis.cross(random.direction()).normalized();
  m.bodies.push_back(random_body(random, at + 0.5 * aside, random.uniform(0.5, 2)));
  const int hinges = random.integer(2, 3);
  const double off = random.integer(0, 2) == 0 ? 0 : std::pow(10.0, random.uniform(-12, -3));
  const bool turned = random.integer(0, 1) == 0;
  for (int i = 0; i < hinges; ++i) {
    Mechanism::Joint hinge;
    hinge.at = at + axis * (0.5 * i + random.uniform(0, 0.2));
    hinge.axis = axis;
    hinge.is_implied = i > 0;
    if (i > 0 && turned) hinge.axis = (axis + off * random.direction()).normalized();
    if (i > 0 && !turned) hinge.at += off * random.direction();
    m.joints.push_back(hinge);
  }
  // Something hangs on it; not where it may be right to stay at rest, which that would not do.
  if (off == 0 && random.integer(0, 1) == 0) {
    Mechanism::Joint hinge;
    hinge.a = 0;
    hinge.b = 1;
    hinge.at = at + aside;
    hinge.axis = random.direction();
    m.bodies.push_back(random_body(random, hinge.at + random.direction() * 0.4, 0.3));
    m.joints.push_back(hinge);
  }
  m.imperfection = 10 * off;
  m.may_lock = off > 0;
  return m;
}

/// Joints that are there twice, balls on the axis of a hinge, rods parallel to a joint.
Mechanism doubled(Random& random) {
  Mechanism m = tree_of(random,
                        {JointType::hinge, JointType::slider, JointType::cylindrical,
                         JointType::universal, JointType::ball},
                        4);
  const std::size_t n = m.joints.size();
  for (int k = random.integer(1, 3); k > 0; --k) {
    Mechanism::Joint joint =
        m.joints[static_cast<std::size_t>(random.integer(0, static_cast<int>(n) - 1))];
    joint.is_implied = true;
    const Vec3 along = joint.axis * random.uniform(-1, 1);
    const int how = random.integer(0, 2);
    if (joint.type == JointType::hinge && how > 0) {
      if (how == 1) {  // a point of the axis in one body, any point in the other
        Mechanism::Rod rod{{joint.a, joint.at + along},
                           {joint.b, joint.at + random.direction() * random.uniform(0.3, 1)}};
        rod.is_implied = true;
        m.rods.push_back(rod);
        continue;
      }
      joint.type = random.integer(0, 1) == 0 ? JointType::ball : JointType::cylindrical;
      joint.at += along;
    } else if (joint.type == JointType::slider && how > 0) {
      joint.type = how == 1 ? JointType::cylindrical : JointType::slider;
      joint.at += random.vector(0.5);
    }
    m.joints.push_back(joint);
  }
  return m;
}

}  // namespace

std::vector<NamedFamily> tree_families() {
  return {{"tree", tree},   {"thin", thin}, {"particles", particles}, {"springs", springs},
          {"stiff", stiff}, {"door", door}, {"doubled", doubled}};
}

}  // namespace taut::testing
