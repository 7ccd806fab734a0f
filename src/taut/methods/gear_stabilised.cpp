// Backward differentiation formulas (Gear 1971) for the stabilised equations of index 2 (Gear,
// Gupta and Leimkuhler 1985), as DASSL (Petzold 1982) and the solvers of multibody programs
// (ADAMS: GSTIFF with SI2) have them. μ, which is zero in the exact motion, lets positions and
// velocities both meet the constraints:
//
//   q̇ = v − W Jᵀμ,   M v̇ = F(q, v) − Jᵀλ,   C(q, t) = 0,   J v + C_t = 0,
//
// with q̇ and v̇ those of the polynomials through the end of the step and the last k points before
// it: Σ c_j y_j/h, c from the times, which need not be equidistant. Let δ be the way from q_n, and
// v̂ = (c₀ δ + Σ c_j (q_j ⊖ q_n))/h the velocity of the positions. Then v⁺ = v̂ + W Jᵀμ, and
//
//   M (v̂ − v_base) c₀/h = F − Jᵀ(λ + μ c₀/h),   C(q⁺) = 0
//
// is an implicit step as NewtonStep knows it, with one multiplier for both; μ is then what makes
// J v⁺ + C_t = 0. Where forces depend on the velocity (those of rigid bodies always do), the two
// follow each other until nothing changes. μ is of the size of the step's error: two or three
// rounds.
//
// Turns are interpolated as rotation vectors θ from q_n, whose rate is not the angular velocity
// but T(θ) ω (rotation.hpp); v̂ is corrected for that in the same rounds.
//
// The order rises by one with each point that is known. From the third on, formulas that begin with
// backward Euler would keep its error; so there the first points come from the classical method of
// Runge and Kutta (Gear 1980), if half of its step agrees. k = 1 and 2 are stable at all
// frequencies; 3, 4 and 5 lose that along the imaginary axis, where undamped vibrations are. Rows
// on velocities are met in the middle of the step as well, so that with them the order is 2.
#include <algorithm>
#include <array>
#include <cmath>

#include "taut/methods/archive.hpp"
#include "taut/methods/explicit_base.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/projection.hpp"
#include "taut/methods/step_memory.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"

namespace taut {

enum class GearOrder { one, two, three, four, five };
template <>
struct Choices<GearOrder> {
  static constexpr std::array<std::string_view, 5> names{"1", "2", "3", "4", "5"};
};

namespace {

constexpr int most_order = 5, most_gear_rounds = 12;
// Of what rounds still change, as a displacement; and where it is round-off if it no longer falls.
constexpr double gear_settled = 2e-15, gear_round_off = 1e-11;
constexpr double starter_agreement =
    1e-3;  // of a step of Runge and Kutta with two halves, of its way
constexpr double most_step_growth =
    2.5;  // of a step beside those before it, to look back over them

struct GearStabilised final : NewtonMethod {
  GearOrder highest = GearOrder::two;

  int order() const override { return static_cast<int>(highest) + 1; }
  bool has_memory() const override { return order() > 1; }
  ForceResponse force_response() const override {
    return order() > 1 ? bdf2_response : backward_euler_response;
  }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    recall(state, w.modes);
    const int k = usable_order(h);
    bool done = false;
    if (k < order() && order() > 2 && known_ < order()) done = start(system, h, state, w, report);
    if (!done) {
      differentiate(system, h, k);
      solve(system, h, state, w, report);
    }
    actions_.note(w.modes);
    if (report.status == StepStatus::not_converged)
      known_ = 0;
    else
      remember(state.time + h);
    if (w.modes.in_solve && has_hit(w.modes)) known_ = std::min(known_, 1);
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    newton_.archive(a, system, w);
    a(points_, known_, actions_, alpha_, tau_);
  }

 private:
  struct Point {
    double time = 0;
    VecX q, v;
    void archive(Archive& a) { a(time, q, v); }
  };

  // What is known -------------------------------------------------------------------------------
  static bool is_at(const Point& point, const State& state) {
    // What contacts take out of a state, gaps of round-off, is nothing.
    constexpr double no_way = 1e-13, no_velocity = 1e-9;
    return point.q.size() == state.q.size() && point.v.size() == state.v.size() &&
           (point.q - state.q).lpNorm<Eigen::Infinity>() <=
               no_way * state.q.lpNorm<Eigen::Infinity>() &&
           (point.v - state.v).lpNorm<Eigen::Infinity>() <=
               no_velocity * state.v.lpNorm<Eigen::Infinity>();
  }

