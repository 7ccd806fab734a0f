// Random systems, and random constraints and forces made from nothing but their fields: what is in
// constraint_types() or force_types() is tested the moment it is listed.
#pragma once

#include <memory>
#include <ostream>
#include <random>

#include "taut/constraints/constraint_info.hpp"
#include "taut/forces/force_info.hpp"
#include "taut/model/system.hpp"

namespace taut {

// So that a failed test names its parameter.
inline void PrintTo(const ConstraintInfo& info, std::ostream* out) { *out << info.type; }
inline void PrintTo(const ForceInfo& info, std::ostream* out) { *out << info.type; }

}  // namespace taut

namespace taut::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  Vec3 vector(double size = 1) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3 direction() {
    Vec3 v;
    do v = vector();
    while (v.norm() < 0.3);
    return v.normalized();
  }
  VecX vector_of(int n) {
    VecX v(n);
    for (double& x : v) x = uniform(-1, 1);
    return v;
  }

 private:
  std::mt19937 engine_;
};

RigidBody random_rigid_body(Random& random);

/// Three particles and three rigid bodies, anywhere, moving.
System random_bodies(Random& random);

/// A constraint of any type, as its info's make() makes one.
std::shared_ptr<void> random_constraint(const ConstraintInfo& info, const System& system,
                                        Random& random);
void add_random_constraint(const ConstraintInfo& info, System& system, Random& random);

/// Adds a force of any type.
void add_random_force(const ForceInfo& info, System& system, Random& random);

}  // namespace taut::testing
