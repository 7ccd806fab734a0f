// The constraints as they enter a problem with contacts: which of their rows are equations, which
// have laws (stops, strings, motors, dry friction), and which are not there.
#pragma once

#include <vector>

#include "taut/simulate/contact_problem.hpp"
#include "taut/simulate/law_rows.hpp"

namespace taut {

struct ContactEquations {
  using LawRow = ContactProblem::LawRow;
  enum class Laws {
    over_step,    ///< velocities at the end of a part of some length
    at_impact,    ///< velocities at once
    of_positions  ///< displacements
  };

  Rows rows;
  LawRows source;
  std::vector<LawRow> laws;
  std::vector<int> left_out;

  /// rows ← those at q and some time; those that are there, where nothing has moved since.
  void linearize(const System& system, const VecX& q, double time, Workspace& w,
                 const Stillness& still = {});
  /// K of rows ← stiffness and, times `damping`, damping of the forces.
  void take_stiffness(const System& system, const State& state, double damping, Workspace& w);
  /// In a scene of this size.
  void set_laws(const System& system, const State& state, Laws which, double length, double size,
                Workspace& w);
  /// rows, laws and what is left out, for displacements from a state.
  void look_at_positions(const System& system, const State& state, double size, Workspace& w,
                         const Stillness& still = {});
  /// The next rows are found anew.
  void forget() { known_.topology = -1; }
  void give(const Workspace& w, ContactProblem& problem) const {
    problem.set_rows(w.pattern, rows, laws, left_out);
  }

 private:
  /// For which rows are.
  struct Known {
    long topology = -1;
    VecX q;
    double time = 0;
  };

  Known known_;
  Pose pose_;
};

}  // namespace taut
