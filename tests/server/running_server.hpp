// A server in a thread, and clients that talk to it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "taut/base/error.hpp"
#include "taut/server/client.hpp"
#include "taut/server/listener.hpp"
#include "taut/server/protocol.hpp"

namespace taut::server {

using Object = nlohmann::json;

struct RunningServer {
  Hub hub{"", "secret"};
  Listener listener{hub, {}};
  std::thread thread{[this] { listener.run(); }};

  ~RunningServer() {
    listener.stop();
    thread.join();
  }
  unsigned short port() const { return listener.port(); }
};

/// What a binary frame has.
struct StateView {
  FrameHeader header;
  std::map<int, std::vector<double>> sections;  ///< of float32 and float64

  explicit StateView(const std::string& bytes) {
    std::memcpy(&header, bytes.data(), sizeof header);
    std::size_t at = sizeof header;
    for (std::uint32_t i = 0; i < header.sections; ++i) {
      SectionHeader section;
      std::memcpy(&section, bytes.data() + at, sizeof section);
      at += sizeof section;
      const std::size_t count = section.columns * section.rows;
      std::vector<double>& out = sections[section.kind];
      const bool is_double = section.numbers == SectionNumbers::float64;
      for (std::size_t k = 0; k < count; ++k) {
        double value = 0;
        float single = 0;
        if (is_double) {
          std::memcpy(&value, bytes.data() + at + 8 * k, 8);
        } else {
          std::memcpy(&single, bytes.data() + at + 4 * k, 4);
          value = static_cast<double>(single);
        }
        out.push_back(value);
      }
      at += (count * (is_double ? 8 : 4) + 7) / 8 * 8;
    }
    EXPECT_EQ(at, bytes.size());
  }
};

class TestClient {
 public:
  explicit TestClient(const RunningServer& server, bool with_token = true)
      : socket_("127.0.0.1", server.port(), with_token ? "/ws?token=secret" : "/ws") {}

  /// Sends it with an id, and returns what is answered: an answer, an error or, as {"state": …}, a
  /// frame, which is then in `frame`.
  Object ask(Object message) {
    message["id"] = ++id_;
    socket_.send(message.dump());
    return wait([&](const Object& found) { return found.value("id", 0U) == id_; });
  }
  /// Waits for a text message.
  template <class Accepts>
  Object wait(const Accepts& accepts) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
      const auto received = socket_.receive(std::chrono::milliseconds(1000));
      if (!received) continue;
      if (received->is_binary) {
        const StateView view(received->bytes);
        if (view.header.kind != FrameKind::state) continue;
        frames.push_back(received->bytes);
        if (view.header.request == id_ && id_ > 0) return {{"state", view.header.time}};
        continue;
      }
      Object found = Object::parse(received->bytes);
      if (found["type"] == "scene") scene = found;
      if (found["type"] == "status") status = found;
      if (accepts(found)) return found;
    }
    ADD_FAILURE() << "there was no answer";
    return {};
  }
  /// Opens a scene, paused.
  void open(Object what) {
    what["type"] = "open";
    what["play"] = false;
    const Object answer = ask(what);
    ASSERT_EQ(answer["type"], "answer") << answer.dump();
    await_scene(answer["world"]);
  }
  /// It may have come before the answer.
  void await_scene(const std::string& world) {
    if (scene.is_object() && scene["world"] == world) return;
    wait([](const Object& found) { return found["type"] == "scene"; });
  }
  /// Plays as fast as possible up to a time.
  void play_until(double time) {
    ask({{"type", "play"}, {"speed", 0}, {"until", time}});
    wait([](const Object& found) { return found["type"] == "status" && !found["playing"]; });
  }
  StateView recorded(double time, int run = 0) {
    const Object answer =
        ask({{"type", "frame"}, {"run", run}, {"time", time}, {"precision", "float64"}});
    EXPECT_TRUE(answer.contains("state")) << answer.dump();
    return StateView(frames.back());
  }
  WebSocket& socket() { return socket_; }

  Object scene, status;
  std::vector<std::string> frames;

 private:
  WebSocket socket_;
  std::uint32_t id_ = 0;
};

}  // namespace taut::server
