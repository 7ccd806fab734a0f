// What ties a hand to its ghost: on each limb a spring and a damper, linear and angular,
//
//   f = k (x_g − x) + d (v_g − v)                                     N
//   τ = k_t Σ e_i × e_i^g + d_t d/dt(…)   (≈ 2 k_t θ for a turn θ)    N·m
//
// with e_i the axes of the limb and e_i^g those of its ghost (equations 1 to 4 of Zaeh, Egermeier,
// Petzold and Schmid: k_f, d_f, k_t, d_t there). They are forces that know their derivatives, so a
// step solves them implicitly together with contacts and joints:
//
//   (M + h d + h² k) v⁺ = M v + h k (x_g − x) + h d v_g + contacts
//
// which is what a compliant row with ERP = h k / (h k + d) and CFM = 1 / (h k + d) does. It is
// stable for all k and d.
//
// A limb has no weight: who measures a hand measures what muscles have done about it. What the
// ghost asks for is bounded, so that a ghost deep inside something, or far away, pulls with that
// force.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taut/hand/ghost.hpp"
#include "taut/model/batches.hpp"
#include "taut/model/state.hpp"

namespace taut::hand {

struct LimbCoupling {
  double stiffness = 0, damping = 0;                  ///< N/m, N·s/m
  double angular_stiffness = 0, angular_damping = 0;  ///< N·m, N·m·s: k_t and d_t
  double most_force = 0, most_torque = 0;             ///< N, N·m: of the spring, and d v_g
};
using HandCoupling = std::array<LimbCoupling, limb_count>;

/// A hand in a system.
struct Hand {
  std::string name;
  HandModel model;
  std::array<BodyId, limb_count> bodies;
  HandCoupling coupling;
  std::shared_ptr<const Ghost> ghost;
};

/// What the ghost does to a limb.
struct LimbForce {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  ///< N, N·m, in the world's directions
};
using LimbForces = std::array<LimbForce, limb_count>;
/// At a state. At the end of an implicit step that is what acted in it.
LimbForces coupling_forces(const Hand& hand, const System& system, const State& state);
/// The same from limbs that are known already; allocates nothing.
LimbForces coupling_forces(const HandCoupling& coupling, const LimbStates& ghosts,
                           const LimbStates& limbs);

/// The hands of a system, in the order in which they were added.
std::span<const Hand> hands_of(const System& system);
/// From the next step on.
void set_ghost(System& system, int hand, std::shared_ptr<const Ghost> ghost);

/// What ties bodies to ghosts, each by itself.
class GhostCouplings : public ForceBatch {
 public:
  void add_between(const System& system, const Passage& passage, const VecX& v_mean,
                   VecX& F) const override {
    add(system, passage.mean, v_mean, passage.time, F);
  }
  double potential_energy(const System&, const Pose&) const override { return 0; }
  bool is_conservative() const override { return false; }
  bool is_passive() const override { return false; }  // the ghost is moved from outside
  bool depends_on_velocity() const override { return true; }
  Vec3 uniform_acceleration() const override { return Vec3::Zero(); }
  int anchors_per_coupling() const override { return 1; }
  bool stiffness_is_isotropic() const override { return false; }
};

/// All hands of a system.
class HandCouplings final : public GhostCouplings {
 public:
  void add(Hand hand) { hands_.push_back(std::move(hand)); }
  std::span<const Hand> hands() const { return hands_; }
  Hand& hand(int i) { return hands_[static_cast<std::size_t>(i)]; }

  std::string_view type() const override { return "hand_coupling"; }
  int size() const override { return static_cast<int>(hands_.size()); }
  const void* object(int hand) const override { return &hands_[static_cast<std::size_t>(hand)]; }
  void add(const System& system, const Pose& pose, const VecX& v, double time,
           VecX& F) const override;
  int couplings(const System&) const override { return limb_count * size(); }
  void visit_couplings(const System& system,
                       const std::function<void(std::span<const Anchor>)>& visit) const override;
  void add_stiffness(const System& system, const Pose& pose, const VecX& v, double time,
                     double rate, const RowPattern& pattern, Start start, VecX& K) const override;

 private:
  std::vector<Hand> hands_;
};

}  // namespace taut::hand
