#include "taut/simulate/course.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/symmetric_eigenvalues.hpp"

namespace taut {

Course::Course(const System& system, const State& start)
    : system_(system), last_time_(start.time), start_q_(start.q) {
  drift_.assign(system.slots().size(), 0);
  for (int body = 0; body < system.body_count(); ++body) {
    const BodySlot& slot = system.slots()[static_cast<std::size_t>(body)];
    if (slot.rigid < 0) continue;
    Mat3 moments = system.inertia({body}), axes = Mat3::Identity();
    diagonalize(moments.data(), axes.data(), 3);
    int least = 0;
    const double smallest = moments.diagonal().minCoeff(&least);
    rods_.push_back({body, slot.v + 3, axes.col(least), moments.diagonal().maxCoeff() / smallest});
  }
}

// Of a step of second order the error is h³ v̈/12, told by how the bend changes from step to step.
// It adds up along the way.
//
// A force that acts on a body within a turn a = h ω̄ of the implicit midpoint rule has, with
// discrete gradients, a torque about the body's axis e that is off by (a·e) a·(e × f)/4. Thin
// bodies have little inertia about that axis, and spin up.
void Course::follow(const State& state, bool has_impacts, Evidence& evidence) {
  const double h = state.time - last_time_;
  const auto& slots = system_.slots();
  double farthest = 0;
  for (const BodySlot& slot : slots)
    farthest = std::max(farthest, (state.q - start_q_).segment<3>(slot.q).squaredNorm());
  evidence.travel = std::max(evidence.travel, std::sqrt(farthest));
  const bool has_last = last_v_.size() == state.v.size(), is_smooth = has_last && !has_impacts;
  if (is_smooth) {
    bend_ = state.v - last_v_;
    double largest = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto bend = bend_.segment<3>(slots[i].v);
      largest = std::max(largest, bend.squaredNorm());
      if (!was_smooth_) continue;
      drift_[i] += h / 12 * (bend - last_bend_.segment<3>(slots[i].v)).norm();
      evidence.drift.see(drift_[i], static_cast<int>(i), state.time);
    }
    evidence.turn.see(std::sqrt(largest) * h, -1, state.time);
    last_bend_.swap(bend_);
  }
  for (Rod& rod : rods_) {
    const auto turn = state.v.segment<3>(rod.dof);
    const double spin = rod.axis.dot(turn), across = turn.squaredNorm() - spin * spin;
    rod.twist += rod.thinness * h * h * h * std::abs(spin) * std::max(across, 0.0);
    evidence.twist.see(rod.twist, rod.body, state.time);
  }
  was_smooth_ = is_smooth;
  last_v_ = state.v;
  last_time_ = state.time;
}

}  // namespace taut
