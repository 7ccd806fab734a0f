#include "taut/simulate/island_energies.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double most_given = 0.1;     // of the kinetic energy, in a part; the rest is left
constexpr double least_taken = 1e-12;  // of the kinetic energy: round-off

}  // namespace

double kinetic_change(const System& system, int body, const VecX& w, const VecX& v) {
  const int at = system.slot({body}).v;
  const auto change = [&](int i) { return Vec3(0.5 * (v - w).segment<3>(i)); };
  const auto sum = [&](int i) { return Vec3((v + w).segment<3>(i)); };
  double energy = system.mass({body}) * change(at).dot(sum(at));
  if (system.is_rigid({body})) energy += change(at + 3).dot(system.inertia({body}) * sum(at + 3));
  return energy;
}

void IslandEnergies::look(const System& system, const ContactProblem& problem,
                          const ContactRows& rows, const VecX& v) {
  const int bodies = system.body_count();
  islands_.assign(static_cast<std::size_t>(bodies), {});
  first_.resize(static_cast<std::size_t>(bodies));
  for (int i = 0; i < bodies; ++i)
    first_[static_cast<std::size_t>(i)] = static_cast<std::size_t>(problem.island_of(i));
  for (int c = 0; c < rows.count(); ++c)
    if (problem.impulse[3 * c] > 0) note_touch(rows, c);
  for (int i = 0; i < bodies; ++i) {
    Island& island = of(i);
    const double mass = system.mass({i});
    const int at = system.slot({i}).v;
    island.kinetic += 0.5 * mass * v.segment<3>(at).squaredNorm();
    island.mass += mass;
    island.momentum += mass * v.segment<3>(at);
    if (system.is_rigid({i}))
      island.kinetic += 0.5 * v.segment<3>(at + 3).dot(system.inertia({i}) * v.segment<3>(at + 3));
  }
}

void IslandEnergies::note_touch(const ContactRows& rows, int contact) {
  const auto blocks = rows.blocks(contact);
  const std::size_t first = index(blocks.front().body), last = index(blocks.back().body);
  Island& island = islands_[first];
  island.touches = true;
  if (blocks.size() == 1) island.is_held = true;
  if (first == last) return;
  const Island& other = islands_[last];
  island.surplus += other.surplus;
  island.kinetic += other.kinetic;
  island.mass += other.mass;
  island.momentum += other.momentum;
  island.is_held = island.is_held || other.is_held;
  first_[last] = first;
}

std::size_t IslandEnergies::index(int body) const {
  std::size_t i = static_cast<std::size_t>(body);
  while (first_[i] != i) i = first_[i];
  return i;
}

bool IslandEnergies::has_gained(double part) const {
  return std::any_of(islands_.begin(), islands_.end(), [&](const Island& island) {
    return island.touches && island.surplus > part * island.kinetic;
  });
}

void IslandEnergies::take(const System& system, bool is_free, bool gives_back, State& state) const {
  for (int i = 0; i < system.body_count(); ++i) {
    const Island& island = islands_[index(i)];
    const double size = gives_back ? std::abs(island.surplus) : island.surplus;
    if (!island.touches || !(size > least_taken * island.kinetic)) continue;
    Vec3 common = Vec3::Zero();
    double kinetic = island.kinetic;
    if (!island.is_held && is_free) {
      common = island.momentum / island.mass;
      kinetic -= 0.5 * island.momentum.dot(common);
    }
    if (island.surplus < -most_given * kinetic) continue;
    const double left = kinetic > island.surplus ? std::sqrt(1 - island.surplus / kinetic) : 0;
    const int at = system.slot({i}).v;
    state.v.segment<3>(at) = common + left * (state.v.segment<3>(at) - common);
    if (system.is_rigid({i})) state.v.segment<3>(at + 3) *= left;
  }
}

}  // namespace taut
