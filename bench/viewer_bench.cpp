// What watching costs: the speed of a simulation without and with a client that takes 60 frames per
// second over the loopback, and the frames it gets. Both are measured in turns, so that what else
// the machine does disturbs both alike; processor time per step is there for a machine that is
// busy.
//
//   build/release/bin/viewer_bench                          71 × 71 vertices, five turns of 2 s
//   build/release/bin/viewer_bench 71 2 5 fast_projection 0.001   n, seconds per turn, turns, method,
//                                                                 step in s
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
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

double processor_seconds(clockid_t of) {
  timespec time{};
  clock_gettime(of, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
/// Of everything but the client, which is the thread that asks.
double processor_seconds() {
  return processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - processor_seconds(CLOCK_THREAD_CPUTIME_ID);
}

struct Turn {
  double steps_per_second = 0, milliseconds_per_step = 0;
  double frames_per_second = 0, megabytes_per_second = 0;
};

/// Plays as fast as possible for a while.
Turn measure(World& world, WebSocket* client, double duration) {
  const std::shared_ptr<Run> run = world.runs()[0];
  world.play(0.0, std::nullopt);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Clock::time_point start = Clock::now();
  const double from = run->time(), processor = processor_seconds();
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
  const double steps = std::max(1.0, (run->time() - from) / run->step());
  const Turn turn{steps / elapsed, 1e3 * (processor_seconds() - processor) / steps,
                  frames / elapsed, 1e-6 * bytes / elapsed};
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
  const std::string method = argc > 4 ? argv[4] : "";
  const double step = argc > 5 ? std::atof(argv[5]) : 0;
  Hub hub("", "token");
  const auto world =
      hub.open_first(Document::load("cloth").with_parameters({{"n", n}}), {{method, step, {}, {}}});
  Listener listener(hub, {});
  std::thread thread([&] { listener.run(); });
  std::vector<double> speed, cost, frames;
  for (int i = 0; i < turns; ++i) {
    const Turn alone = measure(*world, nullptr, duration);
    WebSocket client("127.0.0.1", listener.port(), "/ws?token=token");
    client.send(R"({"type":"watch","world":"main"})");
    const Turn watched = measure(*world, &client, duration);
    speed.push_back(watched.steps_per_second / alone.steps_per_second);
    cost.push_back(watched.milliseconds_per_step / alone.milliseconds_per_step);
    frames.push_back(watched.frames_per_second);
    fmt::print(
        "turn {}: alone {:.1f} steps/s, {:.2f} ms of processor time each; watched {:.1f} steps/s, "
        "{:.2f} ms; {:.1f} frames/s, {:.2f} MB/s\n",
        i + 1, alone.steps_per_second, alone.milliseconds_per_step, watched.steps_per_second,
        watched.milliseconds_per_step, watched.frames_per_second, watched.megabytes_per_second);
  }
  fmt::print(
      "median: {:.0f} vertices, watched at {:.1f} % of the speed and {:.1f} % of the processor "
      "time "
      "per step, {:.1f} frames/s\n",
      n * n, 100 * median(speed), 100 * median(cost), median(frames));
  listener.stop();
  thread.join();
  return 0;
}
