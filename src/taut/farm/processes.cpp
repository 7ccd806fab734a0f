#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "taut/base/error.hpp"
#include "taut/farm/processes_internal.hpp"

namespace taut::farm {
namespace {

constexpr char is_done = 'd', has_failed = 'f';
constexpr int result_file = 3;

void write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    done += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void be_child(const Work& work, long number, int pipe, pid_t parent) {
  // Whoever waits for the result is gone: so is the work.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // Neither are files and connections of the parent kept open, nor locks held, by a child.
  if (pipe != result_file && ::dup2(pipe, result_file) < 0) ::_exit(1);
  ::close_range(result_file + 1, ~0u, 0);
  std::string text;
  try {
    text = is_done + work(number);
  } catch (const std::bad_alloc&) {
    text = std::string(1, has_failed) + "not enough memory";
  } catch (const std::exception& error) {
    text = has_failed + std::string(error.what());
  }
  write_all(result_file, text);
  ::_exit(0);
}

}  // namespace

void Processes::start(long number) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(fmt::format("no process can be started: {}", std::strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw Error(fmt::format("no process can be started: {}", std::strerror(error)));
  }
  if (process == 0) {
    ::close(ends[0]);
    be_child(work_, number, ends[1], parent);
  }
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  children_.push_back({number, process, ends[0], {}});
}

void Processes::add_to(std::vector<pollfd>& waiting) const {
  for (const Child& child : children_) waiting.push_back({child.pipe, POLLIN, 0});
}

std::vector<Result> Processes::ended() {
  std::vector<Result> results;
  for (std::size_t i = 0; i < children_.size();) {
    Child& child = children_[i];
    char block[1 << 14];
    ssize_t got = 0;
    while ((got = ::read(child.pipe, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))
      if (got > 0) child.text.append(block, static_cast<std::size_t>(got));
    if (got < 0) {  // it is not at its end
      ++i;
      continue;
    }
    results.push_back(judged(child));
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return results;
}

Result Processes::judged(Child& child) {
  ::close(child.pipe);
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  Result result{child.number, false, {}};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    result.text =
        fmt::format("its process was ended by signal {} ({}){}", signal, ::strsignal(signal),
                    signal == SIGKILL ? "; was there enough memory?" : "");
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || child.text.empty()) {
    result.text = fmt::format("its process ended with code {} and without a result",
                              WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  } else {
    result.is_done = child.text.front() == is_done;
    result.text = child.text.substr(1);
  }
  return result;
}

Processes::~Processes() {
  for (Child& child : children_) ::kill(child.process, SIGKILL);
  for (Child& child : children_) {
    ::close(child.pipe);
    while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

}  // namespace taut::farm
