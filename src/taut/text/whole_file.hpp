// A file that appears complete or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace taut::io {

/// Writes to a temporary name beside the final one. All functions throw Error when the disk is full
/// or the place cannot be written.
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
