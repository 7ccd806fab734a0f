#include "taut/model/system.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/base/share.hpp"
#include "taut/model/inertia.hpp"
#include "taut/model/rotation.hpp"

namespace taut {
namespace {

constexpr int blocks_worth_sharing = 15'000;  // blocks

void require_finite(bool finite, const std::string& name, const char* what) {
  if (!finite) throw Error("body \"" + name + "\": the " + what + " must be finite");
}

void require_mass(double mass, const std::string& name) {
  if (!std::isfinite(mass) || mass <= 0)
    throw Error("body \"" + name + "\": the mass must be a number > 0, found " +
                std::to_string(mass) + " (to hold a body in place, pin it)");
}

/// The quaternion w x y z at `from`, turned by a rotation vector in its own frame.
void turn(const double* from, const Vec3& rotation, double* to) {
  const Quat next = (quaternion_at(from) * exponential(rotation)).normalized();
  Eigen::Map<Eigen::Vector4d>{to} << next.w(), next.x(), next.y(), next.z();
}

void append(std::vector<double>& vector, std::initializer_list<Vec3> parts) {
  for (const Vec3& part : parts) vector.insert(vector.end(), part.begin(), part.end());
}

}  // namespace

void System::add_name(std::string name) {
  if (name.empty()) name = "body" + std::to_string(names_.size());
  if (!name_index_.emplace(name, static_cast<int>(names_.size())).second)
    throw Error("two bodies are named \"" + name + "\"");
  names_.push_back(std::move(name));
}

void System::change_topology() {
  static std::atomic<long> last{0};
  topology_ = ++last;
}

BodyId System::add(const Particle& particle, std::string name) {
  require_mass(particle.mass, name);
  require_finite(particle.position.allFinite(), name, "position");
  require_finite(particle.velocity.allFinite(), name, "velocity");
  add_name(std::move(name));
  slots_.push_back({position_size(), velocity_size(), -1});
  masses_.push_back(particle.mass);
  append(initial_q_, {particle.position});
  append(initial_v_, {particle.velocity});
  append(inverse_mass_, {Vec3::Constant(1 / particle.mass)});
  change_topology();
  return {body_count() - 1};
}

BodyId System::add(const RigidBody& body, std::string name) {
  require_mass(body.mass, name);
  require_finite(body.inertia.allFinite(), name, "inertia");
  require_finite(body.position.allFinite(), name, "position");
  require_finite(body.orientation.coeffs().allFinite(), name, "orientation");
  require_finite(body.velocity.allFinite(), name, "velocity");
  require_finite(body.angular_velocity.allFinite(), name, "angular velocity");
  const Mat3 symmetric = 0.5 * (body.inertia + body.inertia.transpose());
  if (const std::string fault = inertia_fault(body.inertia); !fault.empty())
    throw Error("body \"" + name + "\", inertia: " + fault);
  if (body.orientation.norm() < 1e-9)
    throw Error("body \"" + name + "\": the orientation must not be the zero quaternion");
  add_name(std::move(name));

  slots_.push_back({position_size(), velocity_size(), static_cast<int>(inertias_.size())});
  masses_.push_back(body.mass);
  inertias_.push_back({body_count() - 1, velocity_size(), symmetric, symmetric.inverse()});
  const Quat unit = body.orientation.normalized();
  append(initial_q_, {body.position});
  initial_q_.insert(initial_q_.end(), {unit.w(), unit.x(), unit.y(), unit.z()});
  append(initial_v_, {body.velocity, body.angular_velocity});
  append(inverse_mass_, {Vec3::Constant(1 / body.mass), Vec3::Zero()});
  change_topology();
  return {body_count() - 1};
}

std::optional<BodyId> System::find_body(std::string_view name) const {
  const auto found = name_index_.find(std::string(name));
  if (found == name_index_.end()) return std::nullopt;
  return BodyId{found->second};
}

State System::initial_state() const {
  return {0, Eigen::Map<const VecX>(initial_q_.data(), position_size()),
          Eigen::Map<const VecX>(initial_v_.data(), velocity_size())};
}

Vec3 System::place(const Anchor& anchor, const double* configuration) const {
  if (anchor.body.is_world()) return anchor.local;
  const double* q = configuration + slot(anchor.body).q;
  const Vec3 position(q[0], q[1], q[2]);
  if (!is_rigid(anchor.body)) return anchor.is_direction ? anchor.local : position;
  const Vec3 arm = Quat(q[3], q[4], q[5], q[6]) * anchor.local;
  return anchor.is_direction ? arm : Vec3(position + arm);
}

Vec3 System::initial_place(const Anchor& anchor) const { return place(anchor, initial_q_.data()); }

void System::forces(const Pose& pose, const VecX& v, double time, VecX& F) const {
  F.setZero(velocity_size());
  for (const auto& batch : forces_) batch->add(*this, pose, v, time, F);
  add_gyroscopic_torques(v, F);
}

void System::forces_between(const Passage& passage, const VecX& v_mean, VecX& F) const {
  F.setZero(velocity_size());
  for (const auto& batch : forces_) batch->add_between(*this, passage, v_mean, F);
  add_gyroscopic_torques(v_mean, F);
}

void System::add_gyroscopic_torques(const VecX& v, VecX& F) const {
  for (const Inertia& body : inertias_) {
    const Vec3 w = v.segment<3>(body.v + 3);
    F.segment<3>(body.v + 3) -= w.cross(body.inertia * w);
  }
}

void System::name_force(std::string name) {
  TAUT_CHECK(last_applied_ >= 0);
  if (name.empty()) throw Error("a force has an empty name, expected at least one character");
  for (const NamedForce& other : named_forces_)
    if (other.name == name) throw Error("two forces are named \"" + name + "\"");
  named_forces_.push_back({std::move(name), last_applied_,
                           forces_[static_cast<std::size_t>(last_applied_)]->size() - 1});
}

bool System::forces_depend_on_velocity() const {
  return !inertias_.empty() || std::any_of(forces_.begin(), forces_.end(), [](const auto& batch) {
    return batch->depends_on_velocity();
  });
}

bool System::constraints_depend_on_time() const {
  return std::any_of(constraints_.begin(), constraints_.end(),
                     [](const auto& batch) { return batch->depends_on_time(); });
}

bool System::is_conservative() const {
  return std::all_of(forces_.begin(), forces_.end(),
                     [](const auto& batch) { return batch->is_conservative(); }) &&
         std::all_of(contacts_.begin(), contacts_.end(),
                     [](const auto& source) { return source->is_conservative(); }) &&
         (!sheets_ || sheets_->is_conservative()) && !constraints_depend_on_time();
}

void System::add_contacts(std::unique_ptr<ContactSource> source) {
  change_topology();
  contacts_.push_back(std::move(source));
}

void System::set_sheets(std::unique_ptr<SheetSource> sheets) {
  sheets_ = std::move(sheets);
  change_topology();
}

void System::apply_inverse_mass(const VecX& f, VecX& out) const {
  if (inertias_.empty()) {
    out = Eigen::Map<const VecX>(inverse_mass_.data(), velocity_size()).cwiseProduct(f);
    return;
  }
  out.resize(f.size());
  for (const BodySlot& slot : slots_) {
    out.segment<3>(slot.v) = inverse_mass_[static_cast<std::size_t>(slot.v)] * f.segment<3>(slot.v);
    if (slot.rigid >= 0) {
      const Vec3 torque = f.segment<3>(slot.v + 3);
      out.segment<3>(slot.v + 3).noalias() =
          inertias_[static_cast<std::size_t>(slot.rigid)].inverse * torque;
    }
  }
}

void System::apply_inverse_mass(BodyId body, const double* f, double* out) const {
  const BodySlot& at = slot(body);
  for (int k = 0; k < 3; ++k) out[k] = inverse_mass_[static_cast<std::size_t>(at.v)] * f[k];
  if (at.rigid >= 0)
    Eigen::Map<Vec3>{out + 3} =
        inertias_[static_cast<std::size_t>(at.rigid)].inverse * Eigen::Map<const Vec3>(f + 3);
}

void System::apply_mass(const VecX& v, VecX& out) const {
  out.resize(v.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const BodySlot& slot = slots_[i];
    out.segment<3>(slot.v) = masses_[i] * v.segment<3>(slot.v);
    if (slot.rigid >= 0) {
      const Vec3 w = v.segment<3>(slot.v + 3);
      out.segment<3>(slot.v + 3).noalias() =
          inertias_[static_cast<std::size_t>(slot.rigid)].inertia * w;
    }
  }
}

void System::apply_inverse_mass(const std::vector<JacobianBlock>& blocks, const VecX& J,
                                VecX& values) const {
  values.resize(J.size());
  share(static_cast<int>(blocks.size()), blocks_worth_sharing, [&](int begin, int end) {
    for (int b = begin; b < end; ++b) {
      const JacobianBlock& block = blocks[static_cast<std::size_t>(b)];
      values.segment<3>(block.value) =
          inverse_mass_[static_cast<std::size_t>(block.dof)] * J.segment<3>(block.value);
      if (block.size == 6)
        values.segment<3>(block.value + 3).noalias() =
            inertia_at(block.dof).inverse * J.segment<3>(block.value + 3);
    }
  });
}

const System::Inertia& System::inertia_at(int dof) const {
  const std::size_t where_all_are_rigid = static_cast<std::size_t>(dof) / 6;
  if (where_all_are_rigid < inertias_.size() && inertias_[where_all_are_rigid].v == dof) [[likely]]
    return inertias_[where_all_are_rigid];
  return *std::lower_bound(inertias_.begin(), inertias_.end(), dof,
                           [](const Inertia& inertia, int v) { return inertia.v < v; });
}

double System::kinetic_energy(const VecX& v) const {
  double energy = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const BodySlot& slot = slots_[i];
    energy += 0.5 * masses_[i] * v.segment<3>(slot.v).squaredNorm();
    if (slot.rigid >= 0) {
      const Vec3 w = v.segment<3>(slot.v + 3);
      energy += 0.5 * w.dot(inertias_[static_cast<std::size_t>(slot.rigid)].inertia * w);
    }
  }
  return energy;
}

