// What a device loop knows of the simulation, so that it need not wait for it: for each limb where
// the last step left it, and the planes that it touches or may soon touch.
//
// Between two steps the limb is where springs and planes balance, whatever the ghost has done in
// the meantime. With f_i the force at the point c_i of a plane, r_i from the centre of the limb to
// it, and k and k_t of the coupling (hand/coupling.hpp),
//
//   x = x_g + Σ f_i / k,   θ = Σ r_i × f_i / 2 k_t,
//   (x + θ × r_i + …) outside plane i ⊥ f_i in its friction cone.
//
// A point that touched keeps its place on the plane as long as friction holds it. Planes move on as
// what they belong to did. That is solved by a fixed number of sweeps: no allocation, no locks.
//
// Intermediate planes are from Adachi, Kumano and Ogino 1995; that forces must not jump when a new
// plane comes, from Mark, Randolph, Finch, Van Verth and Taylor 1996.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "taut/haptics/force_feedback.hpp"
#include "taut/haptics/ghost_filter.hpp"
#include "taut/model/contact.hpp"
#include "taut/model/state.hpp"

namespace taut::haptics {

/// Plain: it is handed from thread to thread.
struct LocalModel {
  static constexpr int most_planes = 4;
  struct Plane {
    Vec3 point = Vec3::Zero();     ///< m, of the limb, in its frame
    Vec3 place = Vec3::Zero();     ///< m, in the world: where that point was
    Vec3 normal = Vec3::UnitZ();   ///< out of what is touched
    Vec3 velocity = Vec3::Zero();  ///< m/s, of what is touched
    double gap = 0, friction = 0;
  };
  struct Limb {
    hand::LimbState ghost, limb;
    int count = 0;
    std::array<Plane, most_planes> planes;
  };
  std::array<Limb, hand::limb_count> limbs;
};

/// Finds what limbs touch at the end of a step, or may soon. Does not allocate once it has seen as
/// many contacts before.
class LocalLook {
 public:
  void look(const hand::Hand& hand, const System& system, const State& state, LocalModel& out);

 private:
  void add(LocalModel::Limb& limb, LocalModel::Plane plane) const;

  Pose pose_;
  std::vector<Contact> contacts_;
  std::vector<int> limb_of_;  // per body: −1 for what is no limb
};

/// The forces of a device loop: of its own samples, at its own rate.
class LocalForces {
 public:
  LocalForces(const hand::Hand& hand, const hand::HandPose& start, const GhostLimits& ghost = {},
              const FeedbackLimits& feedback = {});

  /// What the simulation has found now. Forces do not jump: the difference goes away until the next
  /// one is due.
  void take(const LocalModel& model);
  /// Once per turn of h.
  const devices::HandForces& step(const std::optional<devices::HandSample>& sample, double h);
  const devices::HandForces& forces() const { return feedback_.forces(); }
  double energy(int finger) const { return feedback_.energy(finger); }

 private:
  using Forces = std::array<Vec3, LocalModel::most_planes>;
  /// From the ghost to where the limb is in balance.
  Vec3 shift(std::size_t limb, const hand::LimbState& ghost, double age);
  Vec3 lag(std::size_t limb, double age) const;
  static void follow_jump(const hand::LimbStates& ghost, LocalModel& model);

  hand::Hand hand_;
  GhostFilter filter_;
  ForceFeedback feedback_;
  LocalModel model_, next_;
  bool has_model_ = false, has_next_ = false;
  double age_ = 0, pause_ = 0, stale_;             // s: of the model, between two of them, at most
  std::array<Forces, hand::limb_count> forces_;    // on each plane: where the sweeps begin
  std::array<Vec3, hand::limb_count> lag_, jump_;  // m: see step()
};

}  // namespace taut::haptics
