#include "taut/record/growing_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

constexpr std::size_t large_buffer = 1 << 16;

bool is_same_file(int file, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

GrowingFile::GrowingFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(partial_name(path_)) {
  require_replaceable(path_);
  require_replaceable(partial_);
  open();
}

// A lock keeps two runs from writing to the same file; what a dead run left is replaced.
void GrowingFile::open() {
  for (;;) {
    file_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) fail(errno);
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(file_);
      throw WriteError(fmt::format("{}: cannot be written: another run is writing it now",
                                   shown_file(path_.string())));
    }
    if (is_same_file(file_, partial_)) break;  // else another run has just renamed it
    ::close(file_);
  }
  if (::ftruncate(file_, 0) != 0) fail(errno);
}

GrowingFile::~GrowingFile() {
  if (is_finished()) return;
  try {
    flush();
  } catch (const WriteError&) {
    // What did get through is kept.
  }
  if (on_disk_ == 0) std::remove(partial_.c_str());
  ::close(file_);
}

void GrowingFile::end_record() {
  records_.push_back(buffer_.size());
  if (buffer_.size() > large_buffer) flush();
}

void GrowingFile::flush() {
  if (!records_.empty()) write_out(records_.back());
}

void GrowingFile::write_out(std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t written = ::write(file_, buffer_.data() + done, count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      // Only complete records stay.
      const int error = errno;
      std::size_t complete = 0;
      for (const std::size_t end : records_)
        if (end <= done) complete = end;
      on_disk_ += complete;
      buffer_.clear();
      records_.clear();
      [[maybe_unused]] const int cut = ::ftruncate(file_, static_cast<off_t>(on_disk_));
      [[maybe_unused]] const off_t at = ::lseek(file_, static_cast<off_t>(on_disk_), SEEK_SET);
      fail(error);
    }
    done += static_cast<std::size_t>(written);
  }
  on_disk_ += count;
  buffer_.erase(0, count);
  records_.clear();
}

void GrowingFile::finish() {
  write_out(buffer_.size());
  // On the disk before it gets its name: the order survives a power cut.
  if (::fsync(file_) != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
  ::close(file_);
  file_ = -1;
}

std::filesystem::path GrowingFile::place() const {
  if (is_finished()) return path_;
  return on_disk_ > 0 ? partial_ : std::filesystem::path();
}

void GrowingFile::fail(int error) const {
  throw WriteError(
      fmt::format("{}: cannot be written: {}", shown_file(path_.string()), std::strerror(error)));
}

}  // namespace taut::io
