// Where bodies touch, or may touch before a step is over. Contacts come and go: they are rows
// without a name, outside the pattern of the constraints, known from step to step by the features
// that touch. What they ask for is a law, not an equation: simulate/contact_step.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"

namespace taut {

struct Pose;

/// A spring and a damper side by side.
struct Compliance {
  double stiffness = 0;  ///< N/m; 0: rigid
  double damping = 0;    ///< N·s/m
};
/// What the error reduction parameter and the constraint force mixing of other engines (s/kg) mean
/// at a step of h: erp = h k / (h k + d), cfm = 1 / (h k + d). Of erp in (0, 1], cfm > 0.
Compliance compliance_of(double erp, double cfm, double h);

struct Contact {
  std::uint64_t feature = 0;     ///< the same as long as the same corners, edges or faces touch
  Point a, b;                    ///< the places that touch; b may be of the world
  Vec3 normal = Vec3::UnitZ();   ///< of unit length, in the world: a moves along it to open the gap
  double gap = 0;                ///< (x_a − x_b)·normal; below 0: they overlap
  double friction = 0;           ///< μ ≥ 0; along the grain, if there is one
  double restitution = 0;        ///< 0 ≤ e ≤ 1, of rigid ones
  double friction_across = 0;    ///< μ ≥ 0 across the grain
  Vec3 grain = Vec3::Zero();     ///< in the world; 0: friction is the same in all directions
  double rolling_friction = 0;   ///< m: the torque that resists rolling, per normal force
  double spinning_friction = 0;  ///< m: the same of spinning about the normal
  Compliance compliance = {};    ///< what is rigid resists with no overlap at all
  int source = 0;                ///< which ContactSource found it
  int shape_a = -1, shape_b = -1;  ///< the shapes that touch, of the source; −1: it has none

  bool is_compliant() const { return compliance.stiffness > 0; }
  bool resists_turning() const { return rolling_friction > 0 || spinning_friction > 0; }
};

/// Knows the surfaces of bodies, and finds contacts.
class ContactSource {
 public:
  virtual ~ContactSource() = default;
  /// Adds all contacts with a gap of at most `margin`, and those whose gap may close within `time`
  /// at velocity v. Always in the same order for the same features.
  virtual void find(const Pose& pose, const VecX& v, double time, double margin,
                    std::vector<Contact>& out) const = 0;
  /// The same, without what is only between bodies that are asleep (not 0; one number for each
  /// body) and the world. They have not moved since find_awake() was first told that they sleep.
  virtual void find_awake(const Pose& pose, const VecX& v, double time, double margin,
                          std::span<const char> asleep, std::vector<Contact>& out) const;
  /// Whether something is so fast that it might get through something else within `time`, and
  /// passes() should be asked. Quick.
  virtual bool is_fast(const Pose& /*pose*/, const VecX& /*v*/, double /*time*/) const {
    return false;
  }
  /// Whether something got through something else on the way between two poses, neither of which
  /// need show an overlap. `v`: velocities on the way, which tell how often a body has turned.
  virtual bool passes(const Pose& /*from*/, const Pose& /*to*/, const VecX& /*v*/,
                      double /*time*/) const {
    return false;
  }
  /// How much of a straight way, 0 to 1, some bodies (`moves` is not 0; one number for each body)
  /// may go together until they are as near as `room` (m) to something that stays. What is as near
  /// at the start only counts if it is in the way.
  virtual double free_part(const Pose& /*pose*/, std::span<const char> /*moves*/,
                           const Vec3& /*way*/, double /*room*/) const {
    return 0;
  }
  /// Forgets what it found before: the next answers are those of the first time.
  virtual void forget() const {}
  /// Whether touching costs no energy: no friction, and restitution 1.
  virtual bool is_conservative() const = 0;
  /// J that compliant contacts store.
  virtual double elastic_energy(const Pose& /*pose*/) const { return 0; }
  /// m: how far from the centre of its body a shape reaches, at most.
  virtual double reach() const = 0;
  /// Of a shape, by number; may be empty.
  virtual std::string shape_name(int /*shape*/) const { return ""; }
};

}  // namespace taut
