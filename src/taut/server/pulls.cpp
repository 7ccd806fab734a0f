#include "taut/server/pulls.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taut/forces/pull.hpp"

namespace taut::server {
namespace {

constexpr double least_rate = 4 * std::numbers::pi;  // 1/s: two swings per second
// A mass on such a pull hangs lower than the place it is pulled to by this part of the scene.
constexpr double sag = 0.05;
// (ω h)² of a body on its pull, for explicit methods: well below where they become unstable.
constexpr double explicit_bound = 0.2;

/// Which bodies hang together by constraints and forces between them.
class Groups {
 public:
  explicit Groups(const System& system) : parent_(static_cast<std::size_t>(system.body_count())) {
    std::iota(parent_.begin(), parent_.end(), 0);
    std::vector<Anchor> anchors;
    for (const auto& batch : system.constraints()) {
      anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
      for (int i = 0; i < batch->size(); ++i) {
        batch->anchors(i, anchors);
        join(anchors);
      }
    }
    for (const auto& batch : system.all_forces())
      if (batch->anchors_per_coupling() > 1)
        batch->visit_couplings(system, [&](std::span<const Anchor> all) { join(all); });
  }
  double mass_with(const System& system, BodyId body) {
    double mass = 0;
    for (int i = 0; i < system.body_count(); ++i)
      if (root(i) == root(body.index)) mass += system.mass({i});
    return mass;
  }

 private:
  void join(std::span<const Anchor> anchors) {
    int first = -1;
    for (const Anchor& anchor : anchors) {
      if (anchor.body.is_world()) continue;
      if (first >= 0) parent_[static_cast<std::size_t>(root(anchor.body.index))] = root(first);
      first = anchor.body.index;
    }
  }
  int root(int i) {
    while (parent_[static_cast<std::size_t>(i)] != i) {
      int& up = parent_[static_cast<std::size_t>(i)];
      up = parent_[static_cast<std::size_t>(up)];
      i = up;
    }
    return i;
  }
  std::vector<int> parent_;
};

double gravity_of(const System& system) {
  Vec3 sum = Vec3::Zero();
  for (const auto& batch : system.all_forces()) sum += batch->uniform_acceleration();
  return sum.norm();
}

/// What a point of a body resists with, in the direction in which that is least.
double least_mass(const System& system, BodyId body, const Vec3& local) {
  const double mass = system.mass(body);
  if (!system.is_rigid(body)) return mass;
  const Mat3& inertia = system.inertia(body);
  const double least = std::max(inertia.diagonal().minCoeff(), 1e-12 * inertia.trace());
  return 1 / (1 / mass + local.squaredNorm() / least);
}

}  // namespace

bool Pulls::has(std::uint32_t id) const {
  return std::any_of(grabs_.begin(), grabs_.end(),
                     [&](const Held& held) { return held.grab.id == id; });
}
void Pulls::add(const Grab& grab) {
  remove(grab.id);
  grabs_.push_back({grab, {}, {}, nullptr});
}
void Pulls::remove(std::uint32_t id) {
  std::erase_if(grabs_, [&](const Held& held) { return held.grab.id == id; });
}
void Pulls::move(std::uint32_t id, const Vec3& target) {
  for (Held& held : grabs_)
    if (held.grab.id == id) held.grab.target = target;
}

Pulls::Strength Pulls::find_strength(const System& system, const Surroundings& at, const Grab& grab,
                                     BodyId body) {
  const double mass = grab.strength * Groups(system).mass_with(system, body);
  const double rate =
      std::sqrt(std::max(least_rate * least_rate, gravity_of(system) / (sag * at.size)));
  Strength strength{mass * rate * rate, mass * rate};
  if (at.is_implicit) return strength;
  const double least = least_mass(system, body, grab.local);
  strength.stiffness = std::min(strength.stiffness, explicit_bound * least / (at.step * at.step));
  strength.damping = std::min(strength.damping, std::sqrt(strength.stiffness * least));
  return strength;
}

void Pulls::apply_to(System& system, const Surroundings& at) {
  reach_ = at.size;
  for (Held& held : grabs_) {
    const BodyId body = at.frame.order.bodies[static_cast<std::size_t>(held.grab.body)];
    held.point = Point(body, held.grab.local);
    // How strong it is, is decided when it is taken, and stays.
    if (held.strength.stiffness == 0) held.strength = find_strength(system, at, held.grab, body);
    held.target = std::make_shared<Vec3>(held.grab.target);
    Pull pull;
    pull.point = held.point;
    pull.to = [target = held.target](double) {
      return MotionSample<Vec3>{*target, Vec3::Zero(), Vec3::Zero()};
    };
    pull.stiffness = held.strength.stiffness;
    pull.damping = held.strength.damping;
    apply(system, std::move(pull));
  }
  follow(system, at.state);
}

void Pulls::follow(const System& system, const State& state) {
  if (grabs_.empty()) return;
  const Pose pose(system, state.q);
  for (const Held& held : grabs_) {
    const Vec3 place = pose.at(held.point);
    const Vec3 way = held.grab.target - place;
    const double length = way.norm();
    *held.target = length > reach_ ? Vec3(place + reach_ / length * way) : held.grab.target;
  }
}

std::vector<PullSample> Pulls::sample(const System& system, const State& state) const {
  std::vector<PullSample> samples;
  if (grabs_.empty()) return samples;
  const Pose pose(system, state.q);
  for (const Held& held : grabs_) {
    const Vec3 place = pose.at(held.point);
    const Vec3 force = held.strength.stiffness * (*held.target - place) -
                       held.strength.damping * pose.velocity(held.point, state.v);
    samples.push_back({held.grab.id, held.grab.body, place, held.grab.target, force});
  }
  return samples;
}

Pulls::Strength Pulls::strength(std::uint32_t id) const {
  for (const Held& held : grabs_)
    if (held.grab.id == id) return held.strength;
  return {};
}

}  // namespace taut::server
