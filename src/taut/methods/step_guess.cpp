#include "taut/methods/step_guess.hpp"

#include <cmath>

namespace taut {
namespace {

constexpr double same = 1e-9;  // of steps and times, relative to a step
constexpr double good = 0.7;   // what a better guess misses, relative to a plainer one

// Extrapolation by a constant, a line, a parabola.
constexpr double weights[][3] = {{}, {1}, {2, -1}, {3, -3, 1}};

}  // namespace

void FoundInSteps::add_expected(VecX& to) const {
  for (int i = 0; i < order_; ++i) to += weights[order_][i] * last_[i];
}

void FoundInSteps::learn(const VecX& now) {
  if (known_ > 0 && last_[0].size() != now.size()) forget();
  order_ = 0;
  double least = now.lpNorm<Eigen::Infinity>();
  for (int order = 1; order <= known_; ++order) {
    expected_ = -now;
    for (int i = 0; i < order; ++i) expected_ += weights[order][i] * last_[i];
    const double missed = expected_.lpNorm<Eigen::Infinity>();
    if (!(missed <= good * least)) continue;
    least = missed;
    order_ = order;
  }
  // Of the first, nothing is known.
  if (known_ == 0) order_ = 1;
  for (int i = most - 1; i > 0; --i) last_[i].swap(last_[i - 1]);
  last_[0] = now;
  known_ = std::min(known_ + 1, most);
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
    return false;
  }
  if (way_.expects_something()) {
    found_.setZero();
    way_.add_expected(found_);
    system.advance(q_plain_, found_, 1, q_end);
  }
  forces_.add_expected(lambda);
  return way_.expects_something() || forces_.expects_something();
}

void StepGuess::learn(const System& system, const State& start, double h, const VecX& q_end,
                      const VecX& lambda) {
  system.difference(q_plain_, q_end, Chart::rotation_vector, found_);
  way_.learn(found_);
  forces_.learn(lambda - lambda_plain_);
  end_ = start.time + h;
  h_ = h;
}

}  // namespace taut
