// Random numbers that are the same on every machine.
#pragma once

#include <cmath>
#include <random>

#include "taut/base/types.hpp"

namespace taut::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(engine_() >> 11), -53);
  }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  /// A power of ten.
  double power(double low, double high) { return std::pow(10, between(low, high)); }
  Vec3 vector() { return {between(-1, 1), between(-1, 1), between(-1, 1)}; }
  Quat rotation() {
    Quat q(between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1));
    return q.norm() > 1e-3 ? q.normalized() : Quat::Identity();
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace taut::testing
