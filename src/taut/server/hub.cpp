#include "taut/server/hub.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <random>

#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/server/catalogue.hpp"

namespace taut::server {
namespace {

constexpr std::string_view json_type = "application/json; charset=utf-8";

struct FileType {
  std::string_view extension, type;
};
constexpr std::array file_types{
    FileType{".html", "text/html; charset=utf-8"},
    FileType{".js", "text/javascript; charset=utf-8"},
    FileType{".css", "text/css; charset=utf-8"},
    FileType{".json", json_type},
    FileType{".map", json_type},
    FileType{".svg", "image/svg+xml"},
    FileType{".png", "image/png"},
    FileType{".webp", "image/webp"},
    FileType{".ico", "image/x-icon"},
    FileType{".woff2", "font/woff2"},
    FileType{".txt", "text/plain; charset=utf-8"},
    FileType{".wasm", "application/wasm"},
};

HttpAnswer not_found() {
  return {404, "text/plain; charset=utf-8", "404: there is nothing here\n"};
}
HttpAnswer json_answer(std::string body) { return {200, std::string(json_type), std::move(body)}; }

constexpr std::string_view no_page =
    "<!doctype html><meta charset=utf-8><title>taut</title><p>The server runs, but its page is not "
    "there. In the source tree, <code>./run view</code> builds it; an installed taut has it in "
    "<code>share/taut/web</code>. See docs/viewer.md.";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

std::string query_value(std::string_view query, std::string_view key) {
  std::size_t begin = 0;
  while (begin < query.size()) {
    std::size_t end = begin;
    while (end < query.size() && query[end] != '&') ++end;
    const std::string_view pair = query.substr(begin, end - begin);
    if (pair.starts_with(key) && pair.size() > key.size() && pair[key.size()] == '=')
      return decoded(pair.substr(key.size() + 1));
    begin = end + 1;
  }
  return "";
}

Hub::Hub(std::filesystem::path web, std::string token, std::string module_token)
    : web_(std::move(web)), token_(std::move(token)), module_token_(std::move(module_token)) {}

// Every character is looked at, so that time tells nothing.
Rights Hub::rights_of(std::string_view given) const {
  const auto is_same = [&](const std::string& token) {
    if (token.empty() || given.size() != token.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < token.size(); ++i)
      different |= static_cast<unsigned char>(token[i] ^ given[i]);
    return different == 0;
  };
  if (is_same(token_)) return Rights::control;
  return is_same(module_token_) ? Rights::hands : Rights::watch;
}

std::string Hub::next_id() {
  const std::lock_guard lock(mutex_);
  if (worlds_.size() >= most_worlds)
    throw Error(fmt::format("there are {} worlds already: close another page first", most_worlds));
  return fmt::format("w{}", next_++);
}

void Hub::add(std::shared_ptr<World> world) {
  const std::lock_guard lock(mutex_);
  worlds_[world->id()] = std::move(world);
}

std::shared_ptr<World> Hub::open(Document document, std::vector<RunRequest> runs) {
  auto world = std::make_shared<World>(next_id(), std::move(document), std::move(runs));
  add(world);
  return world;
}

std::shared_ptr<World> Hub::open_first(Document document, std::vector<RunRequest> runs,
                                       HandRules hands) {
  auto world =
      std::make_shared<World>("main", std::move(document), std::move(runs), std::move(hands));
  add(world);
  first_ = "main";
  return world;
}

std::shared_ptr<World> Hub::open_first(const std::string& recording) {
  auto world = std::make_shared<World>("main", recording);
  add(world);
  first_ = "main";
  return world;
}

std::string Hub::first() const {
  const std::lock_guard lock(mutex_);
  return first_;
}

std::shared_ptr<World> Hub::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = worlds_.find(id);
  return found == worlds_.end() ? nullptr : found->second;
}

void Hub::close_if_deserted(const std::string& id) {
  std::shared_ptr<World> closed;  // its threads end outside of the lock
  const std::lock_guard lock(mutex_);
  const auto found = worlds_.find(id);
  if (found == worlds_.end() || id == first_ || found->second->client_count() > 0) return;
  closed = std::move(found->second);
  worlds_.erase(found);
}

void Hub::tidy() {
  std::vector<std::shared_ptr<World>> closed;
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  for (auto it = worlds_.begin(); it != worlds_.end();) {
    const auto since = it->second->deserted_since();
    const bool is_old =
        since && std::chrono::duration<double>(now - *since).count() > world_patience;
    if (is_old && it->first != first_) {
      closed.push_back(std::move(it->second));
      it = worlds_.erase(it);
    } else {
      ++it;
    }
  }
}

io::Json Hub::list_worlds() const {
  io::Json all = io::Json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, world] : worlds_)
    all.push_back({{"world", id},
                   {"name", world->name()},
                   {"title", world->title()},
                   {"clients", world->client_count()}});
  return all;
}

HttpAnswer Hub::get(std::string_view target) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string path = decoded(target.substr(0, mark));
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  if (path.starts_with("/api/")) return api(std::string_view(path).substr(5), query);
  return page_file(path);
}

HttpAnswer Hub::api(std::string_view path, std::string_view query) {
  if (path == "version")
    return json_answer(io::Json{{"taut", version}, {"protocol", protocol_version}}.dump());
  if (path == "scenes") {
    static const std::string all = scenes_json();
    return json_answer(all);
  }
  if (path == "methods") return json_answer(methods_json());
  if (path == "schema") return json_answer(io::scene_schema());
  if (path == "worlds") return json_answer(list_worlds().dump());
  if (path.starts_with("scenes/")) {
    std::string text = builtin_text(path.substr(7));
    if (text.empty()) return not_found();
    return {200, io::is_robot_file(path) ? "application/xml" : std::string(json_type),
            std::move(text)};
  }
  if (path.starts_with("worlds/") && path.ends_with("/recording")) {
    const auto world = find(std::string(path.substr(7, path.size() - 17)));
    if (!world) return not_found();
    const std::string wanted = query_value(query, "run");
    int run = 0;
    std::from_chars(wanted.data(), wanted.data() + wanted.size(), run);
    try {
      return {200, "application/octet-stream", world->recording_of(run)};
    } catch (const Error& error) {
      return {404, "text/plain; charset=utf-8", std::string(error.what()) + "\n"};
    }
  }
  return not_found();
}

HttpAnswer Hub::page_file(std::string_view path) const {
  if (path == "/" || path == "/index.html") {
    if (web_.empty()) return {200, "text/html; charset=utf-8", std::string(no_page)};
    path = "/index.html";
  }
  // Nothing but plain names below the folder.
  const bool is_plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '/' || c == '.' || c == '-' || c == '_';
  });
  if (web_.empty() || !is_plain || path.find("..") != path.npos || path.find("/.") != path.npos)
    return not_found();
  const std::filesystem::path file = web_ / path.substr(1);
  std::error_code trouble;
  if (!std::filesystem::is_regular_file(file, trouble)) return not_found();
  std::ifstream in(file, std::ios::binary);
  HttpAnswer answer;
  answer.body.assign(std::istreambuf_iterator<char>(in), {});
  answer.type = "application/octet-stream";
  for (const FileType& known : file_types)
    if (path.ends_with(known.extension)) answer.type = known.type;
  return answer;
}

}  // namespace taut::server
