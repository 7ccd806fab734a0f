#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "commands.hpp"
#include "interrupt.hpp"
#include "run_plan.hpp"
#include "taut/devices/cyberglove.hpp"
#include "taut/devices/plugin_device.hpp"
#include "taut/devices/recorded_session.hpp"
#include "taut/devices/vrpn_device.hpp"
#include "taut/haptics/device_loop.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/haptics/moved_device.hpp"
#include "taut/haptics/timing.hpp"

namespace taut::cli {
namespace {

struct GraspArguments : SceneArguments {
  std::string replay, record, vrpn, tracker = "Tracker0", glove_channel = "Glove0";
  std::string glove, calibration, plugin;
  int hand = 0, stylus = -1;
  double device_rate = 1000;
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

bool is_live(const GraspArguments& arguments) {
  return !arguments.vrpn.empty() || !arguments.glove.empty() || !arguments.plugin.empty();
}

devices::VrpnOptions vrpn_options(const GraspArguments& arguments) {
  devices::VrpnOptions options;
  const std::size_t colon = arguments.vrpn.rfind(':');
  options.host = arguments.vrpn.substr(0, colon);
  if (colon != std::string::npos) {
    const std::string port = arguments.vrpn.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), options.port);
    if (error != std::errc() || end != port.data() + port.size() || options.port < 1 ||
        options.port > 65535)
      throw Error(fmt::format("--vrpn: found the port \"{}\", expected 1 to 65535", port));
  }
  options.tracker = arguments.tracker;
  options.glove = arguments.glove_channel;
  return options;
}

/// What follows the scene's own motion.
struct Followed {
  std::function<hand::HandPose(double)> pose;
  bool is_stylus = false;
};

/// A hand; or a stylus, if it is asked for, or if there is nothing else.
Followed what_follows(const GraspArguments& arguments, const System& system) {
  const auto hands = hand::hands_of(system);
  const auto styluses = hand::styluses_of(system);
  const bool is_stylus = arguments.stylus >= 0 || (hands.empty() && !styluses.empty());
  const int number = is_stylus ? std::max(0, arguments.stylus) : arguments.hand;
  const std::size_t at = static_cast<std::size_t>(number),
                    count = is_stylus ? styluses.size() : hands.size();
  if (number < 0 || at >= count)
    throw Error(fmt::format("{}: found {} {}, expected one with the number {}", arguments.scene,
                            count, is_stylus ? "styluses" : "hands", number));
  if (is_stylus)
    return {
        [ghost = styluses[at].ghost](double time) -> hand::HandPose { return ghost->tip(time); },
        true};
  return {[ghost = hands[at].ghost](double time) { return ghost->pose(time); }, false};
}

/// What the arguments name; without any, the scene's own motion. A session that is replayed brings
/// its step.
std::unique_ptr<devices::Device> open_device(const GraspArguments& arguments,
                                             const Followed& followed, double& step) {
  if (!arguments.replay.empty()) {
    devices::RecordedSession session = devices::read_session(arguments.replay);
    step = session.step;
    return std::make_unique<devices::RecordedDevice>(std::move(session));
  }
  if (!arguments.vrpn.empty())
    return std::make_unique<devices::VrpnDevice>(vrpn_options(arguments));
  if (!arguments.glove.empty())
    return std::make_unique<devices::CyberGlove>(
        arguments.glove,
        arguments.calibration.empty() ? devices::GloveCalibration::usual()
                                      : devices::read_calibration(arguments.calibration),
        followed.pose(0));
  if (!arguments.plugin.empty()) return devices::open_plugin(arguments.plugin);
  return std::make_unique<haptics::MovedDevice>(followed.pose, step);
}

ExitCode run_grasp(const GraspArguments& arguments) {
  require_positive(arguments.device_rate, "--device-rate");
  io::Scene scene = load_scene(arguments);
  const Followed followed = what_follows(arguments, scene.system);
  haptics::SessionOptions options;
  options.step = scene.step;
  options.contact_solver = arguments.contact_solver;
  std::unique_ptr<devices::Device> device = open_device(arguments, followed, options.step);
  const double duration = arguments.duration > 0 ? arguments.duration : scene.duration;
  const long steps = std::max(1L, std::lround(duration / options.step));
  const auto session_owner =
      followed.is_stylus
          ? std::make_unique<haptics::GraspSession>(
                std::move(scene.system),
                haptics::GraspSession::StylusNumber{std::max(0, arguments.stylus)}, options)
          : std::make_unique<haptics::GraspSession>(std::move(scene.system), arguments.hand,
                                                    options);
  haptics::GraspSession& session = *session_owner;
  // What measures now has a thread of its own, and forces at its own rate.
  haptics::DeviceLoop* loop = nullptr;
  haptics::LocalModel around;
  if (is_live(arguments)) {
    const double period = 1 / arguments.device_rate;
    auto own = followed.is_stylus ? std::make_unique<haptics::DeviceLoop>(std::move(device), period)
                                  : std::make_unique<haptics::DeviceLoop>(std::move(device), period,
                                                                          session.local_forces());
    loop = own.get();
    device = std::move(own);
  }

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
    if (loop && !followed.is_stylus && is_ok) {
      session.look_around(around);
      loop->send(around);
    } else {
      device->send(session.forces());
    }
    for (const double force : session.forces().fingers) largest = std::max(largest, force);
    if (followed.is_stylus) largest = std::max(largest, session.forces().wrist.norm());
    states.add(session.state().q);
    return is_ok && ++number < steps && !interrupted();
  };
  // A device that measures now is followed at the pace of the clock.
  const bool is_paced = arguments.real_time || is_live(arguments);
  const haptics::LoopTimes times = haptics::timed_loop(is_paced ? options.step : 0, turn);
  if (!arguments.record.empty()) devices::write_session(arguments.record, recorded);
  if (!arguments.quiet) {
    const haptics::Percentiles cpu = haptics::percentiles(times.cpu);
    fmt::print("{}: {} steps of {} s, {} samples, {} refused\n\n", arguments.scene, number,
               options.step, recorded.entries.size(), session.ghost().refused());
    fmt::print(
        "  step     p50 {:.3g} ms, p99 {:.3g} ms, p99.9 {:.3g} ms, at most {:.3g} ms of CPU\n",
        1e3 * cpu.p50, 1e3 * cpu.p99, 1e3 * cpu.p999, 1e3 * cpu.most);
    if (is_paced)
      fmt::print("  late     {} of {} steps were not over when the next one was due\n",
                 times.missed, times.cpu.size());
    if (loop) fmt::print("  device   {} turns, {} of them late\n", loop->turns(), loop->late());
    fmt::print("  forces   at most {:.3g} N on {}\n", largest,
               followed.is_stylus ? "the stylus" : "a finger");
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
      "grasp",
      "Run a session: a device, a recording or the scene's own motion moves a hand or a stylus");
  auto arguments = std::make_shared<GraspArguments>();
  add_scene_arguments(*command, *arguments);
  command->add_option("--hand", arguments->hand, "The number of the hand, from 0")->type_name("N");
  command
      ->add_option("--stylus", arguments->stylus,
                   "The number of a stylus to follow in place of a hand, from 0")
      ->type_name("N");
  command->add_option("--replay", arguments->replay, "Play a session that was recorded")
      ->type_name("FILE");
  command->add_option("--vrpn", arguments->vrpn, "Follow a VRPN server")->type_name("HOST[:PORT]");
  command
      ->add_option("--tracker", arguments->tracker,
                   "With --vrpn: what tracks the wrist or the stylus")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--glove-channels", arguments->glove_channel,
                   "With --vrpn: the analog device with the 22 angles")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--glove", arguments->glove, "Follow a CyberGlove on a serial line")
      ->type_name("FILE");
  command->add_option("--calibration", arguments->calibration, "Of the glove")->type_name("FILE");
  command->add_option("--plugin", arguments->plugin, "Follow a device in a shared library")
      ->type_name("FILE[:OPTIONS]");
  command
      ->add_option("--device-rate", arguments->device_rate,
                   "How often a device is read and sent to, in Hz")
      ->type_name("RATE")
      ->capture_default_str();
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
      "  taut grasp grasp_box --replay box.session\n"
      "  taut grasp grasp_box --vrpn localhost --duration 60");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_grasp(*arguments); }; });
}

}  // namespace taut::cli
