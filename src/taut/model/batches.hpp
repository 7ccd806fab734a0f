// What a System holds: batches of constraints and of forces, one virtual call per batch.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"
#include "taut/model/pose.hpp"
#include "taut/model/rows.hpp"

namespace taut {

/// All constraints of one type. Its rows, constraints and anchors are numbered from `start` on.
class ConstraintBatch {
 public:
  using Start = BatchStart;

  virtual ~ConstraintBatch() = default;
  virtual std::string_view type() const = 0;
  virtual std::string_view unit() const = 0;  ///< of the reported error: "m" or "rad"
  virtual int size() const = 0;
  virtual int rows_per_constraint() const = 0;
  virtual int anchors_per_constraint() const = 0;
  virtual const std::string& name(int constraint) const = 0;
  /// The constraint itself, as its type's ConstraintInfo describes it.
  virtual const void* object(int constraint) const = 0;
  /// What the force of a row is called: "tension", or "" where it is but one of several.
  virtual std::string_view row_name(int row) const = 0;
  virtual void anchors(int constraint, std::span<Anchor> out) const = 0;
  virtual bool depends_on_time() const = 0;
  virtual RowLaw law(int constraint, int row) const = 0;
  /// Of the multiplier: "N", or "N·m" where C is an angle.
  virtual std::string_view force_unit(int constraint, int row) const = 0;

  /// What a constraint's C is compared with to be called strain: a rest length. 0: nothing.
  virtual double natural_length(int constraint) const = 0;

  /// Some of the constraints, [begin, end).
  struct Range {
    int begin = 0, end = 0;
  };
  virtual void linearize(const Pose&, double time, RowForm, const RowPattern&, Start, Range,
                         Rows&) const = 0;
  virtual void add_bias(const Pose&, const VecX& v, double time, const RowPattern&, Start,
                        Rows&) const = 0;
  virtual void add_stiffness(const Pose&, double time, const VecX& lambda, RowForm, Definiteness,
                             const RowPattern&, Start, Rows&) const = 0;
  /// Whether the smooth form's G is the same in all directions, so that one number per pair of
  /// particles tells.
  virtual bool smooth_stiffness_is_isotropic() const { return false; }
  virtual void linearize_between(const Passage&, const RowPattern&, Start, Rows&) const = 0;
  virtual void add_stiffness_between(const Passage&, const VecX& lambda, Definiteness,
                                     const RowPattern&, Start, Rows&) const = 0;
  /// Of the rows on velocities, if there are any: see Way.
  virtual void measure_way(const Way&, WayJacobian, const RowPattern&, Start, Rows&) const {}
  /// How far each constraint is from being met, ≥ 0, in `unit()`, whatever form is solved. Rows on
  /// velocities are not asked: see Metrics.
  virtual void errors(const Pose&, double time, std::span<double> out) const = 0;

  /// The first constraint that has come to an end, and why: a bead beyond the end of its wire.
  struct Ended {
    int constraint;
    std::string_view reason;
  };
  virtual std::optional<Ended> first_ended(const Pose&) const = 0;
};

/// All forces of one type. Its couplings and their anchors are numbered from `start` on.
class ForceBatch {
 public:
  struct Start {
    int coupling = 0, anchor = 0;
  };

  virtual ~ForceBatch() = default;
  virtual std::string_view type() const = 0;
  virtual int size() const = 0;
  /// The force itself, as its type's ForceInfo describes it.
  virtual const void* object(int force) const = 0;
  /// Of a force along a line or in a joint: what it exerts there, positive as the type says.
  struct Along {
    double value = 0;
    std::string_view name, unit;  ///< "tension" in N, "torque" in N·m
  };
  virtual std::optional<Along> along(int /*force*/, const Pose&, const VecX& /*v*/,
                                     double /*time*/) const {
    return std::nullopt;
  }
  /// What else a force can tell of itself: 0, 1, … until there is nothing. Names do not change.
  /// `exerted`: what it exerts there, where that is known otherwise than by along(); else NaN.
  virtual std::optional<Along> tell(int /*force*/, int /*what*/, const Pose&, const VecX& /*v*/,
                                    double /*time*/, double /*exerted*/) const {
    return std::nullopt;
  }
  /// What it can exert at all.
  struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
  };
  virtual Range range(int /*force*/) const { return {}; }
  /// Adds the generalised forces to F.
  virtual void add(const System&, const Pose&, const VecX& v, double time, VecX& F) const = 0;
  /// Adds the mean force over a passage: what a conservative force does to the energy is then
  /// exactly the change of its potential.
  virtual void add_between(const System&, const Passage&, const VecX& v_mean, VecX& F) const = 0;
  virtual double potential_energy(const System&, const Pose&) const = 0;
  /// Whether it is the gradient of `potential_energy`, which does not depend on time.
  virtual bool is_conservative() const = 0;
  /// Whether it never adds energy: it is conservative, or takes some away.
  virtual bool is_passive() const = 0;
  virtual bool depends_on_velocity() const = 0;
  /// Whether it is bounded, so that its derivatives jump where it reaches the bounds.
  virtual bool may_saturate() const { return false; }
  /// Whether visit_stiff() may find any.
  virtual bool may_be_stiff() const { return false; }
  /// Calls visit(force, stiffness, damping) for those that may be too stiff for a step. `along` is
  /// then the generalised force of a unit of what along() tells.
  using VisitStiff = std::function<void(int, double, double)>;
  virtual void visit_stiff(const System&, const Pose&, const VecX& /*v*/, double /*time*/,
                           VecX& /*along*/, const VisitStiff&) const {}
  /// Whether explicit methods are to do a step in as many parts as resolve them.
  virtual bool is_done_in_parts() const { return false; }
  /// The acceleration that it gives to every body alike, as gravity does; 0 for all others.
  virtual Vec3 uniform_acceleration() const = 0;

  // Derivatives, of forces that know them: how many groups of anchors they depend on, which, and
  // −∂F/∂q − rate·∂F/∂v.
  virtual int couplings(const System&) const = 0;
  virtual int anchors_per_coupling() const = 0;
  /// Calls visit(anchors) for each coupling in order.
  virtual void visit_couplings(const System&,
                               const std::function<void(std::span<const Anchor>)>&) const = 0;
  /// Whether they resist alike in all directions, so that one number per pair of particles tells.
  virtual bool stiffness_is_isotropic() const = 0;
  virtual void add_stiffness(const System&, const Pose&, const VecX& v, double time, double rate,
                             const RowPattern&, Start, VecX& K) const = 0;
  /// The same of the mean force over a passage. It depends on the end as the force at a pose half
  /// as far on does, so this is twice −∂F/∂q.
  virtual void add_stiffness_between(const System& system, const Passage& passage,
                                     const VecX& v_mean, double rate, const RowPattern& pattern,
                                     Start start, VecX& K) const {
    add_stiffness(system, passage.mean, v_mean, passage.time, rate, pattern, start, K);
  }
};

}  // namespace taut
