#include "taut/text/whole_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "taut/base/error.hpp"
#include "taut/text/at.hpp"

namespace taut::io {

void require_replaceable(const std::filesystem::path& path) {
  std::error_code no_throw;
  if (std::filesystem::exists(path, no_throw) && !std::filesystem::is_regular_file(path, no_throw))
    throw WriteError(shown_file(path.string()) +
                     ": cannot be written: found something there that is not a file");
}

WholeFile::WholeFile(std::filesystem::path path) : path_(std::move(path)) {
  require_replaceable(path_);
  // Unique among processes and threads that write to the same place.
  static std::atomic<unsigned> number{0};
  temporary_ = path_;
  temporary_ += fmt::format(".{}-{}.tmp", ::getpid(), number++);
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (!file_) fail(errno);
}

WholeFile::~WholeFile() {
  if (!file_) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void WholeFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void WholeFile::finish() {
  // On the disk before it gets its name: the order survives a power cut.
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail(errno);
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary_.c_str());
    fail(error);
  }
}

void WholeFile::fail(int error) const {
  throw WriteError(
      fmt::format("{}: cannot be written: {}", shown_file(path_.string()), std::strerror(error)));
}

}  // namespace taut::io