double System::potential_energy(const Pose& pose) const {
  double energy = 0;
  for (const auto& batch : forces_) energy += batch->potential_energy(*this, pose);
  for (const auto& source : contacts_) energy += source->elastic_energy(pose);
  return energy;
}

double System::energy(const State& state) const {
  return kinetic_energy(state.v) + potential_energy(Pose(*this, state.q));
}

void System::advance(const VecX& q, const VecX& v, double h, VecX& out) const {
  if (inertias_.empty()) {
    out = q + h * v;
    return;
  }
  out.resize(q.size());
  for (const BodySlot& slot : slots_) {
    out.segment<3>(slot.q) = q.segment<3>(slot.q) + h * v.segment<3>(slot.v);
    if (slot.rigid >= 0)
      turn(q.data() + slot.q + 3, h * v.segment<3>(slot.v + 3), out.data() + slot.q + 3);
  }
  follow_turns(q, out);
}

void System::displace(BodyId body, const double* displacement, VecX& q) const {
  const BodySlot& at = slot(body);
  q.segment<3>(at.q) += Eigen::Map<const Vec3>(displacement);
  if (at.rigid >= 0)
    turn(q.data() + at.q + 3, Eigen::Map<const Vec3>(displacement + 3), q.data() + at.q + 3);
  follow_turns(q, q);
}

