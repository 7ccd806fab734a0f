// Messages over a connection: a length, and as many bytes.
#pragma once

#include <string>

namespace taut::farm {

class Connection {
 public:
  explicit Connection(int socket);
  ~Connection();
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;

  int socket() const { return socket_; }
  /// False: nobody is there any more.
  bool send(const std::string& message);
  /// Reads what there is, without waiting. False: nobody is there any more, and nothing is left to
  /// be taken.
  bool receive();
  /// The next whole message; false: there is none yet.
  bool take(std::string& message);

 private:
  int socket_ = -1;
  bool is_open_ = true;
  std::string received_;
};

}  // namespace taut::farm
