// What a ConeProblem's answer must satisfy, checked by the definitions, on dense matrices, and with
// nothing of the solver's.
#pragma once

#include "support/random_scene.hpp"
#include "taut/solve/cone_solver.hpp"

namespace taut::testing {

struct DenseCones {
  MatX M, J, H;
};
DenseCones dense(const ConePattern& pattern, const ConeProblem& problem);

struct ConeErrors {
  double dynamics = 0;   // |M v − f − Hᵀr − Jᵀλ|, as a velocity: times M⁻¹
  double equations = 0;  // |J v − b|
  double laws = 0;       // as a velocity: what opens but pushes, enters, slides without friction
  double cones = 0;      // how far r is from what is allowed, relative to |r|
};
ConeErrors check(const ConePattern& pattern, const ConeProblem& problem,
                 const ConeSolution& solution);

/// Bodies of both kinds, couplings, equations (some twice) and groups of all laws, with which some
/// motion is possible.
struct RandomCones {
  explicit RandomCones(unsigned seed);
  ConePattern pattern;
  ConeProblem problem;
};

}  // namespace taut::testing
