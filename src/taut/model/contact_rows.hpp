// The contacts at a state as rows: how fast each of them opens and slides, u = H v, and what an
// impulse does, Hᵀ r. Three numbers for each contact: along its normal and two tangents. Where some
// contact resists rolling or spinning, three more for each, behind those of all contacts: about the
// normal and the two tangents, divided by the contact's lever so that they are speeds and impulses
// as the others.
//
// Friction that depends on the direction is an ellipse: r_i = μ_i s_i with |s| ≤ r_N, and of all
// such forces that acts which takes the most energy. With s_i and μ_i u_i for r_i and u_i that is
// Coulomb's law with μ = 1, so the tangents are scaled by μ_i / μ, μ being the larger.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "taut/base/kept_vector.hpp"
#include "taut/model/contact.hpp"
#include "taut/model/scale.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// A vector turned as a normal has turned, on the shortest way.
Vec3 turned(const Vec3& from, const Vec3& to, const Vec3& vector);

class ContactRows {
 public:
  /// Room for as many from the start: one more needs no new memory.
  static constexpr int usual_count = 256;

  /// All contacts with a gap of at most `margin`, or that may close within `time`, but those of
  /// bodies that are asleep (one number per body; none: nobody is). Those that are there stay as
  /// they are where nothing has moved since they were found.
  void find(const System& system, const State& state, double time, double margin,
            std::span<const char> asleep, const Stillness& still = {});

  /// Whether find() would find the same, or less.
  bool covers(const System& system, const State& state, double time, double margin,
              std::span<const char> asleep, const Stillness& still = {}) const;

  /// Forgets all contacts but those marked, one number for each.
  void keep(const std::vector<char>& marked);

  bool empty() const { return contacts_.empty(); }
  int count() const { return static_cast<int>(contacts_.size()); }
  /// Numbers that impulses and velocities have.
  int size() const { return (has_torques_ ? 6 : 3) * count(); }
  bool has_torques() const { return has_torques_; }
  /// Where those about the normal and the tangents begin.
  int torque(int contact) const { return 3 * (count() + contact); }
  bool has_compliant() const { return has_compliant_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  const Contact& contact(int number) const { return contacts_[static_cast<std::size_t>(number)]; }

  struct Lowest {
    double gap = std::numeric_limits<double>::infinity();
    int contact = -1;
  };
  Lowest lowest() const;  ///< of those that are rigid

  /// u = H v
  void velocities(const VecX& v, KeptVec& u) const;
  /// out += factor · Hᵀ r
  void add_impulses(const KeptVec& r, double factor, VecX& out) const;

  /// The part of H of one body in one contact: 3 × size, by rows.
  struct Block {
    Block() {}  // leaves the values: they are written at once
    int body = 0, dof = 0, size = 0;
    double values[18];
  };
  /// At most two.
  std::span<const Block> blocks(int contact) const {
    const std::size_t c = static_cast<std::size_t>(contact);
    return std::span(blocks_).subspan(first_block_[c], first_block_[c + 1] - first_block_[c]);
  }
  /// The same of turning; of contacts that resist it.
  const double* turning(const Block& block) const {
    return turning_[static_cast<std::size_t>(&block - blocks_.data())].data();
  }
  /// m: 0 where it resists neither rolling nor spinning.
  double lever(int contact) const { return frames_[static_cast<std::size_t>(contact)].lever; }
  /// μ of the scaled tangents.
  double friction(int contact) const { return frames_[static_cast<std::size_t>(contact)].friction; }

  /// A force or an impulse as numbers of a contact, and back.
  void set_impulse(int contact, const Vec3& force, const Vec3& torque, KeptVec& r) const;
  Vec3 force(int contact, const KeptVec& r) const;
  Vec3 torque(int contact, const KeptVec& r) const;
  /// The velocity along the surface, in the world, and back as numbers of a contact.
  Vec3 slip(int contact, const KeptVec& u) const;
  Vec3 along(int contact, const Vec3& slip) const;
  /// rad/s, in the world: how a turns against b; 0 where nothing resists that.
  Vec3 spin(int contact, const KeptVec& u) const;

 private:
  struct Frame {
    Mat3 axes;  // rows: normal, tangents
    Vec3 scale = Vec3::Ones();
    double friction = 0, lever = 0;
  };
  Frame frame_of(const Contact& contact) const;
  void add_block(const System& system, const Point& point, double sign, const Frame& frame);

  /// For which find() found them.
  struct Asked {
    long topology = -1;  // −1: they are not all that were found
    VecX q, v;
    double time = 0, margin = 0;
  };

  Asked asked_;
  Pose pose_;
  std::vector<Contact> contacts_;
  std::vector<Frame> frames_;
  std::vector<Block> blocks_;
  std::vector<std::array<double, 18>> turning_;  // per block, if has_torques_
  bool has_torques_ = false, has_compliant_ = false;
  std::vector<std::size_t> first_block_;
};

}  // namespace taut