  /// points_[0] ← this state, with those before it, as far as the steps led here. A step that is
  /// done again forgets what it led to.
  void recall(const State& state, const RowModes& modes) {
    const auto same_time = [&](int i) {
      return std::abs(points_[static_cast<std::size_t>(i)].time - state.time) <=
             1e-12 * std::max(1.0, std::abs(state.time));
    };
    if (known_ > 1 && same_time(1) && is_at(points_[1], state)) {
      std::rotate(points_.begin(), points_.begin() + 1, points_.end());
      --known_;
    }
    const bool goes_on = known_ > 0 && same_time(0) && is_at(points_[0], state);
    if (!goes_on || !actions_.are_those_of(modes)) known_ = 1;
    for (Point& point : points_) {
      point.q.resize(state.q.size());
      point.v.resize(state.v.size());
    }
    points_[0].time = state.time;
    points_[0].q = state.q;
    points_[0].v = state.v;
  }

  void remember(double time) {
    std::rotate(points_.begin(), points_.end() - 1, points_.end());
    points_[0].time = time;
    points_[0].q = q_next_;
    points_[0].v = v_next_;
    known_ = std::min(known_ + 1, static_cast<int>(points_.size()));
  }

  /// A stop or string began to act for the whole step: what was before says nothing about what
  /// comes.
  static bool has_hit(const RowModes& modes) {
    return std::any_of(modes.modes().begin(), modes.modes().end(), [](const RowModes::Mode& mode) {
      return mode.is_limit() && mode.is_equation && !mode.acted;
    });
  }

  /// The order that the points allow. Steps that grow too fast make formulas of high order
  /// unstable. (The second is used with any: where a step is cut, its end must depend on h
  /// continuously.)
  int usable_order(double h) const {
    int k = std::min({order(), known_, 2});
    while (k < std::min(order(), known_)) {
      const double spacing =
          points_[static_cast<std::size_t>(k) - 1].time - points_[static_cast<std::size_t>(k)].time;
      if (!(h <= most_step_growth * spacing)) break;
      ++k;
    }
    return k;
  }

  // The step --------------------------------------------------------------------------------------
  /// α, u, τ and v_base of order k: c_j = h·ℓ_j'(t⁺) of Lagrange's polynomials ℓ_j.
  void differentiate(const System& system, double h, int k) {
    std::array<double, most_order + 1> times{}, c{};  // times from the end, in steps; weights
    for (int j = 1; j <= k; ++j)
      times[static_cast<std::size_t>(j)] =
          (points_[static_cast<std::size_t>(j) - 1].time - points_[0].time) / h - 1;
    for (int j = 1; j <= k; ++j) {
      c[0] -= 1 / times[static_cast<std::size_t>(j)];
      double product = 1 / times[static_cast<std::size_t>(j)];
      for (int m = 1; m <= k; ++m)
        if (m != j)
          product *= -times[static_cast<std::size_t>(m)] /
                     (times[static_cast<std::size_t>(j)] - times[static_cast<std::size_t>(m)]);
      c[static_cast<std::size_t>(j)] = product;
    }
    alpha_ = c[0] / h;
    tau_ = h / c[0];
    u_.setZero(points_[0].v.size());
    v_base_ = (-c[1] / c[0]) * points_[0].v;
    guess_ = points_[0].v;
    for (int j = 2; j <= k; ++j) {
      const Point& point = points_[static_cast<std::size_t>(j) - 1];
      system.difference(points_[0].q, point.q, Chart::rotation_vector, way_);
      u_ -= (c[static_cast<std::size_t>(j)] / h) * way_;
      v_base_ -= (c[static_cast<std::size_t>(j)] / c[0]) * point.v;
    }
    if (k > 1)
      guess_ += (0.5 * h / (points_[0].time - points_[1].time)) * (points_[0].v - points_[1].v);
  }

