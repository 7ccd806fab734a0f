#include "taut/server/listener.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "taut/base/error.hpp"
#include "taut/server/connection.hpp"

namespace taut::server {
namespace listener_detail {

/// An address of either kind, with its port.
struct Place {
  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  };
  socklen_t size = 0;

  Place(const std::string& given, unsigned short port) : six{} {
    const std::string address = given == "localhost" ? "127.0.0.1" : given;
    if (inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1) {
      four.sin_family = AF_INET;
      four.sin_port = htons(port);
      size = sizeof four;
    } else if (six = {}; inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1) {
      six.sin6_family = AF_INET6;
      six.sin6_port = htons(port);
      size = sizeof six;
    }
  }
  unsigned short port() const {
    return ntohs(any.sa_family == AF_INET ? four.sin_port : six.sin6_port);
  }
};

/// Takes clients, and asks now and then whether to go on.
class Door : public Watched {
 public:
  Door(Descriptor socket, Shared& shared, std::function<bool()> keep_going)
      : socket_(std::move(socket)), shared_(shared), keep_going_(std::move(keep_going)) {}

  int descriptor() const override { return socket_.number(); }
  bool wants_to_read() const override { return true; }
  bool wants_to_write() const override { return false; }
  void read() override {
    for (;;) {
      Descriptor client(
          ::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (client.number() < 0) return;
      const int yes = 1;
      ::setsockopt(client.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      shared_.loop.add(std::make_shared<Connection>(std::move(client), shared_));
    }
  }
  void write() override {}
  void tick() override {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    if (keep_going_ && !keep_going_()) return shared_.loop.stop();
    shared_.workers.post([&hub = shared_.hub] { hub.tidy(); });
  }

 private:
  Descriptor socket_;
  Shared& shared_;
  std::function<bool()> keep_going_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace listener_detail

using namespace listener_detail;

struct Listener::Impl {
  Impl(Hub& hub, Options given)
      : options(std::move(given)), shared{hub, loop, workers, options.address, 0} {
    Place place(options.address, options.port);
    if (place.size == 0)
      throw Error(fmt::format("--listen: found \"{}\", expected an address such as 127.0.0.1",
                              options.address));
    Descriptor socket(::socket(place.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int yes = 1;
    if (socket.number() < 0 ||
        ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(socket.number(), &place.any, place.size) != 0 ||
        ::listen(socket.number(), SOMAXCONN) != 0 ||
        ::getsockname(socket.number(), &place.any, &place.size) != 0)
      throw Error(fmt::format("cannot listen on {}, port {}: {}", options.address, options.port,
                              std::strerror(errno)));
    shared.port = place.port();
    loop.add(std::make_shared<Door>(std::move(socket), shared, options.keep_going));
  }

  ~Impl() {
    // Connections have tasks, and tasks connections.
    loop.clear();
    workers.finish();
    loop.clear();
  }

  Options options;
  Shared shared;
  EventLoop loop;
  Workers workers{2};
};

Listener::Listener(Hub& hub, Options options)
    : impl_(std::make_unique<Impl>(hub, std::move(options))) {}
Listener::~Listener() = default;
unsigned short Listener::port() const { return impl_->shared.port; }
std::string Listener::host() const {
  const std::string& address = impl_->options.address;
  const bool is_any = address == "0.0.0.0" || address == "::";
  const std::string shown = is_any ? "127.0.0.1" : address;
  const bool is_plain = shown.find(':') == std::string::npos;
  return is_plain ? fmt::format("{}:{}", shown, port()) : fmt::format("[{}]:{}", shown, port());
}
void Listener::run() { impl_->loop.run(); }
void Listener::stop() { impl_->loop.stop(); }

}  // namespace taut::server
