// A glove with 22 sensors on a serial line, as the CyberGlove: 115200 baud, 8 bits, no parity. The
// command "S" makes it send records for ever, each the letter S, a byte per sensor (1 to 255) and a
// byte 0; the byte 3 makes it stop. A glove measures no place: that of the wrist stays where it was
// put, or comes from another device.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/devices/device.hpp"

namespace taut::devices {

/// From the raw value of each sensor to an angle: straight lines through points, and beyond the
/// outermost ones on as they go.
struct GloveCalibration {
  struct Point {
    double raw = 0, angle = 0;  ///< angle in rad
  };
  std::array<std::vector<Point>, hand::angle_count> curves;  ///< at least two points each

  double angle(int sensor, double raw) const;
  /// Raw values 1 to 255 are the limits of each angle.
  static GloveCalibration usual();
};
/// A JSON file {"index_mpj": [[raw, degrees], …], …}; angles that are not in it are as usual.
/// Throws Error for what is no such file.
GloveCalibration read_calibration(const std::string& path);

/// Finds records in the bytes of a glove, however they are cut, and whatever is between them.
class GloveParser {
 public:
  using Record = std::array<unsigned char, hand::angle_count>;
  /// The last complete record in all that has come.
  std::optional<Record> add(std::string_view bytes);

 private:
  Record record_{};
  std::size_t count_ = 0;
  bool is_inside_ = false;
};

class CyberGlove final : public Device {
 public:
  /// `port`: "/dev/ttyUSB0". Throws Error where it cannot be opened.
  CyberGlove(const std::string& port, GloveCalibration calibration, const hand::HandPose& wrist);
  ~CyberGlove() override;
  CyberGlove(const CyberGlove&) = delete;
  CyberGlove& operator=(const CyberGlove&) = delete;
  std::optional<HandSample> read() override;
  bool is_connected() const override { return line_ >= 0; }

 private:
  int line_ = -1;
  GloveCalibration calibration_;
  GloveParser parser_;
  HandSample sample_;
};

}  // namespace taut::devices
