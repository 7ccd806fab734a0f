#include "taut/methods/step_guess.hpp"

#include <cmath>

namespace taut {
namespace {

constexpr double same = 1e-9;    // of steps and times, relative to a step
constexpr double good = 0.7;     // what a better guess misses, relative to a plain one
constexpr double clearly = 0.3;  // what a better guess leaves of the equations, relatively
constexpr int shortest_wait = 4, longest_wait = 256;  // steps

// Extrapolation by a constant, a line, a parabola.
constexpr double weights[][3] = {{}, {1, 0, 0}, {2, -1, 0}, {3, -3, 1}};

}  // namespace

void FoundInSteps::add_expected(VecX& to) const {
  for (int i = 0; i < order_; ++i) to += weights[order_][i] * last_[i];
}

void FoundInSteps::learn(const VecX& now) {
  if (known_ > 0 && last_[0].size() != now.size()) forget();
  if (known_ == 0)
    for (VecX& last : last_) last.setZero(now.size());
  // How much each kind of guess would have missed at most.
  double missed[most + 1] = {};
  for (Eigen::Index i = 0; i < now.size(); ++i) {
    const double x = last_[0][i], y = last_[1][i], z = last_[2][i];
    for (int order = 0; order <= most; ++order) {
      const double* w = weights[order];
      const double guess = order == 0 ? 0 : w[0] * x + w[1] * y + w[2] * z;
      missed[order] = std::max(missed[order], std::abs(now[i] - guess));
    }
  }
  order_ = 0;
  double least = good * missed[0];
  for (int order = 1; order <= known_; ++order) {
    if (!(missed[order] <= least)) continue;
    least = missed[order];
    order_ = order;
  }
  for (int i = most - 1; i > 0; --i) last_[i].swap(last_[i - 1]);
  last_[0] = now;
  known_ = std::min(known_ + 1, most);
}

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
    way_.forget();
    forces_.forget();
    left_ = {INFINITY, 0};
    since_trial_ = 0;
    wait_ = shortest_wait;
  }
  could_choose_ = way_.expects_something() || forces_.expects_something();
  is_better_ = could_choose_ && chooses_better();
  if (!is_better_) return false;
  found_.setZero();
  way_.add_expected(found_);
  system.advance(q_plain_, found_, 1, q_end);
  forces_.add_expected(lambda);
  return true;
}

void StepGuess::learn(const System& system, const State& start, double h, const VecX& q_end,
                      const VecX& lambda) {
  system.difference(q_plain_, q_end, Chart::rotation_vector, found_);
  way_.learn(found_);
  lambda_plain_ = lambda - lambda_plain_;
  forces_.learn(lambda_plain_);
  end_ = start.time + h;
  h_ = h;
}

}  // namespace taut
