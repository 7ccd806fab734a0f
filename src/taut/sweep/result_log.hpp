// The results of a long job, as they come: a file to which each is added as soon as it is known, so
// that a job that was killed at any moment goes on where it was.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace taut::sweep {

class ResultLog {
 public:
  /// `job` tells one job from another, on one line. Results of the same job that are already there
  /// are kept, but for a last one that was written only in part. Throws Error if there is a log of
  /// another job, or something else, or another process is writing to it.
  ResultLog(std::filesystem::path path, const std::string& job);
  ~ResultLog();
  ResultLog(const ResultLog&) = delete;
  ResultLog& operator=(const ResultLog&) = delete;

  /// By number. Texts are on one line.
  const std::map<long, std::string>& results() const { return results_; }
  /// It survives whatever happens afterwards.
  void add(long number, const std::string& text);
  /// The job is done: the file is removed.
  void remove();

 private:
  [[noreturn]] void fail(int error) const;
  void write(const std::string& line);

  std::filesystem::path path_;
  int file_ = -1;
  std::map<long, std::string> results_;
};

}  // namespace taut::sweep
