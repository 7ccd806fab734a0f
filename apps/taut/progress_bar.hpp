// A line on standard error that shows how far a long job is.
#pragma once

#include <chrono>
#include <string>

namespace taut::cli {

class ProgressBar {
 public:
  /// Draws nothing when it is not `wanted` or standard error is not a terminal.
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `fraction` of the work done, 0 to 1; `label` says what is being done. Cheap to call often: it
  /// redraws at most ten times a second.
  void update(double fraction, const std::string& label);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

/// 75 → "1:15", 3.25 → "3.2 s"
std::string duration_text(double seconds);

}  // namespace taut::cli