void System::difference(const VecX& from, const VecX& to, Chart chart, VecX& out) const {
  if (inertias_.empty()) {
    out = to - from;
    return;
  }
  out.resize(velocity_size());
  for (const BodySlot& slot : slots_) {
    out.segment<3>(slot.v) = to.segment<3>(slot.q) - from.segment<3>(slot.q);
    if (slot.rigid < 0) continue;
    const Quat turn =
        quaternion_at(from.data() + slot.q + 3).conjugate() * quaternion_at(to.data() + slot.q + 3);
    out.segment<3>(slot.v + 3) =
        chart == Chart::rotation_vector ? logarithm(turn) : inverse_cayley(turn);
  }
}

void System::position_rate(const VecX& q, const VecX& v, VecX& out) const {
  if (inertias_.empty()) {
    out = v;
    return;
  }
  out.resize(q.size());
  for (const BodySlot& slot : slots_) {
    out.segment<3>(slot.q) = v.segment<3>(slot.v);
    if (slot.rigid < 0) continue;
    const Quat now = quaternion_at(q.data() + slot.q + 3);
    const Vec3 half = 0.5 * v.segment<3>(slot.v + 3);
    const Quat rate = now * Quat(0, half.x(), half.y(), half.z());
    out.segment<4>(slot.q + 3) << rate.w(), rate.x(), rate.y(), rate.z();
  }
  // What they are is found again from the positions: see normalize().
  for (const CountedTurn& turn : turns_) out[turn.q] = 0;
}

void System::normalize(VecX& q) const {
  for (const Inertia& body : inertias_) {
    const int at = slots_[static_cast<std::size_t>(body.body)].q + 3;
    q.segment<4>(at).normalize();
  }
  follow_turns(q, q);
}

int System::constraint_count() const {
  int count = 0;
  for (const auto& batch : constraints_) count += batch->size();
  return count;
}

int System::row_count() const {
  int rows = 0;
  for (const auto& batch : constraints_) rows += batch->size() * batch->rows_per_constraint();
  return rows;
}

void Pose::set(const System& system, const VecX& configuration) {
  slots = system.slots().data();
  q = configuration.data();
  rotations.resize(static_cast<std::size_t>(system.rigid_count()));
  inverses.resize(rotations.size());
  if (rotations.empty()) return;
  for (int i = 0; i < system.body_count(); ++i) update({i});
}

void Pose::update(BodyId body) {
  const BodySlot& slot = slots[body.index];
  if (slot.rigid < 0) return;
  const std::size_t i = static_cast<std::size_t>(slot.rigid);
  rotations[i] = quaternion_at(q + slot.q + 3).toRotationMatrix();
  inverses[i] = rotations[i].transpose();
}

Pose& Pose::operator=(const Pose& other) {
  slots = other.slots;
  rotations = other.rotations;
  inverses = other.inverses;
  mean_ = other.mean_;
  q = other.q == other.mean_.data() ? mean_.data() : other.q;
  return *this;
}

void Pose::set_mean(const System& system, const Pose& first, const Pose& second) {
  slots = first.slots;
  const int size = system.position_size();
  mean_ = 0.5 * (Eigen::Map<const VecX>(first.q, size) + Eigen::Map<const VecX>(second.q, size));
  q = mean_.data();
  rotations.resize(first.rotations.size());
  inverses.resize(rotations.size());
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    rotations[i] = 0.5 * (first.rotations[i] + second.rotations[i]);
    inverses[i] = rotations[i].inverse();
  }
}

}  // namespace taut
