// What methods take from one step to the next, as bytes (base/archive.hpp). What is missing here is
// scratch, or is found anew.
#include "taut/methods/archive.hpp"

#include "taut/base/error.hpp"
#include "taut/methods/fast_projection.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/independent_rows.hpp"
#include "taut/methods/kept_factors.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/step_guess.hpp"
#include "taut/methods/step_memory.hpp"
#include "taut/methods/workspace.hpp"

namespace taut {

void archive(Archive& a, State& state) { a(state.time, state.q, state.v); }

void archive(Archive& a, RowLaw& law) {
  auto& [kind, lower, upper, period, restitution, is_thread, until] = law;
  a(kind, lower, upper, period, restitution, is_thread, until);
}

void archive(Archive& a, RowModes::Mode& mode) {
  auto& [row, law, is_equation, held, target, mobility, acted, last, has_start, start_time,
         start_rate, approach, approach_rate] = mode;
  a(row, law, is_equation, held, target, mobility, acted, last, has_start, start_time, start_rate,
    approach, approach_rate);
}

void RowModes::archive(Archive& a) { a(in_solve, external, modes_); }

void Workspace::archive(Archive& a, const System& system) {
  if (a.is_reading()) adapt(system);
  bool has_solver = solver_ != nullptr, has_paths = particle_paths_ != nullptr;
  a(modes, lambda, dependent_, until_reconsidered_, rows_, has_tried_particle_paths_, has_solver,
    has_paths);
  if (a.is_reading() && has_solver) make_solver();
  if (a.is_reading() && has_paths) particle_paths_ = ParticlePaths::make(system, pattern);
  if (has_solver) solver_->archive(a, A_.matrix());
  if (has_paths) particle_paths_->archive(a);
}

void Method::archive(Archive&, const System&, Workspace&) {
  if (has_memory())
    throw Error(
        "this method remembers earlier steps and cannot write down what: no checkpoint is possible "
        "(Method::archive)");
}

void RowActions::archive(Archive& a) { a(actions_, push_); }

void RowActions::Action::archive(Archive& a) { a(is_equation, held); }

void StepMemory::Increment::archive(Archive& a) { a(h, v, delta, actions); }

void StepMemory::archive(Archive& a) { a(past_, last_, has_past_, has_last_, from_, q_, v_); }

void FreeStep::archive(Archive& a, const System& system, const Workspace& w) {
  if (a.is_reading()) adapt(system, w);
  a(memory_, resolves_, until_looked_, looked_tau_, has_fastest_, fastest_, resistance_);
}

void ProjectionPause::archive(Archive& a) { a(left_, next_); }

void StepGuess::Found::archive(Archive& a) { a(way, forces); }

void StepGuess::archive(Archive& a) {
  a(end_, h_, left_, since_trial_, wait_, could_choose_, is_better_, q_plain_, lambda_plain_,
    changes_, known_, order_, found_, forces_);
}

// The choice alone: the rows' numbers, and what a factorisation makes of them, are made anew.
void IndependentRows::archive(Archive& a) {
  a(level, out_, best_pivot_, is_first_, is_due_, step_, fruitless_until_, fruitless_for_,
    suspended_until_, suspended_for_);
  if (a.is_reading())
    for (const int row : out_) solver_->leave_out(row, true);
  bool has_solver = solver_ != nullptr;
  a(has_solver);
  if (has_solver) solver_->archive(a);
}

// The factors themselves are not written: the next step makes them anew.
void KeptFactors::archive(Archive& a) {
  a(end_, age_, served_, span_, waited_, wait_);
  if (a.is_reading()) exist_ = false;
}

void NewtonStep::archive(Archive& a, const System& system, Workspace& workspace) {
  if (a.is_reading()) {
    topology_ = -1;
    adapt(system, workspace);
  }
  a(independent_, guess_, kept_, row_mobility_, first_gain_, wandered_at_, wandered_for_, gave_way_,
    compromised_, lambda_plain_, length_, carried_, was_near_);
}

}  // namespace taut
