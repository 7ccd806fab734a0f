// A step of cloth that touches, with all that is joined to it: backward Euler,
//
//   M (v⁺ − v)/h = F(q⁺, v⁺) − J(q⁺)ᵀλ + Hᵀf,   q⁺ = q ⊕ h v⁺,   C(q⁺) = 0,
//
// f by Coulomb's law with gaps at q⁺ (touch_forces.hpp). It is a Method, so that stops, strings and
// motors are dealt with as for any other.
//
// Places are only ever moved on ways on which nothing gets through anything (SheetSource::
// free_part). So a start without intersections stays without, however badly something is solved:
//
//   q_k = q
//   repeat   touches at q_k, and those on the way to where all wants to go; linear from q_k on
//            Newton's method with multipliers → q̂
//            q_k ← as far towards q̂ as is free
//   until    all of the way was free, and nothing new is too near
//
// What is too near, in the end or where it gets stuck, is moved apart in the positions alone, and
// never becomes velocity.
//
// Where no motion is found, the step has failed, and what touches goes on as rigid zones
// (rigid_zones.hpp). It is done again in parts, and where that does not help either, the run goes
// on from there.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/simulate/drive_work.hpp"
#include "taut/simulate/free_zones.hpp"
#include "taut/simulate/rigid_zones.hpp"
#include "taut/simulate/touch_forces.hpp"
#include "taut/solve/kkt_krylov.hpp"

namespace taut {

class Archive;

class SheetMethod final : public Method {
 public:
  SheetMethod();
  StepReport step(const System& system, double h, State& state, Workspace& w) override;
  ForceResponse force_response() const override { return backward_euler_response; }

  /// Touches that bear a load at the end of the last step.
  int loaded() const { return forces_.loaded(); }
  double largest_force() const { return forces_.largest_force(); }
  /// Those touches, and contacts of rigid bodies.
  std::span<const SheetLoad> loads() const { return loads_; }
  using Method::archive;
  void archive(Archive& a);
  void forget() { forces_.forget(); }

 private:
  /// What is solved for.
  struct Problem {
    const System& system;
    const State& start;
    double h;
    const VecX& v;    ///< at the start
    bool has_forces;  ///< F and friction; else only places are put right
    Workspace& w;
    StepReport& report;
  };
  enum class Outcome { solved, stuck, failed };

  void adapt(const System& system, Workspace& w);
  void set_tolerances(const System& system, double h, const State& state, Workspace& w);
  /// From q_ on, towards wanted_; q_ gets as far as is free.
  Outcome go(Problem& problem);
  Outcome go_from_start(Problem& problem);
  /// Moves apart what is too near at q_, by the least motion that keeps the constraints.
  void separate(Problem& problem);
  /// The same, with no more than this energy.
  void lift_apart(Problem& problem, double lost);
  /// Nothing was found that would do: the last resort.
  void give_up(Problem& problem, State& state);
  void find(const Problem& problem, bool is_first);
  /// How deep what is too near is in each other, in thicknesses, at q_.
  double deepest(const System& system);
  double depth_of_touches() const;
  /// Looks for touches at q_, and finds q_hat_, and how much of the way there is free: q_hat_ is
  /// exact if all of it is.
  bool solve(Problem& problem, bool is_first, double& part);
  /// With the touches as they are, from q_hat_.
  bool iterate(Problem& problem);
  struct Size {
    double motion = 0, rows = 0, touches = 0;  // relative to what is accepted
    double worst() const { return std::max({motion, rows, touches}); }
  };
  Size evaluate(Problem& problem);
  /// The same where nothing but the touches' forces has changed.
  Size evaluate_touches(Problem& problem);
  /// Takes the step (η, δλ), or a part of it; all of it where it is for the rows alone.
  Size advance(Problem& problem, bool for_rows);
  /// Moves what hangs together, and nothing holds, so that it has the momentum that it should have.
  void balance(Problem& problem);
  /// Whether the step ends with more energy than it began with, by `most` of the motion's.
  bool has_gained(const Problem& problem, double most);
  /// Whether the constraints are met, as they were evaluated last.
  bool meets_rows(const Problem& problem) const;
  void assemble(Problem& problem);
  void stiffness_of_bodies(const Problem& problem);

  long topology_ = -1;
  const RowPattern* pattern_ = nullptr;
  std::unique_ptr<KktKrylov> kkt_;
  std::string solver_to_come_;  // as it was at a checkpoint
  TouchForces forces_;
  std::vector<SheetTouch> touches_;
  std::vector<SheetLoad> loads_;
  std::vector<Contact> contacts_;  // of rigid shapes
  double length_ = 1, thickness_ = 1, compliance_ = 0, accepted_motion_ = 0;
  double solved_to_ = 0;  // linear systems of this step
  FreeZones free_zones_;
  RigidZones zones_;
  // Of rows with a law: how often it was decided which act, and how many were wrong before.
  int decided_ = 0, wrong_rows_ = 0;
  Rows rows_;                 // G and K
  bool has_springs_ = false;  // of which much of the cloth is made
  bool is_pushed_ = false;    // forces or motors may add energy
  std::optional<DriveWork> drives_;
  bool counts_worst_ = false;   // of the motion and the touches, and not their mean
  bool holds_touches_ = false;  // whether one lets go depends on its own force: the worst counts
  double energy_of_fall_ = 0;   // J: of what forces do in the step
  bool is_assembled_ = false;   // these and turning_, of what was evaluated last
  std::vector<Mat3> turning_;
  VecX separated_;  // what separate() did in this step
  VecX lambda_at_start_, lambda_before_;
  VecX beside_touches_;  // r without their forces
  VecX zero_, q_, q_hat_, q_before_, wanted_, delta_, from_here_, v_, r_, C_, displaced_, eta_,
      change_;
  VecX stiffness_;  // per body
  Pose start_pose_, here_, wanted_pose_, end_pose_;
};

}  // namespace taut
