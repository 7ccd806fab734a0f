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
//   hold     What touches stays as it is, sticking or sliding, and what comes does so softly: the
//            method does the part, with the contacts' forces as constant forces; they are corrected
//            until the laws hold at the end (contact_hold.cpp).
//   turmoil  Contacts open, close, begin to stick or slide: a step of first order,
//              M v⁺ = M v + h F + Hᵀ r − Jᵀ Λ,   J v⁺ + C_t = 0,   q⁺ = q ⊕ h v⁺,
//            where a gap may close just within the step, and stiff forces are taken at its end. H
//            and the gaps are those at q⁺, found by a few rounds. A method of higher order then
//            tries to hold what was found.
//
// Compliant contacts are springs with dampers that only push. They are never hit and overlap as
// they must. In turmoil the spring is that at the end of the part; where it is held, its force is
// that of the mean gap, so that spring and motion exchange energy without loss
// (contact_compliance.cpp).
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
#include "taut/simulate/held_laws.hpp"
#include "taut/simulate/island_energies.hpp"
#include "taut/simulate/stops_ahead.hpp"

namespace taut {

/// Whether the same features touch, and go on sticking or sliding.
bool is_same(const std::vector<Touch>& one, const std::vector<Touch>& other);

class ContactStep {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

  /// Those at the end of the last step, by source and feature.
  const std::vector<Touch>& touches() const { return sleep_.any() ? all_touches_ : touches_; }
  BoundedStep& bounded() { return bounded_; }
  /// How contacts are solved for, and how long a solve may take, in s (0: any). Positions are
  /// always separated by the exact solver. In real time what touches is always turmoil: one solve,
  /// and the positions.
  void use(ContactSolver solver, double most_time = 0) {
    solver_ = solver;
    most_time_ = most_time;
  }
  /// From now on nothing falls asleep: to measure what contacts cost.
  void keep_awake() { may_sleep_ = false; }

 private:
  using LawRow = ContactProblem::LawRow;
  enum class Laws { over_step, at_impact, of_positions };
  static constexpr double roundoff = 1e-12;        // of a length, of the scene's size
  static constexpr double no_time_left = 1e-9;     // of a step
  static constexpr double ahead = 1.5;             // of what is left of a step: looked for contacts
  static constexpr double cone_tolerance = 1e-10;  // of speeds, of what forces change in a step
  static constexpr double good_enough = 1e-9;      // … where that takes long
  static constexpr double good_in_real_time = 1e-6;

  bool is_real_time() const { return solver_ == ContactSolver::real_time; }
  /// m, that is left to be taken out of the positions.
  double deepest_overlap() const { return (is_real_time() ? 3e-7 : 1e-8) * size_; }
  /// Of lengths: positions are right.
  double placed() const { return is_real_time() ? 1e-10 : 10 * roundoff; }
  /// Whether all sleep through this step.
  bool sleeps_through(const System& system, double h, const State& state, Workspace& w);
  void tuck_in(const System& system, State& state, Workspace& w, StepReport& report);
  void look(const System& system, double h, double rest, const State& state, Workspace& w);
  void foresee_change(const System& system, double rest, const State& state, Workspace& w);
  void look_at_loads(const System& system, double h);
  /// How long until a gap closes fast enough to be worth a cut; `rest` where none does.
  double time_to_hit(double rest, bool locates) const;
  bool is_hit(bool locates) const;
  bool is_closed(int contact) const { return closed_[static_cast<std::size_t>(contact)] != 0; }
  /// Whether it neither opens nor closes.
  bool is_still(int contact) const;
  /// Round-off of gaps is no gap: a box that lies on four corners would rock on it.
  bool is_noise(double gap) const { return std::abs(gap) <= no_gap_; }
  double to_close(double gap) const { return gap <= no_gap_ ? 0 : gap; }
  int hits_within(double rest) const;
  /// Whether something touches, or will without being hit hard enough for a cut.
  bool touches_within(double length, bool locates) const;
  bool is_steady(double length) const;

  bool do_quietly(const System& system, Method& method, double& length, bool locates, State& state,
                  Workspace& w, StepReport& report);
  bool hold_what_came(const System& system, Method& method, double length, State& state,
                      Workspace& w, StepReport& report);
  void hit(const System& system, State& state, Workspace& w, StepReport& report);
  /// Returns how much of the length it did.
  double fly(const System& system, Method& method, double length, bool locates, State& state,
             Workspace& w, StepReport& report);
  /// With `may_cut`, `length` becomes what was done of it.
  bool hold(const System& system, Method& method, bool may_cut, double& length, State& state,
            Workspace& w, StepReport& report);
  enum class Hold { done, cut, failed };
  Hold hold_with_forces(const System& system, Method& method, double length, State& state,
                        Workspace& w, StepReport& report, bool may_cut, bool may_stop);
  bool foresee_end(const System& system, double length, State& state);
  void note_slips();
  int held(const Contact& contact) const;
  Vec3 turned_to_end(int contact, const std::vector<Vec3>& of_touches) const;
  Vec3 slip_before(int contact) const;
  double held_friction_work(int contact) const;
  void note_ways(const System& system);
  using Aim = HeldLaws::Aim;
  ConeReport solve_at_end(const System& system, const Method& method, double length, Aim aim,
                          const State& state, Workspace& w);
  bool stop_what_sticks(const System& system, const Method& method, double length, State& state,
                        Workspace& w, StepReport& report);
  bool comes_softly(const Touch& touch) const;
  enum class Held { yes, no, not_yet };
  Held judge_hold();
  void prepare_turmoil(const System& system, double length, const State& state, Workspace& w);
  void take_back_gain(const System& system, const VecX& before, const Workspace& w, State& state);
  void take_back_push(const System& system, double length, const ContactRows& rows,
                      const Workspace& w, State& state);
  bool keep_energy(const System& system, const Method& method, const Workspace& w, State& state);
  enum class Outcome { clear, overlaps, unsolved };
  double widest_loaded_gap(const ContactRows& rows) const;
  Outcome turmoil(const System& system, double length, int most_rounds, State& state, Workspace& w,
                  StepReport& report);
  /// The same, of as much of the length as leaves no deep overlap. Returns that.
  double careful_turmoil(const System& system, double length, State& state, Workspace& w,
                         StepReport& report);
  /// Whether something got through something else since `from`.
  bool passes(const System& system, const State& from, const State& state, double length);

