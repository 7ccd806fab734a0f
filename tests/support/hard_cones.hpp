// Random problems for a ConeSolver that are as hard as can be and yet have an answer.
#pragma once

#include <string>

#include "taut/solve/cone_solver.hpp"

namespace taut::testing {

/// Bodies with masses up to 1 : 10⁹ that touch at up to ten times as many points as hold them, with
/// friction up to 10 and compliance here and there; equations, some of them twice; at any scale of
/// mass and speed, 10^±6. Some motion satisfies all strictly, so there is an answer.
struct HardCones {
  explicit HardCones(unsigned seed);
  ConePattern pattern;
  ConeProblem problem;
};

/// What is wrong with an answer that is said to have converged; empty: nothing.
std::string wrong_answer(const HardCones& hard, const ConeSolution& solution);

}  // namespace taut::testing
