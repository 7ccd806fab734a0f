// What a client asks for over HTTP/1.1, read from bytes. Knows nothing of sockets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace taut::server {

struct HttpRequest {
  std::string method, target;
  int minor_version = 1;                                   ///< of HTTP/1.x
  std::map<std::string, std::string, std::less<>> fields;  ///< names in lower case

  /// Empty where there is none.
  std::string_view field(std::string_view name) const;
  /// Whether a field that is a list, such as Connection, has this word in it.
  bool lists(std::string_view name, std::string_view word) const;
  bool keeps_alive() const;
  /// Whether it says that something follows its head.
  bool has_body() const;
  bool asks_for_websocket() const;
};

/// Of the bytes of a request up to the empty line. Nothing: it is no HTTP.
std::optional<HttpRequest> parse_http_request(std::string_view head);

}  // namespace taut::server
