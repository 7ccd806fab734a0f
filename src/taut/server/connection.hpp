// A client of the server: it begins with HTTP, and may become a WebSocket.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>

#include "taut/server/event_loop.hpp"
#include "taut/server/http_request.hpp"
#include "taut/server/session.hpp"
#include "taut/server/websocket_frames.hpp"

namespace taut::server {

/// What all connections share.
struct Shared {
  Hub& hub;
  EventLoop& loop;
  Workers& workers;
  std::string address;
  unsigned short port;
  std::size_t clients = 0;  ///< with a WebSocket
};

class Connection : public Watched, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Descriptor socket, Shared& shared);
  ~Connection() override;

  int descriptor() const override { return socket_.number(); }
  bool wants_to_read() const override {
    return is_ending_ || (!is_busy_ && waiting_.size() < most_waiting);
  }
  bool wants_to_write() const override { return is_sending(); }
  void read() override;
  void write() override;
  void tick() override;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most_waiting = 64;  // messages that a client has not taken yet

  void handle();
  void handle_request();
  void handle_messages();
  void upgrade(const HttpRequest& request);
  void answer(const HttpRequest& request, HttpAnswer found);
  void fail(int status, std::string_view why);
  /// What takes long: with `work` done, `then` is called on the thread of the loop.
  template <class Result>
  void defer(std::function<Result()> work, std::function<void(Result)> then);

  bool is_websocket() const { return session_ != nullptr; }
  bool is_sending() const { return sent_ < head_.size() + (body_ ? body_->size() : 0); }
  void send(std::string head, std::shared_ptr<const std::string> body);
  /// Sends what is waiting, as far as the socket takes it.
  void flush();
  /// Says that there is nothing more, and waits for the client to say so, too.
  void end_gently();
  void end();

  Shared& shared_;
  Descriptor socket_;
  std::string received_;  // of HTTP
  FrameReader frames_;
  std::shared_ptr<Session> session_;
  std::deque<Outgoing> waiting_;
  // What is being sent, and how many bytes of it have been.
  std::string head_;
  std::shared_ptr<const std::string> body_;
  std::size_t sent_ = 0;
  std::string urgent_;    // what controls a WebSocket; comes between two messages
  bool is_busy_ = false;  // with a message or a request: the next is read afterwards
  bool ends_when_sent_ = false;
  bool is_ending_ = false;  // all has been sent
  bool has_pinged_ = false;
  Clock::time_point last_read_, last_written_;
};

}  // namespace taut::server
