#include "taut/farm/fleet.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "taut/base/error.hpp"
#include "taut/farm/fleet_internal.hpp"
#include "taut/farm/processes_internal.hpp"

namespace taut::farm {
namespace {

std::string random_token() {
  std::uint64_t words[2] = {};
  if (::getrandom(words, sizeof words, 0) != sizeof words)
    throw Error("no random numbers for a connection");
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

/// The addresses of this machine, those that others can reach first.
std::string own_addresses() {
  std::string outer, inner;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return " 127.0.0.1";
  for (const ifaddrs* each = all; each; each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, text,
                sizeof text);
    (std::string_view(text).starts_with("127.") ? inner : outer) += std::string(" ") + text;
  }
  ::freeifaddrs(all);
  return outer + inner;
}

std::string message(char kind, long number, const std::string& text = "") {
  return kind + std::to_string(number) + ' ' + text;
}

struct Message {
  char kind = 0;
  long number = 0;
  std::string text;
};
Message parsed(const std::string& bytes) {
  Message read;
  const std::size_t space = bytes.find(' ');
  if (bytes.empty() || space == bytes.npos) return read;
  read.kind = bytes[0];
  read.number = std::strtol(bytes.c_str() + 1, nullptr, 10);
  read.text = bytes.substr(space + 1);
  return read;
}
// Kinds: h: who follows (the number is how many pieces it takes at a time), w: work to do,
// d: done, f: it failed.

int connected(const std::string& host, const std::string& port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) return -1;
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval most{10, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  const bool ok = socket >= 0 && ::connect(socket, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  if (ok) return socket;
  if (socket >= 0) ::close(socket);
  return -1;
}

}  // namespace

Fleet::Impl::~Impl() {
  if (listener >= 0) ::close(listener);
}

void Fleet::Impl::listen() {
  listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof any;
  if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&any), size) != 0 ||
      ::listen(listener, 1024) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size) != 0)
    throw Error(fmt::format("cannot listen for other processes: {}", std::strerror(errno)));
  token = random_token();
  address = fmt::format("{} {}{}", token, ntohs(any.sin_port), own_addresses());
}

void Fleet::Impl::add_to(std::vector<pollfd>& waiting) const {
  if (listener >= 0) waiting.push_back({listener, POLLIN, 0});
  for (const Follower& each : followers) waiting.push_back({each.connection.socket(), POLLIN, 0});
}

Fleet::Impl::Follower* Fleet::Impl::with_room() {
  for (Follower& each : followers)
    if (static_cast<int>(each.numbers.size()) < each.slots) return &each;
  return nullptr;
}

void Fleet::Impl::attend(std::vector<Result>& results, std::vector<long>& lost) {
  for (int socket = 0; (socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
    followers.push_back({Connection(socket), 0, {}});
  for (std::size_t i = 0; i < followers.size();) {
    Follower& each = followers[i];
    bool is_there = each.connection.receive();
    for (std::string bytes; each.connection.take(bytes);) {
      Message told = parsed(bytes);
      if (each.slots == 0) {
        if (told.kind != 'h' || told.text != token || told.number < 1) {
          is_there = false;  // a stranger
          break;
        }
        each.slots = static_cast<int>(told.number);
      } else if (told.kind == 'd' || told.kind == 'f') {
        if (std::erase(each.numbers, told.number) == 0) continue;
        results.push_back({told.number, told.kind == 'd', std::move(told.text)});
      }
    }
    if (is_there && each.connection.receive()) {
      ++i;
      continue;
    }
    lost.insert(lost.end(), each.numbers.begin(), each.numbers.end());
    followers.erase(followers.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Fleet::Fleet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Fleet::~Fleet() = default;
bool Fleet::is_leader() const { return impl_->is_leader; }
const std::string& Fleet::address() const { return impl_->address; }
int Fleet::size() const { return impl_->processes; }

std::unique_ptr<Fleet> Fleet::lead() {
  auto impl = std::make_unique<Impl>();
  impl->listen();
  return std::unique_ptr<Fleet>(new Fleet(std::move(impl)));
}

std::unique_ptr<Fleet> Fleet::follow(const std::string& address) {
  auto impl = std::make_unique<Impl>();
  impl->is_leader = false;
  impl->address = address;
  return std::unique_ptr<Fleet>(new Fleet(std::move(impl)));
}

void Fleet::serve(const Work& work, int processes) {
  std::istringstream words(impl_->address);
  std::string token, port, host;
  words >> token >> port;
  int socket = -1;
  while (socket < 0 && words >> host) socket = connected(host, port);
  if (socket < 0) throw Error("the first process of mpirun cannot be reached over the network");
  Connection leader(socket);
  const int most = processes > 0 ? processes : 1;
  if (!leader.send(message('h', most, token))) return;
  Processes children(work, most);
  std::vector<long> waiting_numbers;
  for (;;) {
    std::vector<pollfd> waiting{{leader.socket(), POLLIN, 0}};
    children.add_to(waiting);
    ::poll(waiting.data(), waiting.size(), 1000);
    const bool is_there = leader.receive();
    for (std::string bytes; leader.take(bytes);)
      if (const Message told = parsed(bytes); told.kind == 'w')
        waiting_numbers.push_back(told.number);
    if (!is_there || !leader.receive()) return;  // nothing more is needed
    for (const Result& each : children.ended())
      if (!leader.send(message(each.is_done ? 'd' : 'f', each.number, each.text))) return;
    while (!waiting_numbers.empty() && children.has_room()) {
      children.start(waiting_numbers.front());
      waiting_numbers.erase(waiting_numbers.begin());
    }
  }
}

}  // namespace taut::farm
