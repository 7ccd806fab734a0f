#include "interrupt.hpp"

#include <csignal>

namespace taut::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { asked_to_stop = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return asked_to_stop != 0; }

}  // namespace taut::cli
