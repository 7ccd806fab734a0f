#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "taut/farm/connection_internal.hpp"

namespace taut::farm {
namespace {

constexpr std::uint32_t longest_message = 1u << 28;

}  // namespace

// A machine that vanishes closes nothing: after a minute of silence the system asks whether it is
// still there.
Connection::Connection(int socket) : socket_(socket) {
  const int yes = 1, after = 60, every = 15, times = 4;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &after, sizeof after);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

Connection::Connection(Connection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      is_open_(other.is_open_),
      received_(std::move(other.received_)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(is_open_, other.is_open_);
  std::swap(received_, other.received_);
  return *this;
}

bool Connection::send(const std::string& message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += message;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return is_open_ = false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

bool Connection::receive() {
  char block[1 << 14];
  while (is_open_) {
    const ssize_t got = ::recv(socket_, block, sizeof block, MSG_DONTWAIT);
    if (got > 0) {
      received_.append(block, static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else {
      is_open_ = false;
    }
  }
  return is_open_ || received_.size() > sizeof(std::uint32_t);
}

bool Connection::take(std::string& message) {
  std::uint32_t length = 0;
  if (received_.size() < sizeof length) return false;
  std::memcpy(&length, received_.data(), sizeof length);
  if (length > longest_message) {  // whoever that is
    is_open_ = false;
    received_.clear();
    return false;
  }
  if (received_.size() < sizeof length + length) return false;
  message = received_.substr(sizeof length, length);
  received_.erase(0, sizeof length + length);
  return true;
}

}  // namespace taut::farm
