// The output of a run: states at the recording times, with the constraint forces there.
#pragma once

#include <optional>
#include <vector>

#include "taut/methods/workspace.hpp"
#include "taut/simulate/acting_forces.hpp"
#include "taut/simulate/contact_track_internal.hpp"
#include "taut/simulate/joint_track_internal.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut {
class Archive;
}

namespace taut::detail {

class Recording {
 public:
  Recording(const System& system, const RunOptions& options, Evidence& evidence, RunReport& report);

  bool is_wanted() const { return options_.record_states || measures(); }
  /// Of the method of the run. Whether the mean motion in parts of steps is wanted.
  bool use(Promises::Forces forces) {
    acting_.use(forces);
    return measures() && acting_.may_differ();
  }
  /// After every step: which rows act, how far the joints have come, and what touches.
  void follow(const State& state, const Workspace& steps, const SheetStep& last);
  void add(const State& state);
  /// The forces at the end.
  void finish(const State& state);

  /// Where the joints are, and nothing else.
  const std::vector<JointSample>& look_at_joints(const State& state) {
    joints_.look(state);
    return joints_.samples();
  }

  void archive(Archive& a);

  // What was added last:
  const VecX& lambda() const { return lambda_; }
  const std::vector<double>& exerted() const { return acting_.exerted(); }
  bool laws_tell() const { return !acting_.may_differ(); }
  const std::vector<JointSample>& joint_samples() const { return joints_.samples(); }
  const std::vector<ContactSample>& contact_samples() const { return contacts_.samples(); }

  /// Not that of the steps: methods may keep things in theirs. Made when first asked for.
  Workspace& workspace() {
    if (!workspace_) workspace_.emplace(system_, options_.solver);
    return *workspace_;
  }

 private:
  bool measures() const {
    return needs_forces() || (options_.record_exerted && acting_.may_differ());
  }
  bool needs_forces() const { return needs_reactions() || options_.record_contacts; }
  bool needs_reactions() const {
    return options_.record || options_.record_joints || options_.reactions;
  }
  void measure(const State& state);
  void find_acting(const State& state, Workspace& w);
  void check_directions(double time);

  const System& system_;
  const RunOptions& options_;
  Evidence& evidence_;
  RunReport& report_;
  std::optional<Workspace> workspace_;
  JointTrack joints_;
  ContactTrack contacts_;
  ActingForces acting_;
  MeanMotion mean_;
  VecX acceleration_;
  bool has_started_ = false;
  VecX lambda_;
  std::vector<int> rows_;   // per constraint
  std::vector<int> alike_;  // per constraint: its first rows that have the same unit
};

}  // namespace taut::detail
