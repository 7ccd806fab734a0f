#include "taut/devices/vrpn_connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "taut/base/error.hpp"

namespace taut::devices::vrpn {
namespace {

constexpr std::size_t most_unsent = 1 << 20;  // bytes: who does not read is cut off
constexpr std::size_t most_names = 2000;      // of each kind
constexpr int most_reads = 16;                // of a block, in one call

void set_up(int socket) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool would_wait() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOTCONN ||
         errno == EINPROGRESS;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void Socket::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Connection::Connection(Socket socket) : socket_(std::move(socket)), unsent_(cookie()) { write(); }

void Connection::write() {
  while (is_open() && !unsent_.empty()) {
    const ssize_t count = ::send(socket_.number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (count > 0) {
      unsent_.erase(0, static_cast<std::size_t>(count));
    } else {
      if (!would_wait() || unsent_.size() > most_unsent) socket_.close();
      return;
    }
  }
}

std::int32_t Connection::number_of(std::map<std::string, std::int32_t>& known,
                                   const std::string& name, SystemType description) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const auto number = static_cast<std::int32_t>(known.size());
  known.emplace(name, number);
  append({0, number, description, name_payload(name)}, unsent_);
  return number;
}

void Connection::send(const std::string& sender, std::string_view type, double time,
                      std::string payload) {
  if (!is_open()) return;
  const std::int32_t from = number_of(senders_, sender, sender_description);
  const std::int32_t what = number_of(types_, std::string(type), type_description);
  append({time, from, what, std::move(payload)}, unsent_);
  write();
}

void Connection::describe(const Message& message) {
  auto& names = message.type == sender_description ? their_senders_ : their_types_;
  const std::optional<std::string> name = read_name(message.payload);
  if (name && message.sender >= 0 && names.size() < most_names) names[message.sender] = *name;
}

std::vector<Received> Connection::receive() {
  std::vector<Received> out;
  write();
  char block[1 << 14];
  for (int i = 0; i < most_reads && is_open(); ++i) {
    const ssize_t count = ::recv(socket_.number(), block, sizeof block, 0);
    if (count > 0) {
      reader_.add({block, static_cast<std::size_t>(count)});
      continue;
    }
    if (count == 0 || !would_wait()) socket_.close();
    break;
  }
  if (!is_ready_) {
    const Reader::Status status = reader_.take_cookie();
    if (status == Reader::Status::broken) socket_.close();
    if (status != Reader::Status::message) return out;
    is_ready_ = true;
  }
  Message message;
  for (;;) {
    const Reader::Status status = reader_.take(message);
    if (status == Reader::Status::broken) socket_.close();
    if (status != Reader::Status::message) return out;
    if (message.type == disconnect) {
      socket_.close();
      return out;
    }
    if (message.type == sender_description || message.type == type_description) {
      describe(message);
    } else if (const auto type = their_types_.find(message.type); type != their_types_.end()) {
      // Of other system messages, and of numbers that were not announced, nothing is known.
      const auto sender = their_senders_.find(message.sender);
      out.push_back({sender == their_senders_.end() ? "" : sender->second, type->second,
                     message.time, std::move(message.payload)});
    }
  }
}

Connection connect_to(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0)
    throw Error(fmt::format("VRPN: cannot find the host {}: {}", host, gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  for (const addrinfo* at = found; at; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, at->ai_socktype, at->ai_protocol));
    if (!socket.is_open()) continue;
    set_up(socket.number());
    if (::connect(socket.number(), at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS)
      return Connection(std::move(socket));
  }
  throw Error(fmt::format("VRPN: cannot connect to {}, port {}", host, port));
}

Server::Server(int port, bool everybody) {
  // A port that is free for connections may be taken for datagrams.
  for (int tries = port == 0 ? 20 : 1; tries > 0; --tries)
    if (listen_at(port, everybody)) return;
  throw Error(fmt::format("VRPN: cannot listen on port {}", port));
}

bool Server::listen_at(int port, bool everybody) {
  socket_ = Socket(::socket(AF_INET, SOCK_STREAM, 0));
  requests_ = Socket(::socket(AF_INET, SOCK_DGRAM, 0));
  if (!socket_.is_open() || !requests_.is_open()) return false;
  const int yes = 1;
  setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  set_up(socket_.number());
  set_up(requests_.number());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(everybody ? INADDR_ANY : INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_.number(), plain, size) != 0 || ::listen(socket_.number(), 16) != 0 ||
      getsockname(socket_.number(), plain, &size) != 0)
    return false;
  port_ = ntohs(address.sin_port);
  return ::bind(requests_.number(), plain, size) == 0;
}

void Server::let_in(Socket socket) {
  if (clients_.size() == most_clients) return;  // and it is closed
  set_up(socket.number());
  clients_.push_back(std::make_unique<Connection>(std::move(socket)));
}

// A request is the text "host port". Who asks is called, whatever host it names.
void Server::call_back() {
  char text[201];
  for (int i = 0; i < most_reads; ++i) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    auto* plain = reinterpret_cast<sockaddr*>(&from);
    const ssize_t count = ::recvfrom(requests_.number(), text, sizeof text - 1, 0, plain, &size);
    if (count < 0) return;
    text[count] = '\0';
    const char* space = std::strchr(text, ' ');
    const int port = space ? std::atoi(space) : 0;
    if (port < 1024 || port > 65535) continue;
    from.sin_port = htons(static_cast<std::uint16_t>(port));
    Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
    if (!socket.is_open()) return;
    set_up(socket.number());
    if (::connect(socket.number(), plain, size) == 0 || errno == EINPROGRESS)
      let_in(std::move(socket));
  }
}

void Server::send(const std::string& sender, std::string_view type, double time,
                  const std::string& payload) {
  for (const auto& client : clients_) client->send(sender, type, time, payload);
}

std::vector<Received> Server::receive() {
  for (;;) {
    Socket socket(::accept(socket_.number(), nullptr, nullptr));
    if (!socket.is_open()) break;
    let_in(std::move(socket));
  }
  call_back();
  std::vector<Received> out;
  for (const auto& client : clients_)
    for (Received& each : client->receive()) {
      if (each.type == ping_type)
        client->send(each.sender, pong_type, each.time, "");
      else
        out.push_back(std::move(each));
    }
  std::erase_if(clients_, [](const auto& client) { return !client->is_open(); });
  return out;
}

}  // namespace taut::devices::vrpn
