// Everything that is constant during a step: bodies, forces and constraints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/batches.hpp"
#include "taut/model/contact.hpp"
#include "taut/model/inputs.hpp"
#include "taut/model/joint.hpp"
#include "taut/model/point.hpp"
#include "taut/model/pose.hpp"
#include "taut/model/sheet_source.hpp"
#include "taut/model/state.hpp"

namespace taut {

struct Particle {
  double mass = 1;
  Vec3 position = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};

struct RigidBody {
  double mass = 1;
  Mat3 inertia = Mat3::Identity();  ///< about the centre of mass, in the body's frame
  Vec3 position = Vec3::Zero();     ///< of the centre of mass
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();  ///< in the body's frame
};

/// How a turn is written as a vector: its angle long, or 2 tan(angle/2).
enum class Chart { rotation_vector, cayley };

class System {
 public:
  System() = default;
  System(System&&) = default;
  System& operator=(System&&) = default;

  // Building -------------------------------------------------------------------------------------
  // Throws Error for a mass that is not positive, an inertia that no real body has, a number that
  // is not finite, a name that is taken. An empty name is replaced by "body<number>".
  BodyId add(const Particle& particle, std::string name = "");
  BodyId add(const RigidBody& body, std::string name = "");
  // Constraints and forces are added by constrain() and apply(): see constraints/batch.hpp and
  // forces/batch.hpp.

  // Bodies ---------------------------------------------------------------------------------------
  int body_count() const { return static_cast<int>(slots_.size()); }
  int rigid_count() const { return static_cast<int>(inertias_.size()); }
  bool is_rigid(BodyId body) const { return slot(body).rigid >= 0; }
  const BodySlot& slot(BodyId body) const { return slots_[static_cast<std::size_t>(body.index)]; }
  const std::vector<BodySlot>& slots() const { return slots_; }
  const std::string& body_name(BodyId body) const {
    return names_[static_cast<std::size_t>(body.index)];
  }
  std::optional<BodyId> find_body(std::string_view name) const;
  const std::vector<std::string>& body_names() const { return names_; }
  double mass(BodyId body) const { return masses_[static_cast<std::size_t>(body.index)]; }
  /// Of a rigid body, in its frame.
  const Mat3& inertia(BodyId body) const {
    return inertias_[static_cast<std::size_t>(slot(body).rigid)].inertia;
  }

  int position_size() const { return static_cast<int>(initial_q_.size()); }
  int velocity_size() const { return static_cast<int>(initial_v_.size()); }
  /// Time 0, with the positions and velocities the bodies were added with.
  State initial_state() const;
  Vec3 initial_place(const Anchor& anchor) const;
  /// What of a body is at a place of the world at the start, and points along a direction of it.
  Point point_at(BodyId body, const Vec3& place) const;
  Direction direction_along(BodyId body, const Vec3& direction) const;

  /// Changes whenever bodies, constraints or forces are added, and is never that of another system:
  /// what was built for another number is stale.
  long topology() const { return topology_; }

  // Joints ---------------------------------------------------------------------------------------
  /// In the order in which they were added. constrain() adds them.
  const std::vector<Joint>& joints() const { return joints_; }
  void add_joint(Joint joint);
  /// Removes the one added last: others say the same in other words.
  void drop_joint();
  /// A joint's only coordinate, or "<joint>.<coordinate>" of one that has several. Throws Error,
  /// with the nearest name, when there is none.
  const Coordinate& joint_coordinate(std::string_view name) const;
  /// What the drive of a joint's coordinate can do, for controllers that are added afterwards.
  void set_drive_limits(std::string_view joint, double effort, double speed);
  /// For forces that depend on how often a joint has turned: from now on q has the angle of this
  /// turn, whole turns counted, at the index that is returned. Positions tell an angle only up to
  /// whole turns; advance(), displace() and normalize() take the value nearest to that before, so
  /// it is right as long as the joint turns less than half a turn at a time.
  int count_turns(const Coordinate& turn);

  // Dynamics -------------------------------------------------------------------------------------
  /// F(q, v, t), the gyroscopic torques −ω × Iω included.
  void forces(const Pose& pose, const VecX& v, double time, VecX& F) const;
  /// The mean of the forces over a passage: see ForceBatch::add_between().
  void forces_between(const Passage& passage, const VecX& v_mean, VecX& F) const;
  bool forces_depend_on_velocity() const;
  bool constraints_depend_on_time() const;
  bool is_conservative() const;  ///< whether energy should stay: forces and constraints alike

  /// out = W f. May be in place.
  void apply_inverse_mass(const VecX& f, VecX& out) const;
  /// out = M v. May be in place.
  void apply_mass(const VecX& v, VecX& out) const;
  /// The same of one body: 3 or 6 numbers.
  void apply_inverse_mass(BodyId body, const double* f, double* out) const;
  /// values = W J, block by block, for `blocks` of one or more rows.
  void apply_inverse_mass(const std::vector<JacobianBlock>& blocks, const VecX& J,
                          VecX& values) const;

