// VRPN over TCP: one side of a connection, and a server with many. Nothing waits. Clients connect,
// or ask a server by a datagram to call back, as VRPN's own do unless told "tcp://host". Messages
// never go by datagrams: neither side says that it listens for them, which is how VRPN leaves them
// out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "taut/devices/vrpn_messages.hpp"

namespace taut::devices::vrpn {

/// A socket that closes itself.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Socket& operator=(Socket&& other) noexcept;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

/// What came, with the names that the other side has for sender and type.
struct Received {
  std::string sender, type;
  double time = 0;
  std::string payload;
};

class Connection {
 public:
  explicit Connection(Socket socket);

  bool is_open() const { return socket_.is_open(); }
  /// Once the other side has sent its cookie.
  bool is_ready() const { return is_ready_; }
  void send(const std::string& sender, std::string_view type, double time, std::string payload);
  /// All that has come since the last call. What breaks the protocol closes the connection.
  std::vector<Received> receive();

 private:
  std::int32_t number_of(std::map<std::string, std::int32_t>& known, const std::string& name,
                         SystemType description);
  void describe(const Message& message);
  void write();

  Socket socket_;
  Reader reader_;
  bool is_ready_ = false;
  std::string unsent_;
  std::map<std::string, std::int32_t> senders_, types_;              // ours
  std::map<std::int32_t, std::string> their_senders_, their_types_;  // theirs
};

/// Throws Error where the name or the port cannot be used. What does not answer shows later: the
/// connection closes.
Connection connect_to(const std::string& host, int port);

class Server {
 public:
  /// Port 0: any that is free. Throws Error where it cannot listen. Only this machine can connect,
  /// unless `everybody` may: the protocol has no passwords.
  explicit Server(int port = usual_port, bool everybody = false);
  int port() const { return port_; }

  void send(const std::string& sender, std::string_view type, double time,
            const std::string& payload);
  /// Lets in who waits, calls back who asks for it, answers who asks whether we are alive, and
  /// gives what all have sent.
  std::vector<Received> receive();
  std::size_t clients() const { return clients_.size(); }

 private:
  static constexpr std::size_t most_clients = 32;
  bool listen_at(int port, bool everybody);
  void let_in(Socket socket);
  void call_back();

  Socket socket_, requests_;
  int port_ = 0;
  std::vector<std::unique_ptr<Connection>> clients_;
};

}  // namespace taut::devices::vrpn
