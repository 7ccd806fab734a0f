// The contacts of one step, for a method that solves for them in its own sweeps
// (Promises::solves_contacts). They were looked for at the start of the step.
#pragma once

#include "taut/model/contact_rows.hpp"

namespace taut {

struct ContactTask {
  ContactRows rows;
  KeptVec rate;     ///< of each, m/s: how fast its gap opens at the start of the step
  KeptVec depth;    ///< of each, m: how far along the sum of all forces it is
  KeptVec force;    ///< N, as rows has them, of the last step: a guess; then those at its end
  double slow = 0;  ///< m/s: an approach that is no impact

  // What the method tells of the step:
  int impacts = 0;
  double impact_energy = 0;    ///< J, below 0
  double friction_energy = 0;  ///< J, below 0
};

}  // namespace taut
