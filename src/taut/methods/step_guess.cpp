#include "taut/methods/step_guess.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace taut {
namespace {

constexpr double same = 1e-9;    // of steps and times, relative to a step
constexpr double good = 0.7;     // what a better guess misses, relative to a plain one
constexpr double clearly = 0.3;  // what a better guess leaves of the equations, relatively
constexpr int shortest_wait = 4, longest_wait = 256;  // steps

// Extrapolation by a constant, a line, a parabola.
constexpr double weights[][3] = {{}, {1, 0, 0}, {2, -1, 0}, {3, -3, 1}};

}  // namespace

// Waves from body to body may be small beside the way of all, and count most in the equations. So
// which guess is the better one is seen from what it leaves of them.
bool StepGuess::chooses_better() {
  if (left_[1] == 0) return true;  // it has not been judged
  bool better = left_[1] <= clearly * left_[0];
  if (++since_trial_ < wait_) return better;
  since_trial_ = 0;
  wait_ = std::min(2 * wait_, longest_wait);
  return !better;
}

void StepGuess::judge(double left) {
  if (!could_choose_) return;
  const bool better = left_[1] <= clearly * left_[0];
  left_[is_better_ ? 1 : 0] = left;
  if (better != (left_[1] <= clearly * left_[0])) wait_ = shortest_wait;
}

bool StepGuess::improve(const System& system, const State& start, double h, VecX& q_end,
                        VecX& lambda) {
  q_plain_ = q_end;
  lambda_plain_ = lambda;
  const bool follows = std::abs(start.time - end_) <= same * h && std::abs(h - h_) <= same * h &&
                       found_.size() == start.v.size();
  if (!follows) {
    known_ = order_ = 0;
    left_ = {INFINITY, 0};
    since_trial_ = 0;
    wait_ = shortest_wait;
  }
  could_choose_ = order_ > 0;
  is_better_ = could_choose_ && lambda.size() == last_[0].forces.size() && chooses_better();
  if (!is_better_) return false;
  found_.setZero();
  for (int i = 0; i < order_; ++i) {
    found_ += weights[order_][i] * last_[i].way;
    lambda += weights[order_][i] * last_[i].forces;
  }
  system.advance(q_plain_, found_, 1, q_end);
  return true;
}

void StepGuess::learn(const System& system, const State& start, double h, const VecX& q_end,
                      const VecX& lambda) {
  system.difference(q_plain_, q_end, Chart::rotation_vector, found_);
  if (known_ > 0 && last_[0].way.size() != found_.size()) known_ = 0;
  if (known_ == 0)
    for (Found& last : last_) {
      last.way.setZero(found_.size());
      last.forces.setZero(lambda.size());
    }
  // What each order would have missed.
  double missed[highest + 1] = {};
  for (Eigen::Index i = 0; i < found_.size(); ++i) {
    for (int order = 0; order <= most_order; ++order) {
      double left = found_[i];
      for (int k = 0; k < order; ++k) left -= weights[order][k] * last_[k].way[i];
      missed[order] += left * left;
    }
  }
  order_ = 0;
  double least = good * good * missed[0];
  for (int order = 1; order <= std::min(known_, most_order); ++order) {
    if (!(missed[order] <= least)) continue;
    least = missed[order];
    order_ = order;
  }
  for (int i = highest - 1; i > 0; --i) std::swap(last_[i], last_[i - 1]);
  last_[0].way = found_;
  last_[0].forces = lambda - lambda_plain_;
  known_ = std::min(known_ + 1, highest);
  end_ = start.time + h;
  h_ = h;
}

}  // namespace taut
