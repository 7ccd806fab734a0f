// One client: what it watches, what it is sent, what it asks for. Knows nothing of sockets.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taut/server/hub.hpp"
#include "taut/server/message.hpp"

namespace taut::server {

struct Outgoing {
  std::shared_ptr<const std::string> bytes;
  bool is_binary = false;
};

class Session {
 public:
  using Clock = std::chrono::steady_clock;

  Session(Hub& hub, Rights rights) : hub_(hub), rights_(rights) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What a client says; may take a while. Returns what it is answered. Calls come one after
  /// another, beside those of next().
  std::vector<Outgoing> receive(std::string_view text);
  /// Binary, or too long: what is not even a message.
  std::vector<Outgoing> refuse(std::string_view why);
  /// Whether there were too many messages that could not be read.
  bool is_hopeless() const { return bad_in_a_row_ >= most_bad_messages; }

  /// What is to be sent now, unasked; to be called when all else has been sent.
  std::vector<Outgoing> next(Clock::time_point now);

 private:
  io::Json answer(const Message& message, std::vector<Outgoing>& out);
  io::Json control(const Message& message, World& world);
  io::Json open(const Message& message);
  io::Json move_hand(const Message& message, World& world);
  io::Json history(const Message& message);
  void preview(const Message& message, std::vector<Outgoing>& out);
  void send_frame(const Message& message, std::vector<Outgoing>& out);
  void change_show(const Message& message);
  void watch(std::shared_ptr<World> world);
  std::shared_ptr<World> world() const;
  std::shared_ptr<World> require_world() const;
  Wishes wishes() const;
  std::shared_ptr<Run> run(const Message& message) const;

  Hub& hub_;
  const Rights rights_;
  int bad_in_a_row_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<World> world_;
  Show show_;
  bool has_greeted_ = false;
  std::uint32_t sent_generation_ = 0;
  std::uint64_t sent_revision_ = 0;
  std::vector<std::uint64_t> sent_versions_;
  Clock::time_point next_frame_{}, last_status_{};
};

}  // namespace taut::server
