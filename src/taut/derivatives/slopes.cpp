#include "taut/derivatives/slopes.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"

namespace taut::detail {
namespace {

// Of the scene's size, or rad: what round-off leaves of a difference is then 1e-10 of the force,
// and what its third derivative adds, less.
constexpr double little_way = 3e-6;
constexpr double little_speed = 1e-5;  // of the largest speed

/// Turns are small ones: exp(θ) is then (1 − θ²/8, θ/2).
void displace(const System& system, const std::vector<int>& bodies, int part, double by, VecX& q) {
  Quat small(1 - by * by / 8, 0, 0, 0);
  if (part >= 3) small.vec()[part - 3] = by / 2;
  for (const int body : bodies) {
    const BodySlot& slot = system.slot({body});
    if (part < 3) {
      q[slot.q + part] += by;
    } else if (slot.rigid >= 0) {
      const Quat turned = quaternion_at(q.data() + slot.q + 3) * small;
      q.segment<4>(slot.q + 3) << turned.w(), turned.x(), turned.y(), turned.z();
    }
  }
  system.normalize(q);
}

}  // namespace

bool Slopes::has_linear_ways(ImplicitEquations& equations, const StepRecord& step, double length) {
  const System& system = equations.system();
  const Eigen::Index size = system.velocity_size();
  VecX by[3], V = VecX::Zero(size), P[4], q0, q1;
  for (int k = 0; k < 3; ++k) {
    by[k].resize(size);
    for (Eigen::Index i = 0; i < size; ++i)
      by[k][i] = 0.3 * std::sin(1 + 2.3 * static_cast<double>(i) + 1.1 * k);
  }
  for (const BodySlot& slot : system.slots()) {
    for (VecX& way : by) way.segment<3>(slot.v) *= length;
    if (slot.rigid >= 0) by[2].segment<3>(slot.v + 3).setZero();
  }
  StepRecord trial = step;
  for (Eigen::Index i = 0; i < trial.lambda.size(); ++i)
    trial.lambda[i] = std::cos(0.7 + 1.9 * static_cast<double>(i));
  const auto pull = [&](double at_start, double at_end, VecX& out) {
    system.advance(step.from.q, by[0], 1, q0);
    system.advance(q0, by[2], at_start, q0);
    system.advance(step.to.q, by[1], 1, q1);
    system.advance(q1, by[2], at_end, q1);
    equations.pull_over_step(trial, &q0, &q1, V, false, out);
  };
  pull(0, 0, P[0]);
  pull(1, 0, P[1]);
  pull(0, 1, P[2]);
  pull(0, 2, P[3]);
  constexpr double round_off = 1e-12;
  const double scale = P[0].norm() + P[3].norm();
  return (P[1] - P[2]).norm() <= round_off * scale &&
         (P[3] - 2 * P[2] + P[0]).norm() <= round_off * scale;
}

void Slopes::measure(ImplicitEquations& equations, Formula formula, const StepRecord& step,
                     const VecX& V, const BodyColours& colours, Of what, bool with_velocity,
                     bool has_linear_ways, double length) {
  const System& system = equations.system();
  const bool with_rows = what == Of::rows;
  for (EntryList* list : {&P_q1, &P_q0, &P_V, &C_q1, &C_q0}) list->clear();

  const auto collect = [&](const std::vector<int>& bodies, int part, double distance,
                           EntryList& forces, EntryList* rows) {
    for (const int body : bodies) {
      const BodySlot& slot = system.slot({body});
      if (part >= 3 && slot.rigid < 0) continue;
      for (const int other : colours.neighbours[static_cast<std::size_t>(body)]) {
        const BodySlot& at = system.slot({other});
        for (int i = at.v; i < at.v + (at.rigid < 0 ? 3 : 6); ++i)
          if (const double d = P_[1][i] - P_[0][i]; d != 0)
            forces.entries.push_back({i, slot.v + part, d / distance});
      }
      if (!rows) continue;
      for (const int row : colours.rows[static_cast<std::size_t>(body)])
        if (const double d = C_[1][row] - C_[0][row]; d != 0)
          rows->entries.push_back({row, slot.v + part, d / distance});
    }
  };
  const bool over_step = formula == Formula::midpoint;
  const auto parts_of = [&](const std::vector<int>& bodies) {
    const bool turns = std::any_of(bodies.begin(), bodies.end(),
                                   [&](int body) { return system.slot({body}).rigid >= 0; });
    return turns ? 6 : 3;
  };
  for (const bool at_start : {false, true}) {
    if (!with_rows && !(at_start ? over_step || is_explicit(formula) : !is_explicit(formula)))
      continue;
    const bool skips_ways = has_linear_ways && what == Of::pull;
    if (what == Of::pull)
      equations.pull_over_step(step, &step.from.q, &step.to.q, V, with_velocity, P_[0]);
    if (skips_ways && !at_start) {  // any way will do, and one for both ends
      for (const std::vector<int>& bodies : colours.classes)
        for (int part = 0; part < 3; ++part) {
          q_ = step.to.q;
          displace(system, bodies, part, length, q_);
          equations.pull_over_step(step, nullptr, &q_, V, with_velocity, P_[1]);
          for (EntryList* of_end : {&P_q1, &P_q0}) collect(bodies, part, length, *of_end, nullptr);
        }
    }
    for (const std::vector<int>& bodies : colours.classes)
      for (int part = skips_ways ? 3 : 0; part < parts_of(bodies); ++part) {
        const double size = part < 3 ? little_way * length : little_way;
        for (int side = 0; side < 2; ++side) {
          q_ = at_start ? step.from.q : step.to.q;
          displace(system, bodies, part, side == 0 ? -size : size, q_);
          if (what == Of::pull)
            equations.pull_over_step(step, at_start ? &q_ : nullptr, at_start ? nullptr : &q_, V,
                                     with_velocity, P_[side]);
          else
            equations.forces_and_rows(formula, step, at_start ? q_ : step.from.q,
                                      at_start ? step.to.q : q_, V, with_rows, P_[side], C_[side]);
        }
        collect(bodies, part, 2 * size, at_start ? P_q0 : P_q1,
                with_rows ? &(at_start ? C_q0 : C_q1) : nullptr);
      }
  }
  if (!with_velocity) return;
  for (const std::vector<int>& bodies : colours.classes)
    for (int part = 0; part < parts_of(bodies); ++part) {
      const double speed = little_speed * std::max(V.size() > 0 ? V.lpNorm<Eigen::Infinity>() : 0,
                                                   1e-3 * (part < 3 ? length : 1) / step.h);
      for (int side = 0; side < 2; ++side) {
        v_ = V;
        for (const int body : bodies)
          if (part < 3 || system.slot({body}).rigid >= 0)
            v_[system.slot({body}).v + part] += side == 0 ? -speed : speed;
        equations.forces_and_rows(formula, step, step.from.q, step.to.q, v_, false, P_[side],
                                  C_[side]);
      }
      collect(bodies, part, 2 * speed, P_V, nullptr);
    }
}

}  // namespace taut::detail
