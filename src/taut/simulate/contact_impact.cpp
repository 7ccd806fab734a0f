#include "taut/simulate/contact_impact.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

/// J: what constraints that are driven do while their impulses act, at the rates they prescribe.
double ContactImpact::driven_work() {
  problem_.row_impulses(impulses_);
  return -impulses_.dot(rates_);
}

// With several contacts Newton's restitution can create energy: then only a part of the rebound is
// taken. What drives a bat, though, does work while it hits, so it is what contacts and stops
// themselves do that must not be above 0: with M (v⁺ − v) = Hᵀ r − Jᵀ Λ,
//   ½ |v⁺|²_M − ½ |v|²_M − Λ · C_t,
// and for stops and motors that are driven likewise.
void ContactImpact::hit(const System& system, State& state, Workspace& w, StepReport& report) {
  equations_.linearize(system, state.q, state.time, w);
  problem_.set_mass();
  problem_.compliance.resize(0);
  system.apply_mass(state.v, problem_.momentum);
  multiply(w.pattern, equations_.rows.J, state.v, problem_.right_side);
  rates_ = -equations_.rows.C_t;
  ConeOptions options = scale_.as_asked();
  options.speed = scale_.fastest;
  options.turn = scale_.fastest / scale_.size;
  const auto solve = [&](bool bounces) {
    equations_.set_laws(system, state, ContactEquations::Laws::at_impact, 1, scale_.size, w);
    for (ContactEquations::LawRow& row : equations_.laws) {
      rates_[row.row] = -row.sign * row.w;
      if (const StopsAhead::Stop* stop = start_.stops.find(row.row);
          bounces && stop && stop->rate < 0)
        row.w += stop->restitution * stop->rate;
    }
    equations_.give(w, problem_);
    problem_.set_contacts(start_.rows, ContactProblem::Friction::as_it_is,
                          ContactProblem::Which::rigid);
    problem_.bias.setZero(3 * start_.rows.count());
    for (int c = 0; c < start_.rows.count(); ++c) {
      const Contact& contact = start_.rows.contact(c);
      const double rate = start_.u[3 * c];
      if (!start_.is_closed(c))
        problem_.bias[3 * c] = 1e3 * scale_.fastest;  // out of reach
      else if (bounces && rate < -scale_.slow)
        problem_.bias[3 * c] = contact.restitution * rate;
    }
    problem_.impulse.resize(0);
    scale_.count(problem_.solve(options), 1, report);
  };
  const double energy = system.kinetic_energy(state.v);
  solve(true);
  velocity_ = problem_.velocity();
  double work = driven_work();
  const double after = system.kinetic_energy(velocity_) - work;
  if (after > energy) {
    solve(false);
    // |a + θ (b − a)|² = energy, with the work of drives, which is linear in θ
    const VecX& dead = problem_.velocity();
    const double dead_work = driven_work();
    bounce_ = velocity_ - dead;
    const double low = system.kinetic_energy(dead) - dead_work,
                 square = system.kinetic_energy(bounce_);
    const double linear = 0.5 * (after - low - square);
    const double missing = energy - low;
    const double theta = std::clamp(
        missing > 0 ? missing / (linear + std::sqrt(linear * linear + square * missing)) : 0, 0.0,
        1.0);
    velocity_ = dead + theta * bounce_;
    work = dead_work + theta * (work - dead_work);
  }
  ++report.impacts;
  report.work += work;
  report.impact_energy += system.kinetic_energy(velocity_) - energy - work;
  state.v = velocity_;
  // Elsewhere all goes on as before.
  energies_.look(system, problem_, start_.rows, velocity_);
  std::erase_if(loads_.touches, [&](const Touch& touch) { return energies_.touches(touch.body); });
}

}  // namespace taut
