#include "taut/server/http_request.hpp"

#include <algorithm>

namespace taut::server {
namespace http_detail {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// What names of fields and methods are made of.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '\x7f'; });
}

bool read_first_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  request.minor_version = version.back() - '0';
  return is_token(request.method) && !request.target.empty() && is_visible(request.target);
}

}  // namespace http_detail

using namespace http_detail;

std::string_view HttpRequest::field(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

bool HttpRequest::lists(std::string_view name, std::string_view word) const {
  std::string_view rest = field(name);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (lower(trimmed(rest.substr(0, comma))) == word) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

bool HttpRequest::keeps_alive() const {
  return minor_version > 0 ? !lists("connection", "close") : lists("connection", "keep-alive");
}

bool HttpRequest::has_body() const {
  const std::string_view length = field("content-length");
  return fields.contains("transfer-encoding") || (!length.empty() && length != "0");
}

bool HttpRequest::asks_for_websocket() const {
  return method == "GET" && minor_version > 0 && lists("connection", "upgrade") &&
         lists("upgrade", "websocket");
}

std::optional<HttpRequest> parse_http_request(std::string_view head) {
  HttpRequest request;
  bool is_first = true;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (is_first) {
      if (!read_first_line(line, request)) return std::nullopt;
      is_first = false;
      continue;
    }
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    const bool is_clean = std::none_of(value.begin(), value.end(), [](char c) {
      return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
    });
    if (!is_token(name) || !is_clean) return std::nullopt;
    const auto [at, is_new] = request.fields.try_emplace(lower(name), value);
    // Which of two hosts or origins counts is nothing to guess about.
    if (!is_new && (at->first == "host" || at->first == "origin")) return std::nullopt;
    if (!is_new) at->second.append(", ").append(value);
  }
  if (is_first) return std::nullopt;
  return request;
}

}  // namespace taut::server
