// From the formula of a constraint to rows: all constraints of one type in a flat vector, one
// virtual call per batch, and the chain rule from anchors to bodies written once.
//
// A constraint type is a plain struct with
//   type, summary, unit        its names, and the unit of its reported error ("m" or "rad")
//   rows, anchor_count         how many scalar rows, functions of how many anchors
//   fields()                   its parameters (base/field.hpp)
//   anchors()                  std::array<Anchor, anchor_count>
//   linearize(x, t, out)       C, ∂C/∂x and ∂C/∂t where the anchors are at the columns of x
//   bias(x, ẋ, t)              ẋᵀ C_xx ẋ + 2 C_xt ẋ + C_tt, per row
//   curvature(x, t, λ)         Σ λ_r ∂²C_r/∂x², symmetric, 3K × 3K
//   error(x, t)                how far it is from being met, in `unit`
//   depends_on_time()
//   smooth_linearize(x, t, out), smooth_curvature(x, t, λ, definiteness)
//                              optional: the same constraint as a low polynomial, see RowForm
//   quadratic                  optional, true: C, in its smooth form, is of degree ≤ 2 in x
//   gradient_between(x₀, x₁, x̄, out)
//                              optional: discrete gradients, see discrete_gradient() below
//   depends_on(row, anchor)    optional, constexpr: false where a gradient is always zero
//   prepare(x) or prepare(system)
//                              optional: completes it from the start positions (rest lengths, unit
//                              normals, directions in bodies); throws Error when that is not
//                              possible
//   natural_length()           optional: what C is compared with to be called strain
//   law(row)                   optional: what a row is if not an equation, see RowLaw
//   is_angle(row)              optional, where that depends on the row
//   coordinates(system)        optional: it is a joint, and this is how far it has moved
// Or write only the formula and wrap it in Formula<…>: see constraints/formula.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/model/anchor_stiffness.hpp"
#include "taut/model/batches.hpp"
#include "taut/model/system.hpp"

namespace taut {

template <int Rows, int K>
struct Linearization {
  Eigen::Matrix<double, Rows, 1> C, C_t;
  std::array<Columns<double, K>, Rows> gradient;  ///< gradient[r].col(k) = ∂C_r/∂x_k
};

template <class C>
using LinearizationOf = Linearization<C::rows, C::anchor_count>;
template <class C>
using AnchorsOf = std::array<Anchor, C::anchor_count>;
template <class C>
using PlacesOf = Columns<double, C::anchor_count>;
template <class C>
using RowVectorOf = Eigen::Matrix<double, C::rows, 1>;
template <class C>
using CurvatureOf = Eigen::Matrix<double, 3 * C::anchor_count, 3 * C::anchor_count>;

/// The same direction with length one; throws Error when it is zero.
inline Direction unit_direction(const Direction& direction, const char* name) {
  const double length = direction.local.norm();
  if (!(length > 0)) throw Error(std::string(name) + ": a direction must not be the zero vector");
  return {direction.body, direction.local / length};
}

/// Where the anchors of a constraint are.
template <class C>
PlacesOf<C> places(const C& constraint, const Pose& pose) {
  PlacesOf<C> x;
  const AnchorsOf<C> anchors = constraint.anchors();
  for (int k = 0; k < C::anchor_count; ++k) x.col(k) = pose.at(anchors[k]);
  return x;
}

template <class C>
class Batch final : public ConstraintBatch {
 public:
  static constexpr int K = C::anchor_count;

  void add(C constraint, std::string name) {
    constraints_.push_back(std::move(constraint));
    names_.push_back(std::move(name));
  }
  /// For those who know that many will come.
  void reserve_more(std::size_t count) {
    constraints_.reserve(constraints_.size() + count);
    names_.reserve(names_.size() + count);
  }
  const C& operator[](int i) const { return constraints_[static_cast<std::size_t>(i)]; }

