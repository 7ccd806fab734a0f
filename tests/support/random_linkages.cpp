// Families of random mechanisms with loops. Most are overconstrained: their rows depend on each
// other only where the loop is closed, exactly as their dimensions say.
#include <cmath>

#include "support/random_mechanism.hpp"

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

Mechanism anywhere(Random& random, Mechanism m) {
  place_anywhere(random, m);
  return m;
}

/// In the plane, one after the other around a circle, with a random place along the normal.
std::vector<Axis> round_about(Random& random, int n) {
  std::vector<Axis> axes;
  const double first = random.uniform(0, 6);
  for (int i = 0; i < n; ++i) {
    const double angle = first + 2 * M_PI * (i + random.uniform(-0.3, 0.3)) / n;
    const double radius = random.uniform(0.5, 1.2);
    axes.push_back({{radius * std::cos(angle), radius * std::sin(angle), random.uniform(-0.2, 0.2)},
                    Vec3::UnitZ()});
  }
  return axes;
}

Mechanism four_bar(Random& random) {
  return anywhere(random, closed_loop(random, round_about(random, 4)));
}

Mechanism planar_loop(Random& random) {
  const int n = random.integer(5, 7);
  Mechanism m = closed_loop(random, round_about(random, n));
  for (Mechanism::Body& body : m.bodies) {  // several freedoms: no large mass ratios
    const double factor = random.uniform(0.5, 2) / body.mass;
    body.mass *= factor;
    body.inertia *= factor;
  }
  m.freedoms = n - 3;
  return anywhere(random, m);
}

Mechanism::Joint flat_hinge(int a, int b, const Vec3& at) {
  Mechanism::Joint joint;
  joint.a = a;
  joint.b = b;
  joint.at = at;
  return joint;
}

/// Cranks in a row, each joined to the next by a coupler.
Mechanism four_bar_chain(Random& random) {
  Mechanism m;
  const int cells = random.integer(2, 6);
  std::vector<Vec3> feet, tips;
  const double lean = random.uniform(-0.7, 0.7);
  // Equal cranks make all cells alike, as in the well-known benchmark; else any dimensions.
  const double vary = random.integer(0, 1) * 0.2;
  for (int i = 0; i <= cells; ++i) {
    feet.emplace_back(i + random.uniform(-vary, vary), 0, 0);
    const double length = 1 + random.uniform(-vary, vary);
    tips.push_back(feet.back() + length * Vec3(std::sin(lean), std::cos(lean), 0));
  }
  for (int i = 0; i <= cells; ++i) {  // body i: crank i
    m.bodies.push_back(random_body(
        random, 0.5 * (feet[static_cast<std::size_t>(i)] + tips[static_cast<std::size_t>(i)]),
        random.uniform(0.5, 2)));
    m.joints.push_back(flat_hinge(Mechanism::world, i, feet[static_cast<std::size_t>(i)]));
  }
  for (int i = 0; i < cells; ++i) {
    const Vec3 &from = tips[static_cast<std::size_t>(i)],
               &to = tips[static_cast<std::size_t>(i + 1)];
    m.bodies.push_back(random_body(random, 0.5 * (from + to), random.uniform(0.5, 2)));
    const int coupler = static_cast<int>(m.bodies.size()) - 1;
    m.joints.push_back(flat_hinge(i, coupler, from));
    m.joints.push_back(flat_hinge(i + 1, coupler, to));
  }
  m.gravity = Vec3(random.uniform(-3, 3), -random.uniform(3, 10), random.uniform(-3, 3));
  m.freedoms = 1;
  return anywhere(random, m);
}

