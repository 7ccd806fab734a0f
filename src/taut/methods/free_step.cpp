#include "taut/methods/free_step.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double force_tolerance = 1e-3;  // of what is left of the force, relative to all of it
constexpr int most_force_iterations = 200;
constexpr double resolved = 1;          // τ² W K; stable up to 4/3
constexpr int steps_until_looked = 64;  // at that again
constexpr int power_iterations = 12, later_power_iterations = 4;
constexpr double anew = 0.3;  // of the start, in what later ones start with: others may be faster
constexpr double power_margin = 1.15, later_power_margin = 1.1;  // of what so many may miss

/// What forces need to know at q: rows only where some of them have given multipliers. Forces from
/// outside, such as those of contacts, are there in any case.
void look(const System& system, const VecX& q, double time, Workspace& w, LinearizedRows& at) {
  if (w.modes.empty()) {
    at.pose.set(system, q);
    at.held = w.modes.external;
  } else {
    w.evaluate(system, q, time, at);
  }
}

const Parts alone;

}  // namespace

const Parts& FreeStep::parts() const { return parts_ ? *parts_ : alone; }

void FreeStep::begin(FreeBase base, double h, const State& state, const Workspace& w) {
  base_ = base;
  tau_ = h;
  offset_.setZero(state.v.size());
  base_velocity_ = state.v;
  has_solved_ = false;
  const StepMemory::Increment* past =
      base == FreeBase::bdf2 ? memory_.recall(state, w.modes) : nullptr;
  if (past) {
    const double ratio = h / past->h, carry = ratio * ratio / (1 + 2 * ratio);
    tau_ = h * (1 + ratio) / (1 + 2 * ratio);
    offset_ = carry * past->delta;
    base_velocity_ += carry * (state.v - past->v);
  }
}

void FreeStep::predict(FreeBase base, const System& system, double h, const State& state,
                       Workspace& w, StepReport& report) {
  begin(base, h, state, w);
  candidate_ = base_velocity_;
  if (base != FreeBase::explicit_forces && parts().any(!w.pattern.coupling_blocks.empty())) {
    implicit_forces(system, state, state.time + h, w, report);
  } else {
    look(system, state.q, state.time, w, w.start);
    w.forces(system, w.start, state.v, state.time);
    parts().complete(w.WF);
    candidate_ += tau_ * w.WF;
  }
}

void FreeStep::adapt(const System& system, const Workspace& w) {
  if (topology_ == system.topology()) return;
  topology_ = system.topology();
  inverse_diagonal_ = BodyDiagonal(system);
  product_ = StiffnessProduct(w.pattern.coupling_blocks);
  until_looked_ = 0;
  has_fastest_ = false;
}

void FreeStep::implicit_forces(const System& system, const State& state, double end, Workspace& w,
                               StepReport& report) {
  adapt(system, w);
  reach(system, state, candidate_, q_);
  look(system, q_, end, w, w.end);
  w.forces(system, w.end, candidate_, end);
  parts().complete(w.WF);
  if (base_ == FreeBase::implicit_forces && resolves_forces(system, end, w)) {
    candidate_ += tau_ * w.WF;
    return;
  }
  stiffness_.add_force_stiffness(system, w.pattern, w.end.pose, candidate_, 1 / tau_, end);
  const std::vector<StiffnessBlock>& blocks = w.pattern.coupling_blocks;

  // Were there no resistance, the way would be τ² W F: all of it where forces are the same for all,
  // as gravity is. What differs from that, (M/τ² + K) y = −K τ² W F, changes little from step to
  // step.
  change_ = (tau_ * tau_) * w.WF;
  const double wanted = force_tolerance * parts().norm(w.F);
  right_.setZero(change_.size());
  product_.add(blocks, stiffness_.K, change_, right_);
  right_ = -right_;
  parts().keep_own(right_);
  has_solved_ = true;
  if (parts().norm(right_) > wanted) {
    add_mass(system, blocks);
    const auto multiply = [&](const VecX& x, VecX& out) {
      out.setZero(x.size());
      product_.add(blocks, stiffness_.K, x, out);
      parts().keep_own(out);
    };
    const auto precondition = [&](const VecX& f, VecX& out) {
      inverse_diagonal_.apply(f, out);
      parts().complete(out);
    };
    if (resistance_.size() != right_.size()) resistance_.setZero(right_.size());
    const KrylovResult result =
        conjugate_gradients_from(multiply, precondition, right_, resistance_, scratch_,
                                 {wanted, most_force_iterations}, parts());
    ++report.linear_solves;
    report.linear_iterations += result.iterations;
    change_ += resistance_;
  }
  candidate_ += change_ / tau_;
}

