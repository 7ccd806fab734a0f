#include "taut/devices/cyberglove.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numbers>

#include "taut/base/error.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::devices {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<GloveCalibration::Point> read_curve(const io::At& at) {
  const auto* items = at->items();
  if (!items || items->size() < 2) io::fail_found(at, "an array of at least two pairs");
  std::vector<GloveCalibration::Point> curve;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const io::At item = at.item(i);
    const auto* pair = item->items();
    if (!pair || pair->size() != 2 || !(*pair)[0].number() || !(*pair)[1].number())
      io::fail_found(item, "a pair [raw, degrees]");
    const double raw = *(*pair)[0].number();
    if (!curve.empty() && !(raw > curve.back().raw))
      io::fail(item, "found a raw value that is not above the one before it");
    curve.push_back({raw, *(*pair)[1].number() * std::numbers::pi / 180});
  }
  return curve;
}

}  // namespace

double GloveCalibration::angle(int sensor, double raw) const {
  const std::vector<Point>& curve = curves[static_cast<std::size_t>(sensor)];
  std::size_t right = 1;
  while (right + 1 < curve.size() && raw > curve[right].raw) ++right;
  const Point &a = curve[right - 1], &b = curve[right];
  return a.angle + (raw - a.raw) * (b.angle - a.angle) / (b.raw - a.raw);
}

GloveCalibration GloveCalibration::usual() {
  GloveCalibration out;
  for (int i = 0; i < hand::angle_count; ++i) {
    const hand::AngleLimits limits = hand::angle_limits(i);
    out.curves[static_cast<std::size_t>(i)] = {{1, limits.lower}, {255, limits.upper}};
  }
  return out;
}

GloveCalibration read_calibration(const std::string& path) {
  const io::Node node = io::parse_json(io::read_text(path, "a glove's calibration"), path);
  const io::At root(node, path);
  if (!node.members()) io::fail_found(root, "an object with angles");
  GloveCalibration out = GloveCalibration::usual();
  std::vector<std::string_view> names;
  for (int i = 0; i < hand::angle_count; ++i) names.push_back(hand::angle_name(i));
  for (const auto& [name, value] : *node.members()) {
    const int angle = hand::find_angle(name);
    if (angle < 0)
      io::fail(root, fmt::format("found \"{}\", expected an angle{}", io::printable(name),
                                 suggestion(name, names)));
    out.curves[static_cast<std::size_t>(angle)] = read_curve(root.member(name));
  }
  return out;
}

std::optional<GloveParser::Record> GloveParser::add(std::string_view bytes) {
  std::optional<Record> newest;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    if (!is_inside_) {
      is_inside_ = byte == 'S' || byte == 'G';
      count_ = 0;
    } else if (count_ < record_.size()) {
      // No sensor says 0: the record was cut, and the next one begins.
      if (byte == 0) is_inside_ = false;
      record_[count_++] = byte;
    } else {
      if (byte == 0) newest = record_;
      is_inside_ = false;
    }
  }
  return newest;
}

CyberGlove::CyberGlove(const std::string& port, GloveCalibration calibration,
                       const hand::HandPose& wrist)
    : line_(::open(port.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)),
      calibration_(std::move(calibration)) {
  if (line_ < 0)
    throw Error(fmt::format("{}: cannot open the glove's line: {}", port, std::strerror(errno)));
  sample_.pose = wrist;
  termios settings{};
  if (tcgetattr(line_, &settings) == 0) {
    cfmakeraw(&settings);
    cfsetispeed(&settings, B115200);
    cfsetospeed(&settings, B115200);
    tcsetattr(line_, TCSANOW, &settings);
  }
  if (::write(line_, "S", 1) != 1) {
    ::close(line_);
    throw Error(fmt::format("{}: the glove cannot be told to begin", port));
  }
}

CyberGlove::~CyberGlove() {
  if (line_ < 0) return;
  [[maybe_unused]] const ssize_t count = ::write(line_, "\3", 1);  // gone or not, it is over
  ::close(line_);
}

std::optional<HandSample> CyberGlove::read() {
  std::optional<GloveParser::Record> record;
  char block[1024];
  while (line_ >= 0) {
    const ssize_t count = ::read(line_, block, sizeof block);
    if (count > 0) {
      if (const auto newest = parser_.add({block, static_cast<std::size_t>(count)}))
        record = newest;
      continue;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {  // it was unplugged
      ::close(line_);
      line_ = -1;
    }
    break;
  }
  if (!record) return std::nullopt;
  for (int i = 0; i < hand::angle_count; ++i)
    sample_.pose.angles[static_cast<std::size_t>(i)] =
        calibration_.angle(i, (*record)[static_cast<std::size_t>(i)]);
  sample_.time = now();
  return sample_;
}

}  // namespace taut::devices
