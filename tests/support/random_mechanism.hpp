// Mechanisms that nobody tuned the simulator for, from a seed: trees, loops, overconstrained
// linkages, doors, strings, stops, motors and friction, at any scale. Each comes with its true
// motion (mechanism_reference.hpp). Seeds run through the families in turn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/mechanism_reference.hpp"
#include "support/random_scene.hpp"

namespace taut::testing {

struct RandomMechanism {
  unsigned seed = 0;
  Mechanism mechanism;
  TrueMotion motion;
  /// −1 where none was found whose motion is well-posed: singular positions and motions that a
  /// small disturbance changes much are no test of a simulator.
  int attempts = -1;
};

std::vector<std::string_view> mechanism_families();
/// From here on, seeds are of mechanisms whose parts are coupled: by gears, by edges, by spin.
inline constexpr unsigned first_coupled_seed = 1'000'000;
std::string_view family_of(unsigned seed);
/// The seed of a family's mechanism with this number, from 0.
unsigned seed_of(std::string_view family, unsigned round);
RandomMechanism random_mechanism(unsigned seed);

// The parts of a mechanism, for the files that define families ------------------------------------

/// A body about `place`, of any orientation.
Mechanism::Body random_body(Random& random, const Vec3& place, double mass, double size = 0.4);
/// Turns and moves the whole, so that nothing is along an axis.
void place_anywhere(Random& random, Mechanism& mechanism);

struct Axis {
  Vec3 at, direction;
};
/// A closed loop of bodies with a joint on each axis; the link between the last and the first is
/// the world. The last joint closes the loop.
Mechanism closed_loop(Random& random, const std::vector<Axis>& axes,
                      const std::vector<Mechanism::JointType>& types = {});

using Family = Mechanism (*)(Random&);
struct NamedFamily {
  std::string_view name;
  Family make;
};
std::vector<NamedFamily> tree_families();
std::vector<NamedFamily> linkage_families();
std::vector<NamedFamily> one_sided_families();
std::vector<NamedFamily> coupled_families();

}  // namespace taut::testing
