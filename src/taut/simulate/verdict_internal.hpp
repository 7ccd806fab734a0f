// Parts of the verdict, in verdict.cpp and verdict_energy.cpp.
#pragma once

#include <string>
#include <string_view>

#include "taut/simulate/verdict.hpp"

namespace taut {

/// "12 % of the whole", "35 times the whole"
std::string share(double part, std::string_view whole);

/// Says what is wrong with the energy over a run: one sentence or none.
void judge_energy(const System& system, const Method& method, double size, const Evidence& evidence,
                  RunReport& report);

}  // namespace taut