  enum class Loaded { touches, may_open };  // a contact that bears a load
  void look_at_positions(const System& system, const State& state, Workspace& w);
  double misplacement(Loaded loaded) const;
  void keep_near(double gap);
  bool displace(const System& system, double worst, Loaded loaded, State& state, Workspace& w,
                StepReport& report);
  bool close_gaps(const System& system, double length, State& state, Workspace& w,
                  StepReport& report);
  void separate(const System& system, double h, State& state, Workspace& w, StepReport& report);
  void align_velocity(const System& system, double length, State& state, Workspace& w,
                      StepReport& report);

  /// v_free_ ← what F_ makes of v.
  void free_velocity(const System& system, double h, const VecX& v);
  void set_laws(const System& system, const State& state, Laws laws, double length, Workspace& w);
  void recall(const ContactRows& rows, double length, VecX& impulse) const;
  void remember(const ContactRows& rows, const VecX& u, double length);
  const Touch* find(const Contact& contact) const { return find_touch(touches_, contact); }
  /// J, below 0: what friction does, rolling and spinning included.
  static double friction_work(const ContactRows& rows, const VecX& impulse, const VecX& u);
  /// How a compliant contact enters the problem of a part: bias and compliance of its normal.
  struct Spring {
    double bias, compliance;
  };
  static Spring at_end_of(double length, const Compliance& law, double gap);
  void set_springs(const ContactRows& rows, double length, bool is_first);
  double damping_work(const ContactRows& rows, double length) const;
  void set_held_springs(double length, const Method& method);
  void note_start_gaps();
  const double* gap_at_start(const Contact& contact) const;
  void count(const ConeReport& cones, double length, StepReport& report) const;

  BoundedStep bounded_;
  ContactSolver solver_ = ContactSolver::exact;
  double most_time_ = 0;
  LawRows laws_;
  HeldLaws held_laws_;
  ContactRows rows_, at_end_, reached_;
  ContactProblem problem_;
  std::vector<Touch> touches_, remembered_;  // of those awake
  std::vector<Touch> applied_;               // with which the method did a part that is held
  std::vector<Touch> touches_of_part_, touches_of_hold_;  // at the start of them
  std::vector<Touch> all_touches_;
  ContactSleep sleep_;
  bool may_sleep_ = true;
  IslandEnergies energies_;
  StopsAhead stops_ahead_;
  std::vector<LawRow> law_rows_;
  std::vector<int> left_out_;
  std::vector<char> closed_;         // per contact of rows_: it has no gap, or none in no time
  std::vector<char> bears_;          // per contact of at_end_: it bears a load
  std::vector<char> near_;           // per contact of at_end_: it is near enough to count
  std::vector<Vec3> slips_;          // m/s, per touch, in the world, at the start of a part
  std::vector<Vec3> spins_;          // rad/s, the same: one body against the other
  std::vector<char> stops_;          // per touch: it comes to rest in the part
  std::vector<Stopping> stopping_;   // … how; friction is a force
  double turns_back_ = 1;            // when the first of them does and turns back, of the part
  std::vector<Vec3> ways_;           // m, per contact of at_end_
  std::vector<char> turns_;          // per contact of at_end_: a body of it turns in the part
  std::vector<Vec3> ways_at_start_;  // m, per touch
  std::vector<Touch> springs_;       // touches of compliant contacts
  struct StartGap {
    int source;
    std::uint64_t feature;
    double gap;
  };
  std::vector<StartGap> start_gaps_;  // of compliant contacts in a part that is held, in order
  double damping_ = 0;                // J that they lose in it
  Rows raw_;
  Pose pose_, pose_from_;
  State from_, at_start_;
  std::vector<RowModes::Mode> modes_from_;  // at from_
  VecX F_, v_free_, u_, u_free_, momentum_, u_end_, u_law_, velocity_, Kv_;
  VecX impulse_, impulse_at_end_;
  VecX unclosed_;            // q where the method left a part that is held
  bool is_clear_ = true;     // there nothing overlaps but what has touched all along
  VecX loads_;               // what the contacts of the last part did: forces, per velocity
  double friction_ = 0;      // J, of the last round
  double size_ = 1;          // m, of the scene
  double no_gap_ = 0;        // m: round-off of a gap
  double reach_ = 0;         // m: how far forces move a contact in the rest of the step, with room
  double slow_ = 0;          // m/s: an approach that is no impact
  double still_ = 0;         // m/s: what is slower is at rest
  double speed_ = 0;         // m/s: what forces change in the step
  double fastest_ = 0;       // m/s: of a contact
  double loaded_speed_ = 0;  // m/s: what forces and loads change in the step
};

}  // namespace taut
