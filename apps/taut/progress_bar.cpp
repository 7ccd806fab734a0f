#include "progress_bar.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace taut::cli {

ProgressBar::ProgressBar(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO)), start_(Clock::now()), last_(start_) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(double fraction, const std::string& label) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 30;
  const double done = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(done * width);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      done > 0 ? fmt::format(", {} left", duration_text(elapsed * (1 - done) / done)) : "";
  fmt::print(stderr, "\r\033[K[{:#<{}}{:-<{}}] {:3.0f} %  {}{}  {}", "", filled, "", width - filled,
             100 * done, duration_text(elapsed), left, label);
  std::fflush(stderr);
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", 1e6 * seconds);
  if (seconds < 0.1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const double whole = std::floor(seconds);
  if (seconds < 3600)
    return fmt::format("{:.0f}:{:02.0f}", std::floor(whole / 60), std::fmod(whole, 60));
  return fmt::format("{:.0f}:{:02.0f}:{:02.0f}", std::floor(whole / 3600),
                     std::floor(std::fmod(whole, 3600) / 60), std::fmod(whole, 60));
}

}  // namespace taut::cli
