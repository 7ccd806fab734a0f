#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <numbers>

#include "io/scratch_folder.hpp"
#include "support/dice.hpp"
#include "support/messages.hpp"
#include "taut/base/error.hpp"
#include "taut/devices/cyberglove.hpp"
#include "taut/devices/plugin_device.hpp"
#include "taut/devices/recorded_session.hpp"

namespace taut::devices {
namespace {

TEST(RecordedSession, ReadsBackToTheLastBit) {
  testing::Dice dice(5);
  RecordedSession session;
  session.step = 1.0 / 3000;
  for (long step : {0L, 1L, 5L}) {
    HandSample sample;
    sample.time = dice.between(0, 1e9);
    sample.pose.position = dice.vector();
    sample.pose.orientation = dice.rotation();
    for (double& angle : sample.pose.angles) angle = dice.between(-1, 1);
    session.add(step, sample);
  }
  const RecordedSession read = parse_session(session_text(session), "test");
  EXPECT_EQ(read.step, session.step);
  EXPECT_EQ(session_text(read), session_text(session));
  RecordedDevice device(read);
  for (long step = 0; step < 7; ++step) {
    const auto sample = device.read();
    ASSERT_EQ(sample.has_value(), step == 0 || step == 1 || step == 5);
    if (step == 5) {
      EXPECT_EQ(sample->pose.angles, session.entries[2].sample.pose.angles);
      EXPECT_EQ(sample->pose.orientation.coeffs(),
                session.entries[2].sample.pose.orientation.coeffs());
    }
  }
}

TEST(RecordedSession, SaysWhatIsWrongWithAFile) {
  const std::string start = "taut hand session 1\n0.001\n";
  const auto message = [&](const std::string& text) -> std::string {
    try {
      parse_session(text, "box.session");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("other\n").find("box.session"), std::string::npos);
  EXPECT_NE(message(start + "0 1 2\n").find("line 3"), std::string::npos);
  EXPECT_NE(message("taut hand session 1\n-1\n").find("line 2"), std::string::npos);
  EXPECT_EQ(message(start), "");
}

TEST(GloveCalibration, IsPiecewiseLinear) {
  GloveCalibration calibration = GloveCalibration::usual();
  calibration.curves[4] = {{50, 0}, {100, 0.5}, {200, 1}};
  EXPECT_DOUBLE_EQ(calibration.angle(4, 75), 0.25);
  EXPECT_DOUBLE_EQ(calibration.angle(4, 150), 0.75);
  EXPECT_DOUBLE_EQ(calibration.angle(4, 0), -0.5);  // on as it goes
  EXPECT_DOUBLE_EQ(calibration.angle(4, 240), 1.2);
}

std::string record(unsigned char first) {
  std::string bytes = "S";
  for (int i = 0; i < hand::angle_count; ++i) bytes += static_cast<char>(first + i);
  return bytes + '\0';
}

TEST(GloveParser, FindsRecordsHoweverTheyAreCut) {
  const std::string bytes = "noise" + record(10) + "\0\0" + record(60);
  for (std::size_t size : {1u, 2u, 7u, 100u}) {
    GloveParser parser;
    int found = 0;
    unsigned char last = 0;
    for (std::size_t at = 0; at < bytes.size(); at += size)
      if (const auto newest = parser.add(std::string_view(bytes).substr(at, size))) {
        ++found;
        last = newest->front();
      }
    EXPECT_GE(found, 1);
    EXPECT_EQ(last, 60);
  }
  testing::Dice dice(3);
  GloveParser parser;
  std::string garbage;
  for (int i = 0; i < 100'000; ++i) garbage += static_cast<char>(dice.below(256));
  parser.add(garbage);
  parser.add(std::string(30, '\0'));
  EXPECT_EQ(parser.add(record(33))->front(), 33);
}

class GloveFile : public io::ScratchFolder {};

// Over a pseudo-terminal: its other end is the glove.
TEST_F(GloveFile, CalibratesAGloveOnASerialLine) {
  const int glove = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  ASSERT_GE(glove, 0);
  ASSERT_EQ(grantpt(glove), 0);
  ASSERT_EQ(unlockpt(glove), 0);
  const std::string file = (folder_ / "glove.json").string();
  std::ofstream(file) << R"({"index_mpj": [[50, 0], [150, 90]]})";
  hand::HandPose wrist;
  wrist.position = {1, 2, 3};
  {
    CyberGlove device(ptsname(glove), read_calibration(file), wrist);
    char command = 0;
    ASSERT_EQ(::read(glove, &command, 1), 1);
    EXPECT_EQ(command, 'S');
    EXPECT_FALSE(device.read());
    std::string bytes = record(100);
    ASSERT_EQ(::write(glove, bytes.data(), 10), 10);
    EXPECT_FALSE(device.read());
    ASSERT_GT(::write(glove, bytes.data() + 10, bytes.size() - 10), 0);
    const auto sample = device.read();
    ASSERT_TRUE(sample);
    EXPECT_NEAR(sample->pose.angles[4], (104 - 50) / 100.0 * std::numbers::pi / 2, 1e-12);
    EXPECT_EQ(sample->pose.position, wrist.position);
    ::close(glove);
    EXPECT_FALSE(device.read());
    EXPECT_FALSE(device.is_connected());
  }
  EXPECT_THROW(CyberGlove("/nowhere/tty", GloveCalibration::usual(), wrist), Error);
}

TEST_F(GloveFile, SaysWhatIsWrong) {
  const std::string file = (folder_ / "glove.json").string();
  for (const char* text : {R"({"index_mpk": [[1, 0], [2, 1]]})", R"({"index_mpj": [[1, 0]]})",
                           R"({"index_mpj": [[2, 0], [1, 1]]})", "[]"}) {
    std::ofstream(file) << text;
    EXPECT_THROW(read_calibration(file), Error) << text;
  }
}

TEST(Plugin, IsADeviceInASharedLibrary) {
  const auto device = open_plugin(std::string(TAUT_TEST_PLUGIN) + ":0.25");
  const auto sample = device->read();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->pose.position, Vec3(1, 2, 3));
  EXPECT_EQ(sample->pose.angles[7], 0.25);
  HandForces forces;
  forces.fingers[1] = 5;
  device->send(forces);
  EXPECT_EQ(device->read()->time, 5);  // what it felt
  EXPECT_FALSE(device->read());
  EXPECT_FALSE(device->is_connected());
  EXPECT_THROW(open_plugin("/nowhere.so"), Error);
  EXPECT_THROW(open_plugin(std::string(TAUT_TEST_PLUGIN) + ":no"), Error);
}

}  // namespace
}  // namespace taut::devices