/// Three or more equal, parallel cranks on one coupler: one more than it needs, in the plane, too.
Mechanism parallel_cranks(Random& random) {
  Mechanism m;
  const int cranks = random.integer(2, 4);
  const double angle = random.uniform(0.4, 2.7), length = random.uniform(0.5, 1.5);
  const Vec3 crank = length * Vec3(std::cos(angle), std::sin(angle), 0);
  Vec3 middle = Vec3::Zero();
  std::vector<Vec3> feet;
  for (int i = 0; i < cranks; ++i) {
    feet.emplace_back(i + random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2),
                      random.uniform(-0.3, 0.3));
    middle += feet.back() / cranks;
    m.bodies.push_back(random_body(random, feet.back() + 0.5 * crank, random.uniform(0.5, 2)));
    m.joints.push_back(flat_hinge(Mechanism::world, i, feet.back()));
  }
  m.bodies.push_back(random_body(random, middle + crank, random.uniform(0.5, 5)));
  for (int i = 0; i < cranks; ++i)
    m.joints.push_back(flat_hinge(i, cranks, feet[static_cast<std::size_t>(i)] + crank));
  m.gravity = Vec3(random.uniform(-3, 3), -random.uniform(3, 10), random.uniform(-3, 3));
  m.freedoms = 1;
  return anywhere(random, m);
}

/// Crossed bars on top of each other; one foot is hinged, the other slides.
Mechanism scissor(Random& random) {
  Mechanism m;
  const int cells = random.integer(1, 4);
  const double angle = random.uniform(0.4, 1.2), length = random.uniform(0.6, 1.5);
  const Vec3 wide(length * std::cos(angle), 0, 0), high(0, length * std::sin(angle), 0);
  m.bodies.push_back(random_body(random, wide, random.uniform(0.1, 1)));  // the shoe
  Mechanism::Joint rail = flat_hinge(Mechanism::world, 0, wide);
  rail.type = JointType::slider;
  rail.axis = Vec3::UnitX();
  m.joints.push_back(rail);
  for (int i = 0; i < cells; ++i) {  // bodies 1 + 2i: rises to the right, 2 + 2i: to the left
    const Vec3 base = i * high, centre = base + 0.5 * (wide + high);
    const int right = 1 + 2 * i, left = 2 + 2 * i;
    m.bodies.push_back(random_body(random, centre, random.uniform(0.5, 2)));
    m.bodies.push_back(random_body(random, centre, random.uniform(0.5, 2)));
    m.joints.push_back(flat_hinge(i == 0 ? Mechanism::world : left - 2, right, base));
    m.joints.push_back(flat_hinge(right, left, centre));
    m.joints.push_back(flat_hinge(i == 0 ? 0 : right - 2, left, base + wide));
  }
  m.gravity = Vec3(random.uniform(-3, 3), -random.uniform(1, 10), random.uniform(-3, 3));
  m.freedoms = 1;
  return anywhere(random, m);
}

/// A loop in space with as many freedoms as its joints have, less six.
Mechanism spatial_loop(Random& random) {
  static const std::vector<std::vector<JointType>> kinds = {
      {JointType::hinge, JointType::ball, JointType::ball, JointType::hinge},
      {JointType::hinge, JointType::universal, JointType::ball, JointType::hinge},
      {JointType::hinge, JointType::ball, JointType::universal, JointType::hinge},
      {JointType::hinge, JointType::hinge, JointType::ball, JointType::universal},
      {JointType::hinge, JointType::slider, JointType::ball, JointType::universal},
      {JointType::hinge, JointType::cylindrical, JointType::ball, JointType::hinge},
      {JointType::universal, JointType::cylindrical, JointType::ball},
      {JointType::hinge, JointType::hinge, JointType::hinge, JointType::hinge, JointType::hinge,
       JointType::hinge, JointType::hinge},
      {JointType::ball, JointType::ball, JointType::ball}};
  const auto& types =
      kinds[static_cast<std::size_t>(random.integer(0, static_cast<int>(kinds.size()) - 1))];
  std::vector<Axis> axes = round_about(random, static_cast<int>(types.size()));
  int freedoms = -6;
  for (std::size_t i = 0; i < types.size(); ++i) {
    axes[i].direction = random.direction();
    axes[i].at += random.vector(0.3);
    freedoms += types[i] == JointType::ball                                              ? 3
                : types[i] == JointType::universal || types[i] == JointType::cylindrical ? 2
                                                                                         : 1;
  }
  Mechanism m = closed_loop(random, axes, types);
  for (Mechanism::Body& body : m.bodies) {
    if (freedoms == 1) break;
    const double factor = random.uniform(0.5, 2) / body.mass;
    body.mass *= factor;
    body.inertia *= factor;
  }
  m.freedoms = freedoms;
  return m;
}

