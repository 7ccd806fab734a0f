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
constexpr std::size_t most_parts = 400;

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

/// Particles around one, the nearest along the edges first.
std::vector<int> around(const Frame& frame, int particle) {
  std::vector<std::vector<int>> next(frame.order.particles.size());
  for (const Edge& edge : frame.edges) {
    next[static_cast<std::size_t>(edge.a)].push_back(edge.b);
    next[static_cast<std::size_t>(edge.b)].push_back(edge.a);
  }
  std::vector<char> seen(next.size(), 0);
  std::vector<int> found{particle};
  seen[static_cast<std::size_t>(particle)] = 1;
  for (std::size_t i = 0; i < found.size() && found.size() < most_parts; ++i)
    for (const int other : next[static_cast<std::size_t>(found[i])])
      if (!std::exchange(seen[static_cast<std::size_t>(other)], 1)) found.push_back(other);
  return found;
}

}  // namespace

bool Pulls::has(std::uint32_t id) const {
  return std::any_of(grabs_.begin(), grabs_.end(),
                     [&](const Held& held) { return held.grab.id == id; });
}
void Pulls::add(const Grab& grab) {
  remove(grab.id);
  grabs_.push_back({grab, {}});
}
void Pulls::remove(std::uint32_t id) {
  std::erase_if(grabs_, [&](const Held& held) { return held.grab.id == id; });
}
void Pulls::move(std::uint32_t id, const Vec3& target) {
  for (Held& held : grabs_)
    if (held.grab.id == id) held.grab.target = target;
}

void Pulls::find_parts(const System& system, const Surroundings& at, Held& held) const {
  const Grab& grab = held.grab;
  const BodyId body = at.frame.order.bodies[static_cast<std::size_t>(grab.body)];
  const double mass = Groups(system).mass_with(system, body);
  const double rate =
      std::sqrt(std::max(least_rate * least_rate, gravity_of(system) / (sag * at.size)));
  const Strength wanted{grab.strength * mass * rate * rate, grab.strength * mass * rate};
  held.parts.push_back({Point(body, grab.local), Vec3::Zero(), nullptr, wanted});
  if (at.is_implicit) return;

  const auto bounded = [&](BodyId of, const Vec3& local) {
    const double least = least_mass(system, of, local);
    const double k = std::min(wanted.stiffness, explicit_bound * least / (at.step * at.step));
    return Strength{k, std::min(wanted.damping, std::sqrt(k * least))};
  };
  held.parts[0].strength = bounded(body, grab.local);
  if (system.is_rigid(body)) return;
  double sum = held.parts[0].strength.stiffness;
  const Vec3 center = at.state.q.segment<3>(system.slot(body).q);
  for (const int particle : around(at.frame, grab.body)) {
    if (sum >= wanted.stiffness) break;
    if (particle == grab.body) continue;
    const BodyId other = at.frame.order.bodies[static_cast<std::size_t>(particle)];
    const Vec3 offset = at.state.q.segment<3>(system.slot(other).q) - center;
    held.parts.push_back({Point(other), offset, nullptr, bounded(other, Vec3::Zero())});
    sum += held.parts.back().strength.stiffness;
  }
}

void Pulls::apply_to(System& system, const Surroundings& at) {
  reach_ = at.size;
  for (Held& held : grabs_) {
    // Who is pulled along is decided when it is taken, and stays.
    if (held.parts.empty()) find_parts(system, at, held);
    for (Part& part : held.parts) {
      part.target = std::make_shared<Vec3>(held.grab.target + part.offset);
      Pull pull;
      pull.point = part.point;
      pull.to = [target = part.target](double) {
        return MotionSample<Vec3>{*target, Vec3::Zero(), Vec3::Zero()};
      };
      pull.stiffness = part.strength.stiffness;
      pull.damping = part.strength.damping;
      apply(system, std::move(pull));
    }
  }
  follow(system, at.state);
}

void Pulls::follow(const System& system, const State& state) {
  if (grabs_.empty()) return;
  const Pose pose(system, state.q);
  for (const Held& held : grabs_)
    for (const Part& part : held.parts) {
      const Vec3 place = pose.at(part.point);
      const Vec3 way = held.grab.target + part.offset - place;
      const double length = way.norm();
      *part.target = length > reach_ ? Vec3(place + reach_ / length * way) : Vec3(place + way);
    }
}

std::vector<PullSample> Pulls::sample(const System& system, const State& state) const {
  std::vector<PullSample> samples;
  if (grabs_.empty()) return samples;
  const Pose pose(system, state.q);
  for (const Held& held : grabs_) {
    PullSample sample{held.grab.id, held.grab.body, Vec3::Zero(), held.grab.target, Vec3::Zero()};
    for (const Part& part : held.parts)
      sample.force += part.strength.stiffness * (*part.target - pose.at(part.point)) -
                      part.strength.damping * pose.velocity(part.point, state.v);
    if (!held.parts.empty()) sample.point = pose.at(held.parts[0].point);
    samples.push_back(sample);
  }
  return samples;
}

Pulls::Strength Pulls::strength(std::uint32_t id) const {
  Strength sum;
  for (const Held& held : grabs_) {
    if (held.grab.id != id) continue;
    for (const Part& part : held.parts) {
      sum.stiffness += part.strength.stiffness;
      sum.damping += part.strength.damping;
    }
  }
  return sum;
}

}  // namespace taut::server
