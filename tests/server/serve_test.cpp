// Worlds that a configuration composes, devices that move their hands, and modules in other
// processes, all over loopback.
#include <fmt/core.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "running_server.hpp"
#include "support/messages.hpp"
#include "taut/devices/recorded_session.hpp"
#include "taut/devices/vrpn_connection.hpp"
#include "taut/server/hand_module.hpp"
#include "taut/server/serving.hpp"

namespace taut::server {
namespace {

constexpr const char* good = R"({
  "taut_serve": 1, "scene": "grasp_box", "parameters": {"mass": 0.2},
  "loops": {"simulation": 500, "display": 50}, "method": "icd", "contact_solver": "exact",
  "viewers": {"port": 0, "listen": "127.0.0.1", "token": "a", "control": false, "paused": true},
  "modules": {"token": "b"},
  "devices": [{"hand": "right", "type": "vrpn", "port": 4000, "tracker": "T", "glove": "G", "rate": 2000}]
})";

/// Removed at the end.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "taut_serve_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path operator/(const char* file) const { return path / file; }
};

std::string written(const Folder& folder, const std::string& text) {
  const std::string path = (folder / "serve.json").string();
  std::ofstream(path) << text;
  return path;
}

ServeConfig config_of(const std::string& text) {
  const Folder folder;
  return read_serve_config(written(folder, text));
}

/// Waits for what comes in time; tests that fail do not wait for ever.
template <class Holds>
bool comes_true(const Holds& holds, double seconds = 20) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return holds();
}

const HandShot& hand_in(const SnapshotPointer& shot) { return shot->hands.at(0); }

TEST(ServeConfig, SaysWhatItSays) {
  const ServeConfig config = config_of(good);
  EXPECT_EQ(config.scene, "grasp_box");
  EXPECT_EQ(config.parameters.at("mass"), 0.2);
  EXPECT_EQ(config.simulation_rate, 500);
  EXPECT_EQ(config.display_rate, 50);
  EXPECT_EQ(config.port, 0);
  EXPECT_EQ(config.token, "a");
  EXPECT_EQ(config.module_token, "b");
  EXPECT_FALSE(config.viewers_control);
  ASSERT_EQ(config.devices.size(), 1U);
  EXPECT_EQ(config.devices[0].port, 4000);
  EXPECT_EQ(config.devices[0].rate, 2000);
}

TEST(ServeConfig, FilesAreBesideItAndTokensMayBe) {
  const Folder folder;
  std::ofstream(folder / "secret") << "abc\n";
  const ServeConfig config = read_serve_config(written(folder, R"({"taut_serve": 1,
    "connect": {"port": 9, "token_file": "secret"}, "devices": [{"type": "recorded", "file": "a.session"}]})"));
  EXPECT_EQ(config.connect->token, "abc");
  EXPECT_EQ(config.devices[0].file, (folder / "a.session").string());
}

TEST(ServeConfig, ExamplesCanBeRead) {
  const std::string folder = std::string(TAUT_SOURCE_DIR) + "/docs/examples/";
  const ServeConfig server = read_serve_config(folder + "serve.json");
  EXPECT_EQ(server.devices.size(), 3U);
  const ServeConfig module = read_serve_config(folder + "serve_module.json");
  EXPECT_EQ(module.connect->token, server.module_token);
  EXPECT_EQ(module.connect->port, server.port);
}