/// Bennett's four hinges in space: opposite links equal, lengths as the sines of the twists.
Mechanism bennett(Random& random) {
  const double alpha = random.uniform(0.3, 1.2), beta = alpha + random.uniform(0.3, 1.2);
  const double a = random.uniform(0.5, 1.5), b = a * std::sin(beta) / std::sin(alpha);
  const double first = random.uniform(0.6, 2.4);
  const double second = 2 * std::atan2(std::sin(0.5 * (beta + alpha)),
                                       std::sin(0.5 * (beta - alpha)) * std::tan(0.5 * first));
  Mat3 frame = Mat3::Identity();
  Vec3 at = Vec3::Zero();
  std::vector<Axis> axes;
  for (int i = 0; i < 4; ++i) {
    axes.push_back({at, frame.col(2)});
    const double turn = (i % 2 == 0 ? first : second) * (i < 2 ? 1 : -1);
    frame = frame * Eigen::AngleAxisd(turn, Vec3::UnitZ()).toRotationMatrix();
    at += frame.col(0) * (i % 2 == 0 ? a : b);
    frame = frame * Eigen::AngleAxisd(i % 2 == 0 ? alpha : beta, Vec3::UnitX()).toRotationMatrix();
  }
  return anywhere(random, closed_loop(random, axes));
}

/// Six hinges of which three are the others turned by half a turn about a line, or of which two
/// lie in a plane that mirrors the other four.
Mechanism bricard(Random& random) {
  std::vector<Axis> axes(6);
  const auto any = [&](double x, double y) {
    return Axis{Vec3(x, y, 0) + random.vector(0.4), random.direction()};
  };
  if (random.integer(0, 1) == 0) {
    const auto turned = [](const Axis& axis) {
      const auto half_turn = [](const Vec3& v) { return Vec3(-v[0], -v[1], v[2]); };
      return Axis{half_turn(axis.at), half_turn(axis.direction)};
    };
    axes[0] = any(1, 0);
    axes[1] = any(0.5, 0.8);
    axes[2] = any(-0.5, 0.8);
    for (std::size_t i = 0; i < 3; ++i) axes[i + 3] = turned(axes[i]);
  } else {
    const auto mirrored = [](const Axis& axis) {
      const auto mirror = [](const Vec3& v) { return Vec3(-v[0], v[1], v[2]); };
      return Axis{mirror(axis.at), mirror(axis.direction)};
    };
    const auto flat = [](Axis axis) {
      axis.at[0] = axis.direction[0] = 0;
      return axis;
    };
    axes[0] = flat(any(0, 1));
    axes[1] = any(0.8, 0.5);
    axes[2] = any(0.8, -0.5);
    axes[3] = flat(any(0, -1));
    axes[4] = mirrored(axes[2]);
    axes[5] = mirrored(axes[1]);
  }
  return anywhere(random, closed_loop(random, axes));
}

/// Two pairs of plates whose hinges are parallel within each: the top moves on a straight line.
Mechanism sarrus(Random& random) {
  const double turn = random.uniform(0.6, 2.5);
  const Vec3 one = Vec3::UnitX(), other(std::cos(turn), std::sin(turn), 0);
  const double height = random.uniform(0.5, 1.2);
  const auto across = [](const Vec3& axis) { return Vec3(-axis[1], axis[0], 0); };
  const auto at = [&](const Vec3& axis, double out, double up) {
    return Axis{across(axis) * out + Vec3(0, 0, up) + axis * random.uniform(-0.2, 0.2), axis};
  };
  return anywhere(
      random,
      closed_loop(random, {at(one, 0.5, 0), at(one, random.uniform(0.8, 1.2), 0.5 * height),
                           at(one, random.uniform(0.4, 0.6), height),
                           at(other, random.uniform(0.4, 0.6), height),
                           at(other, random.uniform(0.8, 1.2), 0.5 * height), at(other, 0.5, 0)}));
}

}  // namespace

std::vector<NamedFamily> linkage_families() {
  return {{"four_bar", four_bar},
          {"planar_loop", planar_loop},
          {"four_bar_chain", four_bar_chain},
          {"parallel_cranks", parallel_cranks},
          {"scissor", scissor},
          {"spatial_loop", spatial_loop},
          {"bennett", bennett},
          {"bricard", bricard},
          {"sarrus", sarrus}};
}

}  // namespace taut::testing
