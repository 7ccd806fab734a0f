// The rows that are not equations (RowLaw: stops, strings, motors, dry friction) at a state: how
// far they are from their bounds, and which of them act. Forces and impulses follow from
// complementarity, solved exactly for the few rows that can act at that moment
// (solve/box_solver.hpp): a stop pushes or its gap opens, a motor keeps its speed or does its most.
//
// What a row does is told by its response, the velocity that a unit impulse along it causes while
// all equations hold: ŷ_j = (1 − W Jᵀ A⁻¹ J) W J_jᵀ. Then A_ij = J_i ŷ_j is the matrix for these
// rows.
#pragma once

#include <cmath>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/solve/box_solver.hpp"

namespace taut {

class Archive;

class LawRows {
 public:
  using Mode = RowModes::Mode;

  struct Stop {
    double gap = 0;   ///< to the nearest bound, below 0: beyond it
    double rate = 0;  ///< of the gap
    double sign = 1;  ///< of C in the gap: 1 at the lower bound, −1 at the upper one
  };

  static bool is_limit(const Mode& mode) { return mode.law.kind == RowLaw::Kind::limit; }
  static bool is_rate(const Mode& mode) { return mode.law.kind == RowLaw::Kind::rate; }
  /// It is an equation for some time.
  static bool is_timed(const Mode& mode) { return mode.law.kind == RowLaw::Kind::equation; }
  static bool is_over(const Mode& mode, double time);
  static void set(Mode& mode, bool is_equation, double held, Workspace& w);

  /// A rate is measured from where it is now.
  void start(Mode& mode, double time) const {
    mode.target = mode.last;
    mode.has_start = true;
    mode.start_time = time;
    mode.start_rate = drive(mode);
  }

  /// C, J, J v and C_t of the rows as the constraints say them, where the state is.
  void look(const System& system, const State& state, Workspace& w);
  /// … and what counts as small in a step of length h.
  void measure(const System& system, const State& state, double h, Workspace& w);
  /// After that, for limits that are touched: also by what all forces together press on them.
  void measure_pressure(const System& system, const std::vector<char>& touching, const State& state,
                        double h, Workspace& w, StepReport& report);
  /// The same, by what was measured the last time.
  void keep_pressure(const std::vector<char>& touching, double h);

  Stop stop(const Mode& mode) const;
  double value(const Mode& mode) const { return raw_.C[mode.row]; }
  /// Of motors: minus the speed that is wanted.
  double drive(const Mode& mode) const { return raw_.C_t[mode.row]; }
  double slip(const Mode& mode) const { return rate_[mode.row] + raw_.C_t[mode.row]; }
  /// All rows there, as the constraints say them.
  const Rows& rows() const { return raw_; }
  /// J v of a row.
  double along(int row, const VecX& velocity, const RowPattern& pattern) const;

  void archive(Archive& a);

  /// Of the scene's size, or rad: a gap that counts as none.
  static constexpr double no_relative_gap = 1e-9;
  /// What its gap is large or small against; set by measure().
  double unit(std::size_t mode) const;
  // What is nothing, per mode; set by measure().
  double no_gap(std::size_t mode) const { return scales_[mode].gap; }
  double no_rate(std::size_t mode) const { return scales_[mode].rate; }
  /// What the forces on its bodies do to a row; λ times the row's mobility is compared with it.
  double acceleration(std::size_t mode) const { return scales_[mode].acceleration; }
  /// Less than that is round-off, of what all forces and motions of the scene add up to.
  double no_acceleration(std::size_t mode) const { return scales_[mode].no_acceleration; }

  /// Makes equations of the stops that a state violates, so that it can be settled, and of motors
  /// that nothing can stop.
  void touch(const System& system, const State& state, Workspace& w);

  // Of the last two, measure() must have been called for this state.

  /// v ← the velocity after the stops in `touching` that are approached have been hit; the others
  /// of them push as they must. Without `may_bounce`, or where they would touch again sooner than
  /// `shortest_flight`, there is no restitution. Returns J that this changed.
  double impact(const System& system, const std::vector<char>& touching, bool may_bounce,
                double shortest_flight, State& state, Workspace& w, StepReport& report);

  /// Decides which of the rows in `candidates` are equations from here on, and gives the others
  /// their multiplier. The other modes must be set. False where the rows ask for what cannot be.
  bool choose(const System& system, const std::vector<char>& candidates, const State& state,
              Workspace& w, StepReport& report);

  /// Per mode that is an equation, how far its multiplier is from its bounds, times its mobility;
  /// below 0: how much it would have to exceed them, or how fast it would give way if it did not.
  /// After look() for this state.
  const VecX& room(const System& system, const State& state, Workspace& w, StepReport& report);
  /// Whether rows depended on each other there, so that others of them might do as well.
  bool was_singular() const { return was_singular_; }

  /// Adds the work of motors and friction over a part of a step that ends here; `from` is C,
  /// continued, at its beginning, per mode.
  void add_work(const System& system, const State& state, const std::vector<double>& from,
                Workspace& w, StepReport& report);

 private:
  struct Scale {
    double gap = 0, rate = 0, acceleration = 0, no_acceleration = 0;
  };
  struct Row {
    std::size_t mode;
    double sign;  // of the multiplier: force along the row is sign·Jᵀμ, μ ≥ 0 for limits
  };

  /// After look(): what accelerations of the rows, and responses to them, need.
  void complete(const System& system, const State& state, Workspace& w);
  /// The largest acceleration that forces, motors, motion and drives cause, in 1/s²: of lengths
  /// relative to `length`.
  double largest_acceleration(const System& system, const State& state, double length,
                              const Workspace& w) const;
  /// Whether it can cease to be an equation.
  static bool has_bounds(const Mode& mode) {
    return is_limit(mode) || (is_rate(mode) && std::isfinite(mode.law.upper));
  }
  /// w = b + A μ of rows_, which are off, for the motion that there is without them.
  void set_up(const System& system, const State& state, Workspace& w, StepReport& report);
  void respond(const System& system, const LinearizedRows& at, Workspace& w, StepReport& report);
  BoxReport solve(const std::vector<RowModes::Mode>& modes);

  Rows raw_;
  Pose pose_;
  VecX WJ_, rate_, WF_;
  std::vector<Scale> scales_;
  std::vector<double> pressed_;  // per mode: by how much a limit was pressed when last measured
  std::vector<Mode> modes_before_;
  // Of the rows that can act: their responses, the matrix, w = b + A μ.
  std::vector<Row> rows_;
  std::vector<VecX> responses_;
  MatX A_;
  VecX b_, mobility_, impulse_, acceleration_, lambda_, before_, room_;
  bool was_singular_ = false;
  std::vector<Bounds> bounds_;
  BoxSolver box_;
};

}  // namespace taut
