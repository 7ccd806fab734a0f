// Clients that mean no good, or know no better: the simulation goes on.
#include <fstream>

#include "running_server.hpp"
#include "support/dice.hpp"

namespace taut::server {
namespace {

long resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return 0;
}

TEST(HostileClients, PagesOfOtherOriginsAndOtherHostsAreRefused) {
  RunningServer server;
  const std::string own = "http://127.0.0.1:" + std::to_string(server.port());
  EXPECT_NO_THROW(WebSocket("127.0.0.1", server.port(), "/ws", {{"Origin", own}}));
  for (const char* origin :
       {"http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"})
    EXPECT_THROW(WebSocket("127.0.0.1", server.port(), "/ws?token=secret", {{"Origin", origin}}),
                 Error)
        << origin;
  const std::string port = ":" + std::to_string(server.port());
  for (const std::string& host : {"evil.example" + port, std::string("127.0.0.1:1"), std::string()})
    EXPECT_EQ(http_get("127.0.0.1", server.port(), "/api/version", {{"Host", host}}).status, 403)
        << host;
  EXPECT_EQ(
      http_get("127.0.0.1", server.port(), "/api/version", {{"Host", "localhost" + port}}).status,
      200);
  for (const char* path :
       {"/../CMakeLists.txt", "/%2e%2e/x", "/.git/config", "/api/nothing", "/ws"})
    EXPECT_EQ(http_get("127.0.0.1", server.port(), path).status, 404) << path;
}

TEST(HostileClients, WithoutTheTokenNothingChanges) {
  RunningServer server;
  const auto world = server.hub.open_first(Document::load("two_link"), {});
  TestClient client(server, false);
  EXPECT_EQ(client.ask({{"type", "watch"}, {"world", "main"}})["type"], "answer");
  for (const char* type : {"open", "play", "pause", "step", "reset", "rewind", "runs", "set",
                           "edit", "grab", "move", "release", "push", "pin", "unpin"}) {
    const Object answer = client.ask({{"type", type},
                                      {"scene", "cloth"},
                                      {"body", 0},
                                      {"grab", 1},
                                      {"at", {0, 0, 0}},
                                      {"to", {0, 0, 0}},
                                      {"velocity", {1, 0, 0}},
                                      {"time", 0},
                                      {"text", "{}"},
                                      {"runs", {{{"method", "icd"}}}}});
    EXPECT_EQ(answer["type"], "error") << type;
  }
  EXPECT_FALSE(world->is_playing());
  EXPECT_EQ(world->generation(), 1u);
  EXPECT_EQ(server.hub.list_worlds().dump().find("w1"), std::string::npos);
  EXPECT_EQ(client.ask({{"type", "save"}})["type"], "answer");
}

int within(testing::Dice& dice, int least, int most) {
  return least + dice.below(most - least + 1);
}

/// A message that looks like one, with something wrong somewhere.
std::string strange_message(testing::Dice& dice) {
  static const std::vector<std::string> samples{
      R"({"type":"play","speed":1,"until":3})",
      R"({"type":"grab","grab":1,"body":1,"at":[1,2,3]})",
      R"({"type":"move","grab":7,"to":[1e400,2,3]})",
      R"({"type":"release","grab":-1})",
      R"({"type":"frame","time":1e308,"precision":"float64"})",
      R"({"type":"runs","runs":[{"method":"rattle","step":-1}]})",
      R"({"type":"set","parameters":{"L":"x"},"gravity":[0,0]})",
      R"({"type":"edit","text":"{\"taut\": 1}"})",
      R"({"type":"values","body":123456})",
      R"({"type":"pin","body":-1})",
      R"({"type":"unpin","constraint":"nothing"})",
      R"({"type":"step","count":1e18})",
      R"({"type":"watch","world":"w999"})",
      R"({"type":"show","rate":-5,"colour":"pink"})",
      R"({"id":0,"type":"history","run":99})",
      R"({"type":"push","body":0,"velocity":[1e300,0,0]})",
      R"({"type":["open"],"scene":{}})",
      R"([1,2,3])",
      R"("text")",
      R"({"type":"check","text":"[[[[[[[[[[["})",
  };
  std::string text =
      samples[static_cast<std::size_t>(within(dice, 0, static_cast<int>(samples.size()) - 1))];
  switch (within(dice, 0, 4)) {
    case 0:  // cut off
      text.resize(static_cast<std::size_t>(within(dice, 0, static_cast<int>(text.size()))));
      break;
    case 1:  // other characters
      for (int i = within(dice, 1, 5); i > 0; --i)
        text[static_cast<std::size_t>(within(dice, 0, static_cast<int>(text.size()) - 1))] =
            static_cast<char>(within(dice, 0, 255));
      break;
    case 2:  // very deep, or long
      text = std::string(static_cast<std::size_t>(within(dice, 1, 20000)),
                         within(dice, 0, 1) ? '[' : 'x');
      break;
    default:
      break;
  }
  return text;
}

TEST(HostileClients, AThousandStrangeMessagesAndFiftyDroppedConnectionsChangeNothing) {
  RunningServer server;
  const auto world = server.hub.open_first(Document::load("two_link"), {});
  world->play(1.0, std::nullopt);
  testing::Dice dice(7);
  const auto connect = [&] {
    auto socket = std::make_unique<WebSocket>("127.0.0.1", server.port(), "/ws?token=secret");
    socket->send(R"({"type":"watch","world":"main"})");
    return socket;
  };
  long before = 0;
  auto socket = connect();
  for (int i = 0; i < 1000; ++i) {
    if (i == 200) before = resident_kilobytes();
    try {
      if (i % 20 == 0) {  // dropped: at once, in the middle of something, or after an answer
        socket->drop();
        socket = connect();
      }
      socket->send(strange_message(dice), within(dice, 0, 9) == 0);
      if (within(dice, 0, 3) == 0) socket->receive(std::chrono::milliseconds(2));
    } catch (const Error&) {  // the server has had enough of this one
      socket = connect();
    }
  }
  // Longer than any message may be.
  try {
    socket->send(std::string(most_message_bytes + 1000, 'x'));
    for (int i = 0; i < 1000; ++i) socket->receive(std::chrono::milliseconds(50));
    ADD_FAILURE() << "the server went on with a message that is too long";
  } catch (const Error&) {
  }
  // What they did to the world may be undone: it is there, and goes on.
  TestClient client(server);
  EXPECT_EQ(client.ask({{"type", "watch"}, {"world", "main"}})["type"], "answer");
  EXPECT_EQ(client.ask({{"type", "reset"}})["type"], "answer");
  EXPECT_EQ(client.ask({{"type", "play"}, {"speed", 1}})["type"], "answer");
  const double start = world->runs()[0]->time();
  client.wait([&](const Object& found) {
    return found["type"] == "status" && found["time"] > start + 0.1;
  });
  EXPECT_LT(resident_kilobytes() - before, 40'000) << "KB";
}

}  // namespace
}  // namespace taut::server
