// The worlds of a server, and what it answers to HTTP. Knows nothing of sockets.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "taut/server/world.hpp"

namespace taut::server {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// What a client may do; each may do what those before it may.
enum class Rights { watch, hands, control };

class Hub {
 public:
  /// `web`: the folder with the page; empty: there is none. `module_token` allows to move hands and
  /// nothing else; empty: there is none.
  Hub(std::filesystem::path web, std::string token, std::string module_token = "");

  const std::string& token() const { return token_; }
  Rights rights_of(std::string_view token) const;

  /// Each adds a world. Throw Error.
  std::shared_ptr<World> open(Document document, std::vector<RunRequest> runs);
  /// The world that is shown at first, and never closed.
  std::shared_ptr<World> open_first(Document document, std::vector<RunRequest> runs,
                                    HandRules hands = {});
  std::shared_ptr<World> open_first(const std::string& recording);
  /// Its id, or nothing.
  std::string first() const;
  /// nullptr where there is none.
  std::shared_ptr<World> find(const std::string& id) const;
  /// Closes a world that nobody watches any more.
  void close_if_deserted(const std::string& id);
  /// Closes those that have long been deserted.
  void tidy();
  io::Json list_worlds() const;

  /// To GET target ("/path?query").
  HttpAnswer get(std::string_view target);

 private:
  std::string next_id();
  void add(std::shared_ptr<World> world);
  HttpAnswer api(std::string_view path, std::string_view query);
  HttpAnswer page_file(std::string_view path) const;

  const std::filesystem::path web_;
  const std::string token_, module_token_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<World>> worlds_;
  std::string first_;
  unsigned long next_ = 1;
};

/// 128 random bits in hexadecimal.
std::string random_token();
/// The value of a key in "a=1&b=2", decoded; empty where there is none.
std::string query_value(std::string_view query, std::string_view key);

}  // namespace taut::server
