// A hand that a device moves in a scene: in each step the newest sample moves the ghost, the
// simulation does a step, and the forces for the device follow. The same samples in the same steps
// give the same states and forces, bit for bit.
#pragma once

#include <memory>
#include <string>

#include "taut/haptics/force_feedback.hpp"
#include "taut/haptics/ghost_filter.hpp"
#include "taut/haptics/local_model.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::haptics {

struct SessionOptions {
  double step = 0.001;                       ///< s
  std::string method = "icd";                ///< one that solves for stiff forces implicitly
  std::string contact_solver = "real_time";  ///< solve/contact_solvers.hpp
  GhostLimits ghost;
  FeedbackLimits feedback;
};

class GraspSession {
 public:
  /// `hand`: the number of one of the system's hands; its ghost starts where it was. Throws Error
  /// where there is no such hand.
  GraspSession(System system, int hand, const SessionOptions& options);
  /// The same with one of the system's styluses in place of a hand.
  struct StylusNumber {
    int value = 0;
  };
  GraspSession(System system, StylusNumber stylus, const SessionOptions& options);
  ~GraspSession();
  GraspSession(const GraspSession&) = delete;
  GraspSession& operator=(const GraspSession&) = delete;

  /// False, and nothing is done, once the simulation has diverged: report() says why. Forces are
  /// then 0.
  bool step(const std::optional<devices::HandSample>& sample);
  const devices::HandForces& forces() const;

  /// Of a hand: what a device that is quicker needs to know until the next step is done. Costs a
  /// search for contacts.
  void look_around(LocalModel& out);
  /// A device's own forces, from that.
  LocalForces local_forces() const;

  const System& system() const;
  const State& state() const;
  const RunReport& report() const;
  const GhostFilter& ghost() const;
  double energy(int finger) const;  ///< see ForceFeedback; of a stylus there is only one

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::haptics
