// What the two sides of a contact are called, for people.
#pragma once

#include <string>

#include "taut/model/contact.hpp"
#include "taut/model/sheet_source.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// "box", or "box/lid" where the shape has a name of its own; "ground" for a shape of the world.
std::string name_of_a(const System& system, const Contact& contact);
std::string name_of_b(const System& system, const Contact& contact);
/// The same, or the name of a cloth. `side`: 0 or 1.
std::string name_of_side(const System& system, const SheetTouch& touch, std::size_t side);

}  // namespace taut
