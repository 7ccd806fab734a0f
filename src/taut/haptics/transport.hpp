// A hand whose device has jumped, and stays there, is carried to it at once, with what it holds.
//
// It could not go there: limbs are no faster than about 3 m/s, whatever pulls them. So the hand is
// moved by the way that the device jumped, along a straight line, as far as nothing is in the way;
// nothing is passed through, and nothing is hit. Free bodies that it holds, or that it would push
// at once, go along, and then all that these would push. As this is one shift of all of them,
// distances and contact forces between them stay as they are: what is held is held on.
#pragma once

#include <span>
#include <vector>

#include "taut/model/contact.hpp"
#include "taut/model/state.hpp"

namespace taut::haptics {

class Transport {
 public:
  /// Changes q, and returns which part of the way it was, 0 to 1. Allocates nothing after the
  /// first call, unless more touches.
  double carry(const System& system, std::span<const BodyId> limbs, const Vec3& way,
               const State& state, VecX& q);

 private:
  void adapt(const System& system);
  void take_along(const Vec3& direction);

  const System* of_ = nullptr;
  std::vector<char> is_free_;  // per body: nothing ties it to something else
  std::vector<char> moves_;    // per body
  std::vector<Contact> contacts_;
  Pose pose_;
};

}  // namespace taut::haptics
