// What is known of a force type at run time: its fields, and how one is added to a system.
#pragma once

#include <utility>
#include <vector>

#include "taut/base/type_info.hpp"

namespace taut {

class System;

struct ForceInfo : TypeInfo {
  /// Adds one to a system, as apply() does. `force` is what make() made; it is moved from.
  void (*add)(System& system, void* force) = nullptr;
};

/// Every force, in the order in which they are listed.
const std::vector<ForceInfo>& force_types();

/// Of an F for which there is apply(system, F).
template <class F>
ForceInfo describe_force(const FieldList<F>& fields) {
  ForceInfo info{describe(fields)};
  info.add = [](System& system, void* force) { apply(system, std::move(*static_cast<F*>(force))); };
  return info;
}

}  // namespace taut
