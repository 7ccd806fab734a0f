// All forces of one type in a flat vector, one virtual call per batch.
//
// A force type is a plain struct with
//   type, summary, fields()
//   add(system, pose, v, t, F)   adds its generalised force
//   potential(system, pose)      its potential energy, 0 where it has none
//   is_conservative()            whether it is the gradient of that potential
//   depends_on_velocity()
#pragma once

#include <algorithm>
#include <vector>

#include "taut/model/batch.hpp"
#include "taut/model/system.hpp"

namespace taut {

template <class Force>
class ForceBatchOf final : public ForceBatch {
 public:
  void add_force(const Force& force) { forces_.push_back(force); }

  std::string_view type() const override { return Force::type; }
  void add(const System& system, const Pose& pose, const VecX& v, double time,
           VecX& F) const override {
    for (const Force& force : forces_) force.add(system, pose, v, time, F);
  }
  double potential_energy(const System& system, const Pose& pose) const override {
    double energy = 0;
    for (const Force& force : forces_) energy += force.potential(system, pose);
    return energy;
  }
  bool is_conservative() const override {
    return std::all_of(forces_.begin(), forces_.end(),
                       [](const Force& force) { return force.is_conservative(); });
  }
  bool depends_on_velocity() const override {
    return std::any_of(forces_.begin(), forces_.end(),
                       [](const Force& force) { return force.depends_on_velocity(); });
  }

 private:
  std::vector<Force> forces_;
};

/// Adds a force to a system.
template <class Force>
void apply(System& system, const Force& force) {
  system.force_batch<ForceBatchOf<Force>>().add_force(force);
}

}  // namespace taut
