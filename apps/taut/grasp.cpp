#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "commands.hpp"
#include "interrupt.hpp"
#include "run_plan.hpp"
#include "taut/devices/recorded_session.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/haptics/moved_device.hpp"
#include "taut/haptics/timing.hpp"

namespace taut::cli {
namespace {

struct GraspArguments : SceneArguments {
  std::string replay, record;
  int hand = 0;
  double duration = 0;
  std::string contact_solver = "real_time";
  bool real_time = false, quiet = false;
};

/// A number that differs as soon as one bit of one state does.
class Fingerprint {
 public:
  void add(const VecX& numbers) {
    for (Eigen::Index i = 0; i < numbers.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &numbers[i], sizeof bits);
      sum_ = (sum_ ^ bits) * 0x100000001b3ULL;
    }
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;  // FNV-1a, of 64-bit words
};

ExitCode run_grasp(const GraspArguments& arguments) {
  io::Scene scene = load_scene(arguments);
  const auto hands = hand::hands_of(scene.system);
  if (arguments.hand < 0 || static_cast<std::size_t>(arguments.hand) >= hands.size())
    throw Error(fmt::format("{}: found {} hands, expected one with the number {}", arguments.scene,
                            hands.size(), arguments.hand));
  haptics::SessionOptions options;
  options.step = scene.step;
  options.contact_solver = arguments.contact_solver;
  std::unique_ptr<devices::Device> device;
  devices::RecordedSession replayed;
  if (!arguments.replay.empty()) {
    replayed = devices::read_session(arguments.replay);
    options.step = replayed.step;
    device = std::make_unique<devices::RecordedDevice>(replayed);
  } else {
    device = std::make_unique<haptics::MovedDevice>(
        hands[static_cast<std::size_t>(arguments.hand)].ghost, options.step);
  }
  const double duration = arguments.duration > 0 ? arguments.duration : scene.duration;
  const long steps = std::max(1L, std::lround(duration / options.step));
  haptics::GraspSession session(std::move(scene.system), arguments.hand, options);

  devices::RecordedSession recorded;
  recorded.step = options.step;
  Fingerprint states;
  double largest = 0;
  long number = 0;
  bool is_ok = true;
  catch_interrupts();
  const auto turn = [&] {
    const std::optional<devices::HandSample> sample = device->read();
    if (sample) recorded.add(number, *sample);
    is_ok = session.step(sample);
    device->send(session.forces());
    for (const double force : session.forces().fingers) largest = std::max(largest, force);
    states.add(session.state().q);
    return is_ok && ++number < steps && !interrupted();
  };
  const haptics::LoopTimes times =
      haptics::timed_loop(arguments.real_time ? options.step : 0, turn);
  if (!arguments.record.empty()) devices::write_session(arguments.record, recorded);
  if (!arguments.quiet) {
    const haptics::Percentiles cpu = haptics::percentiles(times.cpu);
    fmt::print("{}: {} steps of {} s, {} samples, {} refused\n\n", arguments.scene, number,
               options.step, recorded.entries.size(), session.ghost().refused());
    fmt::print(
        "  step     p50 {:.3g} ms, p99 {:.3g} ms, p99.9 {:.3g} ms, at most {:.3g} ms of CPU\n",
        1e3 * cpu.p50, 1e3 * cpu.p99, 1e3 * cpu.p999, 1e3 * cpu.most);
    if (arguments.real_time)
      fmt::print("  late     {} of {} steps were not over when the next one was due\n",
                 times.missed, times.cpu.size());
    fmt::print("  forces   at most {:.3g} N on a finger\n", largest);
    fmt::print("  states   {:016x}\n", states.value());
    if (!arguments.record.empty()) fmt::print("\nsession: {}\n", arguments.record);
  }
  if (!is_ok) {
    fmt::print(stderr, "taut: the run diverged: {}\n", session.report().reason);
    return exit_bad_result;
  }
  return interrupted() ? exit_interrupted : exit_ok;
}

}  // namespace

void add_grasp(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "grasp", "Run a session: a device, a recording or the scene's own motion moves a hand");
  auto arguments = std::make_shared<GraspArguments>();
  add_scene_arguments(*command, *arguments);
  command->add_option("--hand", arguments->hand, "The number of the hand, from 0")->type_name("N");
  command->add_option("--replay", arguments->replay, "Play a session that was recorded")
      ->type_name("FILE");
  command->add_option("--record", arguments->record, "Write what the device measured")
      ->type_name("FILE");
  command->add_option("--duration", arguments->duration, "s; that of the scene by default")
      ->type_name("T");
  command
      ->add_option("--contact-solver", arguments->contact_solver, "See taut list contact_solvers")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag("--real-time", arguments->real_time,
                    "One step per step of the clock; steps that are late are counted");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->footer(
      "Examples:\n"
      "  taut grasp grasp_box --record box.session\n"
      "  taut grasp grasp_box --replay box.session");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_grasp(*arguments); }; });
}

}  // namespace taut::cli
