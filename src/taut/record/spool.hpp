// What is too large for the memory until it is known where it belongs: bytes on disk, without a
// name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace taut::io {

/// A file beside `path` that has no name and is gone with this object, or with the process. All
/// functions throw WriteError, for `path`, when the disk is full or the place cannot be written.
class Spool {
 public:
  explicit Spool(std::filesystem::path path);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void write(std::string_view bytes);
  void read(std::uint64_t offset, std::span<char> out);
  std::uint64_t size() const { return on_disk_ + buffer_.size(); }

 private:
  void flush();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::string buffer_;  // not yet on disk
  std::uint64_t on_disk_ = 0;
};

}  // namespace taut::io
