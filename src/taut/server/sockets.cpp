// Everything that needs Boost.Beast, in one unit: its templates take the compiler long.
#include <fmt/core.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>

#include "taut/base/error.hpp"
#include "taut/server/listener.hpp"
#include "taut/server/session.hpp"

namespace taut::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using boost::system::error_code;
// Without compression, which costs more time than a local network saves, and much to compile.
using Stream = websocket::stream<beast::tcp_stream, false>;

constexpr auto tick = std::chrono::milliseconds(4);
constexpr auto http_patience = std::chrono::seconds(30);
constexpr std::size_t most_waiting = 64;  // messages that a client has not taken yet

struct Shared {
  Hub& hub;
  asio::io_context& io;
  asio::thread_pool& workers;
  std::string address;
  unsigned short port;
  std::size_t clients = 0;
};

/// A page of another origin may have any name resolve to this machine, but it cannot make its name
/// a number.
bool is_own_host(std::string_view host, const Shared& shared) {
  const std::string suffix = fmt::format(":{}", shared.port);
  if (shared.port != 80 && !host.ends_with(suffix)) return false;
  if (host.ends_with(suffix)) host.remove_suffix(suffix.size());
  if (host == "localhost" || host == shared.address) return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code trouble;
  asio::ip::make_address(std::string(host), trouble);
  return !trouble;
}

std::string_view text_of(const auto& field) { return {field.data(), field.size()}; }

// One client with a WebSocket ---------------------------------------------------------------------

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared, bool may_control)
      : shared_(shared),
        stream_(std::move(socket)),
        timer_(shared.io),
        session_(std::make_shared<Session>(shared.hub, may_control)) {
    ++shared_.clients;
  }
  ~Connection() {
    --shared_.clients;
    // Its world may have to end, which takes a while.
    asio::post(shared_.workers, [session = std::move(session_)]() mutable { session.reset(); });
  }

  void accept(const http::request<http::string_body>& request) {
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.read_message_max(most_message_bytes);
    stream_.auto_fragment(false);
    stream_.async_accept(request, [self = shared_from_this()](error_code trouble) {
      if (trouble) return;
      self->read();
      self->wait();
    });
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](error_code trouble, std::size_t) {
      if (trouble) return self->end();
      self->handle();
    });
  }
  // The next message is read when this one has been dealt with.
  void handle() {
    std::string text = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    const bool is_text = stream_.got_text();
    asio::post(shared_.workers, [self = shared_from_this(), text = std::move(text), is_text] {
      std::vector<Outgoing> answers =
          is_text ? self->session_->receive(text)
                  : self->session_->refuse("found a binary message, expected text");
      asio::post(self->shared_.io, [self, answers = std::move(answers)]() mutable {
        if (self->has_ended_) return;
        for (Outgoing& each : answers) self->waiting_.push_back(std::move(each));
        self->write();
        if (self->session_->is_hopeless()) return self->end();
        if (self->waiting_.size() < most_waiting)
          self->read();
        else
          self->is_reading_later_ = true;
      });
    });
  }
  // What is unasked is only looked for when the client has taken all that was sent before: so a
  // slow one gets fewer frames, and each is the newest.
  void wait() {
    timer_.expires_after(tick);
    timer_.async_wait([self = shared_from_this()](error_code trouble) {
      if (trouble || self->has_ended_) return;
      if (!self->is_writing_ && self->waiting_.empty()) {
        for (Outgoing& each : self->session_->next(std::chrono::steady_clock::now()))
          self->waiting_.push_back(std::move(each));
        self->write();
      }
      self->wait();
    });
  }
  void write() {
    if (is_writing_ || waiting_.empty() || has_ended_) return;
    is_writing_ = true;
    sent_ = std::move(waiting_.front());
    waiting_.pop_front();
    stream_.binary(sent_.is_binary);
    stream_.async_write(asio::buffer(*sent_.bytes),
                        [self = shared_from_this()](error_code trouble, std::size_t) {
                          self->is_writing_ = false;
                          if (trouble) return self->end();
                          if (self->is_reading_later_ && self->waiting_.size() < most_waiting) {
                            self->is_reading_later_ = false;
                            self->read();
                          }
                          self->write();
                        });
  }
  /// Whatever is still to be written is given up: the client may not be reading any more.
  void end() {
    has_ended_ = true;
    timer_.cancel();
    beast::get_lowest_layer(stream_).close();
  }

  Shared& shared_;
  Stream stream_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::deque<Outgoing> waiting_;
  Outgoing sent_;
  bool is_writing_ = false, has_ended_ = false, is_reading_later_ = false;
  std::shared_ptr<Session> session_;
};

