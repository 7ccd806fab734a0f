#include "taut/derivatives/slopes.hpp"

#include <algorithm>
#include <array>

namespace taut::detail {
namespace {

// Of the scene's size, or rad: what round-off leaves of a difference is then 1e-10 of the force,
// and what its third derivative adds, less.
constexpr double little_way = 3e-6;
constexpr double little_speed = 1e-5;  // of the largest speed

}  // namespace

void Slopes::measure(ImplicitEquations& equations, Formula formula, const StepRecord& step,
                     const VecX& V, const BodyColours& colours, Of what, bool with_velocity,
                     double length) {
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
  for (const std::vector<int>& bodies : colours.classes) {
    const bool has_rigid = std::any_of(bodies.begin(), bodies.end(),
                                       [&](int body) { return system.slot({body}).rigid >= 0; });
    for (int part = 0; part < (has_rigid ? 6 : 3); ++part) {
      const double size = part < 3 ? little_way * length : little_way;
      for (const bool at_start : {false, true}) {
        if (at_start && !over_step && !with_rows) continue;
        for (int side = 0; side < 2; ++side) {
          q_ = at_start ? step.from.q : step.to.q;
          for (const int body : bodies) {
            if (part >= 3 && system.slot({body}).rigid < 0) continue;
            std::array<double, 6> move{};
            move[static_cast<std::size_t>(part)] = side == 0 ? -size : size;
            system.displace({body}, move.data(), q_);
          }
          const VecX &q0 = at_start ? q_ : step.from.q, &q1 = at_start ? step.to.q : q_;
          if (what == Of::pull)
            equations.pull_over_step(step, q0, q1, V, with_velocity, P_[side]);
          else
            equations.forces_and_rows(formula, step, q0, q1, V, with_rows, P_[side], C_[side]);
        }
        collect(bodies, part, 2 * size, at_start ? P_q0 : P_q1,
                with_rows ? &(at_start ? C_q0 : C_q1) : nullptr);
      }
      if (!with_velocity) continue;
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
}

}  // namespace taut::detail
