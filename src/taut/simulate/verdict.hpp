// Whether a run can be trusted: what was measured on the way, held against what the method promises
// and what the scene allows. A run can end without trouble, status ok, and still be wrong; that
// must not stay silent.
#pragma once

#include "taut/simulate/overlaps.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {

/// What speaks against a run, besides what the report has for everybody.
struct Evidence {
  struct Worst {
    double value = 0;
    int constraint = -1;
    double at = 0;  ///< time
    void see(double seen, int of, double time) {
      if (seen > value) *this = {seen, of, time};
    }
  };
  /// Largest errors, of the scene's size, or in rad for angles.
  Worst equation, limit, loose_limit;  // the last: decided for whole steps
  Worst strain;                        ///< of edges that keep their lengths, relative to those
  Worst rate;                          ///< of rows on velocities, of the speeds that they add up
  Worst motor, late_motor;             ///< the same, of motors without a bound; in the second half
  Worst wrong_way;           ///< force of a stop or string in the direction in which it cannot act
  double largest_force = 0;  ///< of all rows, over all recorded states
  Worst turn;                ///< how far a body is from a straight course after a step, m
  /// What the errors of all steps may have added up to, as far as a few of them tell: m, rad. In
  /// place of the constraint is the body.
  Worst missed, missed_turn;
  bool has_missed = false;   ///< whether that is all, as far as any step told
  double travel = 0;         ///< m: how far a body was from its start
  Worst gain, loss, change;  ///< of the energy, J: rise above its lowest value so far; fall below
                             ///< what it should be; change in one step
  Worst driven_gain;         ///< the same as `gain`, beyond what drives can have put in
  double all_changes = 0;    ///< of the energy, J: the sum over all steps, without signs
  bool has_unknown_work = false;  ///< by motors that kept their speed
  Worst close_impacts;            ///< value 1: at the first ones
  double impact_shift = 0;        ///< StepReport::impact_shift: root of the sum of squares
  Worst residual;                 ///< of a step that was let pass
  double unsolved = 0;            ///< StepReport::unsolved, the sum of all steps
  double rolling_time = 0;        ///< s, StepReport::rolling_time
  Worst overlap;                  ///< of shapes, of the scene's size
  std::vector<Overlap> at_start;  ///< shapes in each other before anything has moved
  Worst compromise;               ///< value 1: at the first one
  Worst jitter;  ///< J, of velocities across constraints, in a step whose forces were found from it
  double energy_scale = 0;  ///< J: what the motion exchanges; errors are large or small against it
  double weight = 0;        ///< N: of all applied forces at the start
  double weight_of_particles = 0;  ///< N: of those on particles
};

/// Of the scene's size: errors that methods may make that do not promise exact constraints.
inline constexpr double met_roughly = 1e-2;

/// Part of the doubt about a run whose constraints could not be met together.
inline constexpr std::string_view compromise_taken = "a compromise was taken";

/// A net of particles and links whose waves are finer than a step resolves, so methods are expected
/// to damp them. In a net of strings each of them counts.
bool is_fabric(const System& system);

/// How large a scene is, m: where its bodies are, and how far they reach.
double scene_size(const System& system, const State& state);
/// m; 0 of a particle.
double radius_of_gyration(const System& system, BodyId body);

/// Adds to the report's doubts and remarks. `size` is that of the scene, in m.
void give_verdict(const System& system, const Method& method, double size, const Evidence& evidence,
                  RunReport& report);

}  // namespace taut
