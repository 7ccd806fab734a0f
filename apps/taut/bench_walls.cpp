// taut bench walls: which stiff walls a device renders without shaking.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "machine.hpp"
#include "run_plan.hpp"
#include "taut/base/parallel.hpp"
#include "taut/base/version.hpp"
#include "taut/hand/hand.hpp"
#include "taut/haptics/wall_test.hpp"
#include "taut/report/html.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

using haptics::WallResult;
using haptics::WallTest;

struct WallsArguments {
  std::vector<double> rates{250, 1000, 4000};
  double mass = WallTest{}.mass, friction = WallTest{}.friction, push = WallTest{}.push;
  int columns = 13, rows = 7;
  std::string tip = "point", out;
  bool limited = false;
};

enum Class : int { passive, stable, shakes };
const std::vector<std::string> class_names{"stable, and passive by b > K T/2 + |B|",
                                           "stable, though not passive", "does not come to rest"};

struct Map {
  double rate = 0;
  std::vector<double> stiffness, damping;
  std::vector<int> value;      // row by row of damping
  int passive_but_shakes = 0;  // must be none
  double stiffest = 0;         // N/m that is stable with B = 0
};

/// first · 2^(i/2): two columns are a factor of two.
std::vector<double> steps_of_two(double first, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(first * std::pow(2, 0.5 * i));
  return out;
}

WallTest test_of(const WallsArguments& arguments, double rate) {
  WallTest test;
  test.rate = rate;
  test.mass = arguments.mass;
  test.friction = arguments.friction;
  test.push = arguments.push;
  test.is_limited = arguments.limited;
  test.tip = arguments.tip == "pen" ? hand::Tip::pen : hand::Tip::point;
  return test;
}

Map map_of(const WallsArguments& arguments, double rate) {
  Map map;
  map.rate = rate;
  // The middle of the columns is where passivity without damping ends.
  const double limit = 2 * arguments.friction * rate;
  map.stiffness =
      steps_of_two(limit * std::pow(2, -0.25 * (arguments.columns - 1)), arguments.columns);
  for (int i = 0; i < arguments.rows; ++i)
    map.damping.push_back(1.5 * arguments.friction * i / std::max(1, arguments.rows - 1));
  map.value.assign(map.stiffness.size() * map.damping.size(), shakes);
  std::vector<WallResult> results(map.value.size());
  const auto at = [&](int cell) {
    WallTest test = test_of(arguments, rate);
    const std::size_t i = static_cast<std::size_t>(cell);
    test.stiffness = map.stiffness[i % map.stiffness.size()];
    test.damping = map.damping[i / map.stiffness.size()];
    return test;
  };
  parallel_for(static_cast<int>(results.size()), [&](int cell) {
    if (!interrupted()) results[static_cast<std::size_t>(cell)] = haptics::press(at(cell));
  });
  for (int cell = 0; cell < static_cast<int>(results.size()); ++cell) {
    const std::size_t i = static_cast<std::size_t>(cell);
    const WallTest test = at(cell);
    if (results[i].is_stable) map.value[i] = test.is_passive() ? passive : stable;
    if (test.is_passive() && !results[i].is_stable) ++map.passive_but_shakes;
    if (test.damping == 0 && results[i].is_stable)
      map.stiffest = std::max(map.stiffest, test.stiffness);
  }
  return map;
}

void print_map(const Map& map) {
  constexpr char symbols[] = {'#', '+', '.'};
  fmt::print("\n{:g} Hz: stiffness K from {:.4g} to {:.4g} N/m to the right, a factor of √2 each\n",
             map.rate, map.stiffness.front(), map.stiffness.back());
  for (std::size_t row = map.damping.size(); row-- > 0;) {
    std::string line;
    for (std::size_t column = 0; column < map.stiffness.size(); ++column) {
      line += symbols[map.value[row * map.stiffness.size() + column]];
      line += ' ';
    }
    fmt::print("  B = {:<6.3g} {}\n", map.damping[row], line);
  }
}

report::Plot plot_of(const Map& map, double friction) {
  report::Plot plot;
  plot.title = fmt::format("Walls at {:g} Hz", map.rate);
  plot.x_label = "stiffness K (N/m)";
  plot.y_label = "damping B of the force that is sent (N·s/m)";
  plot.log_x = true;
  plot.field = report::Field{map.stiffness, map.damping, map.value, class_names};
  report::Series limit;
  limit.label = "b = K T/2 + |B|";
  for (int i = 0; i <= 100; ++i) {
    const double K =
        map.stiffness.front() * std::pow(map.stiffness.back() / map.stiffness.front(), 0.01 * i);
    const double B = friction - 0.5 * K / map.rate;
    if (B < 0) continue;
    limit.x.push_back(K);
    limit.y.push_back(B);
  }
  plot.series.push_back(limit);
  return plot;
}

report::Claim claim(std::string text, std::string number, double value, std::string unit,
                    bool holds, std::string required) {
  report::Claim out;
  out.text = std::move(text);
  out.number = std::move(number);
  out.value = value;
  out.measured = fmt::format("{:.4g}{}", value, unit);
  out.required = std::move(required);
  out.status = holds ? report::Claim::Status::holds : report::Claim::Status::fails;
  return out;
}

/// The damper of table 2 of Zaeh et al. is sent, too: how many of these walls are stable with it?
int stable_with_their_damper(const Map& map, const WallsArguments& arguments) {
  int count = 0;
  for (const double stiffness : map.stiffness) {
    WallTest test = test_of(arguments, map.rate);
    test.stiffness = stiffness;
    test.damping = hand::zaeh_coupling().damping;
    count += haptics::press(test).is_stable;
  }
  return count;
}

