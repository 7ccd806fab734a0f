// Motors, dry friction, stops and strings in a part of a step that contacts hold
// (contact_hold.hpp).
//
// Stops and strings that act are equations of the method's. Contacts may do instead what they do:
// so beside the contacts' forces theirs are looked for, too, and only push or only pull.
//
// Alone, motors and friction are followed from event to event (bounded_step.hpp). Beside contacts
// that would be done again for each correction of the contacts' forces, and each time another joint
// would stick or slip. So here they are what contacts are: each has a constant torque λ, which is
// corrected together with the forces of the contacts until the laws hold at the end,
//   λ in [lower, upper], at a bound against the mean of the slips at both ends,
// and what comes to rest in the part is at rest at its end. What rests all the time is an equation
// of the method's, as long as its torque is within its bounds.
#pragma once

#include <vector>

#include "taut/simulate/contact_problem.hpp"
#include "taut/simulate/law_rows.hpp"

namespace taut {

/// Something that slides comes to rest in a part, along one direction. With a constant friction r
/// its speed at the end is s₁ + μ (r − r₁), with an unknown mobility μ; it starts with s₀, and
/// slides on, or turns back, with r₁.
struct Stopping {
  double before = 0;                                       ///< s₀
  double after = 0;                                        ///< s₁
  double friction = 0;                                     ///< r₁
  double at() const { return before / (before - after); }  ///< when, of the part
  /// The friction that would hold it at rest from then on, if `friction_to_rest` brings it to rest
  /// at the end.
  double to_hold(double friction_to_rest) const {
    return friction_to_rest + before * (friction_to_rest - friction) / (-after);
  }
};

class HeldLaws {
 public:
  enum class Aim { places, speeds };  ///< of what rests: that it has gone nowhere, or is at rest

  /// Which there are, and what they do at the start of a part.
  void start(const System& system, double length, const State& state, Workspace& w);
  bool empty() const { return is_empty_; }
  bool has_rates() const { return !rates_.empty(); }
  /// Makes the modes of the workspace what they are in the part.
  void apply(Workspace& w) const;
  /// To be called where the method has done the part, with w.lambda as the method left it.
  void look(const System& system, const State& state, Workspace& w);

  /// The rows with laws of a problem at the end, those that are off, and the rows of all
  /// constraints. `momentum` loses what the rates did in the part. `reach` times a change of
  /// a velocity at the end is what the place there changes by.
  void set_laws(double reach, Aim aim, const Workspace& w,
                std::vector<ContactProblem::LawRow>& laws, std::vector<int>& left_out,
                VecX& momentum) const;
  const Rows& rows() const { return laws_.rows(); }

  struct Change {
    double slip = 0;         ///< largest, in units of what is no longer nothing
    bool is_settled = true;  ///< none has become another kind
    double turns_back = 1;   ///< when the first comes to rest and turns back, of the part
  };
  /// Takes the torques of the problem just solved.
  Change take(const ContactProblem& problem, const Workspace& w);
  /// Whether what rests moves at the end.
  bool creeps() const;
  /// Tells the modes, for the next step, what acted until the end.
  void finish(Workspace& w) const;

 private:
  struct Rate {
    std::size_t mode = 0;
    bool is_equation = false;
    bool slides = false;                    // at the start
    bool stops = false;                     // it comes to rest in the part
    Stopping stopping;                      // … how
    double torque = 0;                      // λ
    double value = 0, drive = 0, slip = 0;  // at the start
    double slip_at_end = 0, way = 0;
    double no_slip = 0;
    bool rests() const { return !slides || stops; }
  };
  const RowModes::Mode& mode(const Rate& rate, const Workspace& w) const {
    return w.modes.modes()[rate.mode];
  }

  LawRows laws_;
  bool is_empty_ = true;
  std::vector<Rate> rates_;
  VecX impulses_;
  double length_ = 0;
};

}  // namespace taut
