#include "taut/methods/free_step.hpp"

#include <algorithm>

namespace taut {
namespace {

constexpr KrylovLimits force_limits{1e-6, 200};

/// What forces need to know at q: rows only where some of them have given multipliers.
void look(const System& system, const VecX& q, double time, Workspace& w, LinearizedRows& at) {
  if (w.modes.empty()) {
    at.pose.set(system, q);
  } else {
    w.evaluate(system, q, time, at);
  }
}

}  // namespace

void FreeStep::predict(FreeBase base, const System& system, double h, const State& state,
                       Workspace& w, StepReport& report) {
  tau_ = h;
  offset_.setZero(state.v.size());
  candidate_ = state.v;  // v_base, so far
  const StepMemory::Increment* past = base == FreeBase::bdf2 ? memory_.recall(state) : nullptr;
  if (past) {
    const double ratio = h / past->h, carry = ratio * ratio / (1 + 2 * ratio);
    tau_ = h * (1 + ratio) / (1 + 2 * ratio);
    offset_ = carry * past->delta;
    candidate_ += carry * (state.v - past->v);
  }
  if (base != FreeBase::explicit_forces && !w.pattern.coupling_blocks.empty()) {
    implicit_forces(system, state, state.time + h, w, report);
  } else {
    look(system, state.q, state.time, w, w.start);
    w.forces(system, w.start, state.v, state.time);
    candidate_ += tau_ * w.WF;
  }
}

void FreeStep::implicit_forces(const System& system, const State& state, double end, Workspace& w,
                               StepReport& report) {
  if (topology_ != system.topology()) {
    topology_ = system.topology();
    H_ = BodyMatrix(system, w.pattern, BodyMatrix::Couples::forces);
  }
  reach(system, state, candidate_, q_);
  look(system, q_, end, w, w.end);
  w.forces(system, w.end, candidate_, end);
  stiffness_.add_force_stiffness(system, w.pattern, w.end.pose, candidate_, 1 / tau_, end);
  H_.assemble(system, w.pattern, {1 / (tau_ * tau_), nullptr, 1, nullptr, &stiffness_.K});
  const KrylovResult result =
      conjugate_gradients([&](const VecX& x, VecX& out) { H_.multiply(x, out); },
                          [&](const VecX& f, VecX& out) { H_.apply_inverse_diagonal(f, out); }, w.F,
                          change_, scratch_, force_limits);
  ++report.linear_solves;
  report.linear_iterations += result.iterations;
  candidate_ += change_ / tau_;
}

void FreeStep::reach(const System& system, const State& state, const VecX& velocity, VecX& q_end) {
  way_ = offset_ + tau_ * velocity;
  system.advance(state.q, way_, 1, q_end);
}

void FreeStep::remember(const System& system, double h, const State& state, const VecX& q_end,
                        const VecX& v_end) {
  memory_.remember(system, h, state, q_end, v_end);
}

const VecX& FilterMethod::row_lengths(const RowPattern& pattern) {
  if (lengths_.size() == pattern.rows()) return lengths_;
  lengths_ = Eigen::Map<const VecX>(pattern.natural_length.data(), pattern.rows());
  const double known = static_cast<double>((lengths_.array() > 0).count());
  const double other = known > 0 ? 0.1 * lengths_.sum() / known : 1e-3;
  lengths_ = (lengths_.array() > 0).select(lengths_, other);
  return lengths_;
}

double FilterMethod::worst_strain(const RowPattern& pattern, const VecX& C) {
  if (C.size() == 0) return 0;
  return (C.array() / row_lengths(pattern).array()).abs().maxCoeff();
}

}  // namespace taut
