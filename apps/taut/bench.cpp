#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "commands.hpp"
#include "interrupt.hpp"
#include "machine.hpp"
#include "run_plan.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/haptics/moved_device.hpp"
#include "taut/haptics/timing.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> scenes{"grasp_box"};
  std::string contact_solver = "real_time";
  double seconds = 0;
};

std::string in_ms(double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); }

void add_row(TextTable& table, const std::string& name, const haptics::Percentiles& times,
             const std::string& rest) {
  table.row({name, in_ms(times.p50), in_ms(times.p99), in_ms(times.p999), in_ms(times.most), rest});
}

/// The least time that each step of a run took in any of the runs, which all do the same.
class LeastTimes {
 public:
  void add(const std::vector<double>& run) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (i == least_.size()) least_.push_back(run[i]);
      least_[i] = std::min(least_[i], run[i]);
    }
    ++runs_;
  }
  const std::vector<double>& times() const { return least_; }
  int runs() const { return runs_; }

 private:
  std::vector<double> least_;
  int runs_ = 0;
};

/// Plays the scene's motion, again and again, in a loop that sleeps until the next step is due.
/// What takes long in one run and not in another, to the last bit the same, is not of the step: the
/// machine did something else.
void bench_scene(const std::string& name, const BenchArguments& arguments, TextTable& table) {
  constexpr double h = 0.001;
  const io::Scene first = io::load_scene(name);
  const double seconds = arguments.seconds > 0 ? arguments.seconds : first.duration;
  haptics::LoopTimes all;
  LeastTimes least;
  for (long left = std::lround(seconds / h); left > 0 && !interrupted();) {
    io::Scene scene = io::load_scene(name);
    if (hand::hands_of(scene.system).empty())
      throw Error(fmt::format("{}: found no hand, expected one", name));
    haptics::MovedDevice device(hand::hands_of(scene.system).front().ghost, h);
    haptics::SessionOptions options;
    options.step = h;
    options.contact_solver = arguments.contact_solver;
    const long steps = std::min(left, std::lround(scene.duration / h));
    haptics::GraspSession session(std::move(scene.system), 0, options);
    long done = 0;
    const haptics::LoopTimes times = haptics::timed_loop(
        h, [&] { return session.step(device.read()) && ++done < steps && !interrupted(); });
    least.add(times.cpu);
    all.cpu.insert(all.cpu.end(), times.cpu.begin(), times.cpu.end());
    all.wall.insert(all.wall.end(), times.wall.begin(), times.wall.end());
    all.missed += times.missed;
    all.seconds += times.seconds;
    if (done < steps) break;
    left -= steps;
  }
  const std::string rate =
      fmt::format("{:.0f} Hz, {} of {} late", static_cast<double>(all.cpu.size()) / all.seconds,
                  all.missed, all.cpu.size());
  add_row(table, name + ", CPU", haptics::percentiles(all.cpu), rate);
  add_row(table, name + ", wall", haptics::percentiles(all.wall), "");
  if (least.runs() > 1)
    add_row(table, name + ", CPU, least", haptics::percentiles(least.times()),
            fmt::format("of each step, of {} runs that do the same", least.runs()));
}

ExitCode run_bench_haptics(const BenchArguments& arguments) {
  catch_interrupts();
  TextTable table;
  table.left("loop").right("p50 ms").right("p99 ms").right("p99.9 ms").right("max ms").left("");
  long turns = 0;
  const haptics::LoopTimes idle =
      haptics::timed_loop(0.001, [&] { return ++turns < 2000 && !interrupted(); });
  add_row(table, "idle, late by", haptics::percentiles(idle.late),
          fmt::format("{} of {} late", idle.missed, turns));
  for (const std::string& scene : arguments.scenes) bench_scene(scene, arguments, table);
  fmt::print("Loops of 1 ms, contacts solved by {}; {}, {}, {}\n\n{}", arguments.contact_solver,
             processor_name(), compiler_name(), today(), table.text());
  return interrupted() ? exit_interrupted : exit_ok;
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  CLI::App* bench = app.add_subcommand("bench", "Measure how quick taut is");
  bench->require_subcommand(1);
  add_bench_walls(*bench, chosen);
  CLI::App* command = bench->add_subcommand(
      "haptics", "How long the steps of hands take, beside what an idle loop does here");
  auto arguments = std::make_shared<BenchArguments>();
  command->add_option("SCENES", arguments->scenes, "Scenes with a hand; grasp_box by default")
      ->type_name("SCENE");
  command->add_option("--seconds", arguments->seconds, "Of each scene; its duration by default")
      ->type_name("T");
  command
      ->add_option("--contact-solver", arguments->contact_solver, "See taut list contact_solvers")
      ->type_name("NAME")
      ->capture_default_str();
  command->footer("Example:\n  taut bench haptics grasp_box --seconds 60");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_bench_haptics(*arguments); }; });
}

}  // namespace taut::cli
