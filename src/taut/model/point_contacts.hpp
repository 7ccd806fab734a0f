// Points of bodies that stay on one side of planes of the world: the simplest contacts there are.
#pragma once

#include <vector>

#include "taut/model/contact.hpp"

namespace taut {

/// What is below it, against its normal, is solid.
struct ContactPlane {
  Vec3 normal = Vec3::UnitZ();  ///< of unit length
  double offset = 0;            ///< normal·x of its points
  double friction = 0;
  double restitution = 0;
};

class PointContacts final : public ContactSource {
 public:
  std::vector<Point> points;
  std::vector<ContactPlane> planes;

  void find(const Pose& pose, const VecX& v, double time, double margin,
            std::vector<Contact>& out) const override;
  bool is_conservative() const override;
  double reach() const override;
};

}  // namespace taut
