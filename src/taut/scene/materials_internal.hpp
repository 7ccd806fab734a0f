// The materials that a scene knows: its own, and those that are built in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/collision/material.hpp"

namespace taut::io::detail {

/// What shapes, materials and pairs of materials may say of contacts beside friction and
/// restitution.
struct ContactFields {
  std::optional<double> rolling_friction, spinning_friction;
  std::optional<double> stiffness, damping, erp, cfm;
  static FieldList<ContactFields> list();
  bool any() const {
    return rolling_friction || spinning_friction || stiffness || damping || erp || cfm;
  }
};

/// An entry of the list "materials".
struct MaterialFields : ContactFields {
  std::optional<double> density;
  double friction = 0.5, restitution = 0;
  static const TypeInfo& info();
};

/// An entry of the list "material_pairs".
struct MaterialPairFields : ContactFields {
  std::vector<std::string> materials;
  std::optional<double> friction, restitution;
  static const TypeInfo& info();
};

class Materials {
 public:
  Materials();
  /// Takes the place of a built-in one of that name, with its pairs. False: the scene has it twice.
  bool add(collision::Material material);
  /// −1 where there is none.
  int find(std::string_view name) const;
  const collision::Material& operator[](int number) const {
    return all_[static_cast<std::size_t>(number)];
  }
  std::vector<std::string_view> names() const;

  collision::SurfacePairs pairs;

 private:
  std::vector<collision::Material> all_;  // the built-in ones first
};

}  // namespace taut::io::detail
