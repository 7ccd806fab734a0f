// From the formula of a constraint to rows: all constraints of one type in a flat vector, and the
// chain rule from anchors to bodies once for all types.
//
// A constraint type is a plain struct with
//   type, summary, unit        its names, and the unit of its reported error ("m" or "rad")
//   rows, anchor_count         how many scalar rows, functions of how many anchors
//   anchors()                  std::array<Anchor, anchor_count>
//   linearize(x, t, out)       C, ∂C/∂x and ∂C/∂t where the anchors are at the columns of x
//   bias(x, ẋ, t)              ẋᵀ C_xx ẋ + 2 C_xt ẋ + C_tt, per row
//   curvature(x, t, λ)         Σ λ_r ∂²C_r/∂x², symmetric, 3K × 3K
//   error(x, t)                how far it is from being met, in `unit`
//   depends_on_time()
//   smooth_linearize(x, t, out), smooth_curvature(x, t, λ, definiteness)
//                              optional: the same constraint as a low polynomial, see RowForm
//   smooth_tension(t, λ, definiteness)
//                              optional, of two anchors, beside smooth_curvature: that is this
//                              number times [1 −1; −1 1]
//   pair()                     optional, of two points a and b: what smooth_linearize needs of it
//                              where they are particles and nothing depends on time. It has the
//                              bodies a and b, and linearize(d): returns C and makes of d = b − a
//                              the gradient ∂C/∂b = −∂C/∂a; and tension(λ, definiteness), as
//                              smooth_tension
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
//   velocity_rows, way(x, w, h, t, C, slope)
//                              of rows on velocities, g·ẋ + c = 0: a bit for each such row; and
//                              g·w + h c with its slope along x. `linearize` says g and, as C_t, c;
//                              `bias` is the slope of g·ẋ + c in time at constant ẋ. See
//                              constraints/velocity_formula.hpp
//   is_angle(row)              optional, where that depends on the row
//   row_name(row)              optional, static: what the force of a row is called
//   coordinates(system)        optional: it is a joint, and this is how far it has moved
//   has_ended(x), ending       optional: whether x is where it no longer holds, and why, in words
// Or write only the formula and wrap it in Formula<…>: see constraints/formula.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "taut/constraints/anchored_batch.hpp"
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
Direction unit_direction(const Direction& direction, const char* name);

/// A direction as it is at the start, fixed from then on in a rigid body; throws Error where that
/// is none, or where the direction is already fixed in another one.
Direction fixed_in(const System& system, BodyId body, const Direction& direction, const char* name);

/// The constraint's formula, in the form that is wanted.
template <class C>
[[gnu::always_inline]] inline void linearize_form(const C& constraint, const PlacesOf<C>& x,
                                                  double time, RowForm form,
                                                  LinearizationOf<C>& out) {
  if constexpr (requires { constraint.smooth_linearize(x, time, out); }) {
    if (form == RowForm::smooth) {
      constraint.smooth_linearize(x, time, out);
      return;
    }
  }
  constraint.linearize(x, time, out);
}

template <class C>
[[gnu::always_inline]] inline CurvatureOf<C> curvature_form(const C& constraint,
                                                            const PlacesOf<C>& x, double time,
                                                            const RowVectorOf<C>& weights,
                                                            RowForm form, Definiteness wanted) {
  if constexpr (requires { constraint.smooth_curvature(x, time, weights, wanted); }) {
    if (form == RowForm::smooth) return constraint.smooth_curvature(x, time, weights, wanted);
  }
  CurvatureOf<C> exact = constraint.curvature(x, time, weights);
  if (wanted == Definiteness::positive) keep_positive_part(exact.data(), 3 * C::anchor_count);
  return exact;
}

/// A bit for each row that is on velocities.
template <class C>
constexpr unsigned velocity_rows_of() {
  if constexpr (requires { C::velocity_rows; }) return C::velocity_rows;
  return 0;
}

/// Whether the gradient half way is a discrete gradient, see below.
template <class C>
inline constexpr bool has_gradient_at_mean = requires {
  requires C::quadratic;
}
&&!requires(const C& c, PlacesOf<C> x, LinearizationOf<C> out) {
  c.gradient_between(x, x, x, out);
};

