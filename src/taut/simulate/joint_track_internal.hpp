// Joints over a run: how far each has moved, whole turns counted, and what it bears.
#pragma once

#include <vector>

#include "taut/methods/workspace.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {
class Archive;
}

namespace taut::detail {

class JointTrack {
 public:
  explicit JointTrack(const System& system);

  bool is_empty() const { return samples_.empty(); }
  /// After every step, so that turns are counted.
  void follow(const State& state);
  /// Values and rates at a state; reactions stay as they are.
  void look(const State& state);
  /// Values, rates and reactions at a state, whose rows were evaluated into `at`.
  void sample(const State& state, const RowPattern& pattern, const LinearizedRows& at,
              const VecX& lambda);
  const std::vector<JointSample>& samples() const { return samples_; }
  void archive(Archive& a);
  /// Adds what was sampled last to the report.
  void note(double time, RunReport& report) const;

 private:
  struct Row {
    int first = 0, count = 0;  // rows of the joint's constraint
  };
  void move(const Pose& pose);
  void find_rates(const Pose& pose, const VecX& v);

  const System& system_;
  Pose pose_;
  std::vector<JointSample> samples_;
  std::vector<Row> rows_;
};

}  // namespace taut::detail
