// A file that appears complete or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "taut/base/error.hpp"

namespace taut::io {

/// Results could not be written, while the input was fine.
class WriteError : public Error {
 public:
  using Error::Error;
};

/// Throws WriteError if there is something at `path` that is not a file, such as a device: renaming
/// would replace it.
void require_replaceable(const std::filesystem::path& path);

/// Writes to a temporary name beside the final one. All functions throw WriteError when the disk is
/// full or the place cannot be written.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();  ///< without finish() nothing is left behind
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view text);
  void finish();  ///< gives the file its final name, replacing what was there

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace taut::io
