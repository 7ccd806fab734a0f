// What is known of a constraint type at run time: its fields, and how one is added to a system.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "taut/base/type_info.hpp"

namespace taut {

class System;
struct JointFrame;

struct ConstraintInfo : TypeInfo {
  /// Adds one to a system, as constrain() does. `constraint` is what make() made; it is moved from.
  void (*add)(System& system, void* constraint, std::string name) = nullptr;
  bool is_joint = false;  ///< it connects frames of two rigid bodies
};

/// Every constraint, in the order in which they are listed.
const std::vector<ConstraintInfo>& constraint_types();

/// Of a C for which there is constrain(system, C, name).
template <class C>
ConstraintInfo describe_constraint(const FieldList<C>& fields) {
  ConstraintInfo info{describe(fields)};
  info.add = [](System& system, void* constraint, std::string name) {
    constrain(system, std::move(*static_cast<C*>(constraint)), std::move(name));
  };
  info.is_joint = std::is_base_of_v<JointFrame, C>;
  return info;
}

}  // namespace taut
