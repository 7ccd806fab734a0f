// Bodies as clients number them: the particles first, then the rigid bodies, as in recordings.
#pragma once

#include <vector>

#include "taut/model/system.hpp"

namespace taut::server {

struct BodyOrder {
  struct Slot {
    int q, v;
  };
  std::vector<Slot> particles, rigid;
  std::vector<int> number;     ///< per body of the system
  std::vector<BodyId> bodies;  ///< per number

  BodyOrder() = default;
  explicit BodyOrder(const System& system) {
    for (const bool is_rigid : {false, true})
      for (int i = 0; i < system.body_count(); ++i) {
        const BodySlot& slot = system.slot({i});
        if ((slot.rigid >= 0) != is_rigid) continue;
        (is_rigid ? rigid : particles).push_back({slot.q, slot.v});
        bodies.push_back({i});
      }
    number.resize(bodies.size());
    for (std::size_t n = 0; n < bodies.size(); ++n)
      number[static_cast<std::size_t>(bodies[n].index)] = static_cast<int>(n);
  }
  /// Of a recording, whose states have the particles first, then the rigid bodies.
  BodyOrder(int particle_count, int rigid_count) {
    for (int i = 0; i < particle_count; ++i) particles.push_back({3 * i, 3 * i});
    for (int i = 0; i < rigid_count; ++i)
      rigid.push_back({3 * particle_count + 7 * i, 3 * particle_count + 6 * i});
    for (int i = 0; i < particle_count + rigid_count; ++i) {
      number.push_back(i);
      bodies.push_back({i});
    }
  }

  int count() const { return static_cast<int>(bodies.size()); }
  int of(BodyId body) const {
    return body.is_world() ? -1 : number[static_cast<std::size_t>(body.index)];
  }
};

}  // namespace taut::server
