#include "taut/methods/step_guess.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double same = 1e-9;    // of steps and times, relative to a step
constexpr double good = 0.7;     // what a better guess misses, relative to a plain one
constexpr double clearly = 0.3;  // what a better guess leaves of the equations, relatively
constexpr int beyond_best = 2;   // orders that are tried in thought
constexpr int shortest_wait = 4, longest_wait = 256;  // steps

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
  is_better_ = could_choose_ && lambda.size() == changes_[0].forces.size() && chooses_better();
  if (!is_better_) return false;
  found_ = changes_[0].way;
  lambda += changes_[0].forces;
  for (int i = 1; i < order_; ++i) {
    found_ += changes_[i].way;
    lambda += changes_[i].forces;
  }
  system.advance(q_plain_, found_, 1, q_end);
  return true;
}

// The polynomial through what the last n steps found leads to the sum of its differences below the
// n-th, and misses the n-th difference of what is found now.
void StepGuess::learn(const System& system, const State& start, double h, const VecX& q_end,
                      const VecX& lambda) {
  system.difference(q_plain_, q_end, Chart::rotation_vector, found_);
  forces_ = lambda - lambda_plain_;
  if (changes_[0].way.size() != found_.size() || changes_[0].forces.size() != forces_.size())
    known_ = 0;
  if (known_ == 0)
    for (int i = 0; i < most_order; ++i) {
      changes_[i].way.resize(found_.size());
      changes_[i].forces.resize(forces_.size());
    }
  order_ = 0;
  double least = good * good * found_.squaredNorm();
  for (int i = 0;; ++i) {
    const double missed = found_.squaredNorm();
    if (i > 0 && missed <= least) {
      least = missed;
      order_ = i;
    }
    if (i == most_order || i > order_ + beyond_best) {
      known_ = i;
      break;
    }
    changes_[i].way.swap(found_);
    changes_[i].forces.swap(forces_);
    if (i == known_) {
      ++known_;
      break;
    }
    found_ = changes_[i].way - found_;
    forces_ = changes_[i].forces - forces_;
  }
  end_ = start.time + h;
  h_ = h;
}

}  // namespace taut