TEST(ServeConfig, SaysWhatIsWrong) {
  struct Wrong {
    const char *from, *to, *pieces;
  };
  const std::vector<Wrong> all{
      {"\"taut_serve\": 1", "\"taut_serve\": 2", "taut_serve"},
      {"\"scene\": \"grasp_box\", ", "", "scene|connect"},
      {"\"scene\"", "\"scnee\"", "scene"},
      {"{\"mass\": 0.2}", "{\"mass\": \"x\"}", "/parameters/mass|number"},
      {"500", "0", "/loops/simulation|number"},
      {"500", "1e9", "/loops/simulation"},
      {"500", "\"fast\"", "/loops/simulation"},
      {"\"display\"", "\"dsiplay\"", "/loops|display"},
      {"\"port\": 0", "\"port\": 70000", "/viewers/port|65535"},
      {"\"port\": 0", "\"port\": 1.5", "/viewers/port"},
      {"\"token\": \"a\"", "\"token\": 7", "/viewers/token|text"},
      {"\"token\": \"a\"", "\"token\": \"a\", \"token_file\": \"x\"", "token_file"},
      {"false", "\"no\"", "/viewers/control|true or false"},
      {"[{\"hand\"", "{\"hand\"", "line 6"},
      {"\"vrpn\"", "\"vprn\"", "/devices/0|vprn|vrpn"},
      {"\"tracker\"", "\"trakcer\"", "/devices/0|tracker"},
      {"4000", "0", "/devices/0/port"},
      {"2000", "-1", "/devices/0/rate"},
      {"2000}", "2000}, {\"hand\": \"right\", \"type\": \"mouse\"}", "/devices/1|right"},
      {"2000}", "2000}, {\"type\": \"recorded\"}", "/devices/1|file"},
      {"2000}", "2000}, 5", "/devices/1|object"},
  };
  for (const Wrong& wrong : all) {
    std::string text = good;
    const std::size_t at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos) << wrong.from;
    text.replace(at, std::strlen(wrong.from), wrong.to);
    const std::string message = testing::message_of([&] { config_of(text); });
    EXPECT_TRUE(testing::has_all(message, wrong.pieces)) << message;
  }
  EXPECT_TRUE(
      testing::has_all(testing::message_of([] { read_serve_config("/nowhere"); }), "nowhere|read"));
  for (
      const char* text :
      {R"({"taut_serve": 1, "connect": {"port": 1, "token": "a"}})",
       R"({"taut_serve": 1, "connect": {"token": "a"}, "devices": [{"type": "vrpn"}]})",
       R"({"taut_serve": 1, "connect": {"port": 1}, "devices": [{"type": "vrpn"}]})",
       R"({"taut_serve": 1, "connect": {"port": 1, "token": "a"}, "devices": [{"type": "mouse"}]})",
       R"({"taut_serve": 1, "connect": {"port": 1, "token": "a"}, "scene": "grasp_box", "devices": []})",
       "[]", "", "{}", "null"})
    EXPECT_THROW(config_of(text), Error) << text;
}

TEST(Serving, RefusesWhatDoesNotFit) {
  for (
      const char* text :
      {R"({"taut_serve": 1, "scene": "no_such_scene"})",
       R"({"taut_serve": 1, "scene": "grasp_box", "method": "icdd"})",
       R"({"taut_serve": 1, "scene": "grasp_box", "contact_solver": "exacct"})",
       R"({"taut_serve": 1, "scene": "grasp_box", "parameters": {"mas": 1}})",
       R"({"taut_serve": 1, "scene": "pendulum", "devices": [{"type": "mouse"}]})",
       R"({"taut_serve": 1, "scene": "grasp_box", "devices": [{"hand": "rihgt", "type": "mouse"}]})",
       R"({"taut_serve": 1, "scene": "grasp_box", "devices": [{"type": "mouse"}, {"hand": "right", "type": "recorded", "file": "/nowhere"}]})",
       R"({"taut_serve": 1, "scene": "grasp_box", "devices": [{"type": "cyberglove", "line": "/nowhere"}]})",
       R"({"taut_serve": 1, "scene": "grasp_box", "devices": [{"type": "plugin", "library": "/nowhere.so"}]})"}) {
    Hub hub("", "secret");
    EXPECT_THROW(open_served(hub, config_of(text)), Error) << text;
  }
}

