// A step of any method with contacts (model/contact.hpp).
//
// Contacts are no rows of the method. What they do in a step is an impulse for each of them, found
// with the equations, stops, strings and motors in one solve (solve/cone_solver.hpp), so that
// nothing enters anything and friction obeys Coulomb's law. There are four kinds of parts of a
// step:
//
//   flight   Nothing touches: the method does the part alone. A method of higher order is cut at
//            the moment something is hit.
//   impact   Something is hit: the velocity jumps, restitution included, and energy never grows.
//   hold     What touches stays as it is, sticking or sliding: the method does the part, with the
//            contacts' forces as constant forces; they are corrected until the laws hold at the
//            end. Second order in the forces, and exact where these are constant.
//   turmoil  Contacts open, close, begin to stick or slide: a step of first order,
//              M v⁺ = M v + h F + Hᵀ r − Jᵀ Λ,   J v⁺ + C_t = 0,   q⁺ = q ⊕ h v⁺,
//            where a gap may close just within the step, and stiff forces are taken at its end. H
//            and the gaps are those at q⁺, found by a few rounds.
//
// Round-off leaves small overlaps. They are taken out of the positions, with the least motion in
// the sense of M that keeps the constraints, and never become velocity. What is at rest sleeps
// (contact_sleep.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/simulate/bounded_step.hpp"
#include "taut/simulate/contact_problem.hpp"
#include "taut/simulate/contact_sleep.hpp"

namespace taut {

/// Whether the same features touch, and go on sticking or sliding.
bool is_same(const std::vector<Touch>& one, const std::vector<Touch>& other);

class ContactStep {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

  /// Those at the end of the last step, by source and feature.
  const std::vector<Touch>& touches() const { return sleep_.any() ? all_touches_ : touches_; }
  BoundedStep& bounded() { return bounded_; }
  /// How contacts are solved for; positions are always separated by the exact solver.
  void use(ContactSolver solver) { solver_ = solver; }
  /// From now on nothing falls asleep: to measure what contacts cost.
  void keep_awake() { may_sleep_ = false; }

 private:
  using LawRow = ContactProblem::LawRow;
  enum class Laws { over_step, at_impact, of_positions };
  static constexpr double roundoff = 1e-12;        // of a length, of the scene's size
  static constexpr double deepest_overlap = 1e-8;  // that is taken out of the positions, the same
  static constexpr double cone_tolerance = 1e-10;  // of speeds, of what forces change in a step

  /// Whether all sleep through this step.
  bool sleeps_through(const System& system, double h, const State& state, Workspace& w);
  void tuck_in(const System& system, State& state, Workspace& w, StepReport& report);
  void look(const System& system, double h, double rest, const State& state, Workspace& w);
  /// How long until a gap closes fast enough to be worth a cut; `rest` where none does.
  double time_to_hit(double rest, bool locates) const;
  bool is_closed(int contact) const { return closed_[static_cast<std::size_t>(contact)] != 0; }
  /// Round-off of gaps is no gap: a box that lies on four corners would rock on it.
  bool is_noise(double gap) const { return std::abs(gap) <= no_gap_; }
  double to_close(double gap) const { return gap <= no_gap_ ? 0 : gap; }
  int hits_within(double rest) const;
  /// Whether something touches, or will without being hit hard enough for a cut.
  bool touches_within(double length, bool locates) const;
  bool is_steady(double length) const;

  bool do_quietly(const System& system, Method& method, double& length, bool locates, State& state,
                  Workspace& w, StepReport& report);
  void hit(const System& system, State& state, Workspace& w, StepReport& report);
  /// Returns how much of the length it did.
  double fly(const System& system, Method& method, double length, bool locates, State& state,
             Workspace& w, StepReport& report);
  bool hold(const System& system, Method& method, double length, State& state, Workspace& w,
            StepReport& report);
  void prepare_turmoil(const System& system, double length, const State& state, Workspace& w);
  void take_back_gain(const System& system, double length, const ContactRows& rows,
                      const Workspace& w, State& state);
  enum class Outcome { clear, overlaps, unsolved };
  Outcome turmoil(const System& system, double length, int most_rounds, State& state, Workspace& w,
                  StepReport& report);
  /// The same, of as much of the length as leaves no deep overlap. Returns that.
  double careful_turmoil(const System& system, double length, State& state, Workspace& w,
                         StepReport& report);
  bool overlaps(const System& system, const State& state, const Workspace& w);
  void align_velocity(const System& system, State& state, Workspace& w, StepReport& report);
  void separate(const System& system, State& state, Workspace& w, StepReport& report);

  /// v_free_ ← what F_ makes of v.
  void free_velocity(const System& system, double h, const VecX& v);
  void set_laws(const System& system, const State& state, Laws laws, double length, Workspace& w);
  void recall(const ContactRows& rows, double length, VecX& impulse) const;
  void remember(const ContactRows& rows, const VecX& impulse, double length);
  const Touch* find(const Contact& contact) const;
  double friction_work(const VecX& impulse, const VecX& u) const;
  void count(const ConeReport& cones, double length, StepReport& report) const;

  BoundedStep bounded_;
  ContactSolver solver_ = ContactSolver::exact;
  LawRows laws_;
  ContactRows rows_, at_end_, reached_;
  ContactProblem problem_;
  std::vector<Touch> touches_, remembered_;  // of those awake
  std::vector<Touch> all_touches_;
  ContactSleep sleep_;
  bool may_sleep_ = true;
  struct IslandGain {
    double energy = 0, kinetic = 0, mass = 0;
    Vec3 momentum = Vec3::Zero();
    bool is_held = false;  // by the world
  };
  std::vector<IslandGain> gains_;  // per body, at the first of an island
  std::vector<LawRow> law_rows_;
  std::vector<int> left_out_;
  std::vector<char> closed_;  // per contact of rows_: it has no gap, or none in no time
  Rows raw_;
  Pose pose_;
  State from_, at_start_;
  VecX F_, v_free_, u_, u_free_, momentum_, impulse_, u_end_, velocity_, Kv_;
  double friction_ = 0;  // J, of the last round
  double size_ = 1;      // m, of the scene
  double no_gap_ = 0;    // m: round-off of a gap
  double slow_ = 0;      // m/s: an approach that is no impact
  double still_ = 0;     // m/s: what is slower is at rest
  double speed_ = 0;     // m/s: what forces change in the step
  double fastest_ = 0;   // m/s: of a contact
};

}  // namespace taut
