// A browser without a window that shows the viewer's page, driven over the DevTools protocol.
#pragma once

#include <memory>
#include <string>

#include "taut/text/node.hpp"

namespace taut::cli {

class Browser {
 public:
  /// Throws Error when there is no Chromium, or it does not start.
  Browser(int width, int height);
  ~Browser();

  void open(const std::string& address);
  /// Waits until a JavaScript expression is truthy. Throws Error when it is a text, which says what
  /// is wrong, or after too long a time.
  void wait_for(const std::string& expression);
  /// Runs it, and waits for its promise. Throws Error with what it throws.
  void run(const std::string& expression);
  /// The bytes of a PNG.
  std::string screenshot();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::cli
