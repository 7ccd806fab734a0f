// The contacts at a state as rows: how fast each of them opens and slides, u = H v, and what an
// impulse does, Hᵀ r. Three numbers for each contact: along its normal and two tangents.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "taut/model/contact.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// A vector turned as a normal has turned, on the shortest way.
Vec3 turned(const Vec3& from, const Vec3& to, const Vec3& vector);

class ContactRows {
 public:
  /// All contacts with a gap of at most `margin`, or that may close within `time`, but those of
  /// bodies that are asleep (one number per body; none: nobody is).
  void find(const System& system, const State& state, double time, double margin,
            std::span<const char> asleep);

  bool empty() const { return contacts_.empty(); }
  int count() const { return static_cast<int>(contacts_.size()); }
  const std::vector<Contact>& contacts() const { return contacts_; }

  struct Lowest {
    double gap = std::numeric_limits<double>::infinity();
    int contact = -1;
  };
  Lowest lowest() const;

  /// u = H v
  void velocities(const VecX& v, VecX& u) const;
  /// out += factor · Hᵀ r
  void add_impulses(const VecX& r, double factor, VecX& out) const;

  /// The part of H of one body in one contact: 3 × size, by rows.
  struct Block {
    int body = 0, dof = 0, size = 0;
    double values[18];
  };
  /// At most two.
  std::span<const Block> blocks(int contact) const {
    const std::size_t c = static_cast<std::size_t>(contact);
    return std::span(blocks_).subspan(first_block_[c], first_block_[c + 1] - first_block_[c]);
  }
  /// Between the contact's axes (normal, tangents) and the world's.
  Vec3 to_world(int contact, const Vec3& in_contact) const {
    return axes_[static_cast<std::size_t>(contact)].transpose() * in_contact;
  }
  Vec3 to_contact(int contact, const Vec3& in_world) const {
    return axes_[static_cast<std::size_t>(contact)] * in_world;
  }

 private:
  void add_block(const System& system, const Point& point, double sign, const Mat3& axes);

  Pose pose_;
  std::vector<Contact> contacts_;
  std::vector<Mat3> axes_;  // rows: normal, tangents
  std::vector<Block> blocks_;
  std::vector<std::size_t> first_block_;
};

}  // namespace taut