// A recorded session moves the hand, and clients may not.
TEST(Serving, ARecordedSessionMovesTheHand) {
  const Folder folder;
  devices::RecordedSession session;
  devices::HandSample sample;
  sample.pose.position = {0.1, 0, 0.3};
  for (long step = 0; step < 400; ++step) session.add(step, sample);
  devices::write_session((folder / "a.session").string(), session);
  RunningServer server;
  const auto world = open_served(
      server.hub, read_serve_config(written(folder, R"({"taut_serve": 1, "scene": "grasp_box",
        "devices": [{"type": "recorded", "file": "a.session"}]})")));
  TestClient client(server);
  client.ask({{"type", "watch"}, {"world", "main"}});
  const Object refused = client.ask({{"type", "hand"},
                                     {"position", {0, 0, 0}},
                                     {"orientation", {1, 0, 0, 0}},
                                     {"angles", std::vector<double>(22, 0)}});
  EXPECT_EQ(refused["type"], "error");
  client.play_until(0.3);
  const SnapshotPointer shot = world->runs()[0]->newest();
  EXPECT_TRUE(hand_in(shot).is_moved);
  EXPECT_LT((hand_in(shot).ghost.position - sample.pose.position).norm(), 1e-9);
  // Begun anew, while the device goes on.
  client.ask({{"type", "reset"}});
  client.play_until(0.05);
  EXPECT_TRUE(hand_in(world->runs()[0]->newest()).is_moved);
  EXPECT_EQ(
      client.ask({{"type", "runs"}, {"runs", {{{"method", "icd"}}, {{"method", "icd2"}}}}})["type"],
      "error");
}

TEST(Serving, AVrpnServerMovesTheHandAndGetsForces) {
  devices::vrpn::Server glove(0);
  RunningServer server;
  const auto world =
      open_served(server.hub, config_of(fmt::format(R"({{"taut_serve": 1, "scene": "grasp_box",
        "devices": [{{"type": "vrpn", "port": {}, "rate": 500}}]}})",
                                                    glove.port())));
  world->play(1.0, std::nullopt);
  bool has_forces = false;
  const devices::vrpn::TrackerPose pose{0, {0.05, 0.02, 0.25}, Quat::Identity()};
  const std::vector<double> angles(22, 0.1);
  EXPECT_TRUE(comes_true([&] {
    for (const auto& received : glove.receive())
      has_forces |= received.type == devices::vrpn::force_field_type;
    glove.send("Tracker0", devices::vrpn::tracker_type, 0, devices::vrpn::tracker_payload(pose));
    glove.send("Glove0", devices::vrpn::analog_type, 0, devices::vrpn::analog_payload(angles));
    const SnapshotPointer shot = world->runs()[0]->newest();
    return has_forces && hand_in(shot).is_moved &&
           (hand_in(shot).ghost.position - pose.position).norm() < 1e-6 &&
           std::abs(hand_in(shot).ghost.angles[4] - 0.1) < 1e-6;
  }));
  EXPECT_NE(world->status().find("device right"), std::string::npos);
}

/// Holds a hand still somewhere, and remembers what it feels.
struct StillHand final : devices::Device {
  struct Seen {
    std::atomic<long> forces{0};
    std::atomic<double> largest{0};
  };
  StillHand(const hand::HandPose& at, std::shared_ptr<Seen> seen)
      : pose(at), seen(std::move(seen)) {}
  std::optional<devices::HandSample> read() override { return devices::HandSample{0, pose}; }
  void send(const devices::HandForces& forces) override {
    ++seen->forces;
    for (const double force : forces.fingers)
      if (force > seen->largest) seen->largest = force;
  }
  hand::HandPose pose;
  std::shared_ptr<Seen> seen;
};

/// A server whose modules have a token of their own.
struct ServerWithModules {
  Hub hub{"", "secret", "module"};
  std::shared_ptr<World> world;
  std::unique_ptr<Listener> listener;
  std::thread thread;

  explicit ServerWithModules(unsigned short port = 0) {
    world = open_served(hub, config_of(R"({"taut_serve": 1, "scene": "grasp_box",
      "devices": [{"type": "module"}]})"));
    Listener::Options options;
    options.port = port;
    listener = std::make_unique<Listener>(hub, options);
    thread = std::thread([this] { listener->run(); });
    world->play(1.0, std::nullopt);
  }
  ~ServerWithModules() {
    listener->stop();
    thread.join();
  }
};

