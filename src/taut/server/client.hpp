// A small client of HTTP and WebSockets, for what drives a browser, and for tests.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace taut::server {

using Headers = std::map<std::string, std::string>;

struct HttpReply {
  int status = 0;
  std::string body;
};
/// Throws Error when there is no answer.
HttpReply http_get(const std::string& host, unsigned short port, const std::string& target,
                   const Headers& headers = {});

class WebSocket {
 public:
  /// Throws Error when the connection is refused.
  WebSocket(const std::string& host, unsigned short port, const std::string& target,
            const Headers& headers = {});
  ~WebSocket();

  struct Received {
    std::string bytes;
    bool is_binary = false;
  };
  /// Throw Error when the connection is gone.
  void send(std::string_view bytes, bool is_binary = false);
  /// Nothing: there was none within that time.
  std::optional<Received> receive(std::chrono::milliseconds patience);
  /// Without a word.
  void drop();

 private:
  void send_frame(unsigned opcode, std::string_view bytes);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::server