  std::string_view type() const override { return C::type; }
  std::string_view unit() const override { return C::unit; }
  int size() const override { return static_cast<int>(constraints_.size()); }
  int rows_per_constraint() const override { return C::rows; }
  int anchors_per_constraint() const override { return K; }
  const std::string& name(int i) const override { return names_[static_cast<std::size_t>(i)]; }
  void anchors(int i, std::span<Anchor> out) const override {
    const AnchorsOf<C> anchors = (*this)[i].anchors();
    std::copy(anchors.begin(), anchors.end(), out.begin());
  }
  bool depends_on_time() const override {
    return std::any_of(constraints_.begin(), constraints_.end(),
                       [](const C& c) { return c.depends_on_time(); });
  }

  RowLaw law([[maybe_unused]] int i, [[maybe_unused]] int row) const override {
    if constexpr (requires(const C& c) { c.law(row); }) return (*this)[i].law(row);
    return {};
  }

  std::string_view force_unit([[maybe_unused]] int i, [[maybe_unused]] int row) const override {
    bool is_angle = C::unit == "rad";
    if constexpr (requires(const C& c) { c.is_angle(row); }) is_angle = (*this)[i].is_angle(row);
    return is_angle ? "N·m" : "N";
  }

  double natural_length([[maybe_unused]] int i) const override {
    if constexpr (requires(const C& c) { c.natural_length(); }) return (*this)[i].natural_length();
    return 0;
  }

  void linearize(const Pose& pose, double time, RowForm form, const RowPattern& pattern,
                 Start start, Range range, Rows& rows) const override {
    if (range.begin == range.end) return;
    int row = start.row + range.begin * C::rows;
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor + range.begin * K;
    const auto values = pattern.values_of(row, start.row + range.end * C::rows);
    rows.J.segment(values.begin, values.size).setZero();
    LinearizationOf<C> out;
    for (int i = range.begin; i < range.end; ++i) {
      const C& constraint = (*this)[i];
      const AnchorsOf<C> anchors = constraint.anchors();
      linearize(constraint, places_at(pose, anchors), time, form, out);
      rows.C.template segment<C::rows>(row) = out.C;
      rows.C_t.template segment<C::rows>(row) = out.C_t;
      add_gradients(pose, anchors, out, block_of_anchor, pattern, row, rows.J);
      row += C::rows;
      block_of_anchor += K;
    }
  }

  // d²C/dt² = ẋᵀC_xx ẋ + 2 C_xt ẋ + C_tt + C_x ẍ, and ẍ = J_x v̇ + the centripetal part, which
  // belongs to the bias.
  void add_bias(const Pose& pose, const VecX& v, double time, const RowPattern&, Start start,
                Rows& rows) const override {
    int row = start.row;
    LinearizationOf<C> out;
    for (const C& constraint : constraints_) {
      const AnchorsOf<C> anchors = constraint.anchors();
      PlacesOf<C> x, rate, centripetal;
      bool turning = false;
      for (int k = 0; k < K; ++k) {
        x.col(k) = pose.at(anchors[k]);
        rate.col(k) = pose.velocity(anchors[k], v);
        centripetal.col(k) = pose.centripetal(anchors[k], v);
        turning = turning ||
                  (!anchors[k].body.is_world() && pose.slots[anchors[k].body.index].rigid >= 0);
      }
      rows.bias.template segment<C::rows>(row) = constraint.bias(x, rate, time);
      if (turning) {
        constraint.linearize(x, time, out);
        for (int r = 0; r < C::rows; ++r)
          rows.bias[row + r] += out.gradient[r].cwiseProduct(centripetal).sum();
      }
      row += C::rows;
    }
  }

  void add_stiffness(const Pose& pose, double time, const VecX& lambda, RowForm form,
                     Definiteness wanted, const RowPattern& pattern, Start start,
                     Rows& rows) const override {
    for_each_stiffness(pattern, start,
                       [&](const C& constraint, int row, const AnchorsOf<C>& anchors,
                           const int* body_of, const PairBlocks& blocks) {
                         const PlacesOf<C> x = places_at(pose, anchors);
                         const RowVectorOf<C> weights = lambda.template segment<C::rows>(row);
                         PlacesOf<C> gradient = PlacesOf<C>::Zero();
                         if (!pose.rotations.empty()) {
                           LinearizationOf<C> out;
                           linearize(constraint, x, time, form, out);
                           for (int r = 0; r < C::rows; ++r)
                             gradient += weights[r] * out.gradient[r];
                         }
                         add_anchor_stiffness<K>(
                             pose, anchors, body_of,
                             curvature(constraint, x, time, weights, form, wanted), gradient,
                             wanted, blocks, rows.G.data());
                       });
  }

