// Bodies at rest sleep: their contacts are neither looked for nor solved until something comes
// near, a force on one of them changes, or somebody moves them. A whole island falls asleep at
// once, when its bodies have been at rest for a few steps, and wakes up at once.
#pragma once

#include <span>
#include <vector>

#include "taut/methods/workspace.hpp"
#include "taut/model/contact_rows.hpp"

namespace taut {

class Archive;

/// A contact that bears a load.
struct Touch {
  enum class How : char { sticks, slides };
  int source = 0;
  std::uint64_t feature = 0;
  How how = How::sticks;
  Vec3 force = Vec3::Zero();    ///< N, on a, in the world
  Vec3 torque = Vec3::Zero();   ///< N·m, the same: against rolling and spinning
  Vec3 normal = Vec3::UnitZ();  ///< of the contact
  int body = -1;                ///< of a
  bool turns = false;           ///< rolls or spins against the torque

  static bool before(const Touch& x, const Touch& y) {
    return x.source != y.source ? x.source < y.source : x.feature < y.feature;
  }
};

/// Among touches that are sorted; none: it bears no load.
const Touch* find_touch(const std::vector<Touch>& touches, const Contact& contact);

/// None yet, with room for as many as there usually are.
inline std::vector<Touch> no_touches() {
  std::vector<Touch> none;
  none.reserve(ContactRows::usual_count);
  return none;
}

class ContactSleep {
 public:
  void adapt(const System& system);

  void archive(Archive& a, const System& system);

  /// One number per body, not 0 for those asleep; empty if none is.
  std::span<const char> asleep() const {
    return count_ > 0 ? std::span<const char>(asleep_) : std::span<const char>();
  }
  bool any() const { return count_ > 0; }
  bool all() const { return count_ == static_cast<int>(asleep_.size()); }

  // Each of these returns whether something woke up. Touches of what does are added to `touches`,
  // which are sorted.
  bool wake_moved(const System& system, const State& state, double length, double speed,
                  std::vector<Touch>& touches);
  bool wake_pushed(const System& system, const VecX& F, std::vector<Touch>& touches);
  bool wake_touched(const ContactRows& rows, std::vector<Touch>& touches);
  bool wake_all(std::vector<Touch>& touches);

  /// Those asleep are where they fell asleep, without velocity.
  void restore(const System& system, State& state) const;
  void stop(const System& system, VecX& v) const;
  /// out += what contacts do to those asleep.
  void add_forces(const System& system, VecX& out) const;
  const std::vector<Touch>& touches() const { return touches_; }

  /// At the end of a step: who is slower than `speed`? (ω times `length` counts as speed.) True:
  /// somebody may fall asleep.
  bool watch(const System& system, const State& state, double speed, double length);
  /// Then: who does. `rows` are the contacts at that moment, F the forces.
  void fall_asleep(const System& system, const Workspace& w, const ContactRows& rows, const VecX& F,
                   State& state, std::vector<Touch>& touches);

 private:
  static constexpr int steps_at_rest = 4;
  void wake(int island, std::vector<Touch>& touches);
  void find_islands(const System& system, const RowPattern& pattern, const ContactRows& rows);
  int root(int body);
  void join(int a, int b);
  template <class IsAwake>
  bool wake_if(IsAwake is_awake, std::vector<Touch>& touches);

  long topology_ = -1;
  int count_ = 0;
  std::vector<char> asleep_, may_sleep_;
  std::vector<int> parent_, body_at_;  // of islands; per velocity
  std::vector<int> at_rest_;           // steps, per body
  std::vector<int> island_;            // per body asleep
  VecX q_, F_, held_, of_contacts_;
  KeptVec forces_;
  std::vector<Touch> touches_ = no_touches();
};

}  // namespace taut
