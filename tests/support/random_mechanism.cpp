#include "support/random_mechanism.hpp"

#include <cmath>

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

std::vector<NamedFamily> families() {
  std::vector<NamedFamily> all = tree_families();
  for (const auto& list : {linkage_families(), one_sided_families()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Families that came later have seeds of their own, so that the others keep theirs.
struct Seeds {
  std::vector<NamedFamily> families;
  unsigned first;
};
const Seeds& seeds_of(unsigned seed) {
  static const Seeds early{families(), 0}, late{coupled_families(), first_coupled_seed};
  return seed < first_coupled_seed ? early : late;
}

Scale random_scale(Random& random) {
  Scale scale;
  if (random.integer(0, 1) == 0) return scale;
  // Each alone, or all at once.
  const int which = random.integer(0, 3);
  if (which == 0 || which == 3) scale.length = std::pow(10.0, random.uniform(-6, 6));
  if (which == 1 || which == 3) scale.time = std::pow(10.0, random.uniform(-6, 6));
  if (which == 2 || which == 3) scale.mass = std::pow(10.0, random.uniform(-6, 6));
  return scale;
}

}  // namespace

std::vector<std::string_view> mechanism_families() {
  std::vector<std::string_view> names;
  for (const unsigned first : {0U, first_coupled_seed})
    for (const NamedFamily& family : seeds_of(first).families) names.push_back(family.name);
  return names;
}

std::string_view family_of(unsigned seed) {
  const Seeds& seeds = seeds_of(seed);
  return seeds.families[(seed - seeds.first) % seeds.families.size()].name;
}

unsigned seed_of(std::string_view family, unsigned round) {
  for (const unsigned first : {0U, first_coupled_seed}) {
    const auto& families = seeds_of(first).families;
    for (unsigned i = 0; i < families.size(); ++i)
      if (families[i].name == family)
        return first + i + round * static_cast<unsigned>(families.size());
  }
  return 0;
}

Mechanism::Body random_body(Random& random, const Vec3& place, double mass, double size) {
  Mechanism::Body body;
  body.mass = mass;
  body.place = place;
  body.orientation = Quat(Eigen::AngleAxisd(random.uniform(-3, 3), random.direction()));
  // Of a box.
  const double a = random.uniform(0.2, 1), b = random.uniform(0.2, 1), c = random.uniform(0.2, 1);
  body.inertia =
      (mass * size * size / 12) * Vec3(b * b + c * c, c * c + a * a, a * a + b * b).asDiagonal();
  return body;
}

void place_anywhere(Random& random, Mechanism& mechanism) {
  const Mat3 turn = Eigen::AngleAxisd(random.uniform(-3, 3), random.direction()).toRotationMatrix();
  const Vec3 shift = random.vector(0.5);
  const auto move = [&](Vec3& place) { place = turn * place + shift; };
  mechanism.gravity = turn * mechanism.gravity;
  for (Mechanism::Body& body : mechanism.bodies) {
    move(body.place);
    body.orientation = Quat(turn) * body.orientation;
  }
  for (Mechanism::Joint& joint : mechanism.joints) {
    move(joint.at);
    joint.axis = turn * joint.axis;
    joint.second = turn * joint.second;
  }
  for (Mechanism::Rod& rod : mechanism.rods) {
    move(rod.a.at);
    move(rod.b.at);
  }
  for (Mechanism::Spring& spring : mechanism.springs) {
    move(spring.a.at);
    move(spring.b.at);
  }
  for (Mechanism::Skate& skate : mechanism.skates) {
    move(skate.at.at);
    skate.edge = turn * skate.edge;
    skate.normal = turn * skate.normal;
  }
}

Mechanism closed_loop(Random& random, const std::vector<Axis>& axes,
                      const std::vector<JointType>& types) {
  Mechanism m;
  const int n = static_cast<int>(axes.size());
  // One freedom in all in most loops, so that no mass ratio makes anything fast.
  const double spread = random.integer(0, 3) == 0 ? 4.5 : 0.5;
  for (int i = 0; i + 1 < n; ++i) {
    const Vec3 middle =
        0.5 * (axes[static_cast<std::size_t>(i)].at + axes[static_cast<std::size_t>(i + 1)].at);
    m.bodies.push_back(random_body(random, middle + random.vector(0.1),
                                   std::pow(10.0, random.uniform(-spread, spread))));
  }
  for (int i = 0; i < n; ++i) {
    Mechanism::Joint joint;
    joint.type = types.empty() ? JointType::hinge : types[static_cast<std::size_t>(i)];
    joint.a = i == n - 1 ? Mechanism::world : i - 1;
    joint.b = i == n - 1 ? n - 2 : i;
    joint.at = axes[static_cast<std::size_t>(i)].at;
    joint.axis = axes[static_cast<std::size_t>(i)].direction.normalized();
    joint.second = joint.axis.cross(random.direction()).normalized();
    m.joints.push_back(joint);
  }
  m.gravity = random.direction() * random.uniform(1, 10);
  m.freedoms = 1;
  return m;
}

RandomMechanism random_mechanism(unsigned seed) {
  const Seeds& seeds = seeds_of(seed);
  const NamedFamily& family = seeds.families[(seed - seeds.first) % seeds.families.size()];
  RandomMechanism out;
  out.seed = seed;
  for (int attempt = 0; attempt < 40; ++attempt) {
    Random random(seed * 64 + static_cast<unsigned>(attempt));
    Mechanism m = family.make(random);
    m.family = family.name;
    m.duration = random.uniform(0.5, 1.5);
    m.scale = random_scale(random);
    const VecX rates = 2 * random.vector_of(rate_count(m));
    out.mechanism = m;
    if (!set_moving(out.mechanism, rates)) continue;
    out.motion = true_motion(out.mechanism, rates, 8);
    if (!out.motion.found) continue;
    if (out.motion.sensitivity > 300) continue;
    out.attempts = attempt;
    return out;
  }
  return out;
}

}  // namespace taut::testing
