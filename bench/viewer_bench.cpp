// What watching costs: the speed of a simulation without and with a client that takes 60 frames per
// second over the loopback, and the frames it gets. Both are measured in
// turns, so that what else the machine does disturbs both alike.
//
//   build/release/bin/viewer_bench               cloth of 71 × 71 vertices, five turns of 2 s
//   build/release/bin/viewer_bench 71 2 5        n, seconds per turn, turns
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "taut/server/client.hpp"
#include "taut/server/listener.hpp"

namespace {

using namespace taut::server;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Turn {
  double steps_per_second = 0, frames_per_second = 0, megabytes_per_second = 0;
};

/// Plays as fast as possible for a while.
Turn measure(World& world, WebSocket* client, double duration) {
  const std::shared_ptr<Run> run = world.runs()[0];
  world.play(0.0, std::nullopt);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Clock::time_point start = Clock::now();
  const double from = run->time();
  double frames = 0, bytes = 0;
  while (seconds_since(start) < duration) {
    if (!client) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } else if (const auto received = client->receive(std::chrono::milliseconds(100));
               received && received->is_binary) {
      ++frames;
      bytes += static_cast<double>(received->bytes.size());
    }
  }
  const double elapsed = seconds_since(start);
  const Turn turn{(run->time() - from) / run->step() / elapsed, frames / elapsed,
                  1e-6 * bytes / elapsed};
  world.pause();
  return turn;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const double n = argc > 1 ? std::atof(argv[1]) : 71;
  const double duration = argc > 2 ? std::atof(argv[2]) : 2;
  const int turns = argc > 3 ? std::atoi(argv[3]) : 5;
  Hub hub("", "token");
  const auto world = hub.open_first(Document::load("cloth").with_parameters({{"n", n}}), {});
  Listener listener(hub, {});
  std::thread thread([&] { listener.run(); });
  std::vector<double> without, with, ratio, frames, traffic;
  for (int i = 0; i < turns; ++i) {
    without.push_back(measure(*world, nullptr, duration).steps_per_second);
    WebSocket client("127.0.0.1", listener.port(), "/ws?token=token");
    client.send(R"({"type":"watch","world":"main"})");
    const Turn watched = measure(*world, &client, duration);
    with.push_back(watched.steps_per_second);
    ratio.push_back(watched.steps_per_second / without.back());
    frames.push_back(watched.frames_per_second);
    traffic.push_back(watched.megabytes_per_second);
    fmt::print(
        "turn {}: {:.1f} steps/s alone, {:.1f} watched ({:.1f} %), {:.1f} frames/s, {:.2f} MB/s\n",
        i + 1, without.back(), with.back(), 100 * ratio.back(), frames.back(), traffic.back());
  }
  fmt::print(
      "median: {:.0f} vertices, {:.1f} steps/s alone, {:.1f} % of that watched, {:.1f} frames/s\n",
      n * n, median(without), 100 * median(ratio), median(frames));
  listener.stop();
  thread.join();
  return 0;
}
