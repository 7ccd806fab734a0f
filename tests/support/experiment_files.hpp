// Small files of experiments, and what is said about bad ones.
#pragma once

#include <string>

namespace taut::testing {

/// An experiment with these members.
std::string file(const std::string& members);
/// The message about it; empty if there is none.
std::string complaint(const std::string& text);

}  // namespace taut::testing