// D with D·(x₁ − x₀) = C(x₁) − C(x₀). For a quadratic C the gradient half way is one. Else
// Gonzalez' (1996): the gradient half way, corrected along x₁ − x₀.
template <class C>
[[gnu::always_inline]] inline void discrete_gradient(const C& constraint, const PlacesOf<C>& x0,
                                                     const PlacesOf<C>& x1, const PlacesOf<C>& mean,
                                                     double time, LinearizationOf<C>& out) {
  if constexpr (requires { constraint.gradient_between(mean, mean, mean, out); }) {
    constraint.gradient_between(x0, x1, mean, out);
    return;
  }
  linearize_form(constraint, mean, time, RowForm::smooth, out);
  if constexpr (!has_gradient_at_mean<C>) {
    const PlacesOf<C> step = x1 - x0;
    // Where the step is tiny the correction is round-off, and not needed.
    const double size = step.squaredNorm();
    const double spread = (mean.colwise() - mean.col(0)).squaredNorm();
    if (size <= 1e-10 * (C::anchor_count > 1 ? spread : mean.squaredNorm())) return;
    LinearizationOf<C> first, second;
    linearize_form(constraint, x0, time, RowForm::smooth, first);
    linearize_form(constraint, x1, time, RowForm::smooth, second);
    for (int r = 0; r < C::rows; ++r) {
      if ((velocity_rows_of<C>() >> r) & 1) continue;  // has no C
      const double missing = second.C[r] - first.C[r] - out.gradient[r].cwiseProduct(step).sum();
      out.gradient[r] += (missing / size) * step;
    }
  }
}

/// What a batch of constraints of one type knows of them, whatever evaluates them. Data is what
/// users write, C what rows are made from: the same, or derived from it.
template <class C, class Data, class Base>
class BatchOf : public Base {
 public:
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
  const void* object(int i) const override { return static_cast<const Data*>(&(*this)[i]); }

  std::string_view type() const override { return C::type; }
  std::string_view unit() const override { return C::unit; }
  int size() const override { return static_cast<int>(constraints_.size()); }
  int rows_per_constraint() const override { return C::rows; }
  int anchors_per_constraint() const override { return C::anchor_count; }
  const std::string& name(int i) const override { return names_[static_cast<std::size_t>(i)]; }
  void anchors(int i, std::span<Anchor> out) const override {
    const AnchorsOf<C> anchors = (*this)[i].anchors();
    std::copy(anchors.begin(), anchors.end(), out.begin());
  }
  bool depends_on_time() const override {
    return std::any_of(constraints_.begin(), constraints_.end(),
                       [](const C& c) { return c.depends_on_time(); });
  }

  std::string_view row_name([[maybe_unused]] int row) const override {
    if constexpr (requires { C::row_name(row); }) return C::row_name(row);
    if (C::rows > 1) return "";
    return C::unit == "rad" ? "torque" : "force";
  }

  RowLaw law([[maybe_unused]] int i, [[maybe_unused]] int row) const override {
    if constexpr (requires(const C& c) { c.law(row); }) return (*this)[i].law(row);
    if ((velocity_rows_of<C>() >> row) & 1) return {.kind = RowLaw::Kind::velocity};
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

  std::optional<ConstraintBatch::Ended> first_ended(
      [[maybe_unused]] const Pose& pose) const override {
    if constexpr (requires(const C& c, PlacesOf<C> x) { c.has_ended(x); })
      for (int i = 0; i < size(); ++i) {
        const AnchorsOf<C> anchors = (*this)[i].anchors();
        PlacesOf<C> x;
        for (int k = 0; k < C::anchor_count; ++k) x.col(k) = pose.at(anchors[k]);
        if ((*this)[i].has_ended(x)) return ConstraintBatch::Ended{i, C::ending};
      }
    return std::nullopt;
  }

 protected:
  std::vector<C> constraints_;
  std::vector<std::string> names_;
};

/// All constraints of one type.
template <class C, class Data = C>
class Batch : public BatchOf<C, Data, AnchoredBatch> {
  static constexpr int K = C::anchor_count;
  static_assert(K <= most_anchors && C::rows <= most_rows);

