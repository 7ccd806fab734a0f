// All forces of one type in a flat vector, one virtual call per batch.
//
// A force type is a plain struct with
//   type, summary
//   add(system, pose, v, t, F)   adds its generalised force
//   potential(system, pose)      its potential energy, 0 where it has none
//   is_conservative()            whether it is the gradient of that potential
//   depends_on_velocity()
// and, if it takes energy away and adds none,
//   is_passive()                 which says so; else what is_conservative() says
// and, if it acts along a line or in a joint,
//   along(pose, v, t)            what it exerts there: see ForceBatch::Along
//   tell(k, pose, v, t, exerted) optional: what else there is to know of it, for sensors
// and, if a step may not resolve it,
//   stiff(pose, v, t, along)     {stiffness, damping}: see ForceBatch::visit_stiff()
//   range()                      optional: the least and most that along() tells
//   done_in_parts                optional: explicit methods do a step in parts that do resolve it
//   may_saturate()               optional: whether its derivatives jump
// and, if its force is not that of the pose half way already,
//   add_between(system, passage, F)    its mean force over a passage, exact in energy
// and, if implicit methods should see its derivatives (stiff springs, strong drag),
//   anchor_count                       of each coupling: the anchors a force depends on
//   couplings(system), anchors(system, i)
//   derivatives(x, ẋ, rate)            −∂f/∂x − rate·∂f/∂ẋ without its negative eigenvalues, and
//                                      −f, per anchor; or derivatives(i, x, ẋ, t, rate) where it
//                                      matters which coupling it is, or when; or
//                                      derivatives(pose, x, ẋ, t, rate)
//   derivatives_between(passage, x̄, ẋ, rate)
//                                      optional: those of the mean force over a passage, if they
//                                      are not those of the force half way. −∂f/∂x₁ twice
//   pair_stiffness(x₂ − x₁, rate)      optional, where the curvature is [k −k; −k k]: that k
//   common_stiffness(i, x, ẋ, t, rate) optional, where the anchors are particles and all 3 × 3
//                                      blocks of the curvature are the same: that block
//   or, if it acts on particles and resists alike in all directions, instead,
//   isotropic_stiffness(rate)          that many times 1 for each pair of anchors
//   prepare(system)                    completes it from the start positions; throws Error when
//                                      that is not possible
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "taut/model/anchor_stiffness.hpp"
#include "taut/model/batches.hpp"
#include "taut/model/system.hpp"

namespace taut {

template <int K>
struct AnchorStiffness {
  Eigen::Matrix<double, 3 * K, 3 * K> curvature;
  Columns<double, K> gradient;  ///< minus the force at each anchor
};

/// All forces of one type. Data is what users write, Force what acts: the same, or derived from it.
template <class Force, class Data = Force>
class ForceBatchOf final : public ForceBatch {
 public:
  void add_force(Force force) { forces_.push_back(std::move(force)); }
  /// For those who know that many will come.
  void reserve_more(std::size_t count) { forces_.reserve(forces_.size() + count); }
  int size() const override { return static_cast<int>(forces_.size()); }
  const void* object(int i) const override {
    return static_cast<const Data*>(&forces_[static_cast<std::size_t>(i)]);
  }

  std::optional<Along> along([[maybe_unused]] int i, [[maybe_unused]] const Pose& pose,
                             [[maybe_unused]] const VecX& v,
                             [[maybe_unused]] double time) const override {
    if constexpr (requires(const Force& force) { force.along(pose, v, time); })
      return forces_[static_cast<std::size_t>(i)].along(pose, v, time);
    return std::nullopt;
  }

  std::optional<Along> tell([[maybe_unused]] int i, [[maybe_unused]] int what,
                            [[maybe_unused]] const Pose& pose, [[maybe_unused]] const VecX& v,
                            [[maybe_unused]] double time,
                            [[maybe_unused]] double exerted) const override {
    if constexpr (requires(const Force& force) { force.tell(what, pose, v, time, exerted); })
      return forces_[static_cast<std::size_t>(i)].tell(what, pose, v, time, exerted);
    return std::nullopt;
  }

