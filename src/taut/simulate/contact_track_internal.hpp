// Contacts over a run: what touches what at the recording times, and how hard.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "taut/simulate/contact_rows.hpp"
#include "taut/simulate/contact_step.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::detail {

class ContactTrack {
 public:
  explicit ContactTrack(const System& system);

  bool is_empty() const { return system_.contact_sources().empty(); }
  /// The forces at the start, which no step has found yet. `step`: of the run.
  void start(const State& state, double step);
  /// After every step: what bore a load in it.
  void follow(const std::vector<Touch>& touches) { touches_ = touches; }
  /// What bears a load, at a state.
  void sample(const State& state);
  const std::vector<ContactSample>& samples() const { return samples_; }
  /// What the sampled contacts do, as generalised forces.
  void forces(VecX& out) const;
  /// Adds what was sampled last to the report.
  void note(double time, RunReport& report);

 private:
  using Pair = std::array<int, 3>;  // the source, and its shapes; −1 − body where it has no shapes

  const System& system_;
  std::vector<Touch> touches_ = no_touches();
  ContactRows rows_;
  std::vector<ContactSample> samples_;
  std::vector<Pair> pairs_;  // per sample
  KeptVec u_, force_;
  std::map<Pair, std::size_t> numbers_;  // of pairs in the report
  std::vector<Vec3> sums_;               // of the forces, per pair of the report
};

}  // namespace taut::detail
