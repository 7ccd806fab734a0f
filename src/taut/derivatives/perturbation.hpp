// Small changes of a state, in the tangent space: per velocity a displacement (of rigid bodies a
// small turn in the body's frame) and a change of velocity.
#pragma once

#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

struct Perturbation {
  VecX q, v;  ///< both per velocity

  static Perturbation zero(const System& system) {
    return {VecX::Zero(system.velocity_size()), VecX::Zero(system.velocity_size())};
  }
  Perturbation& operator+=(const Perturbation& other) {
    q += other.q;
    v += other.v;
    return *this;
  }
  double dot(const Perturbation& other) const { return q.dot(other.q) + v.dot(other.v); }
};

/// The state moved by `factor` times the perturbation.
inline State displaced(const System& system, const State& state, const Perturbation& by,
                       double factor) {
  State moved = state;
  system.advance(state.q, by.q, factor, moved.q);
  moved.v = state.v + factor * by.v;
  return moved;
}

/// What leads from one state to another that is near it.
inline Perturbation difference(const System& system, const State& from, const State& to) {
  Perturbation out;
  system.difference(from.q, to.q, Chart::rotation_vector, out.q);
  out.v = to.v - from.v;
  return out;
}

}  // namespace taut