// Whether a step resolves all forces. Then those at the end that v_base leads to are, to first
// order in τ² W K, what the solution of the linear system makes of them: they damp a vibration by 1
// − s instead of 1/(1 + s), s = τ² ω².
bool FreeStep::resolves_forces(const System& system, double end, Workspace& w) {
  if (until_looked_-- > 0 && std::abs(tau_ - looked_tau_) <= 1e-9 * tau_) return resolves_;
  until_looked_ = steps_until_looked;
  looked_tau_ = tau_;
  stiffness_.add_force_stiffness(system, w.pattern, w.end.pose, candidate_, 1 / tau_, end);
  // The power method, from neighbours that are pulled apart; later from where it ended at last.
  const bool is_first = !has_fastest_;
  const double share =
      is_first ? 1 : anew * parts().norm(fastest_) / std::sqrt(14.0 * parts().whole_size(fastest_));
  if (is_first) fastest_.setZero(candidate_.size());
  for (Eigen::Index i = 0; i < fastest_.size(); ++i)
    fastest_[i] += share * ((parts().whole_number(i) * 7919 % 13) - 6);
  double largest = 0;
  for (int i = 0; i < (is_first ? power_iterations : later_power_iterations); ++i) {
    fastest_ /= parts().norm(fastest_);
    right_.setZero(fastest_.size());
    product_.add(w.pattern.coupling_blocks, stiffness_.K, fastest_, right_);
    system.apply_inverse_mass(right_, fastest_);
    parts().complete(fastest_);
    largest = parts().norm(fastest_);
    if (!(largest > 0)) break;
  }
  has_fastest_ = largest > 0;
  resolves_ = (is_first ? power_margin : later_power_margin) * tau_ * tau_ * largest < resolved;
  return resolves_;
}

// K ← M/τ² + K, where K is at all: bodies that no such force acts on are where the guess has them.
void FreeStep::add_mass(const System& system, const std::vector<StiffnessBlock>& blocks) {
  inverse_diagonal_.set_mass(system, 1 / (tau_ * tau_));
  for (const StiffnessBlock& block : blocks) {
    if (block.row_dof != block.col_dof) continue;
    double* diagonal = inverse_diagonal_.block(inverse_diagonal_.body_at(block.row_dof));
    double* values = stiffness_.K.data() + block.value;
    if (block.is_scalar) {
      *values += *diagonal;
      for (int i = 0; i < 9; i += 4) diagonal[i] = *values;
    } else {
      for (int i = 0; i < block.value_count(); ++i) diagonal[i] = values[i] += diagonal[i];
    }
  }
  inverse_diagonal_.invert();  // it is positive definite
}

void FreeStep::reach(const System& system, const State& state, const VecX& velocity, VecX& q_end) {
  way_ = offset_ + tau_ * velocity;
  system.advance(state.q, way_, 1, q_end);
}

void FreeStep::remember(const System& system, double h, const State& state, const VecX& q_end,
                        const VecX& v_end, const RowModes& modes) {
  if (base_ == FreeBase::bdf2) memory_.remember(system, h, state, q_end, v_end, modes);
}

void row_lengths(const RowPattern& pattern, double sum, double known, VecX& lengths) {
  lengths = Eigen::Map<const VecX>(pattern.natural_length.data(), pattern.rows());
  const double other = known > 0 ? 0.1 * sum / known : 1e-3;
  lengths = (lengths.array() > 0).select(lengths, other);
}

const VecX& FilterMethod::row_lengths(const RowPattern& pattern) {
  if (lengths_.size() == pattern.rows()) return lengths_;
  const Eigen::Map<const VecX> natural(pattern.natural_length.data(), pattern.rows());
  taut::row_lengths(pattern, natural.sum(), static_cast<double>((natural.array() > 0).count()),
                    lengths_);
  return lengths_;
}

double FilterMethod::worst_strain(const RowPattern& pattern, const VecX& C) {
  if (C.size() == 0) return 0;
  return (C.array() / row_lengths(pattern).array()).abs().maxCoeff();
}

}  // namespace taut
