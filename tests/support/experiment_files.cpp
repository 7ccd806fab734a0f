#include "support/experiment_files.hpp"

#include "taut/base/error.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::testing {

std::string file(const std::string& members) {
  return R"({"experiment": 1, "id": "x", )" + members + "}";
}

std::string complaint(const std::string& text) {
  try {
    experiment::detail::read_experiment(text, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace taut::testing
