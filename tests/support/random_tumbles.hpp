// Random scenes of bodies that tumble, hit and slide, and a judge that knows nothing of how they
// are simulated: it looks at places, velocities and shapes alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taut/collision/shape_contacts.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {

struct Tumble {
  std::string kind;
  System system;
  std::vector<collision::BodyShape> shapes;  ///< those of the system, for the judge
  double size = 1;                           ///< m, of the room
  double step = 0.01;
  long steps = 200;
  std::string method;
  bool keeps_sides = false;                 ///< a thin wall at x = 0 divides the room
  bool keeps_order = false;                 ///< bodies in a tube along x cannot pass each other
  std::vector<std::pair<int, int>> joined;  ///< bodies that a constraint joins; −1: the world
  double fastest = 0, restitution = 0, friction = 0, mass_ratio = 1;
};

Tumble random_tumble(unsigned seed);

struct TumbleResult {
  RunReport report;
  bool is_late = false;   ///< it took too long
  double overlap = 0;     ///< deepest, of the size
  double overlap_at = 0;  ///< s
  double gain = 0;        ///< of energy, of all there is
  double turn = 0;        ///< rad, largest in a step
  double gain_at = 0;     ///< s
  double seconds = 0;
  std::uint64_t fingerprint = 0;    ///< of every bit of all states
  std::vector<std::string> faults;  ///< what is wrong with it, whatever the run says of itself
};

/// Runs it and judges every state.
TumbleResult judge_tumble(const Tumble& tumble, double most_seconds = 20);

}  // namespace taut::testing
