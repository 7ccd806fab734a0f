// The sensors of a scene over a run: their values at a recording time, and what becomes of them.
#pragma once

#include <vector>

#include "taut/scene/scene.hpp"

namespace taut::io::detail {

class SensorTrack {
 public:
  explicit SensorTrack(const Scene& scene);

  const SensorNeeds& needs() const { return sensors_.needs(); }
  bool is_empty() const { return sensors_.empty(); }
  const std::vector<double>& sample(const State& state, const VecX& lambda,
                                    const std::vector<JointSample>& joints,
                                    const std::vector<ContactSample>& contacts,
                                    const std::vector<double>& exerted);
  /// Least, largest and last values so far.
  const std::vector<RunReport::SensorSummary>& summaries() const { return summaries_; }

 private:
  const System& system_;
  SensorSet sensors_;
  std::vector<double> values_;
  std::vector<RunReport::SensorSummary> summaries_;
};

}  // namespace taut::io::detail
