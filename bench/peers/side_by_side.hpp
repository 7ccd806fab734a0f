// What is not work and precision of a scene: tables of their own.
#pragma once

#include "engine.hpp"
#include "tables.hpp"

namespace peers {

/// At which angle a box begins to slip, towards 24 azimuths: by how much that is off, in degrees.
TextTable inclines(const std::vector<Setup>& setups);

/// µs of CPU for a step of 0.01 s with 2 to 10 rods: chains of them, and ten_link.
TextTable costs_per_step(const std::vector<Setup>& setups, int repetitions);

/// One step's contacts of a stack, a wall, a pile and a grasp, solved by taut and by Siconos.
TextTable contact_problems();

std::string siconos_version();

}  // namespace peers