  void solve(const System& system, double h, const State& state, Workspace& w, StepReport& report) {
    const bool repeats = system.forces_depend_on_velocity() || system.rigid_count() > 0;
    const double length = length_scale(system, w.pattern, state.q);
    system.advance(state.q, guess_, h, q_next_);
    extra_.setZero(state.v.size());
    double before = INFINITY;
    for (int round = 0;; ++round) {
      shifted_ = u_ - extra_;
      const StepEquations equations{
          StepEquations::Forces::at_end, h, alpha_, tau_, shifted_, v_base_};
      const StepStatus status =
          newton_.solve(system, state, equations, limits(), w, q_next_, v_next_, report);
      // v̂, and v⁺ that meets the constraints
      system.difference(state.q, q_next_, Chart::rotation_vector, way_);
      plain_ = alpha_ * way_ - u_;
      v_next_ = plain_;
      turn(system);
      project_velocity(system, state.time + h, q_next_, v_next_, w, report);
      if (status == StepStatus::not_converged) return;
      change_ = v_next_ - plain_ - extra_;
      if (!repeats) return;
      extra_ += change_;
      const double left = std::abs(1 / alpha_) * relative_displacement(system, change_, length);
      if (left <= gear_settled || (left <= gear_round_off && left > 0.5 * before)) return;
      before = left;
      if (round + 1 == most_gear_rounds || !std::isfinite(left)) {
        report.unsolved += left;
        if (report.status == StepStatus::ok) report.status = StepStatus::not_converged;
        return;
      }
    }
  }

  // T(θ) ω = θ̇
  void turn(const System& system) {
    for (const BodySlot& slot : system.slots()) {
      if (slot.rigid < 0) continue;
      const Vec3 theta = way_.segment<3>(slot.v + 3), rate = v_next_.segment<3>(slot.v + 3);
      v_next_.segment<3>(slot.v + 3) = rotation_tangent(theta) * rate;
    }
  }
  /// The inverse of logarithm_tangent: 1 − (1 − cos a)/a² θ× + (a − sin a)/a³ θ×θ×.
  static Mat3 rotation_tangent(const Vec3& theta) {
    const double a2 = theta.squaredNorm(), a = std::sqrt(a2);
    const double first = a > 1e-4 ? (1 - std::cos(a)) / a2 : 0.5 - a2 / 24;
    const double second = a > 1e-2 ? (a - std::sin(a)) / (a2 * a) : 1.0 / 6 - a2 / 120;
    const Mat3 cross = cross_matrix(theta);
    return Mat3::Identity() - first * cross + second * (cross * cross);
  }

  // The first points of high orders
  // -----------------------------------------------------------------
  bool start(const System& system, double h, const State& state, Workspace& w, StepReport& report) {
    StepReport cost;
    const auto runge_kutta = [&](double length, State& at) {
      base_.step(Base::rk4, system, length, at,
                 [&](const VecX& q, const VecX& v, double t, VecX& out) {
                   constrained_acceleration(system, q, v, t, 0, 0, w, out, cost);
                 });
      project(system, at, w, cost);
    };
    if (w.modes.in_solve) return false;
    whole_ = halves_ = state;
    runge_kutta(h, whole_);
    runge_kutta(0.5 * h, halves_);
    runge_kutta(0.5 * h, halves_);
    report.add(cost);
    if (cost.status != StepStatus::ok || !halves_.q.allFinite() || !whole_.q.allFinite())
      return false;
    const double length = length_scale(system, w.pattern, state.q);
    system.difference(state.q, halves_.q, Chart::rotation_vector, way_);
    const double moved = relative_displacement(system, way_, length);
    system.difference(whole_.q, halves_.q, Chart::rotation_vector, way_);
    if (!(relative_displacement(system, way_, length) <= starter_agreement * moved)) return false;
    q_next_ = halves_.q;
    v_next_ = halves_.v;
    return true;
  }

  NewtonStep newton_;
  ExplicitBase base_;
  std::array<Point, most_order + 1> points_;  // the newest first
  int known_ = 0;
  RowActions actions_;
  double alpha_ = 0, tau_ = 0;
  State whole_, halves_;
  VecX u_, v_base_, guess_, shifted_, extra_, plain_, way_, change_, q_next_, v_next_;
};

}  // namespace

MethodInfo describe_gear_stabilised() {
  return describe_method<GearStabilised>(
      "gear_stabilised", "BDF on the stabilised equations of index 2: positions and velocities",
      Promises{.exact_constraints = true,
               .exact_rates = true,
               .passes_singular = true,
               .decides_laws = true,
               .takes_stiff_forces = true},
      newton_fields<GearStabilised>().optional("order", &GearStabilised::highest, "",
                                               "of the formulas; above 2 not stable for all that "
                                               "vibrates"));
}

}  // namespace taut
