// A ZIP archive whose files are stored as they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "taut/record/spool.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {

/// The CRC-32 of ZIP and PNG, of what came before and `bytes`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// With the 64-bit fields of ZIP64 where a file or the archive needs them. All functions throw
/// WriteError when something cannot be written.
class ZipFile {
 public:
  explicit ZipFile(std::filesystem::path path) : file_(std::move(path)) {}

  /// A file that begins with `head` and goes on with what was spooled.
  void add(const std::string& name, std::string_view head, Spool& content);
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0, offset = 0;
  };
  void write(std::string_view bytes);

  WholeFile file_;
  std::uint64_t size_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace taut::io
