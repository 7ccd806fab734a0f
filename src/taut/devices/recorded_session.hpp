// What a device measured in each step of a session, kept as a file, and played back bit for bit.
//
// A text file: the line "taut hand session 1", a line with the step in s, and for each sample a
// line with the number of the step that it came before and 30 numbers: the device's time, position
// (x y z), orientation (w x y z) and the 22 angles. Numbers read back as exactly what they were.
#pragma once

#include <string>
#include <vector>

#include "taut/devices/device.hpp"

namespace taut::devices {

struct RecordedSession {
  struct Entry {
    long step = 0;
    HandSample sample;
  };
  double step = 0.001;  ///< s
  std::vector<Entry> entries;

  void add(long number, const HandSample& sample) { entries.push_back({number, sample}); }
};

/// Throws Error for what is no such file, with the line.
RecordedSession read_session(const std::string& path);
RecordedSession parse_session(std::string_view text, const std::string& origin);
std::string session_text(const RecordedSession& session);
/// Complete or not at all. Throws Error where it cannot be written.
void write_session(const std::string& path, const RecordedSession& session);

/// Plays a session: each read() is one step.
class RecordedDevice final : public Device {
 public:
  explicit RecordedDevice(RecordedSession session) : session_(std::move(session)) {}
  std::optional<HandSample> read() override;
  bool is_connected() const override { return next_ < session_.entries.size(); }

 private:
  RecordedSession session_;
  std::size_t next_ = 0;
  long step_ = 0;
};

}  // namespace taut::devices
