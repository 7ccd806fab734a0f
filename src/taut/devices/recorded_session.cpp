#include "taut/devices/recorded_session.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/text/json_text.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::devices {
namespace {

constexpr std::string_view first_line = "taut hand session 1";
constexpr int numbers_per_sample = 8 + hand::angle_count;

/// All numbers of a sample, one after the other.
template <class Sample, class Visit>
void visit_numbers(Sample& sample, const Visit& visit) {
  visit(sample.time);
  for (int i = 0; i < 3; ++i) visit(sample.pose.position[i]);
  visit(sample.pose.orientation.w());
  visit(sample.pose.orientation.x());
  visit(sample.pose.orientation.y());
  visit(sample.pose.orientation.z());
  for (auto& angle : sample.pose.angles) visit(angle);
}

class Lines {
 public:
  Lines(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  bool next() {
    if (text_.empty()) return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  double number() {
    while (line_.starts_with(' ')) line_.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    if (error != std::errc()) fail("a number");
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }
  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(fmt::format("{}: line {}: expected {}", origin_, number_, expected));
  }

 private:
  std::string_view text_, line_;
  const std::string& origin_;
  long number_ = 0;
};

}  // namespace

RecordedSession parse_session(std::string_view text, const std::string& origin) {
  Lines lines(text, origin);
  if (!lines.next() || lines.line() != first_line)
    throw Error(fmt::format("{}: expected the line \"{}\" at the start", origin, first_line));
  RecordedSession session;
  if (!lines.next()) lines.fail("the step in s");
  session.step = lines.number();
  if (!(session.step > 0) || !std::isfinite(session.step)) lines.fail("a step above 0");
  while (lines.next()) {
    if (lines.line().empty()) continue;
    RecordedSession::Entry entry;
    const double step = lines.number();
    const double before =
        session.entries.empty() ? -1 : static_cast<double>(session.entries.back().step);
    if (!(step > before) || step != std::floor(step) || step > 1e15)
      lines.fail("the number of a later step");
    entry.step = static_cast<long>(step);
    visit_numbers(entry.sample, [&](double& value) { value = lines.number(); });
    if (!lines.line().empty())
      lines.fail(fmt::format("the end of the line after {} numbers", 1 + numbers_per_sample));
    session.entries.push_back(entry);
  }
  return session;
}

RecordedSession read_session(const std::string& path) {
  return parse_session(io::read_text(path, "a recorded session"), path);
}

std::string session_text(const RecordedSession& session) {
  std::string text = fmt::format("{}\n{}\n", first_line, session.step);
  for (const RecordedSession::Entry& entry : session.entries) {
    fmt::format_to(std::back_inserter(text), "{}", entry.step);
    visit_numbers(entry.sample,
                  [&](double value) { fmt::format_to(std::back_inserter(text), " {}", value); });
    text += '\n';
  }
  return text;
}

void write_session(const std::string& path, const RecordedSession& session) {
  io::WholeFile file(path);
  file.write(session_text(session));
  file.finish();
}

std::optional<HandSample> RecordedDevice::read() {
  const long now = step_++;
  if (next_ == session_.entries.size() || session_.entries[next_].step != now) return std::nullopt;
  return session_.entries[next_++].sample;
}

}  // namespace taut::devices
