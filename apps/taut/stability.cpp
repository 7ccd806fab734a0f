// taut stability: the feedback on a constraint's error, on paper (feedback) and in a scene (map).
#include "stability.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <complex>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "run_plan.hpp"
#include "taut/analysis/feedback.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/text/json.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

using Complex = std::complex<double>;
using io::Json;

struct StabilityArguments {
  std::optional<double> alpha, beta, step;
  std::string poles;
  bool json = false;
};

constexpr std::array bases{Base::explicit_euler, Base::semi_implicit_euler, Base::rk4};

/// "-5", "2i", "-3+4i", "-3-4i"
std::optional<Complex> parse_complex(std::string_view text) {
  const auto number = [&](double& out) {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text == "i" || text == "-i") {  // no digits: one
      out = text == "i" ? 1 : -1;
      text.remove_prefix(text.size() - 1);
      return true;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{} && std::isfinite(out);
  };
  double real = 0, imaginary = 0;
  if (text.empty() || !number(real)) return std::nullopt;
  if (text.empty()) return Complex(real, 0);
  if (text == "i") return Complex(0, real);
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  if (!number(imaginary) || text != "i") return std::nullopt;
  return Complex(real, imaginary);
}

Feedback wanted_feedback(const StabilityArguments& arguments) {
  if (!arguments.poles.empty()) {
    if (arguments.alpha || arguments.beta)
      throw Error(
          "--poles: found --alpha or --beta as well, expected either the poles or the gains");
    const std::size_t comma = arguments.poles.find(',');
    const auto p1 = parse_complex(arguments.poles.substr(0, comma));
    const auto p2 = comma == std::string::npos ? std::nullopt
                                               : parse_complex(arguments.poles.substr(comma + 1));
    if (!p1 || !p2)
      throw Error(
          fmt::format("--poles: found \"{}\", expected two numbers such as -5,-5 or -3+4i,-3-4i",
                      arguments.poles));
    try {
      return place_poles(*p1, *p2);
    } catch (const Error& error) {
      throw Error(fmt::format("--poles: {}", error.what()));
    }
  }
  if (!arguments.alpha) throw Error("found neither --alpha nor --poles, expected one of them");
  const Feedback feedback{*arguments.alpha, arguments.beta.value_or(*arguments.alpha)};
  for (const auto& [name, value] :
       {std::pair{"--alpha", feedback.alpha}, {"--beta", feedback.beta}})
    if (!in_range(value, Range::non_negative))
      throw Error(
          fmt::format("{}: found {}, expected {}", name, value, range_text(Range::non_negative)));
  return feedback;
}

std::string number_or_no_limit(double value) {
  return std::isinf(value) ? "no limit" : fmt::format("{:.6g}", value);
}

std::string poles_text(const Feedback& feedback) {
  const auto [slow, fast] = poles(feedback);
  if (slow.imag() != 0) return fmt::format("{:.6g} ± {:.6g}i", slow.real(), slow.imag());
  return fmt::format("{:.6g}, {:.6g}", slow.real() + 0., fast.real() + 0.);  // no −0
}

const char* damping_text(const Feedback& feedback) {
  if (feedback.beta == 0) return "no position gain: an error in C never decays";
  if (feedback.alpha == 0) return "undamped: the error keeps oscillating";
  if (feedback.alpha == feedback.beta) return "critical";
  return feedback.alpha > feedback.beta ? "overdamped" : "underdamped: overshoots";
}

