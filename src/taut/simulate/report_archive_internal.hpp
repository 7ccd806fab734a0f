// What a run has reported and noted so far, as bytes: see simulate/archive.cpp.
#pragma once

#include "taut/simulate/simulation.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut {

class Archive;

/// Without what is only known at the end.
void archive(Archive& a, RunReport& report);
void archive(Archive& a, Evidence& evidence);

}  // namespace taut
