#include "taut/methods/step_guess.hpp"

#include <cmath>

namespace taut {
namespace {

constexpr double same = 1e-9;  // of steps and times, relative to a step
constexpr double good = 0.7;   // what a good guess misses, relative to a plain one

}  // namespace

bool StepGuess::improve(const System& system, const State& start, double h, VecX& q_end,
                        VecX& lambda) {
  q_plain_ = q_end;
  lambda_plain_ = lambda;
  const bool follows = helps_ && std::abs(start.time - end_) <= same * h && std::abs(h - h_) <= same * h &&
                       found_.size() == start.v.size() && lambda_found_.size() == lambda.size();
  if (follows) {
    system.advance(q_plain_, found_, 1, q_end);
    lambda += lambda_found_;
  }
  q_guess_ = q_end;
  return follows;
}

void StepGuess::learn(const System& system, const State& start, double h, const VecX& q_end,
                      const VecX& lambda) {
  const bool had_one = helps_ && found_.size() == start.v.size();
  system.difference(q_guess_, q_end, Chart::rotation_vector, missed_);
  if (!had_one && found_.size() == missed_.size()) missed_ -= found_;  // would it have helped?
  system.difference(q_plain_, q_end, Chart::rotation_vector, found_);
  helps_ = missed_.squaredNorm() <= good * good * found_.squaredNorm();
  lambda_found_ = lambda - lambda_plain_;
  end_ = start.time + h;
  h_ = h;
}

}  // namespace taut
