#include "taut/record/input_json.hpp"

#include <cmath>

namespace taut::io {

Json input_json(const Input& input) {
  Json json{{"name", input.name},
            {"unit", input.unit},
            {"description", input.description},
            {"start", input.start}};
  if (std::isfinite(input.min)) json["min"] = input.min;
  if (std::isfinite(input.max)) json["max"] = input.max;
  return json;
}

}  // namespace taut::io
