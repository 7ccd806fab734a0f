// Small changes of a JSON text that leave the rest as it is written.
#pragma once

#include <string>
#include <string_view>

#include "taut/server/places.hpp"

namespace taut::server {

/// Replaces a value, or adds the member to the object at `object` ("" is the whole). Objects on the
/// way that are missing are made.
std::string set_member(const std::string& text, std::string_view object, std::string_view key,
                       std::string_view value);
/// Adds a value to the end of the array at "/key", which is made where there is none.
std::string append_item(const std::string& text, std::string_view key, std::string_view value);
/// Removes an item of an array, by its place among `items`, which are all of them.
std::string remove_item(const std::string& text, const std::vector<Span>& items, std::size_t index);

}  // namespace taut::server
