// Parts of the verdict on a run.
#pragma once

#include <string>
#include <string_view>

#include "taut/simulate/verdict.hpp"

namespace taut {

/// "12 % of the whole", "35 times the whole"
std::string part_text(double part, std::string_view whole);

/// Says what is wrong with the energy over a run: one doubt or none.
void judge_energy(const System& system, const Method& method, double size, const Evidence& evidence,
                  RunReport& report);

}  // namespace taut