  void linearize_between(const Passage& passage, const RowPattern& pattern, Start start,
                         Rows& rows) const override {
    int row = start.row;
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor;
    LinearizationOf<C> out;
    for (const C& constraint : constraints_) {
      const AnchorsOf<C> anchors = constraint.anchors();
      discrete_gradient(constraint, passage, anchors, out);
      add_gradients(passage.mean, anchors, out, block_of_anchor, pattern, row, rows.J);
      row += C::rows;
      block_of_anchor += K;
    }
  }

  void add_stiffness_between(const Passage& passage, const VecX& lambda, Definiteness wanted,
                             const RowPattern& pattern, Start start, Rows& rows) const override {
    for_each_stiffness(pattern, start,
                       [&](const C& constraint, int row, const AnchorsOf<C>& anchors,
                           const int* body_of, const PairBlocks& blocks) {
                         const RowVectorOf<C> weights = lambda.template segment<C::rows>(row);
                         const CurvatureOf<C> second =
                             curvature(constraint, places_at(passage.mean, anchors), passage.time,
                                       weights, RowForm::smooth, wanted);
                         PlacesOf<C> gradient = PlacesOf<C>::Zero();
                         if (!passage.mean.rotations.empty()) {
                           LinearizationOf<C> out;
                           discrete_gradient(constraint, passage, anchors, out);
                           for (int r = 0; r < C::rows; ++r)
                             gradient += weights[r] * out.gradient[r];
                         }
                         add_anchor_stiffness<K>(passage.mean, anchors, body_of, second, gradient,
                                                 wanted, blocks, rows.G.data());
                       });
  }

  void errors(const Pose& pose, double time, std::span<double> out) const override {
    for (std::size_t i = 0; i < constraints_.size(); ++i)
      out[i] = constraints_[i].error(places(constraints_[i], pose), time);
  }

 private:
  [[gnu::always_inline]] static PlacesOf<C> places_at(const Pose& pose,
                                                      const AnchorsOf<C>& anchors) {
    PlacesOf<C> x;
    for (int k = 0; k < K; ++k) x.col(k) = pose.at(anchors[k]);
    return x;
  }

  static_assert(3 * K <= SmallMatrix::MaxRowsAtCompileTime);

  /// Calls visit(constraint, its first row, anchors, their bodies, stiffness blocks) for each.
  template <class Visit>
  void for_each_stiffness(const RowPattern& pattern, Start start, Visit&& visit) const {
    const int* body_of = pattern.anchor_block.data() + start.anchor;
    for (std::size_t i = 0; i < constraints_.size(); ++i, body_of += K) {
      const std::size_t number = static_cast<std::size_t>(start.constraint) + i;
      visit(constraints_[i], start.row + static_cast<int>(i) * C::rows, constraints_[i].anchors(),
            body_of,
            PairBlocks{pattern.stiffness_blocks.data() + pattern.first_stiffness_block[number]});
    }
  }

  [[gnu::always_inline]] static void linearize(const C& constraint, const PlacesOf<C>& x,
                                               double time, RowForm form, LinearizationOf<C>& out) {
    if constexpr (requires { constraint.smooth_linearize(x, time, out); }) {
      if (form == RowForm::smooth) {
        constraint.smooth_linearize(x, time, out);
        return;
      }
    }
    constraint.linearize(x, time, out);
  }

  [[gnu::always_inline]] static CurvatureOf<C> curvature(const C& constraint, const PlacesOf<C>& x,
                                                         double time, const RowVectorOf<C>& weights,
                                                         RowForm form, Definiteness wanted) {
    if constexpr (requires { constraint.smooth_curvature(x, time, weights, wanted); }) {
      if (form == RowForm::smooth) return constraint.smooth_curvature(x, time, weights, wanted);
    }
    const CurvatureOf<C> exact = constraint.curvature(x, time, weights);
    if (wanted == Definiteness::exact || exact.isZero(0)) return exact;
    SmallMatrix positive = exact;
    keep_positive_part(positive);
    return positive;
  }