  void linearize_at(int i, const double* x, double time, RowForm form,
                    AnchorRows& out) const override {
    linearize_form((*this)[i], PlacesOf<C>(x), time, form, in(out));
  }
  // d²C/dt² = ẋᵀC_xx ẋ + 2 C_xt ẋ + C_tt + C_x ẍ, and ẍ = J_x v̇ + the centripetal part, which
  // belongs to the bias.
  void bias_at(int i, const double* x, const double* rate, const double* centripetal, double time,
               double* out) const override {
    const C& constraint = (*this)[i];
    const PlacesOf<C> places(x);
    RowVectorOf<C> bias = constraint.bias(places, PlacesOf<C>(rate), time);
    if (centripetal) {
      LinearizationOf<C> at;
      constraint.linearize(places, time, at);
      const PlacesOf<C> turning(centripetal);
      for (int r = 0; r < C::rows; ++r) bias[r] += at.gradient[r].cwiseProduct(turning).sum();
    }
    std::copy_n(bias.data(), C::rows, out);
  }
  void curvature_at(int i, const double* x, double time, const double* lambda, RowForm form,
                    Definiteness wanted, double* out) const override {
    const CurvatureOf<C> H =
        curvature_form((*this)[i], PlacesOf<C>(x), time, RowVectorOf<C>(lambda), form, wanted);
    std::copy_n(H.data(), 9 * K * K, out);
  }
  bool gradient_needs_ends() const override { return !has_gradient_at_mean<C>; }
  void linearize_between_at(int i, [[maybe_unused]] const double* x0,
                            [[maybe_unused]] const double* x1, const double* mean, double time,
                            AnchorRows& out) const override {
    if constexpr (has_gradient_at_mean<C>) {
      linearize_form((*this)[i], PlacesOf<C>(mean), time, RowForm::smooth, in(out));
    } else {
      discrete_gradient((*this)[i], PlacesOf<C>(x0), PlacesOf<C>(x1), PlacesOf<C>(mean), time,
                        in(out));
    }
  }
  unsigned velocity_rows() const override { return velocity_rows_of<C>(); }
  void way_at([[maybe_unused]] int i, [[maybe_unused]] const double* x,
              [[maybe_unused]] const double* w, [[maybe_unused]] double h,
              [[maybe_unused]] double time, [[maybe_unused]] double* to,
              [[maybe_unused]] double* slope) const override {
    if constexpr (velocity_rows_of<C>() != 0) {
      RowVectorOf<C> value;
      std::array<PlacesOf<C>, C::rows> slopes;
      (*this)[i].way(PlacesOf<C>(x), PlacesOf<C>(w), h, time, value, slopes);
      std::copy_n(value.data(), C::rows, to);
      std::copy_n(slopes[0].data(), 3 * K * C::rows, slope);
    }
  }
  double error_at(int i, const double* x, double time) const override {
    return (*this)[i].error(PlacesOf<C>(x), time);
  }
  RowMasks row_masks() const override {
    RowMasks masks{};
    for (int r = 0; r < C::rows; ++r)
      for (int k = 0; k < K; ++k) masks[k] |= static_cast<std::uint8_t>(depends_on(r, k) << r);
    return masks;
  }
  static constexpr bool depends_on([[maybe_unused]] int row, [[maybe_unused]] int anchor) {
    if constexpr (requires { C::depends_on(row, anchor); }) return C::depends_on(row, anchor);
    return true;
  }

  /// The linearization, made where `out` has room for it.
  static LinearizationOf<C>& in(AnchorRows& out) {
    static_assert(sizeof(LinearizationOf<C>) <= sizeof out.storage);
    static_assert(sizeof(PlacesOf<C>) == 3 * K * sizeof(double));
    auto* at = new (out.storage) LinearizationOf<C>;
    out.C = at->C.data();
    out.C_t = at->C_t.data();
    out.gradient = at->gradient[0].data();
    return *at;
  }
};

/// Adds a constraint to a system as rows of type C, which is Data or derived from it. An empty name
/// is replaced by "<type><number>". What the constraint leaves to be measured (a rest length, say)
/// is measured at the bodies' initial positions.
template <class C, class Data, template <class, class> class BatchType = Batch>
void add_constraint(System& system, Data data, std::string name) {
  auto& batch = system.constraint_batch<BatchType<C, Data>>();
  C constraint;
  static_cast<Data&>(constraint) = std::move(data);
  if constexpr (requires(C c) { c.prepare(system); }) {
    constraint.prepare(system);
  } else if constexpr (requires(C c, PlacesOf<C> x) { c.prepare(x); }) {
    PlacesOf<C> x;
    const AnchorsOf<C> anchors = constraint.anchors();
    for (int k = 0; k < C::anchor_count; ++k) x.col(k) = system.initial_place(anchors[k]);
    constraint.prepare(x);
  }
  if (name.empty()) name = std::string(C::type) + std::to_string(batch.size());
  if constexpr (requires { constraint.coordinates(system); })
    system.add_joint({name, C::type, *constraint.a, constraint.b, constraint.coordinates(system)});
  batch.add(std::move(constraint), std::move(name));
}

/// Adds many at once, which need nothing measured.
template <class C, class Data, template <class, class> class BatchType = Batch>
void add_constraints(System& system, std::vector<Data> all, std::vector<std::string> names) {
  auto& batch = system.constraint_batch<BatchType<C, Data>>();
  batch.reserve_more(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    C constraint;
    static_cast<Data&>(constraint) = std::move(all[i]);
    batch.add(std::move(constraint), std::move(names[i]));
  }
}

/// Adds a constraint of your own. Those of taut have functions of the same name in their headers.
template <class C>
requires requires { C::anchor_count; }
void constrain(System& system, C constraint, std::string name = "") {
  add_constraint<C>(system, std::move(constraint), std::move(name));
}

}  // namespace taut
