// With plain sockets; and another implementation of the protocol than that of the server.
#include "taut/server/client.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "taut/base/error.hpp"

namespace taut::server {
// Named, since a WebSocket has some of it.
namespace client_detail {

using Milliseconds = std::chrono::milliseconds;
constexpr Milliseconds usual_patience{60'000};
constexpr std::size_t most_bytes = std::size_t{1} << 31;

[[noreturn]] void fail(std::string_view what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)));
}

/// A connected socket with what was read of it and not yet used.
class Socket {
 public:
  Socket(const std::string& host, unsigned short port) : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
    const bool is_there =
        error == 0 && file_ >= 0 && ::connect(file_, found->ai_addr, found->ai_addrlen) == 0;
    if (error == 0) ::freeaddrinfo(found);
    if (!is_there) {
      close();
      fail(fmt::format("cannot connect to {}:{}", host, port));
    }
    const int at_once = 1;  // small messages do not wait for more
    ::setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  }
  ~Socket() { close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) fail("the connection is gone");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// Reads until there are so many bytes; false: not in time.
  bool fill(std::size_t count, std::chrono::steady_clock::time_point end) {
    while (buffer_.size() - used_ < count)
      if (!read_some(end)) return false;
    return true;
  }
  /// False: not in time.
  bool read_some(std::chrono::steady_clock::time_point end) {
    const auto left =
        std::chrono::duration_cast<Milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waiting{file_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::max<long>(0, left.count()))) <= 0) return false;
    if (used_ > (std::size_t{1} << 16)) {
      buffer_.erase(0, used_);
      used_ = 0;
    }
    const std::size_t before = buffer_.size();
    buffer_.resize(before + (std::size_t{1} << 16));
    const ssize_t count = ::recv(file_, buffer_.data() + before, buffer_.size() - before, 0);
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    if (count == 0) throw Error("the connection was closed");
    if (count < 0) fail("the connection is gone");
    return true;
  }
  std::string_view bytes() const { return std::string_view(buffer_).substr(used_); }
  std::string take(std::size_t count) {
    std::string taken(bytes().substr(0, count));
    used_ += count;
    return taken;
  }

 private:
  int file_;
  std::string buffer_;
  std::size_t used_ = 0;
};

struct Head {
  int status = 0;
  std::string fields;  ///< in lower case
};
Head read_head(Socket& socket) {
  const auto end = std::chrono::steady_clock::now() + usual_patience;
  std::size_t at = 0;
  while ((at = socket.bytes().find("\r\n\r\n")) == std::string_view::npos)
    if (!socket.read_some(end)) throw Error("there is no answer");
  Head head;
  head.fields = socket.take(at + 4);
  for (char& c : head.fields) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::sscanf(head.fields.c_str(), "http/1.1 %d", &head.status) != 1)
    throw Error("found no HTTP in the answer");
  return head;
}

std::string request(const std::string& host, unsigned short port, const std::string& target,
                    Headers headers) {
  std::string text = fmt::format("GET {} HTTP/1.1\r\n", target);
  headers.try_emplace("Host", fmt::format("{}:{}", host, port));
  for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n";
}

}  // namespace client_detail

using namespace client_detail;

HttpReply http_get(const std::string& host, unsigned short port, const std::string& target,
                   const Headers& headers) {
  Socket socket(host, port);
  socket.write(request(host, port, target, headers));
  const Head head = read_head(socket);
  const std::size_t length = head.fields.find("content-length:");
  if (length == std::string::npos) throw Error("found no length in the answer");
  const std::size_t size = std::strtoull(head.fields.c_str() + length + 15, nullptr, 10);
  if (size > most_bytes || !socket.fill(size, std::chrono::steady_clock::now() + usual_patience))
    throw Error("the answer is not complete");
  return {head.status, socket.take(size)};
}

struct WebSocket::Impl {
  Impl(const std::string& host, unsigned short port) : socket(host, port) {}

  Socket socket;
  std::string message;  // its fragments so far
  bool is_binary = false;
};

WebSocket::WebSocket(const std::string& host, unsigned short port, const std::string& target,
                     const Headers& headers)
    : impl_(std::make_unique<Impl>(host, port)) {
  Headers all = headers;
  all["Upgrade"] = "websocket";
  all["Connection"] = "Upgrade";
  all["Sec-WebSocket-Version"] = "13";
  all["Sec-WebSocket-Key"] = "dGF1dCdzIG93biBjbGllbnQ=";
  impl_->socket.write(request(host, port, target, all));
  if (const Head head = read_head(impl_->socket); head.status != 101)
    throw Error(fmt::format("the server refused the WebSocket with {}", head.status));
}
WebSocket::~WebSocket() = default;

void WebSocket::send(std::string_view bytes, bool is_binary) {
  send_frame(is_binary ? 2 : 1, bytes);
}

void WebSocket::send_frame(unsigned opcode, std::string_view bytes) {
  std::string frame;
  frame += static_cast<char>(0x80 | opcode);
  const std::size_t size = bytes.size();
  if (size < 126) {
    frame += static_cast<char>(0x80 | size);
  } else {
    const int width = size < 65536 ? 2 : 8;
    frame += static_cast<char>(0x80 | (width == 2 ? 126 : 127));
    for (int i = width - 1; i >= 0; --i) frame += static_cast<char>((size >> (8 * i)) & 0xFF);
  }
  // A mask keeps proxies from taking a message for HTTP; here there are none, so any will do.
  constexpr std::array<char, 4> mask{0x3a, 0x7f, 0x15, 0x62};
  frame.append(mask.data(), mask.size());
  const std::size_t start = frame.size();
  frame += bytes;
  for (std::size_t i = 0; i < size; ++i) frame[start + i] ^= mask[i % 4];
  impl_->socket.write(frame);
}

std::optional<WebSocket::Received> WebSocket::receive(Milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  Socket& socket = impl_->socket;
  for (;;) {
    if (!socket.fill(2, end)) return std::nullopt;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(socket.bytes()[i]); };
    const unsigned opcode = at(0) & 0x0F;
    const bool is_last = at(0) & 0x80;
    std::size_t size = at(1) & 0x7F, head = 2;
    if (size >= 126) {
      head = size == 126 ? 4 : 10;
      if (!socket.fill(head, end)) return std::nullopt;
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8 | at(i);
    }
    if (size > most_bytes) throw Error("found a message that is too long");
    if (!socket.fill(head + size, end)) return std::nullopt;
    socket.take(head);
    std::string content = socket.take(size);
    if (opcode == 8) throw Error("the connection was closed by the server");
    if (opcode == 9) send_frame(10, content);
    if (opcode > 2) continue;
    if (opcode > 0) impl_->is_binary = opcode == 2;
    impl_->message += content;
    if (!is_last) continue;
    return Received{std::exchange(impl_->message, {}), impl_->is_binary};
  }
}

void WebSocket::drop() { impl_->socket.close(); }

}  // namespace taut::server
