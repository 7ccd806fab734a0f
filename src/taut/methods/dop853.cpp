// Dormand–Prince 8(5,3) on v̇ = W(F − Jᵀλ), then a projection of position and velocity. For smooth
// motion, the most digits per linear solve. Quaternions are integrated as plain numbers and made
// unit again at the end, which keeps the order.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "taut/methods/archive.hpp"
#include "taut/methods/dop853_table.hpp"
#include "taut/methods/explicit_base.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/projection.hpp"

namespace taut {
namespace {

/// A point on the way and the derivative there. Of y = (q, v).
struct Stage {
  VecX q, v;  // derivative: q̇ and v̇
  VecX at_q, at_v;
  double time = 0;
  bool known = false;

  void archive(Archive& a) { a(q, v, at_q, at_v, time, known); }
  bool is_of(const State& state, double h) const {
    return known && std::abs(state.time - time) <= 1e-9 * h && at_q.size() == state.q.size() &&
           at_q == state.q && at_v == state.v;
  }
};

struct Dop853 final : Method {
  int order() const override { return 8; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    if (topology_ != system.topology()) forget(system);

    // The derivative at the start is known when dense output asked for it at the end of the last
    // step, and when a step is repeated with another h. With stops and motors a step is also
    // repeated with other rows, with contacts with other forces, and the derivative then is
    // another.
    const bool may_differ = !w.modes.empty() || !system.contact_sources().empty();
    if (end_.is_of(state, h)) std::swap(k_[0], end_);
    if (may_differ || !k_[0].is_of(state, h)) {
      k_[0].at_q = state.q;
      k_[0].at_v = state.v;
      k_[0].time = state.time;
      derive(system, k_[0], w, report);
      k_[0].known = true;
    }
    h_ = h;
    for (std::size_t i = 1; i < dop853::stages; ++i) {
      place(i);
      derive(system, k_[i], w, report);
    }
    // The end of the step and the estimate of its error.
    combine(dop853::a[dop853::stages], end_.at_q, end_.at_v);
    state.q += h * end_.at_q;
    state.v += h * end_.at_v;
    estimate(system, w);
    report.has_estimate = true;
    system.normalize(state.q);
    state.time += h;
    project(system, state, w, report);

    end_.at_q = state.q;
    end_.at_v = state.v;
    end_.time = state.time;
    end_.known = dense_ready_ = false;
    modes_ = w.modes;
    return report;
  }

  // Polynomials in s = (t − t₀)/h that have y and ẏ of both ends; what they lack in order comes
  // from three more stages. Where a step is cut at events, they are of its last part alone.
  bool interpolate(const System& system, double time, State& out) override {
    if (!k_[0].known || topology_ != system.topology()) return false;
    const double s = (time - k_[0].time) / h_, r = 1 - s;
    if (!(s > -1e-9 && s < 1 + 1e-9)) return false;
    prepare_dense(system);
    const auto value = [&](const std::array<VecX, 7>& p, const VecX& start, VecX& result) {
      result =
          start +
          s * (p[0] + r * (p[1] + s * (p[2] + r * (p[3] + s * (p[4] + r * (p[5] + s * p[6]))))));
    };
    value(dense_q_, k_[0].at_q, out.q);
    value(dense_v_, k_[0].at_v, out.v);
    system.normalize(out.q);
    out.time = time;
    return true;
  }

  void archive(Archive& a, const System& system, Workspace&) override {
    if (a.is_reading()) topology_ = static_cast<int>(system.topology());
    a(k_, end_, h_, dense_ready_, dense_q_, dense_v_, modes_);
  }

 private:
  void forget(const System& system) {
    k_[0].known = end_.known = dense_ready_ = false;
    own_.reset();
    topology_ = system.topology();
  }

  void derive(const System& system, Stage& k, Workspace& w, StepReport& report) {
    system.position_rate(k.at_q, k.at_v, k.q);
    unit_q_ = k.at_q;
    system.normalize(unit_q_);
    constrained_acceleration(system, unit_q_, k.at_v, k.time, 0, 0, w, k.v, report);
  }

  const Stage& stage(int i) const {
    return i == dop853::stages ? end_ : k_[static_cast<std::size_t>(i)];
  }

