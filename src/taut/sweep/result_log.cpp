#include "taut/sweep/result_log.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "taut/base/checksum.hpp"
#include "taut/base/error.hpp"
#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::sweep {
namespace {

std::string with_sum(const std::string& text) {
  return fmt::format("{:016x} {}\n", checksum(text), text);
}

/// What such a line says; false: it is damaged.
bool without_sum(std::string_view line, std::string& text) {
  if (line.size() < 17 || line[16] != ' ') return false;
  text = line.substr(17);
  return line.substr(0, 16) == fmt::format("{:016x}", checksum(text));
}

std::string content(int file) {
  std::string text;
  char block[1 << 16];
  for (ssize_t got = 0; (got = ::read(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  return text;
}

}  // namespace

ResultLog::ResultLog(std::filesystem::path path, const std::string& job) : path_(std::move(path)) {
  io::require_replaceable(path_);
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
  // One that was killed just now may still be there for a moment.
  for (int i = 0; i < 20 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++i)
    ::usleep(50000);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(file_);
    file_ = -1;
    if (error != EWOULDBLOCK) fail(error);
    throw Error(
        fmt::format("{}: another process is writing it now; wait for it, or choose another "
                    "--out",
                    io::shown_file(path_.string())));
  }
  const std::string text = content(file_);
  std::size_t good = 0;
  std::string line;
  for (bool is_first = true; good < text.size(); is_first = false) {
    const std::size_t end = text.find('\n', good);
    if (end == text.npos || !without_sum(std::string_view(text).substr(good, end - good), line))
      break;
    if (is_first && line != job)
      throw Error(
          fmt::format("{}: has the results of a job that was begun with other arguments, another "
                      "scene or another build of taut; finish it with these, remove the file, or "
                      "choose another --out",
                      io::shown_file(path_.string())));
    if (!is_first) {
      char* after = nullptr;
      const long number = std::strtol(line.c_str(), &after, 10);
      results_[number] = *after == ' ' ? after + 1 : after;
    }
    good = end + 1;
  }
  // Of a job that was killed as it began, there may be a part of the first line.
  if (good == 0 && !with_sum(job).starts_with(text))
    throw Error(
        fmt::format("{}: is no file of results, which it would be replaced by; remove it, or "
                    "choose another --out",
                    io::shown_file(path_.string())));
  // What was written in part is written again.
  if (::ftruncate(file_, static_cast<off_t>(good)) != 0 ||
      ::lseek(file_, static_cast<off_t>(good), SEEK_SET) < 0)
    fail(errno);
  if (good == 0) write(with_sum(job));
}

ResultLog::~ResultLog() {
  if (file_ >= 0) ::close(file_);
}

void ResultLog::write(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(file_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    done += static_cast<std::size_t>(written);
  }
  if (::fdatasync(file_) != 0) fail(errno);
}

void ResultLog::add(long number, const std::string& text) {
  write(with_sum(fmt::format("{} {}", number, text)));
  results_[number] = text;
}

void ResultLog::remove() {
  ::unlink(path_.c_str());
  ::close(file_);
  file_ = -1;
}

void ResultLog::fail(int error) const {
  throw io::WriteError(fmt::format("{}: cannot be written: {}", io::shown_file(path_.string()),
                                   std::strerror(error)));
}

}  // namespace taut::sweep
