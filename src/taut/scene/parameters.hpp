// The fields of a type as text, for lists and forms.
#pragma once

#include <string>
#include <vector>

#include "taut/base/type_info.hpp"

namespace taut::io {

struct Parameter {
  std::string name, type, unit;
  bool required = false;
  std::string default_value;  ///< "" where there is none
  std::string doc;
};

/// `defaults`: an object as it is made.
std::vector<Parameter> parameters_of(const std::vector<FieldInfo>& fields, const void* defaults);

/// The types of shapes that scenes know.
std::vector<TypeInfo> shape_infos();
/// What else a scene is made of: bodies, robots, cloths, hands.
std::vector<TypeInfo> part_infos();

}  // namespace taut::io
