// An input in JSON, as recordings and the viewer have it.
#pragma once

#include "taut/model/inputs.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {

/// Bounds that are not finite are left out.
Json input_json(const Input& input);

}  // namespace taut::io
