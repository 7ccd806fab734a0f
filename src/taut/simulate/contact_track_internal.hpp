// Contacts over a run: what touches what at the recording times, and how hard. Where cloth touches,
// each pair of a vertex and a triangle, or of two edges, that presses is a contact.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "taut/model/contact_rows.hpp"
#include "taut/simulate/sheet_step.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {
class Archive;
}

namespace taut::detail {

class ContactTrack {
 public:
  explicit ContactTrack(const System& system);

  bool is_empty() const { return !system_.may_touch(); }
  /// The forces at the start, which no step has found yet. `step`: of the run.
  void start(const State& state, double step);
  /// After every step: what bore a load in it.
  void follow(const SheetStep& last);
  /// What bears a load, at a state.
  void sample(const State& state);
  const std::vector<ContactSample>& samples() const { return samples_; }
  /// What the sampled contacts do, as generalised forces.
  void forces(VecX& out) const;
  void archive(Archive& a);
  /// Adds what was sampled last to the report.
  void note(double time, RunReport& report);

 private:
  // The source, and its shapes; −1 − body where it has no shapes. Of cloth: −1, and cloths as they
  // are numbered, shapes as −1 − number.
  using Pair = std::array<int, 3>;
  void sample_contacts(const State& state, const Pose& pose);
  void sample_loads(const State& state, const Pose& pose);

  const System& system_;
  std::vector<Touch> touches_ = no_touches();
  std::vector<SheetLoad> loads_;
  ContactRows rows_;
  std::vector<ContactSample> samples_;
  std::vector<Pair> pairs_;  // per sample
  KeptVec u_, force_;
  VecX cloth_forces_;                    // generalised
  std::map<Pair, std::size_t> numbers_;  // of pairs in the report
  struct Sum {
    Vec3 force = Vec3::Zero();
    double normal = 0;  // of a cloth on itself: pushes have no common direction
  };
  std::vector<Sum> sums_;  // per pair of the report
};

}  // namespace taut::detail
