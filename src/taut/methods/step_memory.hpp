// What two-step formulas know of the past: the last increment and the velocity before it, if the
// state is the one the last step left, but for what takes round-off out of it. A step may be
// repeated from its start: then the past is what it was.
//
// Where a stop, a motor or friction begins or ceases to act, or what touched lifts off, the
// acceleration jumps, though the state does not: a formula that looks back over that would carry the
// old acceleration on.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/model/row_modes.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// What the rows that are not equations did in a step, and whether contacts pushed.
class RowActions {
 public:
  void note(const RowModes& modes) {
    actions_.clear();
    is_pushed_ = pushes(modes);
    if (modes.in_solve) return;  // they change all the time
    for (const RowModes::Mode& mode : modes.modes())
      actions_.push_back({mode.is_equation, mode.is_equation ? 0 : mode.held});
  }
  bool are_those_of(const RowModes& modes) const {
    if (is_pushed_ != pushes(modes)) return false;
    if (modes.in_solve || actions_.empty()) return true;
    return std::equal(actions_.begin(), actions_.end(), modes.modes().begin(), modes.modes().end(),
                      [](const Action& action, const RowModes::Mode& mode) {
                        return action.is_equation == mode.is_equation &&
                               (mode.is_equation || action.held == mode.held);
                      });
  }

 private:
  struct Action {
    bool is_equation;
    double held;
  };
  static bool pushes(const RowModes& modes) { return modes.external.size() > 0; }

  std::vector<Action> actions_;
  bool is_pushed_ = false;
};

class StepMemory {
 public:
  struct Increment {
    double h = 0;
    VecX v, delta;  ///< velocity at its start, way to its end
    RowActions actions;
  };

  /// Before a step: the step before this state, nullptr if there is none.
  const Increment* recall(const State& state, const RowModes& modes) {
    // What was at rest may still be where it was: only the time tells a repeated step then.
    const bool repeated =
        has_last_ && state.time == from_.time && state.q == from_.q && state.v == from_.v;
    if (!repeated && has_last_ && is_left_by_last(state)) {
      std::swap(past_, last_);
      has_past_ = true;
    } else if (!repeated) {
      has_past_ = false;
    }
    has_last_ = false;
    return has_past_ && past_.actions.are_those_of(modes) ? &past_ : nullptr;
  }

  /// After a step from `state`, if it is worth remembering.
  void remember(const System& system, double h, const State& state, const VecX& q_end,
                const VecX& v_end, const RowModes& modes) {
    last_.h = h;
    last_.actions.note(modes);
    last_.v = state.v;
    system.difference(state.q, q_end, Chart::rotation_vector, last_.delta);
    from_ = state;
    q_ = q_end;
    v_ = v_end;
    has_last_ = true;
  }
  void forget_last() { has_last_ = false; }
  const Increment& last() const { return last_; }

 private:
  /// Contacts close gaps of round-off: a two-step formula need not begin anew for that.
  bool is_left_by_last(const State& state) const {
    constexpr double nothing = 1e-9;  // of the step's way, and of the velocity
    if (state.q == q_ && state.v == v_) return true;
    return std::abs(state.time - from_.time - last_.h) <= nothing * last_.h &&
           state.q.size() == q_.size() && state.v.size() == v_.size() &&
           (state.q - q_).lpNorm<Eigen::Infinity>() <=
               nothing * (q_ - from_.q).lpNorm<Eigen::Infinity>() &&
           (state.v - v_).lpNorm<Eigen::Infinity>() <= nothing * v_.lpNorm<Eigen::Infinity>();
  }

  Increment past_, last_;
  bool has_past_ = false, has_last_ = false;
  State from_;
  VecX q_, v_;
};

}  // namespace taut
