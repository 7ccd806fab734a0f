// What scenes know of each kind of value, besides how to read it.
#pragma once

#include <string>
#include <string_view>

#include "taut/base/type_info.hpp"
#include "taut/text/json.hpp"

namespace taut::io::detail {

/// What a value takes, in words: "a number > 0".
std::string expectation(const ValueType& type, Range range = Range::any);

/// {"$ref": "#/$defs/…"}
Json reference_to(std::string_view definition);
/// The name of the definition of numbers in a range: "positive_number", "integer", …
std::string definition(std::string_view kind, Range range);
/// The JSON Schema of a value.
Json schema_of(const ValueType& type, Range range);
/// An object with these fields, and nothing else but what `object` lists already.
void add_fields(Json& object, const TypeInfo& info);
Json empty_object();
Json schema_of_fields(const TypeInfo& info);
/// An object {"type": …, …} with these fields.
Json schema_of_type(const TypeInfo& info);

/// "rest length, in m", or whichever of the two there is.
std::string description(std::string_view doc, std::string_view unit);

}  // namespace taut::io::detail
