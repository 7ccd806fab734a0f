// Quantities of joints, constraints, named forces and contacts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/sensor/quantity.hpp"
#include "taut/sensor/quantity_name_internal.hpp"

namespace taut::detail {

/// A part of the joint, constraint or force of that name. If there is such a thing without such a
/// part, adds to `kind` what it is, and to `known` its parts.
std::optional<Quantity> of_mechanism(const System& system, const std::string& name,
                                     const std::string& part, std::string& kind,
                                     std::vector<std::string>& known);
void list_mechanism(const System& system, std::vector<QuantityGroup>& groups);

/// contact(a).part and contact(a, b).part: the sum over all points at which a touches b, or
/// anything. 0 where nothing touches.
Quantity contact_quantity(const System& system, std::string_view name,
                          const std::vector<std::string_view>& arguments, const std::string& part);

void list_contacts(const System& system, std::vector<QuantityGroup>& groups);

}  // namespace taut::detail
