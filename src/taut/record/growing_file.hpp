// A file that grows during a run, and of which everything recorded is kept if the run dies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace taut::io {

/// Writes to PATH.partial; finish() renames that to PATH. So half a file never has the final name,
/// and after a crash or on a full disk the complete records are in PATH.partial. All functions
/// throw WriteError when the disk is full or the place cannot be written.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path);
  /// Without finish(), PATH.partial stays, with all complete records; nothing stays if there is
  /// none.
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void write(std::string_view bytes) { buffer_ += bytes; }
  /// What was written so far is worth keeping. Before the first record nothing reaches the disk.
  void end_record();
  /// Hands all complete records to the operating system: they survive the end of this process.
  void flush();
  void finish();

  /// Where the records are: PATH.partial, or PATH after finish(). Empty while none is on the disk.
  std::filesystem::path place() const;
  std::uint64_t size() const { return on_disk_ + buffer_.size(); }

  static std::filesystem::path partial_name(std::filesystem::path path) {
    return path += ".partial";
  }

 private:
  bool is_finished() const { return file_ < 0; }
  void open();
  void write_out(std::size_t count);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, partial_;
  int file_ = -1;
  std::string buffer_;                // not yet on disk
  std::vector<std::size_t> records_;  // where in the buffer complete records end
  std::uint64_t on_disk_ = 0;
};

}  // namespace taut::io
