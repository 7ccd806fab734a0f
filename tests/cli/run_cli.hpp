// Runs the taut executable as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace taut::cli {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A directory of its own for each test, removed at the end.
class Scratch {
 public:
  Scratch() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("taut_cli_" + std::string(test->name()) + "_" + std::to_string(getpid()) + "_" +
             std::to_string(count++));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  static inline int count = 0;
  std::filesystem::path path_;
};

struct Result {
  int code = -1;
  std::string out, err;
};

class Process {
 public:
  /// `program`: taut, unless another one is named; the first argument follows.
  Process(std::vector<std::string> arguments, const Scratch& scratch,
          const std::string& program = TAUT_CLI_PATH)
      : out_(scratch / "stdout.txt"), err_(scratch / "stderr.txt") {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int out = open(out_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const int err = open(err_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out, STDOUT_FILENO);
      dup2(err, STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out);
    close(err);
  }

  void signal(int number) const { kill(pid_, number); }

  Result wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), file_text(out_),
            file_text(err_)};
  }

 private:
  std::filesystem::path out_, err_;
  pid_t pid_;
};

/// A script for a shell, in which $TAUT is the program.
inline Result shell(const std::string& script, const std::string& shell = "/bin/sh") {
  const Scratch scratch;
  return Process({"-c", std::string("TAUT='") + TAUT_CLI_PATH + "'\n" + script}, scratch, shell)
      .wait();
}

inline Result taut(std::vector<std::string> arguments) {
  const Scratch scratch;
  return Process(std::move(arguments), scratch).wait();
}

}  // namespace taut::cli
