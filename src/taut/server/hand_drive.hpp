// What moves a hand of a run: the scene's own motion, a client, or a device; and what it feels.
//
// Samples of clients come at the rate of their pictures and are smoothed; whatever comes is bounded
// by a GhostFilter. Nobody waits: the newest sample counts, handed over without locks.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "taut/devices/sample_smoother.hpp"
#include "taut/hand/coupling.hpp"
#include "taut/haptics/force_feedback.hpp"
#include "taut/haptics/ghost_filter.hpp"
#include "taut/haptics/newest.hpp"
#include "taut/haptics/transport.hpp"

namespace taut::server {

/// One hand at one state, as it is shown.
struct HandShot {
  hand::HandPose ghost;
  /// Per limb: where its ghost is, and what holds it back from there (N).
  std::array<Vec3, hand::limb_count> places, forces;
  std::array<Quat, hand::limb_count> orientations;
  devices::HandForces felt;
  double age = 0;         ///< s since the last sample
  bool is_moved = false;  ///< by somebody, and not by the scene's motion
  bool is_stale = false;
  long refused = 0;  ///< samples
};

/// Between those who move a hand and the thread of a run. Who writes samples and who reads forces
/// does so one at a time; the run reads and writes as it likes.
struct HandPort {
  haptics::Newest<devices::HandSample> samples;
  haptics::Newest<devices::HandForces> forces;
  std::atomic<bool> is_let_go{false};       ///< asks for the scene's motion again
  std::shared_ptr<devices::Device> device;  ///< fixed from the start; then no client moves it
};

class HandDrive {
 public:
  /// Of a hand of a system, with steps of h. Both outlive it.
  HandDrive(System& system, int number, HandPort& port, double h);

  /// Goes on as another one of the same hand did; `time` is now.
  void go_on_as(const HandDrive& former, double time);
  /// `time`: at the end of the step.
  void before_step(double time);
  /// Where the hand is to be carried before the step, as its device has jumped: into q, if so.
  bool carries(const State& state, VecX& q);
  /// Finds out what is felt and shown; allocates nothing.
  void after_step(const State& state);
  /// At the start, before any step.
  void look(const State& state);
  const HandShot& shot() const { return shot_; }

 private:
  void move(const std::optional<devices::HandSample>& sample, double time);
  void return_to_motion(double time);
  const hand::Hand& of() const;

  System& system_;
  int number_;
  HandPort& port_;
  double h_;
  std::shared_ptr<const hand::Ghost> motion_;
  std::shared_ptr<hand::HeldGhost> held_;
  /// Since somebody has moved it.
  struct Moved {
    haptics::GhostFilter filter;
    devices::SampleSmoother smoother;
    bool returns = false;
    double age = 0;  // s, since a sample came
  };
  std::optional<Moved> moved_;
  haptics::Transport transport_;
  haptics::ForceFeedback feedback_;
  Pose pose_;
  hand::LimbStates limbs_, ghosts_;
  HandShot shot_;
};

}  // namespace taut::server