// HTTP --------------------------------------------------------------------------------------------

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, Shared& shared)
      : shared_(shared), stream_(std::move(socket)) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(std::uint64_t{1} << 16);
    stream_.expires_after(http_patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code trouble, std::size_t) {
                       if (trouble) return;
                       self->handle();
                     });
  }

 private:
  void handle() {
    const auto& request = parser_->get();
    const std::string host(text_of(request[http::field::host]));
    const std::string target(text_of(request.target()));
    if (!is_own_host(host, shared_))
      return answer({403, "text/plain; charset=utf-8", "403: this is not the server's address\n"});
    if (websocket::is_upgrade(request)) return upgrade(host, target);
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return answer({405, "text/plain; charset=utf-8", "405: expected GET\n"});
    asio::post(shared_.workers, [self = shared_from_this(), target] {
      HttpAnswer found;
      try {
        found = self->shared_.hub.get(target);
      } catch (const std::exception& error) {
        found = {500, "text/plain; charset=utf-8", std::string(error.what()) + "\n"};
      }
      asio::post(self->shared_.io,
                 [self, found = std::move(found)]() mutable { self->answer(std::move(found)); });
    });
  }

  void upgrade(const std::string& host, const std::string& target) {
    const auto& request = parser_->get();
    const std::string origin(text_of(request[http::field::origin]));
    if (!origin.empty() && origin != "http://" + host && origin != "https://" + host)
      return answer({403, "text/plain; charset=utf-8", "403: a page of another origin\n"});
    const std::size_t mark = std::min(target.find('?'), target.size());
    if (target.substr(0, mark) != "/ws")
      return answer({404, "text/plain; charset=utf-8", "404: the WebSocket is /ws\n"});
    if (shared_.clients >= most_clients)
      return answer({503, "text/plain; charset=utf-8", "503: too many clients\n"});
    const std::string token =
        query_value(std::string_view(target).substr(std::min(mark + 1, target.size())), "token");
    stream_.expires_never();
    std::make_shared<Connection>(stream_.release_socket(), shared_, shared_.hub.is_token(token))
        ->accept(request);
  }

  void answer(HttpAnswer found) {
    const auto& request = parser_->get();
    auto response = std::make_shared<http::response<http::string_body>>();
    response->version(request.version());
    response->keep_alive(request.keep_alive());
    response->result(static_cast<unsigned>(found.status));
    response->set(http::field::content_type, found.type);
    response->set(http::field::cache_control, "no-cache");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("X-Frame-Options", "DENY");
    response->set("Referrer-Policy", "no-referrer");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    const std::string host(text_of(request[http::field::host]));
    response->set("Content-Security-Policy",
                  fmt::format("default-src 'self'; img-src 'self' data: blob:; media-src 'self' "
                              "blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws://{} "
                              "data: blob:; worker-src 'self' blob:; frame-ancestors 'none'",
                              is_own_host(host, shared_) ? host : "localhost"));
    const std::size_t size = found.body.size();
    if (request.method() != http::verb::head) response->body() = std::move(found.body);
    response->content_length(size);
    const bool is_last = !response->keep_alive();
    stream_.expires_after(http_patience);
    http::async_write(
        stream_, *response,
        [self = shared_from_this(), response, is_last](error_code trouble, std::size_t) {
          if (trouble) return;
          if (!is_last) return self->read();
          error_code ignored;
          self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
  }

  Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
};

}  // namespace

// The listener ------------------------------------------------------------------------------------

struct Listener::Impl {
  Impl(Hub& hub, Options given)
      : options(std::move(given)),
        shared{hub, io, workers, options.address, 0},
        acceptor(io),
        asking(io) {
    error_code trouble;
    const auto address = asio::ip::make_address(
        options.address == "localhost" ? "127.0.0.1" : options.address, trouble);
    if (trouble)
      throw Error(fmt::format("--listen: found \"{}\", expected an address such as 127.0.0.1",
                              options.address));
    const tcp::endpoint place(address, options.port);
    acceptor.open(place.protocol(), trouble);
    if (!trouble) acceptor.set_option(tcp::acceptor::reuse_address(true), trouble);
    if (!trouble) acceptor.bind(place, trouble);
    if (!trouble) acceptor.listen(asio::socket_base::max_listen_connections, trouble);
    if (trouble)
      throw Error(fmt::format("cannot listen on {}, port {}: {}", options.address, options.port,
                              trouble.message()));
    shared.port = acceptor.local_endpoint().port();
    accept();
    ask();
  }

  void accept() {
    acceptor.async_accept([this](error_code trouble, tcp::socket socket) {
      if (trouble == asio::error::operation_aborted) return;
      if (!trouble) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<HttpConnection>(std::move(socket), shared)->read();
      }
      accept();
    });
  }
  void ask() {
    asking.expires_after(std::chrono::milliseconds(100));
    asking.async_wait([this](error_code trouble) {
      if (trouble) return;
      if (options.keep_going && !options.keep_going()) return io.stop();
      asio::post(workers, [this] { shared.hub.tidy(); });
      ask();
    });
  }

  Options options;
  // These outlive the connections, which end with io.
  asio::thread_pool workers{2};
  Shared shared;
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer asking;
};

Listener::Listener(Hub& hub, Options options)
    : impl_(std::make_unique<Impl>(hub, std::move(options))) {}
Listener::~Listener() {
  impl_->io.stop();
  impl_->workers.join();
}
unsigned short Listener::port() const { return impl_->shared.port; }
std::string Listener::host() const {
  const std::string& address = impl_->options.address;
  const bool is_any = address == "0.0.0.0" || address == "::";
  const std::string shown = is_any ? "127.0.0.1" : address;
  const bool is_plain = shown.find(':') == std::string::npos;
  return is_plain ? fmt::format("{}:{}", shown, port()) : fmt::format("[{}]:{}", shown, port());
}
void Listener::run() { impl_->io.run(); }
void Listener::stop() { impl_->io.stop(); }

}  // namespace taut::server