  double kinetic_energy(const VecX& v) const;
  double potential_energy(const Pose& pose) const;
  double energy(const State& state) const;

  // Configurations -------------------------------------------------------------------------------
  /// out = q ⊕ h·v: plain addition for positions, q∘exp(hω/2) for orientations. May be in place.
  void advance(const VecX& q, const VecX& v, double h, VecX& out) const;
  /// The same for one body, in place: q ⊕ displacement, of 3 or 6 numbers.
  void displace(BodyId body, const double* displacement, VecX& q) const;
  /// out = q₁ ⊖ q₀, per velocity: what leads from one configuration to the other as rotation
  /// vectors (the inverse of advance with h = 1) or in Cayley's coordinates.
  void difference(const VecX& from, const VecX& to, Chart chart, VecX& out) const;
  /// out = q̇ for velocity v.
  void position_rate(const VecX& q, const VecX& v, VecX& out) const;
  /// Makes the quaternions unit again after additive updates.
  void normalize(VecX& q) const;

  // Batches --------------------------------------------------------------------------------------
  const std::vector<std::unique_ptr<ConstraintBatch>>& constraints() const { return constraints_; }
  const std::vector<std::unique_ptr<ForceBatch>>& all_forces() const { return forces_; }
  /// The batch of type B, made when there is none yet. For constrain() and apply().
  template <class B>
  B& constraint_batch();
  template <class B>
  B& force_batch();
  /// Gives a name to the force that was applied last. Throws Error when it is empty or taken.
  void name_force(std::string name);
  struct NamedForce {
    std::string name;
    int batch = 0, force = 0;  ///< of all_forces(), and in it
  };
  const std::vector<NamedForce>& named_forces() const { return named_forces_; }

  int constraint_count() const;
  int row_count() const;

  // Contacts -------------------------------------------------------------------------------------
  /// What finds them.
  const std::vector<std::unique_ptr<ContactSource>>& contact_sources() const { return contacts_; }
  void add_contacts(std::unique_ptr<ContactSource> source);
  /// What the cloths touch; none: they go through everything.
  const SheetSource* sheets() const { return sheets_.get(); }
  void set_sheets(std::unique_ptr<SheetSource> sheets);
  bool may_touch() const { return !contacts_.empty() || sheets_; }

  // Inputs ---------------------------------------------------------------------------------------
  /// What may be set from outside, between two steps: inputs()["throttle"] = 0.5
  Inputs inputs() const { return inputs_; }

 private:
  struct Inertia {
    int body, v;
    Mat3 inertia, inverse;
  };
  struct CountedTurn {
    Coordinate coordinate;
    int q;  // where its angle is
  };

  void add_name(std::string name);
  void add_gyroscopic_torques(const VecX& v, VecX& F) const;
  Vec3 place(const Anchor& anchor, const double* configuration) const;
  /// `from` has the angles before; it may be q.
  void follow_turns(const VecX& from, VecX& q) const;
  const Inertia& inertia_at(int dof) const;

  std::vector<std::string> names_;
  std::unordered_map<std::string, int> name_index_;
  std::vector<BodySlot> slots_;
  std::vector<double> masses_;
  std::vector<Inertia> inertias_;  // of the rigid bodies, in order
  // Vectors that grow body by body, so that building is linear in the number of bodies.
  std::vector<double> inverse_mass_;  // per velocity; the angular ones of rigid bodies are unused
  std::vector<double> initial_q_, initial_v_;
  std::vector<Joint> joints_;
  std::unordered_map<std::string, std::size_t> joint_index_;
  std::vector<CountedTurn> turns_;
  std::vector<std::unique_ptr<ConstraintBatch>> constraints_;
  std::vector<std::unique_ptr<ForceBatch>> forces_;
  std::vector<NamedForce> named_forces_;
  int last_applied_ = -1;  // the batch
  std::vector<std::unique_ptr<ContactSource>> contacts_;
  std::unique_ptr<SheetSource> sheets_;
  Inputs inputs_;
  void change_topology();

  long topology_ = 0;
};

template <class B>
B& System::constraint_batch() {
  change_topology();
  for (auto& batch : constraints_)
    if (auto* found = dynamic_cast<B*>(batch.get())) return *found;
  constraints_.push_back(std::make_unique<B>());
  return static_cast<B&>(*constraints_.back());
}

template <class B>
B& System::force_batch() {
  change_topology();
  for (last_applied_ = 0; last_applied_ < static_cast<int>(forces_.size()); ++last_applied_)
    if (auto* found = dynamic_cast<B*>(forces_[static_cast<std::size_t>(last_applied_)].get()))
      return *found;
  forces_.push_back(std::make_unique<B>());
  return static_cast<B&>(*forces_.back());
}

}  // namespace taut
