#pragma once

#include <filesystem>

#include "commands.hpp"
#include "taut/base/error.hpp"

namespace taut::cli {

/// Does `write` and turns its complaints into those about output.
template <class Write>
auto writing(Write&& write) {
  try {
    return write();
  } catch (const Error& error) {
    throw OutputError(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw OutputError(error.what());
  }
}

}  // namespace taut::cli
