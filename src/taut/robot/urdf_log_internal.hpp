// What urdfdom says on the console, as text.
#pragma once

#include <console_bridge/console.h>

#include <mutex>
#include <string>
#include <thread>

namespace taut::io::detail {

/// While it lives, what this thread logs by console_bridge is kept here and not printed; what other
/// threads log goes where it went before. One at a time in the whole program: others wait.
class UrdfLog final : public console_bridge::OutputHandler {
 public:
  UrdfLog() : lock_(one_at_a_time()), before_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~UrdfLog() override { console_bridge::useOutputHandler(before_); }
  UrdfLog(const UrdfLog&) = delete;
  UrdfLog& operator=(const UrdfLog&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* file,
           int line) override {
    if (std::this_thread::get_id() != owner_) {
      if (before_) before_->log(text, level, file, line);
    } else if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) {
      add(text);
    }
  }

  void add(const std::string& text) {
    if (text_.size() < 10'000) text_ += (text_.empty() ? "" : "; ") + text;
  }
  const std::string& text() const { return text_; }

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }

  std::scoped_lock<std::mutex> lock_;
  console_bridge::OutputHandler* before_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::string text_;
};

}  // namespace taut::io::detail