  // D with D·(x₁ − x₀) = C(x₁) − C(x₀). For a quadratic C the gradient half way is one. Else
  // Gonzalez' (1996): the gradient half way, corrected along x₁ − x₀.
  [[gnu::always_inline]] static void discrete_gradient(const C& constraint, const Passage& passage,
                                                       const AnchorsOf<C>& anchors,
                                                       LinearizationOf<C>& out) {
    const PlacesOf<C> mean = places_at(passage.mean, anchors);
    if constexpr (requires { constraint.gradient_between(mean, mean, mean, out); }) {
      constraint.gradient_between(places_at(passage.from, anchors), places_at(passage.to, anchors),
                                  mean, out);
      return;
    }
    linearize(constraint, mean, passage.time, RowForm::smooth, out);
    if constexpr (!requires { requires C::quadratic; }) {
      const PlacesOf<C> x0 = places_at(passage.from, anchors), x1 = places_at(passage.to, anchors);
      const PlacesOf<C> step = x1 - x0;
      // Where the step is tiny the correction is round-off, and not needed.
      const double size = step.squaredNorm();
      const double spread = (mean.colwise() - mean.col(0)).squaredNorm();
      if (size <= 1e-10 * (K > 1 ? spread : mean.squaredNorm())) return;
      LinearizationOf<C> first, second;
      linearize(constraint, x0, passage.time, RowForm::smooth, first);
      linearize(constraint, x1, passage.time, RowForm::smooth, second);
      for (int r = 0; r < C::rows; ++r) {
        const double missing = second.C[r] - first.C[r] - out.gradient[r].cwiseProduct(step).sum();
        out.gradient[r] += (missing / size) * step;
      }
    }
  }

  static constexpr bool depends_on(int row, int anchor) {
    if constexpr (requires { C::depends_on(row, anchor); }) return C::depends_on(row, anchor);
    return true;
  }

  /// Writes the gradients of one constraint into its rows of J.
  [[gnu::always_inline]] static void add_gradients(const Pose& pose, const AnchorsOf<C>& anchors,
                                                   const LinearizationOf<C>& out,
                                                   const int* block_of_anchor,
                                                   const RowPattern& pattern, int row, VecX& J) {
    for (int r = 0; r < C::rows; ++r, ++row) {
      const JacobianBlock* blocks = pattern.blocks.data() + pattern.first_block[row];
      for (int k = 0; k < K; ++k)
        if (depends_on(r, k) && block_of_anchor[k] >= 0)
          add_gradient(pose, anchors[k], out.gradient[r].col(k), blocks[block_of_anchor[k]], J);
    }
  }

  // n·δx = s·n·δp + R⁻¹(Rl × n)·δθ
  [[gnu::always_inline]] static void add_gradient(const Pose& pose, const Anchor& anchor,
                                                  const Vec3& n, const JacobianBlock& block,
                                                  VecX& J) {
    if (!anchor.is_direction) J.segment<3>(block.value) += n;
    if (block.size == 3) [[likely]]
      return;
    J.segment<3>(block.value + 3) +=
        pose.torque(pose.slots[anchor.body.index].rigid, anchor.local, n);
  }

  std::vector<C> constraints_;
  std::vector<std::string> names_;
};

/// Adds a constraint. An empty name is replaced by "<type><number>". What the constraint leaves to
/// be measured (a rest length, say) is measured at the bodies' initial positions.
template <class C>
void constrain(System& system, C constraint, std::string name = "") {
  if constexpr (requires(C c) { c.prepare(system); }) {
    constraint.prepare(system);
  } else if constexpr (requires(C c, PlacesOf<C> x) { c.prepare(x); }) {
    PlacesOf<C> x;
    const AnchorsOf<C> anchors = constraint.anchors();
    for (int k = 0; k < C::anchor_count; ++k) x.col(k) = system.initial_place(anchors[k]);
    constraint.prepare(x);
  }
  auto& batch = system.constraint_batch<Batch<C>>();
  if (name.empty()) name = std::string(C::type) + std::to_string(batch.size());
  if constexpr (requires { constraint.coordinates(system); })
    system.add_joint({name, C::type, *constraint.a, constraint.b, constraint.coordinates(system)});
  batch.add(std::move(constraint), std::move(name));
}

}  // namespace taut
