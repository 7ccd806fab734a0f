// All forces of one type in a flat vector, one virtual call per batch.
//
// A force type is a plain struct with
//   type, summary, fields()
//   add(system, pose, v, t, F)   adds its generalised force
//   potential(system, pose)      its potential energy, 0 where it has none
//   is_conservative()            whether it is the gradient of that potential
//   depends_on_velocity()
// and, if its force is not that of the pose half way already,
//   add_between(system, passage, F)    its mean force over a passage, exact in energy
// and, if implicit methods should see its derivatives (stiff springs, strong drag),
//   anchor_count                       of each coupling: the anchors a force depends on
//   couplings(system), anchors(system, i)
//   derivatives(x, ẋ, rate)            −∂f/∂x − rate·∂f/∂ẋ without its negative eigenvalues, and
//                                      −f, per anchor
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "taut/model/anchor_stiffness.hpp"
#include "taut/model/batch.hpp"
#include "taut/model/system.hpp"

namespace taut {

template <int K>
struct AnchorStiffness {
  Eigen::Matrix<double, 3 * K, 3 * K> curvature;
  Columns<double, K> gradient;  ///< minus the force at each anchor
};

template <class Force>
class ForceBatchOf final : public ForceBatch {
 public:
  void add_force(const Force& force) { forces_.push_back(force); }

  std::string_view type() const override { return Force::type; }
  void add(const System& system, const Pose& pose, const VecX& v, double time,
           VecX& F) const override {
    for (const Force& force : forces_) force.add(system, pose, v, time, F);
  }
  void add_between(const System& system, const Passage& passage, const VecX& v_mean,
                   VecX& F) const override {
    for (const Force& force : forces_) {
      if constexpr (requires { force.add_between(system, passage, v_mean, F); }) {
        force.add_between(system, passage, v_mean, F);
      } else {
        force.add(system, passage.mean, v_mean, passage.time, F);
      }
    }
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

  int couplings(const System& system) const override {
    int count = 0;
    if constexpr (has_derivatives)
      for (const Force& force : forces_) count += force.couplings(system);
    return count;
  }
  int anchors_per_coupling() const override {
    if constexpr (has_derivatives) return Force::anchor_count;
    return 0;
  }
  void coupling_anchors(const System& system, int coupling,
                        std::vector<Anchor>& out) const override {
    out.clear();
    if constexpr (has_derivatives) {
      std::size_t force = 0;
      for (; coupling >= forces_[force].couplings(system); ++force)
        coupling -= forces_[force].couplings(system);
      for (const Anchor& anchor : forces_[force].anchors(system, coupling)) out.push_back(anchor);
    }
  }
  void add_stiffness([[maybe_unused]] const System& system, [[maybe_unused]] const Pose& pose,
                     [[maybe_unused]] const VecX& v, [[maybe_unused]] double rate,
                     [[maybe_unused]] const RowPattern& pattern, [[maybe_unused]] Start start,
                     [[maybe_unused]] VecX& K) const override {
    if constexpr (has_derivatives) {
      constexpr int count = Force::anchor_count;
      const int* body_of = pattern.coupling_anchor_block.data() + start.anchor;
      std::size_t number = static_cast<std::size_t>(start.coupling);
      for (const Force& force : forces_) {
        for (int i = 0; i < force.couplings(system); ++i, ++number, body_of += count) {
          const std::array<Anchor, count> anchors = force.anchors(system, i);
          Columns<double, count> x, speed;
          for (int k = 0; k < count; ++k) {
            x.col(k) = pose.at(anchors[k]);
            speed.col(k) = pose.velocity(anchors[k], v);
          }
          const AnchorStiffness<count> at = force.derivatives(x, speed, rate);
          add_anchor_stiffness<count>(
              pose, anchors, body_of, at.curvature, at.gradient, Definiteness::positive,
              pattern.coupling_blocks.data() + pattern.first_coupling_block[number], K.data());
        }
      }
    }
  }

 private:
  static constexpr bool has_derivatives = requires { Force::anchor_count; };

  std::vector<Force> forces_;
};

/// Adds a force to a system.
template <class Force>
void apply(System& system, const Force& force) {
  system.force_batch<ForceBatchOf<Force>>().add_force(force);
}

}  // namespace taut