std::vector<report::Claim> claims_of(const std::vector<Map>& maps,
                                     const WallsArguments& arguments) {
  std::vector<report::Claim> claims;
  double wrong = 0;
  for (const Map& map : maps) wrong += map.passive_but_shakes;
  claims.push_back(claim("What is passive, b > K T/2 + |B|, is stable",
                         "walls that are passive and shake", wrong, "", wrong == 0, "0"));
  for (const Map& map : maps) {
    const double cells = static_cast<double>(std::count_if(
        map.value.begin(), map.value.end(), [](int value) { return value != shakes; }));
    const double passive_cells =
        static_cast<double>(std::count(map.value.begin(), map.value.end(), int{passive}));
    claims.push_back(claim(fmt::format("At {:g} Hz more walls are stable than passive", map.rate),
                           "stable over passive walls", cells / passive_cells, "",
                           cells > passive_cells, "more than 1"));
    if (map.rate > 1000) continue;  // theirs were 230 to 250 Hz
    const int theirs = stable_with_their_damper(map, arguments);
    claims.push_back(claim(
        fmt::format("With the damper of Zaeh et al. (d = 800 N·s/m, sent) none is at {:g} Hz",
                    map.rate),
        fmt::format("stable walls of {}", map.stiffness.size()), theirs, "", theirs == 0, "0"));
  }
  if (maps.size() > 1) {
    const double gain = maps.back().stiffest / maps.front().stiffest;
    const double rates = maps.back().rate / maps.front().rate;
    claims.push_back(claim("The stiffest wall grows with the rate",
                           "its stiffness at the last over that at the first rate", gain, "",
                           gain > 0.7 * rates, fmt::format("about {:.3g}", rates)));
  }
  return claims;
}

ExitCode run_walls(const WallsArguments& arguments) {
  for (const double rate : arguments.rates) require_positive(rate, "--rates");
  require_positive(arguments.mass, "--mass");
  require_positive(arguments.friction, "--friction");
  require_positive(arguments.push, "--push");
  catch_interrupts();
  fmt::print(
      "A handle of {:g} kg with a friction b of {:g} N·s/m is pushed with {:g} N against a wall.\n"
      "#: stable and passive (b > K T/2 + |B|), +: stable, .: does not come to rest\n",
      arguments.mass, arguments.friction, arguments.push);
  std::vector<Map> maps;
  for (const double rate : arguments.rates) {
    if (interrupted()) return exit_interrupted;
    maps.push_back(map_of(arguments, rate));
    print_map(maps.back());
  }
  const std::vector<report::Claim> claims = claims_of(maps, arguments);
  fmt::print("\n");
  bool all_hold = true;
  for (const report::Claim& each : claims) {
    fmt::print("  {}  {}\n         {}: {} (required: {})\n", report::status_text(each.status),
               each.text, each.number, each.measured, each.required);
    all_hold = all_hold && each.status == report::Claim::Status::holds;
  }
  if (!arguments.out.empty()) {
    report::Document document;
    document.title = "taut: walls";
    document.subtitle = "Which stiff walls a device renders without shaking";
    document.facts = {{"date", today()}, {"taut", version}};
    report::Section section;
    section.id = "walls";
    section.title = "A stylus pressed against a wall";
    section.source = "Colgate and Schenkel 1997; Zaeh et al., table 2";
    section.settings = {{"mass", fmt::format("{:g} kg", arguments.mass)},
                        {"friction b", fmt::format("{:g} N·s/m", arguments.friction)},
                        {"push", fmt::format("{:g} N", arguments.push)},
                        {"passivity limiter", arguments.limited ? "yes" : "no"}};
    section.claims = claims;
    for (const Map& map : maps) section.plots.push_back(plot_of(map, arguments.friction));
    document.sections.push_back(std::move(section));
    const std::filesystem::path file(arguments.out);
    if (file.has_parent_path()) make_directory(file.parent_path());
    write_output(file, report::html(document));
    fmt::print("\nreport: {}\n", arguments.out);
  }
  return all_hold ? exit_ok : exit_bad_result;
}

}  // namespace

void add_bench_walls(CLI::App& bench, Action& chosen) {
  CLI::App* command = bench.add_subcommand(
      "walls", "Which stiff walls a device renders without shaking, beside what theory says");
  auto arguments = std::make_shared<WallsArguments>();
  command->add_option("--rates", arguments->rates, "How often it is sampled, in Hz")
      ->type_name("RATE");
  command->add_option("--mass", arguments->mass, "Of the handle and the fingers, in kg")
      ->type_name("M")
      ->capture_default_str();
  command->add_option("--friction", arguments->friction, "b of the handle, in N·s/m")
      ->type_name("B")
      ->capture_default_str();
  command->add_option("--push", arguments->push, "With which it is pressed, in N")
      ->type_name("F")
      ->capture_default_str();
  command->add_option("--tip", arguments->tip, "Of the stylus: point or pen")
      ->check(CLI::IsMember({"point", "pen"}))
      ->capture_default_str();
  command->add_flag("--limited", arguments->limited,
                    "Send no more energy than was put in (a passivity limiter)");
  command->add_option("--out", arguments->out, "A report with the maps, an HTML file")
      ->type_name("FILE");
  command->footer("Example:\n  taut bench walls --rates 1000 --out results/walls.html");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_walls(*arguments); }; });
}

}  // namespace taut::cli
