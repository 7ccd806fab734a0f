// What two-step formulas know of the past: the last increment and the velocity before it, if the
// state is the one the last step left, but for what takes round-off out of it. A step may be
// repeated from its start: then the past is what it was.
//
// Where a stop, a motor or friction begins or ceases to act, or what touched lifts off, the
// acceleration jumps, though the state does not: a formula that looks back over that would carry
// the old acceleration on.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/model/row_modes.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

class Archive;

/// What the rows that are not equations did in a step, and how contacts pushed.
class RowActions {
 public:
  void note(const RowModes& modes) {
    actions_.clear();
    push_ = modes.external;
    if (modes.in_solve) return;  // they change all the time
    for (const RowModes::Mode& mode : modes.modes())
      actions_.push_back({mode.is_equation, mode.is_equation ? 0 : mode.held});
  }
  void archive(Archive& a);
  bool are_those_of(const RowModes& modes) const {
    if (has_jumped(modes.external)) return false;
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
    void archive(Archive& a);
  };
  /// Whether the forces of contacts on some body are no longer what they were, even roughly.
  bool has_jumped(const VecX& push) const {
    constexpr double much = 0.5;      // of the force itself
    constexpr double nothing = 1e-4;  // of the largest of all
    if (push.size() == 0 && push_.size() == 0) return false;
    const double largest = std::max(push.size() ? push.lpNorm<Eigen::Infinity>() : 0,
                                    push_.size() ? push_.lpNorm<Eigen::Infinity>() : 0);
    const auto part = [](const VecX& of, Eigen::Index i) {
      return of.size() ? Vec3(of.segment<3>(i)) : Vec3::Zero().eval();
    };
    for (Eigen::Index i = 0; i < std::max(push.size(), push_.size()); i += 3) {
      const Vec3 now = part(push, i), before = part(push_, i);
      const double change = (now - before).norm();
      if (change > much * std::max(now.norm(), before.norm()) && change > nothing * largest)
        return true;
    }
    return false;
  }

  std::vector<Action> actions_;
  VecX push_;
};

class StepMemory {
 public:
  struct Increment {
    double h = 0;
    VecX v, delta;  ///< velocity at its start, way to its end
    RowActions actions;
    void archive(Archive& a);
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
  void archive(Archive& a);
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
