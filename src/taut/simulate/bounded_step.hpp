// A step of any method with stops, strings, motors and dry friction (RowLaw).
//
// Between events such a row is an equation or has a known multiplier, and the method sees nothing
// else. An event ends that: a stop is reached, it would have to pull, a motor would exceed its
// largest torque, a slipping joint comes to rest. The step is cut there, at the moment found by
// interpolation to round-off; an impact changes the velocity; which rows act from there on follows
// from the accelerations (simulate/law_rows.hpp); and the method goes on with the rest of the step.
// So a method keeps its order and sees no kink.
//
// In cloth whose strain is limited, and where there are hundreds of limits, they change all the
// time; and a method that makes springs of rows is never exactly at a stop. Then they act for whole
// steps, as the solve of the method decides (WholeStep).
#pragma once

#include <cmath>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/simulate/law_rows.hpp"
#include "taut/simulate/whole_step.hpp"

namespace taut {

class Archive;

struct LimitCount {
  int all = 0;
  int threads = 0;   ///< of cloth, among them
  int bouncing = 0;  ///< with a coefficient of restitution

  void add(const RowLaw& law);
  /// Whether the moments at which they begin to act are found; else each acts for whole steps,
  /// without rebound.
  bool are_located(int most = most_located) const;

  static constexpr int most_located = 120;
};
LimitCount count_limits(const System& system);

class BoundedStep {
 public:
  /// How many stops and strings are waited for, where none is of cloth.
  int most_located = LimitCount::most_located;

  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

  /// Makes equations of the stops that a state violates, so that it can be settled.
  void touch(const System& system, const State& state, Workspace& w) {
    laws_.touch(system, state, w);
  }

  /// With it, motors and friction stay as the modes say: somebody else decides (held_laws.hpp).
  void leave_rates(bool are_given) { rates_are_given_ = are_given; }

  /// Steps are parts of one of this length from now on; 0: of their own. Those that are shorter are
  /// done with more care.
  void set_full_length(double h) { full_length_ = h; }
  /// With it, a step ends before a stop or string is hit: the impact is somebody else's affair.
  void stop_at_impacts(bool stops) { stops_at_impacts_ = stops; }
  /// How much of the last step was done, s.
  double reached() const { return reached_; }

  void archive(Archive& a, const System& system);

  /// Whether the last step was divided because the motion changed much in it, without an event:
  /// those who choose the length of steps themselves choose a shorter one then.
  bool was_divided() const { return is_divided_; }

 private:
  using Mode = RowModes::Mode;
  /// How far the first event is away, in units of what is no longer nothing; below 0 it has
  /// happened.
  struct Margin {
    double value = 0;
    double rate = 0;  // of the value, 0: not known
    std::size_t mode = 0;
    bool may_be_above = true;  // whether a small value above 0 locates the event
  };
  /// Of what is no gap: beyond it a stop that was touched is passed.
  static constexpr double deepest = 0.02;
  static constexpr std::size_t no_event = static_cast<std::size_t>(-1);
  bool is_given(const Mode& mode) const {
    return rates_are_given_ && LawRows::is_rate(mode) && std::isfinite(mode.law.upper);
  }
  enum class Forced : char { no, acts, is_free };
  struct Located {
    double part = 0;  // s, at whose end `state` is now
    std::size_t mode = 0;
    StepReport step;  // that led there
  };

  /// Whether a stop is hit here; which ones touch.
  bool is_hit(const Workspace& w);
  void collide(const System& system, double h, State& state, Workspace& w, StepReport& report);
  /// Whether all that may act here acts, and presses: as it was when margin() last looked.
  bool goes_on(const System& system, const State& state, const Workspace& w) const;
  void begin(const System& system, double h, const State& state, bool goes_on, Workspace& w,
             StepReport& report);
  /// Of the first event; where none has happened, of that of the mode that is watched.
  Margin margin(const System& system, const State& state, Workspace& w, StepReport& report,
                std::size_t watched = no_event);
  /// A time within the step at which a stop that is open at both ends may have been passed; 0:
  /// none.
  double dip(double length, const Workspace& w) const;
  /// Whether the motion of a part, with a limit or motor that acts, changes so much that it may
  /// have let go and acted again between, as at the top of a swing: then shorter parts are looked
  /// at.
  bool turns(const System& system, const State& end, double length, const Workspace& w);
  /// Where a limit is at the beginning of a part.
  void note_gap(std::size_t i, const Mode& mode);
  /// False where there was none.
  bool drop_drift(const System& system, State& state, Workspace& w, StepReport& report);
  bool has_turned_back(const System& system, std::size_t mode, State& state, Workspace& w,
                       StepReport& report);
  bool can_bridge(const System& system, const Method& method, double length, Workspace& w);
  /// The step from from_, by the method or by the bridge.
  StepReport advance(const System& system, Method& method, double length, State& state,
                     Workspace& w);
  Method& bridge();
  bool is_short(double length) const;
  StepReport short_step(const System& system, Method& method, double h, State& state, Workspace& w);
  Located part(const System& system, Method& method, double h, double length, bool look_for_events,
               State& state, Workspace& w, StepReport& report);
  double closing_time(const Margin& at, double outside) const;
  Located locate(const System& system, Method& method, double outside, const Margin& at_end,
                 State& state, Workspace& w, StepReport& report);

  LawRows laws_;
  WholeStep whole_;
  State from_;
  VecX bend_;
  std::unique_ptr<Method> bridge_;  // over parts too short for the method
  bool is_bridged_ = false, is_divided_ = false;
  bool rates_are_given_ = false, stops_at_impacts_ = false;
  double reached_ = 0, full_length_ = 0;
  std::vector<char> touching_;      // per mode: a limit without a gap
  std::vector<char> candidates_;    // per mode: may act in the next part
  std::vector<char> starts_near_;   // per mode: at the beginning of this part, as near to its event
                                    // as can be told
  std::vector<Forced> forced_;      // per mode: where it was wrong however short the part
  std::vector<double> gap_, rate_;  // per mode: of limits, at the beginning of this part
  std::vector<double> joint_;       // per mode: C, continued, at the beginning of this part
  // Where margin() last looked: whether all that acted pressed.
  VecX seen_q_, seen_v_;
  long seen_topology_ = -1;
  bool presses_ = false;
};

}  // namespace taut
