#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "support/dice.hpp"
#include "taut/devices/vrpn_device.hpp"

namespace taut::devices {
namespace {

using namespace vrpn;

/// Asks until something is true, for up to two seconds.
template <class Condition>
bool soon(const Condition& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(VrpnMessages, ReadBackWhatTheyWere) {
  const TrackerPose pose{3, Vec3(1, -2, 0.5), Quat(0.5, 0.5, -0.5, 0.5)};
  const auto read = read_tracker(tracker_payload(pose));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sensor, 3);
  EXPECT_EQ(read->position, pose.position);
  EXPECT_EQ(read->orientation.coeffs(), pose.orientation.coeffs());
  const std::vector<double> channels{1, 2.5, -3};
  EXPECT_EQ(*read_analog(analog_payload(channels)), channels);
  EXPECT_EQ(read_button(button_payload({7, 1}))->button, 7);
  EXPECT_EQ(*read_force(force_payload(Vec3(1, 2, 3))), Vec3(1, 2, 3));
  EXPECT_EQ(*read_name(name_payload("Tracker0")), "Tracker0");
}

// The bytes themselves, so that both sides of our own cannot be wrong in the same way.
TEST(VrpnMessages, AreBigEndianWithAHeaderOfSixNumbers) {
  std::string bytes;
  append({5.25, 1, 2, button_payload({3, 1})}, bytes);
  const std::string expected(
      "\0\0\0\x20"
      "\0\0\0\x05"
      "\0\x03\xd0\x90"
      "\0\0\0\x01"
      "\0\0\0\x02"
      "\0\0\0\0"
      "\0\0\0\x03"
      "\0\0\0\x01",
      32);
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(cookie().size(), 24u);
  EXPECT_EQ(cookie().substr(0, 16), "vrpn: ver. 07.38");
}

TEST(VrpnMessages, RefuseWhatCannotBeRight) {
  TrackerPose pose;
  pose.position.x() = NAN;
  EXPECT_FALSE(read_tracker(tracker_payload(pose)));
  EXPECT_FALSE(read_tracker("short"));
  EXPECT_FALSE(read_analog(analog_payload(std::vector<double>(129))));
  EXPECT_FALSE(read_analog(analog_payload(std::vector<double>{INFINITY})));
  EXPECT_FALSE(read_button(button_payload({-1, 1})));
  EXPECT_FALSE(read_name(std::string("\x7f\xff\xff\xff") + "name"));
  Reader reader;
  reader.add(std::string(24, '\xff'));
  Message message;
  EXPECT_EQ(reader.take(message), Reader::Status::broken);
}

TEST(Vrpn, HandGoesFromServerToDeviceAndForcesBack) {
  Server server(0);
  VrpnOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  VrpnDevice device(options);
  hand::Angles angles{};
  for (std::size_t i = 0; i < angles.size(); ++i) angles[i] = 0.01 * static_cast<double>(i);
  std::optional<HandSample> sample;
  ASSERT_TRUE(soon([&] {
    server.receive();
    server.send("Tracker0", tracker_type, 12.5,
                tracker_payload({0, Vec3(1, 2, 3), Quat::Identity()}));
    server.send("Glove0", analog_type, 12.5, analog_payload(angles));
    server.send("Glove0", button_type, 12.5, button_payload({2, 1}));
    sample = device.read();
    return sample && sample->pose.angles[5] > 0;
  }));
  EXPECT_EQ(sample->pose.position, Vec3(1, 2, 3));
  EXPECT_EQ(sample->pose.angles, angles);
  EXPECT_EQ(sample->time, 12.5);
  EXPECT_EQ(device.buttons(), 4u);

  HandForces forces;
  forces.fingers = {1, 2, 3, 4, 5};
  forces.wrist = {6, 7, 8};
  std::optional<std::vector<double>> fingers;
  std::optional<Vec3> wrist;
  ASSERT_TRUE(soon([&] {
    device.send(forces);
    for (const Received& received : server.receive()) {
      if (received.type == outputs_type && received.sender == "Glove0")
        fingers = read_outputs(received.payload);
      if (received.type == force_field_type && received.sender == "Tracker0")
        wrist = read_force_field(received.payload)->force;
    }
    return fingers && wrist;
  }));
  EXPECT_EQ(*fingers, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(*wrist, Vec3(6, 7, 8));
}

TEST(Vrpn, DeviceComesBackAfterTheServerWasGone) {
  auto server = std::make_unique<Server>(0);
  const int port = server->port();
  VrpnOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  VrpnDevice device(options);
  const auto moves = [&] {
    server->receive();
    server->send("Tracker0", tracker_type, 1, tracker_payload({}));
    return device.read().has_value();
  };
  ASSERT_TRUE(soon(moves));
  server.reset();
  ASSERT_TRUE(soon([&] { return !device.read() && !device.is_connected(); }));
  server = std::make_unique<Server>(port);
  EXPECT_TRUE(soon(moves));
}

/// A client that says what it likes.
Socket raw_client(int port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

TEST(Vrpn, SurvivesTenThousandMalformedMessages) {
  Server server(0);
  testing::Dice dice(17);
  long sent = 0;
  std::size_t most = 0;
  while (sent < 10'000) {
    Socket client = raw_client(server.port());
    std::string bytes = (dice.between(0, 1) < 0.9) ? cookie() : std::string(24, 'x');
    for (int i = 0; i < 50; ++i, ++sent) {
      std::string message;
      append({1.0, dice.below(5) - 2, dice.below(8) - 4,
              std::string(static_cast<std::size_t>(dice.below(90)), 'z')},
             message);
      // Some bytes are others, or the rest is missing.
      for (int flips = dice.below(6); flips > 0; --flips)
        message[static_cast<std::size_t>(dice.below(static_cast<int>(message.size())))] =
            static_cast<char>(dice.below(256));
      if ((dice.between(0, 1) < 0.2)) message.resize(message.size() / 2);
      bytes += message;
    }
    ::send(client.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    for (const Received& received : server.receive()) {
      read_tracker(received.payload);
      read_analog(received.payload);
    }
    most = std::max(most, server.clients());
  }
  EXPECT_GT(most, 0u);
  // It goes on as if nothing had been, and lets go of those who are gone.
  VrpnOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  ASSERT_TRUE(soon([&] {
    server.receive();
    return server.clients() == 0;
  }));
  VrpnDevice device(options);
  EXPECT_TRUE(soon([&] {
    server.receive();
    server.send("Tracker0", tracker_type, 1, tracker_payload({}));
    return device.read().has_value();
  }));
}

}  // namespace
}  // namespace taut::devices