struct RunningModule {
  RunningModule(unsigned short port, const std::string& token, const hand::HandPose& pose)
      : seen(std::make_shared<StillHand::Seen>()),
        module(std::make_unique<StillHand>(pose, seen), {"127.0.0.1", port, token, "right", 500}),
        thread([this] {
          try {
            module.run([this] { return !ends; });
          } catch (const Error& error) {
            message = error.what();
          }
          has_ended = true;
        }) {}
  ~RunningModule() {
    ends = true;
    thread.join();
  }
  std::atomic<bool> ends{false}, has_ended{false};
  std::string message;  ///< once it has ended
  std::shared_ptr<StillHand::Seen> seen;
  HandModule module;
  std::thread thread;
};

TEST(HandModule, MovesAHandOfAServerAndFeelsWhatItFeels) {
  ServerWithModules server;
  hand::HandPose pose;  // flat, with the fingertips below the table: they are held back
  pose.position = {0, 0, 0.005};
  pose.orientation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitY()));
  RunningModule module(server.listener->port(), "module", pose);
  EXPECT_TRUE(comes_true([&] {
    const SnapshotPointer shot = server.world->runs()[0]->newest();
    return hand_in(shot).is_moved && (hand_in(shot).ghost.position - pose.position).norm() < 1e-6;
  }));
  EXPECT_TRUE(comes_true([&] { return module.seen->largest > 0.5; }));
  EXPECT_GT(module.module.answered(), 10);
  EXPECT_LE(module.module.answered(), module.module.sent());
}

TEST(HandModule, AWrongTokenEndsIt) {
  ServerWithModules server;
  for (const char* token : {"wrong", ""}) {
    RunningModule module(server.listener->port(), token, {});
    EXPECT_TRUE(comes_true([&] { return module.has_ended.load(); }));
    EXPECT_NE(module.message.find("token"), std::string::npos) << module.message;
  }
  EXPECT_FALSE(hand_in(server.world->runs()[0]->newest()).is_moved);
}

TEST(HandModule, ItsTokenMovesHandsAndNothingElse) {
  ServerWithModules server;
  WebSocket socket("127.0.0.1", server.listener->port(), "/ws?token=module");
  const auto ask = [&](const std::string& text) {
    socket.send(text);
    for (;;) {
      const auto received = socket.receive(std::chrono::milliseconds(5000));
      if (!received) return Object();
      if (received->is_binary) continue;
      const Object found = Object::parse(received->bytes);
      if (found["type"] == "answer" || found["type"] == "error") return found;
    }
  };
  EXPECT_EQ(ask(R"({"type": "watch", "world": "main", "id": 1})")["type"], "answer");
  for (const char* text :
       {R"({"type": "pause", "id": 2})", R"({"type": "edit", "text": "{}", "id": 3})",
        R"({"type": "open", "scene": "pendulum", "id": 4})"})
    EXPECT_EQ(ask(text)["type"], "error") << text;
  EXPECT_EQ(ask(R"({"type": "let_go", "hand": 0, "id": 5})")["type"], "answer");
}

TEST(HandModule, ComesBackAfterTheServerWasAway) {
  auto server = std::make_unique<ServerWithModules>();
  const unsigned short port = server->listener->port();
  hand::HandPose pose;
  pose.position = {0, 0, 0.3};
  RunningModule module(port, "module", pose);
  EXPECT_TRUE(comes_true([&] { return module.module.answered() > 5; }));
  server.reset();
  const long before = module.seen->forces;
  EXPECT_TRUE(comes_true([&] { return module.seen->forces > before + 20; }));  // of 0
  server = std::make_unique<ServerWithModules>(port);
  EXPECT_TRUE(comes_true([&] { return module.module.connections() == 2; }));
  EXPECT_TRUE(comes_true([&] { return hand_in(server->world->runs()[0]->newest()).is_moved; }));
}

}  // namespace
}  // namespace taut::server
