#include "taut/record/spool.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

constexpr std::size_t large_buffer = 1 << 18;

}  // namespace

Spool::Spool(std::filesystem::path path) : path_(std::move(path)) {
  std::string name = path_.string() + ".XXXXXX";
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) fail(errno);
  ::unlink(name.c_str());
}

Spool::~Spool() { ::close(file_); }

void Spool::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() > large_buffer) flush();
}

void Spool::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t written = ::pwrite(file_, buffer_.data() + done, buffer_.size() - done,
                                     static_cast<off_t>(on_disk_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    done += static_cast<std::size_t>(written);
  }
  on_disk_ += buffer_.size();
  buffer_.clear();
}

void Spool::read(std::uint64_t offset, std::span<char> out) {
  if (!buffer_.empty()) flush();
  while (!out.empty()) {
    const ssize_t got = ::pread(file_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got < 0 ? errno : EIO);
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

void Spool::fail(int error) const {
  throw WriteError(
      fmt::format("{}: cannot be written: {}", shown_file(path_.string()), std::strerror(error)));
}

}  // namespace taut::io
