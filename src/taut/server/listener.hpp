// The server's sockets: HTTP and WebSocket, on one thread; what takes long is done on two others.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "taut/server/hub.hpp"

namespace taut::server {

class Listener {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    unsigned short port = 0;  ///< 0: any that is free
    /// Asked ten times a second; false ends run().
    std::function<bool()> keep_going;
  };
  /// Throws Error when it cannot listen there.
  Listener(Hub& hub, Options options);
  ~Listener();

  unsigned short port() const;
  /// Where a browser on this machine finds it, "127.0.0.1:8080".
  std::string host() const;
  /// Serves until stop() or keep_going().
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::server