void print(const Feedback& feedback, const std::optional<double>& step) {
  fmt::print("C̈ + 2αĊ + β²C = 0 with α = {:.6g}, β = {:.6g} 1/s\n\n", feedback.alpha,
             feedback.beta);
  fmt::print("  poles              {} 1/s\n", poles_text(feedback));
  const double ratio = damping_ratio(feedback);
  fmt::print("  damping ratio      {} ({})\n", std::isinf(ratio) ? "∞" : number_or_no_limit(ratio),
             damping_text(feedback));
  fmt::print("  natural frequency  {:.6g} rad/s\n", natural_frequency(feedback));
  const std::optional<double> settled = settling_time(feedback);
  fmt::print(
      "  settles            {}\n\n",
      settled ? fmt::format("to 2 % after {:.4g} s, from C(0) = 1, Ċ(0) = 0", *settled) : "never");

  TextTable table;
  table.left("base").right("largest stable step").right("without oscillation");
  if (step) table.right(fmt::format("spectral radius at {} s", *step)).left("error");
  for (const Base base : bases) {
    const double limit = largest_stable_step(feedback, base);
    const double monotone = largest_monotone_step(feedback, base);
    std::vector<std::string> cells{std::string(choice_name(base)),
                                   limit > 0 ? number_or_no_limit(limit) : "none",
                                   monotone > 0 ? number_or_no_limit(monotone) : "none"};
    if (step) {
      const double radius = spectral_radius(feedback, base, *step);
      cells.push_back(fmt::format("{:.6f}", radius));
      // A pole at 0 or on the imaginary axis can leave 1 up to round-off.
      cells.push_back(std::abs(radius - 1) < 1e-12 ? "stays" : radius < 1 ? "decays" : "grows");
    }
    table.row(std::move(cells));
  }
  fmt::print("{}\nsteps in s; base: the integrator (--set method.base=…)\n", table.text("  "));
}

Json to_json(const Feedback& feedback, const std::optional<double>& step) {
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json json{{"taut", version}, {"alpha", feedback.alpha}, {"beta", feedback.beta}};
  json["poles"] = Json::array();
  for (const Complex pole : poles(feedback))
    json["poles"].push_back({{"re", pole.real() + 0.}, {"im", pole.imag() + 0.}});
  json["damping_ratio"] = finite(damping_ratio(feedback));
  json["natural_frequency"] = natural_frequency(feedback);
  const std::optional<double> settled = settling_time(feedback);
  json["settling_time"] = settled ? Json(*settled) : Json();
  json["step"] = step ? Json(*step) : Json();
  for (const Base base : bases) {
    Json& entry = json["bases"][std::string(choice_name(base))];
    entry["largest_stable_step"] = finite(largest_stable_step(feedback, base));
    entry["largest_monotone_step"] = finite(largest_monotone_step(feedback, base));
    entry["spectral_radius"] = step ? Json(spectral_radius(feedback, base, *step)) : Json();
  }
  return json;
}

ExitCode run(const StabilityArguments& arguments) {
  const Feedback feedback = wanted_feedback(arguments);
  if (arguments.step) require_positive(*arguments.step, "--step");
  if (arguments.json) {
    fmt::print("{}\n", to_json(feedback, arguments.step).dump(2));
  } else {
    print(feedback, arguments.step);
  }
  return exit_ok;
}

void add_feedback(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "feedback", "Poles, damping and largest stable step of Baumgarte's feedback");
  auto arguments = std::make_shared<StabilityArguments>();
  command->add_option("--alpha", arguments->alpha, "Damping gain α in 1/s")->type_name("NUMBER");
  command
      ->add_option("--beta", arguments->beta,
                   "Position gain β in 1/s; by default β = α, which is critical damping")
      ->type_name("NUMBER");
  command
      ->add_option("--poles", arguments->poles,
                   "Compute the gains from these two poles in 1/s, instead of --alpha and --beta")
      ->type_name("P1,P2");
  command
      ->add_option("--step", arguments->step,
                   "Time step in s for which to print the spectral radius")
      ->type_name("SECONDS");
  command->add_flag("--json", arguments->json, "Print one JSON object and nothing else");
  command->footer(
      "Examples:\n"
      "  taut stability feedback --alpha 5 --beta 5 --step 0.1\n"
      "  taut stability feedback --poles -3+4i,-3-4i");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace

void add_stability(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "stability",
      "Find the largest stable step: from theory (feedback) or by running a scene (map)");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  taut stability feedback --alpha 5 --step 0.1\n"
      "  taut stability map --method baumgarte --scene bead\n\n"
      "See also taut stability feedback --help and taut stability map --help.");
  add_feedback(*command, chosen);
  add_stability_map(*command, chosen);
}

}  // namespace taut::cli