  /// Σ factor · k
  void combine(const dop853::Row& row, VecX& q, VecX& v) const {
    q.setZero(k_[0].q.size());
    v.setZero(k_[0].v.size());
    for (int j = 0; j < row.size; ++j) {
      const auto& [of, factor] = row.terms[static_cast<std::size_t>(j)];
      q += factor * stage(of).q;
      v += factor * stage(of).v;
    }
  }

  void place(std::size_t i) {
    Stage& k = k_[i];
    combine(dop853::a[i], k.at_q, k.at_v);
    k.at_q = k_[0].at_q + h_ * k.at_q;
    k.at_v = k_[0].at_v + h_ * k.at_v;
    k.time = k_[0].time + dop853::c[i] * h_;
  }

  // Hairer's combination of the two embedded errors: e = e₅ · |e₅| / √(|e₅|² + |e₃|²/100), of size
  // h⁸. Here for positions and velocities apart, as their units differ.
  void estimate(const System& system, Workspace& w) {
    combine(dop853::e5, e5_q_, e5_v_);
    combine(dop853::b3, e3_q_, e3_v_);
    e3_q_ = end_.at_q - e3_q_;  // still the mean rates of the step
    e3_v_ = end_.at_v - e3_v_;
    const auto scale = [&](const VecX& e5, const VecX& e3) {
      const double fifth = e5.squaredNorm(), third = 0.01 * e3.squaredNorm();
      return fifth > 0 ? h_ * std::sqrt(fifth / (fifth + third)) : 0.0;
    };
    e5_q_ *= scale(e5_q_, e3_q_);
    w.error_v = scale(e5_v_, e3_v_) * e5_v_;
    w.error_q.resize(system.velocity_size());
    for (const BodySlot& slot : system.slots()) {
      w.error_q.segment<3>(slot.v) = e5_q_.segment<3>(slot.q);
      if (slot.rigid < 0) continue;
      // δq = ½ q∘δθ: a turn in the body's frame
      const auto at = k_[0].at_q.segment<4>(slot.q + 3), by = e5_q_.segment<4>(slot.q + 3);
      const Quat turn = Quat(at[0], -at[1], -at[2], -at[3]) * Quat(by[0], by[1], by[2], by[3]);
      w.error_q.segment<3>(slot.v + 3) = 2 * turn.vec();
    }
  }

  void prepare_dense(const System& system) {
    if (dense_ready_) return;
    // A workspace of its own: that of the steps is not at hand here.
    if (!own_) own_ = std::make_unique<Workspace>(system);
    own_->adapt(system);
    own_->modes = modes_;
    StepReport unused;
    if (!end_.known) derive(system, end_, *own_, unused);
    end_.known = true;
    for (std::size_t i = dop853::stages + 1; i < dop853::all_stages; ++i) {
      place(i);
      derive(system, k_[i], *own_, unused);
    }
    const auto ends = [&](std::array<VecX, 7>& p, const VecX& y0, const VecX& y1, const VecX& d0,
                          const VecX& d1) {
      p[0] = y1 - y0;
      p[1] = h_ * d0 - p[0];
      p[2] = p[0] - h_ * d1 - p[1];
    };
    ends(dense_q_, k_[0].at_q, end_.at_q, k_[0].q, end_.q);
    ends(dense_v_, k_[0].at_v, end_.at_v, k_[0].v, end_.v);
    for (std::size_t i = 0; i < 4; ++i) {
      combine(dop853::d[i], dense_q_[3 + i], dense_v_[3 + i]);
      dense_q_[3 + i] *= h_;
      dense_v_[3 + i] *= h_;
    }
    dense_ready_ = true;
  }

  std::array<Stage, dop853::all_stages> k_;  // k_[12] is not used: the end has its own
  Stage end_;
  double h_ = 0;
  int topology_ = -1;
  VecX unit_q_, e5_q_, e5_v_, e3_q_, e3_v_;
  bool dense_ready_ = false;
  std::array<VecX, 7> dense_q_, dense_v_;
  std::unique_ptr<Workspace> own_;
  RowModes modes_;  // of the last step
};

}  // namespace

MethodInfo describe_dop853() {
  return describe_method<Dop853>(
      "dop853", "Dormand-Prince of order 8 with error estimate and dense output, then projection",
      Promises{.exact_constraints = true, .exact_rates = true},
      FieldList<Dop853>().optional(
          "step_error", &Dop853::step_error, "",
          "largest error of a step, by its own estimate and of the scene's size: a step with more "
          "is done in parts; 0: none is",
          Range::non_negative));
}

}  // namespace taut
