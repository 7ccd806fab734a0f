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

std::string bytes_of(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// What VRPN's own library (vrpn/vrpn, commit 893c7496) wrote when it was asked for these.
struct Golden {
  const char* what;
  double time;
  std::int32_t sender, type;
  std::string payload;  // as ours
  const char* hex;      // theirs, the whole message, with their sequence number
};
const std::vector<Golden>& golden() {
  static const std::vector<Golden> all{
      {"tracker", 5.25, 1, 4, tracker_payload({3, Vec3(1, -2, 0.5), Quat(0.5, 0.5, -0.5, 0.5)}),
       "00000058000000050003d09000000001000000040000001b00000003000000033ff0000000000000c0000000000"
       "000"
       "003fe00000000000003fe0000000000000bfe00000000000003fe00000000000003fe0000000000000"},
      {"analog", 5.25, 2, 18, analog_payload(std::vector<double>{1, 2.5, -3}),
       "00000038000000050003d09000000002000000120000001c40080000000000003ff000000000000040040000000"
       "000"
       "00c008000000000000"},
      {"sender", 1794976588.760666, 0, -1, name_payload("VRPN Control"),
       "000000296afd2b4c000b9b5a00000000ffffffff000000000000000d5652504e20436f6e74726f6c00000000000"
       "000"
       "00"},
      {"type", 1794976588.760668, 0, -2, name_payload("VRPN_Connection_Got_First_Connection"),
       "000000416afd2b4c000b9b5c00000000fffffffe00000003000000255652504e5f436f6e6e656374696f6e5f476"
       "f74"
       "5f46697273745f436f6e6e656374696f6e0000000000000000"}};
  return all;
}

TEST(VrpnMessages, AreByteForByteThoseOfVrpn) {
  EXPECT_EQ(cookie(), bytes_of("7672706e3a207665722e2030372e33382020300000000000"));
  for (const Golden& message : golden()) {
    std::string theirs = bytes_of(message.hex), ours;
    Reader reader;
    reader.add(theirs);
    Message read;
    ASSERT_EQ(reader.take(read), Reader::Status::message) << message.what;
    EXPECT_NEAR(read.time, message.time, 1e-6) << message.what;
    EXPECT_EQ(read.sender, message.sender) << message.what;
    EXPECT_EQ(read.type, message.type) << message.what;
    EXPECT_EQ(read.payload, message.payload) << message.what;
    append({message.time, message.sender, message.type, message.payload}, ours);
    theirs.replace(20, 4, 4, '\0');  // the sequence number, for those who watch the network
    EXPECT_EQ(ours, theirs) << message.what;
  }
  EXPECT_EQ(force_payload(Vec3(6, 7, -8)),
            bytes_of("4018000000000000401c000000000000c020000000000000"));
  EXPECT_EQ(force_field_payload({Vec3(1, -2, 0.5), Vec3(3, 4, -5), 1}),
            bytes_of("3f800000c00000003f0000004040000040800000c0a00000" + std::string(72, '0') +
                     "3f800000"));
  // Number of channels, and four bytes of nothing.
  EXPECT_EQ(outputs_payload(std::vector<double>{1, -2}),
            bytes_of("00000002000000003ff0000000000000c000000000000000"));
  EXPECT_EQ(*read_outputs(outputs_payload(std::vector<double>{1, -2})),
            (std::vector<double>{1, -2}));
  EXPECT_EQ(read_force_field(force_field_payload({Vec3(1, -2, 0.5), Vec3(3, 4, -5), 1}))->force,
            Vec3(3, 4, -5));
}

TEST(VrpnMessages, RefuseWhatCannotBeRight) {
  TrackerPose pose;
  pose.position.x() = NAN;
  EXPECT_FALSE(read_tracker(tracker_payload(pose)));
  EXPECT_FALSE(read_tracker("short"));
  EXPECT_FALSE(read_analog(analog_payload(std::vector<double>(129))));
  EXPECT_FALSE(read_analog(analog_payload(std::vector<double>{INFINITY})));
  EXPECT_FALSE(read_button(button_payload({-1, 1})));
  EXPECT_FALSE(read_outputs(bytes_of("7fffffff00000000")));
  EXPECT_FALSE(read_force_field(std::string(64, '\xff')));
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

/// All bytes until a text comes.
std::string read_until(const Socket& socket, std::string_view text, Server& server) {
  std::string out;
  soon([&] {
    server.receive();
    char block[4096];
    const ssize_t count = ::recv(socket.number(), block, sizeof block, MSG_DONTWAIT);
    if (count > 0) out.append(block, static_cast<std::size_t>(count));
    return out.find(text) != std::string::npos;
  });
  return out;
}

// VRPN's clients warn their users if nobody answers.
TEST(Vrpn, ServerAnswersWhoAsksWhetherItIsAlive) {
  Server server(0);
  const Socket client = raw_client(server.port());
  std::string bytes = cookie();
  append({0, 0, sender_description, name_payload("Tracker0")}, bytes);
  append({0, 0, type_description, name_payload(ping_type)}, bytes);
  append({0, 0, 0, ""}, bytes);
  ::send(client.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string expected;
  append({0, 0, type_description, name_payload(pong_type)}, expected);
  append({0, 0, 0, ""}, expected);
  EXPECT_NE(read_until(client, expected, server).find(expected), std::string::npos);
}

// VRPN's clients ask by a datagram to be called back, unless they are told to connect.
TEST(Vrpn, ServerCallsBack) {
  Server server(0), other(0);  // `other` only has a socket that listens
  const Socket asks(::socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto ask = [&](const std::string& text) {
    ::sendto(asks.number(), text.data(), text.size() + 1, 0, reinterpret_cast<sockaddr*>(&address),
             sizeof address);
  };
  for (const char* wrong : {"", "host", "127.0.0.1 80", "127.0.0.1 99999999999", " ", "x -5"})
    ask(wrong);
  ask("127.0.0.1 " + std::to_string(other.port()));
  EXPECT_TRUE(soon([&] {
    server.receive();
    other.receive();
    return server.clients() == 1 && other.clients() == 1;
  }));
  EXPECT_EQ(server.clients(), 1u);
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
