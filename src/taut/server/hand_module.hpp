// A device of this process that moves a hand of a server elsewhere, over the viewer's protocol.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "taut/devices/device.hpp"

namespace taut::server {

struct ModuleOptions {
  std::string host = "127.0.0.1";
  unsigned short port = 0;
  std::string token;
  std::string hand;    ///< its name; empty: the first
  double rate = 1000;  ///< Hz
};

class HandModule {
 public:
  HandModule(std::unique_ptr<devices::Device> device, ModuleOptions options);
  ~HandModule();

  /// Reads the device, sends what it measured, and gives it the forces that come back, until
  /// `keep_going` says no or the device is gone for good. Where the server is away it is asked
  /// again once a second, and the device gets forces of 0. Throws Error where the server refuses: a
  /// wrong token, no such hand.
  void run(const std::function<bool()>& keep_going);

  long sent() const { return sent_; }
  long answered() const { return answered_; }
  long late() const { return late_; }
  long connections() const { return connections_; }

 private:
  struct Link;
  void turn(Link& link);

  std::unique_ptr<devices::Device> device_;
  ModuleOptions options_;
  std::atomic<long> sent_{0}, answered_{0}, late_{0}, connections_{0};
};

}  // namespace taut::server