  Range range([[maybe_unused]] int i) const override {
    if constexpr (requires(const Force& force) { force.range(); })
      return forces_[static_cast<std::size_t>(i)].range();
    return {};
  }

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
  bool is_passive() const override {
    return std::all_of(forces_.begin(), forces_.end(), [](const Force& force) {
      if constexpr (requires { force.is_passive(); })
        return force.is_passive();
      else
        return force.is_conservative();
    });
  }
  bool depends_on_velocity() const override {
    return std::any_of(forces_.begin(), forces_.end(),
                       [](const Force& force) { return force.depends_on_velocity(); });
  }
  bool may_saturate() const override {
    if constexpr (requires(const Force& force) { force.may_saturate(); })
      return std::any_of(forces_.begin(), forces_.end(),
                         [](const Force& force) { return force.may_saturate(); });
    return false;
  }
  bool may_be_stiff() const override {
    return requires(const Force& force, const Pose& pose, const VecX& v, VecX& along) {
      force.stiff(pose, v, 0.0, along);
    };
  }
  void visit_stiff([[maybe_unused]] const System& system, [[maybe_unused]] const Pose& pose,
                   [[maybe_unused]] const VecX& v, [[maybe_unused]] double time,
                   [[maybe_unused]] VecX& along,
                   [[maybe_unused]] const VisitStiff& visit) const override {
    if constexpr (requires(const Force& force) { force.stiff(pose, v, time, along); })
      for (int i = 0; i < size(); ++i) {
        along.setZero(system.velocity_size());
        const auto [stiffness, damping] =
            forces_[static_cast<std::size_t>(i)].stiff(pose, v, time, along);
        if (stiffness > 0 || damping > 0) visit(i, stiffness, damping);
      }
  }
  bool is_done_in_parts() const override {
    if constexpr (requires { Force::done_in_parts; }) return Force::done_in_parts;
    return false;
  }
  Vec3 uniform_acceleration() const override {
    Vec3 sum = Vec3::Zero();
    for ([[maybe_unused]] const Force& force : forces_)
      if constexpr (requires { force.uniform_acceleration(); }) sum += force.uniform_acceleration();
    return sum;
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
  void visit_couplings(
      [[maybe_unused]] const System& system,
      [[maybe_unused]] const std::function<void(std::span<const Anchor>)>& visit) const override {
    if constexpr (has_derivatives)
      for (const Force& force : forces_) {
        const int count = force.couplings(system);
        for (int i = 0; i < count; ++i) visit(force.anchors(system, i));
      }
  }
  bool stiffness_is_isotropic() const override { return is_isotropic; }
  void add_stiffness(const System& system, const Pose& pose, const VecX& v, double time,
                     double rate, const RowPattern& pattern, Start start, VecX& K) const override {
    add_stiffness(system, nullptr, pose, v, time, rate, pattern, start, K);
  }
  void add_stiffness_between(const System& system, const Passage& passage, const VecX& v_mean,
                             double rate, const RowPattern& pattern, Start start,
                             VecX& K) const override {
    add_stiffness(system, &passage, passage.mean, v_mean, passage.time, rate, pattern, start, K);
  }

 private:
  static constexpr bool has_derivatives = requires { Force::anchor_count; };
  static constexpr bool is_isotropic = requires(const Force& force) {
    force.isotropic_stiffness(1.0);
  };

  void add_stiffness([[maybe_unused]] const System& system, [[maybe_unused]] const Passage* passage,
                     [[maybe_unused]] const Pose& pose, [[maybe_unused]] const VecX& v,
                     [[maybe_unused]] double time, [[maybe_unused]] double rate,
                     [[maybe_unused]] const RowPattern& pattern, [[maybe_unused]] Start start,
                     [[maybe_unused]] VecX& K) const {
    if constexpr (has_derivatives) {
      constexpr int count = Force::anchor_count;
      const int* body_of = pattern.coupling_anchor_block.data() + start.anchor;
      std::size_t number = static_cast<std::size_t>(start.coupling);
      for (const Force& force : forces_) {
        const int couplings = force.couplings(system);
        for (int i = 0; i < couplings; ++i, ++number, body_of += count) {
          const PairBlocks blocks{
              pattern.coupling_blocks.data(),
              pattern.coupling_pairs.data() + pattern.first_coupling_pair[number]};
          if constexpr (requires { force.pair_stiffness(Vec3(), rate); })
            if (are_two_particles(body_of, blocks)) {
              const std::array<Anchor, count> anchors = force.anchors(system, i);
              const Vec3 d = pose.at(anchors[1]) - pose.at(anchors[0]);
              add_pair_stiffness(force.pair_stiffness(d, rate), blocks, K.data());
              continue;
            }
          if constexpr (is_isotropic) {
            add_isotropic_stiffness<count>(body_of, force.isotropic_stiffness(rate), blocks,
                                           K.data());
          } else {
            const std::array<Anchor, count> anchors = force.anchors(system, i);
            Columns<double, count> x, speed;
            for (int k = 0; k < count; ++k) {
              x.col(k) = pose.at(anchors[k]);
              speed.col(k) = pose.velocity(anchors[k], v);
            }
            if constexpr (requires { force.common_stiffness(i, x, speed, time, rate); }) {
              add_common(body_of, force.common_stiffness(i, x, speed, time, rate), blocks,
                         K.data());
            } else {
              const AnchorStiffness<count> at =
                  derivatives(force, passage, pose, i, x, speed, time, rate);
              add_anchor_stiffness<count>(pose, anchors, body_of, at.curvature, at.gradient,
                                          Definiteness::positive, blocks, K.data());
            }
          }
        }
      }
    }
  }

  template <class Places>
  [[gnu::always_inline]] static auto derivatives(const Force& force,
                                                 [[maybe_unused]] const Passage* passage,
                                                 [[maybe_unused]] const Pose& pose,
                                                 [[maybe_unused]] int i, const Places& x,
                                                 const Places& speed, [[maybe_unused]] double time,
                                                 double rate) {
    if constexpr (requires { force.derivatives_between(*passage, x, speed, rate); })
      if (passage) return force.derivatives_between(*passage, x, speed, rate);
    if constexpr (requires { force.derivatives(i, x, speed, time, rate); })
      return force.derivatives(i, x, speed, time, rate);
    else if constexpr (requires { force.derivatives(pose, x, speed, time, rate); })
      return force.derivatives(pose, x, speed, time, rate);
    else
      return force.derivatives(x, speed, rate);
  }

  /// The same block for each pair of particles; the world's number is −1.
  [[gnu::always_inline]] static void add_common(const int* body_of, const Mat3& block,
                                                const PairBlocks& blocks, double* values) {
    for (int k = 0; k < Force::anchor_count; ++k)
      for (int l = 0; l < Force::anchor_count; ++l) {
        const int body = body_of[k], other = body_of[l];
        if (other < 0 || other > body) continue;
        double* to = values + blocks[body * (body + 1) / 2 + other].value;
        for (int i = 0; i < 9; ++i) to[i] += block.data()[i];
      }
  }

  std::vector<Force> forces_;
};

/// Adds a force to a system as one of type Force, which is Data or derived from it. What it leaves
/// to be measured is measured at the bodies' initial positions.
template <class Force, class Data>
void add_force(System& system, Data data) {
  Force force;
  static_cast<Data&>(force) = std::move(data);
  if constexpr (requires { force.prepare(system); }) force.prepare(system);
  system.force_batch<ForceBatchOf<Force, Data>>().add_force(std::move(force));
}
/// Adds many at once.
template <class Force, class Data>
void add_forces(System& system, std::vector<Data> all) {
  if (all.empty()) return;
  system.force_batch<ForceBatchOf<Force, Data>>().reserve_more(all.size());
  for (Data& data : all) add_force<Force>(system, std::move(data));
}

/// Adds a force of your own. Those of taut have functions of the same name in their headers.
template <class Force>
requires requires(const Force& force) { force.is_conservative(); }
void apply(System& system, Force force) { add_force<Force>(system, std::move(force)); }

}  // namespace taut
