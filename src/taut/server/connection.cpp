#include "taut/server/connection.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace taut::server {
namespace connection_detail {

constexpr auto http_patience = std::chrono::seconds(30);
constexpr auto ending_patience = std::chrono::seconds(2);
// A client of which nothing was heard for so long is gone; half that long, and it is asked.
constexpr auto websocket_patience = std::chrono::seconds(300);
constexpr std::size_t most_head_bytes = 8192;

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

/// A page of another origin may have any name resolve to this machine, but it cannot make its name
/// a number.
bool is_own_host(std::string_view host, const Shared& shared) {
  const std::string suffix = fmt::format(":{}", shared.port);
  if (shared.port != 80 && !host.ends_with(suffix)) return false;
  if (host.ends_with(suffix)) host.remove_suffix(suffix.size());
  if (host == "localhost" || host == shared.address) return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::array<unsigned char, 16> ignored{};
  const std::string name(host);
  return inet_pton(AF_INET, name.c_str(), ignored.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

std::string_view phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

}  // namespace connection_detail

using namespace connection_detail;

Connection::Connection(Descriptor socket, Shared& shared)
    : shared_(shared),
      socket_(std::move(socket)),
      frames_(most_message_bytes),
      last_read_(Clock::now()),
      last_written_(last_read_) {}

Connection::~Connection() {
  if (!session_) return;
  --shared_.clients;
  // Its world may have to end, which takes a while.
  shared_.workers.post([session = std::move(session_)]() mutable { session.reset(); });
}

template <class Result>
void Connection::defer(std::function<Result()> work, std::function<void(Result)> then) {
  is_busy_ = true;
  shared_.workers.post(
      [self = shared_from_this(), work = std::move(work), then = std::move(then)]() mutable {
        auto result = std::make_shared<Result>(work());
        EventLoop& loop = self->shared_.loop;
        // The last to hold a connection is the loop, which counts them.
        loop.post([self = std::move(self), result, then = std::move(then)]() mutable {
          if (self->descriptor() < 0) return;
          self->is_busy_ = false;
          then(std::move(*result));
        });
      });
}

// Bytes
// --------------------------------------------------------------------------------------------

void Connection::read() {
  std::array<char, std::size_t{1} << 16> bytes;
  const ssize_t count = ::recv(socket_.number(), bytes.data(), bytes.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end();
  if (is_ending_) return;
  last_read_ = Clock::now();
  has_pinged_ = false;
  const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  if (is_websocket())
    frames_.add(text);
  else
    received_.append(text);
  handle();
}

void Connection::handle() {
  if (is_busy_ || descriptor() < 0 || ends_when_sent_) return;
  if (is_websocket())
    handle_messages();
  else if (!is_sending())
    handle_request();
}

void Connection::send(std::string head, std::shared_ptr<const std::string> body) {
  head_ = std::move(head);
  body_ = std::move(body);
  sent_ = 0;
  last_written_ = Clock::now();
  flush();
}

void Connection::write() {
  flush();
  // What came while something was sent, and what was too much to ask for.
  handle();
}

void Connection::flush() {
  while (descriptor() >= 0) {
    if (!is_sending()) {
      if (!urgent_.empty()) {
        head_ = std::exchange(urgent_, {});
        body_.reset();
      } else if (!waiting_.empty() && !ends_when_sent_) {
        const Outgoing next = std::move(waiting_.front());
        waiting_.pop_front();
        head_ =
            frame_head(next.is_binary ? FrameType::binary : FrameType::text, next.bytes->size());
        body_ = next.bytes;
      } else {
        head_.clear();
        body_.reset();
        sent_ = 0;
        if (ends_when_sent_) end_gently();
        return;
      }
      sent_ = 0;
      last_written_ = Clock::now();
    }
    std::array<iovec, 2> parts{};
    std::size_t used = 0;
    if (sent_ < head_.size()) parts[used++] = {head_.data() + sent_, head_.size() - sent_};
    const std::size_t of_body = sent_ > head_.size() ? sent_ - head_.size() : 0;
    if (body_ && of_body < body_->size())
      parts[used++] = {const_cast<char*>(body_->data()) + of_body, body_->size() - of_body};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = used;
    const ssize_t count = ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) return end();
    sent_ += static_cast<std::size_t>(count);
    last_written_ = Clock::now();
  }
}

// If something that the client sent were left unread, the system would take back what was sent
// last.
void Connection::end_gently() {
  if (!is_ending_) ::shutdown(socket_.number(), SHUT_WR);
  is_ending_ = true;
}

/// Whatever is still to be written is given up: the client may not be reading any more.
void Connection::end() {
  if (descriptor() >= 0) ::shutdown(socket_.number(), SHUT_RDWR);
  socket_.close();
  waiting_.clear();
  body_.reset();
}

void Connection::tick() {
  const auto now = Clock::now();
  if (is_ending_) {
    if (now - last_written_ > ending_patience) end();
    return;
  }
  if (!is_websocket()) {
    if (!is_busy_ && now - std::max(last_read_, last_written_) > http_patience) end();
    return;
  }
  if (is_sending() && now - last_written_ > http_patience) return end();
  if (!is_busy_ && now - last_read_ > websocket_patience) return end();
  if (!has_pinged_ && now - last_read_ > websocket_patience / 2) {
    has_pinged_ = true;
    urgent_ += whole_frame(FrameType::ping, "");
  }
  // What is unasked is only looked for when the client has taken all that was sent before: so a
  // slow one gets fewer frames, and each is the newest.
  if (!is_sending() && waiting_.empty() && !ends_when_sent_)
    for (Outgoing& each : session_->next(now)) waiting_.push_back(std::move(each));
  flush();
}

// A WebSocket
// --------------------------------------------------------------------------------------

void Connection::handle_messages() {
  while (!is_busy_ && waiting_.size() < most_waiting && !ends_when_sent_) {
    auto message = frames_.next();
    if (!message && !frames_.trouble()) break;
    if (!message || message->type == FrameType::close) {
      urgent_ += close_frame(message ? 1000 : frames_.trouble());
      ends_when_sent_ = true;
      break;
    }
    if (message->type == FrameType::ping) urgent_ += whole_frame(FrameType::pong, message->content);
    if (message->type == FrameType::ping || message->type == FrameType::pong) continue;
    defer<std::vector<Outgoing>>(
        [session = session_, message = std::move(*message)] {
          return message.type == FrameType::text
                     ? session->receive(message.content)
                     : session->refuse("found a binary message, expected text");
        },
        [this](std::vector<Outgoing> answers) {
          for (Outgoing& each : answers) waiting_.push_back(std::move(each));
          flush();
          if (session_->is_hopeless()) return end();
          handle();
        });
  }
  flush();
}

// HTTP
// ---------------------------------------------------------------------------------------------

void Connection::handle_request() {
  const std::size_t end_of_head = received_.find("\r\n\r\n");
  if (std::min(end_of_head, received_.size()) > most_head_bytes)
    return fail(400, "the head of the request is too long");
  if (end_of_head == std::string::npos) return;
  const auto parsed = parse_http_request(std::string_view(received_).substr(0, end_of_head + 4));
  received_.erase(0, end_of_head + 4);
  if (!parsed) return fail(400, "found no HTTP/1.1");
  const HttpRequest& request = *parsed;
  if (!is_own_host(request.field("host"), shared_))
    return answer(request,
                  {403, std::string(plain_text), "403: this is not the server's address\n"});
  if (request.asks_for_websocket()) return upgrade(request);
  if (request.method != "GET" && request.method != "HEAD")
    return answer(request, {405, std::string(plain_text), "405: expected GET\n"});
  defer<HttpAnswer>(
      [&hub = shared_.hub, target = request.target] {
        try {
          return hub.get(target);
        } catch (const std::exception& error) {
          return HttpAnswer{500, std::string(plain_text), std::string(error.what()) + "\n"};
        }
      },
      [this, request](HttpAnswer found) { answer(request, std::move(found)); });
}

void Connection::upgrade(const HttpRequest& request) {
  const auto refuse = [&](int status, std::string_view why) {
    answer(request, {status, std::string(plain_text), fmt::format("{}: {}\n", status, why)});
  };
  const std::string host(request.field("host")), origin(request.field("origin"));
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host)
    return refuse(403, "a page of another origin");
  const std::string_view target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (target.substr(0, mark) != "/ws") return refuse(404, "the WebSocket is /ws");
  if (shared_.clients >= most_clients) return refuse(503, "too many clients");
  const std::string_view key = request.field("sec-websocket-key");
  if (request.field("sec-websocket-version") != "13" || key.size() != 24)
    return refuse(400, "expected version 13 of the WebSocket protocol, and a key");
  const std::string token = query_value(target.substr(std::min(mark + 1, target.size())), "token");
  session_ = std::make_shared<Session>(shared_.hub, shared_.hub.rights_of(token));
  ++shared_.clients;
  frames_.add(std::exchange(received_, {}));
  send(fmt::format("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
                   "Upgrade\r\nSec-WebSocket-Accept: {}\r\n\r\n",
                   accept_key(key)),
       nullptr);
  handle();
}

void Connection::answer(const HttpRequest& request, HttpAnswer found) {
  const std::string_view host = request.field("host");
  // What may follow such a request is not read.
  ends_when_sent_ = !request.keeps_alive() || request.has_body();
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nConnection: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; media-src 'self' "
      "blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws://{} data: blob:; worker-src "
      "'self' blob:; frame-ancestors 'none'\r\n\r\n",
      found.status, phrase(found.status), ends_when_sent_ ? "close" : "keep-alive", found.type,
      found.body.size(), is_own_host(host, shared_) ? host : "localhost");
  std::shared_ptr<const std::string> body;
  if (request.method != "HEAD") body = std::make_shared<const std::string>(std::move(found.body));
  send(std::move(head), std::move(body));
  handle();
}

void Connection::fail(int status, std::string_view why) {
  answer(HttpRequest{"GET", "/", 0, {}},
         {status, std::string(plain_text), fmt::format("{}: {}\n", status, why)});
}

}  // namespace taut::server
