// taut advise: which method and which step for this scene?
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "taut/analysis/advice.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/text/json.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

using io::Json;

struct AdviseArguments {
  SceneArguments scene;
  std::optional<double> accuracy, duration;
  double budget = 60;
  int threads = 0;
  bool json = false;
};

void print_reference(const Advice& advice, double duration) {
  const AdviceReference& reference = advice.reference;
  if (advice.start_violation > 0)
    fmt::print(
        "The start violates constraints by {:.3g}. Deviations are measured in runs from the "
        "nearest\n"
        "start that satisfies them. In addition, a method must recover from the start as "
        "given.\n\n",
        advice.start_violation);
  fmt::print(
      "reference  {} with a step of {:.4g} s, accurate to {:.1g} m (found by halving the step)\n",
      reference.method, reference.step, reference.uncertainty);
  if (reference.from_known)
    fmt::print(
        "           {:.1g} m from the scene's own reference, which is used where it is available\n",
        *reference.from_known);
  fmt::print("judged     {:.4g} s", reference.until);
  if (!reference.shortened.empty()) fmt::print(" of {:.4g} s; {}", duration, reference.shortened);
  fmt::print("\n\n");
}

std::vector<std::string> cells(const AdviceCandidate& candidate, const AdviceTrial& trial,
                               bool conservative) {
  std::vector<std::string> row{candidate.label(), fmt::format("{:g}", trial.step)};
  row.push_back(trial.diverged ? "diverged" : fmt::format("{:.3g}", trial.deviation));
  row.push_back(trial.diverged ? "" : fmt::format("{:.3g}", trial.constraint_error));
  if (conservative) row.push_back(trial.diverged ? "" : fmt::format("{:.3g}", trial.energy_error));
  row.push_back(trial.diverged ? "" : fmt::format("{:.4g}", trial.cost));
  return row;
}

TextTable table_for(const Advice& advice) {
  TextTable table;
  table.left("method").right("step").right("deviation").right("constraint error");
  if (advice.conservative) table.right("energy error");
  table.right("µs per s");
  return table;
}

void print_tables(const Advice& advice) {
  TextTable good = table_for(advice), poor = table_for(advice);
  poor.left("stopped by");
  bool has_poor = false;
  for (const AdviceCandidate& candidate : advice.candidates) {
    if (const AdviceTrial* choice = candidate.choice()) {
      good.row(cells(candidate, *choice, advice.conservative));
    } else if (!candidate.trials.empty()) {
      const AdviceTrial* best = &candidate.trials.back();
      for (const AdviceTrial& trial : candidate.trials)
        if (!trial.diverged && (best->diverged || trial.deviation < best->deviation)) best = &trial;
      std::vector<std::string> row = cells(candidate, *best, advice.conservative);
      row.push_back(candidate.stopped);
      poor.row(std::move(row));
      has_poor = true;
    }
  }
  if (advice.best()) fmt::print("{}\n", good.text("  "));
  if (has_poor) fmt::print("Not accurate enough (best result of each):\n{}\n", poor.text("  "));
  fmt::print(
      "step in s; deviation in m: largest distance of a body from the reference; constraint error\n"
      "in m (rad for angles){}; µs per s: computing time on one thread per simulated second\n",
      advice.conservative ? "; energy error in J" : "");
}

std::string command_line(const io::Scene& scene, const AdviseArguments& arguments,
                         const AdviceCandidate& best) {
  std::string text = fmt::format("taut run {} --method {} --step {:g}", arguments.scene.scene,
                                 best.method, best.choice()->step);
  for (const auto* list : {&arguments.scene.settings, &arguments.scene.more_settings})
    for (const std::string& setting : *list)
      if (!setting.starts_with("method.")) text += " --set " + setting;
  for (const OptionValue& option : best.options)
    text += fmt::format(" --set method.{}={}", option.name, option.value);
  if (arguments.duration && *arguments.duration != scene.duration)
    text += fmt::format(" --duration {:g}", *arguments.duration);
  return text;
}

Json to_json(const io::Scene& scene, const AdviseArguments& arguments, const Advice& advice) {
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  Json json{{"taut", version}, {"scene", scene.name}, {"accuracy", advice.accuracy}};
  const AdviceReference& reference = advice.reference;
  json["start_violation"] = advice.start_violation;
  json["reference"] = {{"method", reference.method},
                       {"step", reference.step},
                       {"uncertainty", finite(reference.uncertainty)},
                       {"from_known", reference.from_known ? Json(*reference.from_known) : Json()},
                       {"until", reference.until},
                       {"shortened", reference.shortened}};
  json["tried_until"] = advice.tried_until;
  const AdviceCandidate* best = advice.best();
  json["recommended"] = Json();
  if (best)
    json["recommended"] = {{"method", best->method},
                           {"step", best->choice()->step},
                           {"command", command_line(scene, arguments, *best)}};
  json["candidates"] = Json::array();
  for (const AdviceCandidate& candidate : advice.candidates) {
    Json entry{{"method", candidate.method}, {"options", Json::object()}};
    for (const OptionValue& option : candidate.options)
      entry["options"][option.name] = option.value;
    entry["chosen"] = candidate.chosen < 0 ? Json() : Json(candidate.chosen);
    entry["stopped"] = candidate.stopped;
    entry["trials"] = Json::array();
    for (const AdviceTrial& trial : candidate.trials)
      entry["trials"].push_back({{"step", trial.step},
                                 {"diverged", trial.diverged},
                                 {"reaches", trial.reaches},
                                 {"settles", trial.settles},
                                 {"deviation", finite(trial.deviation)},
                                 {"constraint_error", finite(trial.constraint_error)},
                                 {"energy_error", finite(trial.energy_error)},
                                 {"microseconds_per_second", finite(trial.cost)}});
    json["candidates"].push_back(std::move(entry));
  }
  return json;
}

ExitCode run(const AdviseArguments& arguments) {
  const io::Scene scene = load_scene(arguments.scene);
  AdviceRequest request;
  request.duration = arguments.duration.value_or(scene.duration);
  request.step = scene.step;
  request.accuracy =
      arguments.accuracy.value_or(1e-3 * extent(scene.system, scene.system.initial_state()));
  request.budget = arguments.budget;
  request.threads = arguments.threads;
  request.options = scene.method_settings;
  require_positive(request.duration, "--duration");
  require_positive(request.accuracy, "--accuracy");
  require_positive(request.budget, "--budget");
  require_countable(request.duration, request.step);
  if (arguments.threads < 0) throw Error("--threads: expected a whole number ≥ 0");
  request.known = io::reference_track(scene);

  catch_interrupts();
  Advice advice;
  {
    ProgressBar bar(true);
    request.keep_going = [&](double fraction, const std::string& what) {
      bar.update(fraction, fmt::format("{}: {}", scene.name, what));
      return !interrupted();
    };
    advice = advise(scene.system, request);
  }
  const AdviceCandidate* best = advice.best();
  if (arguments.json) {
    fmt::print("{}\n", to_json(scene, arguments, advice).dump(2));
  } else if (!(advice.reference.until > 0)) {
    fmt::print("{}: no method can be judged to an accuracy of {:.3g} m.\n{}\n", scene.name,
               advice.accuracy,
               advice.interrupted ? "The search was interrupted before there was a reference."
               : advice.reference.shortened.empty()
                   ? "No reference run succeeded within the time budget (--budget)."
                   : "Not even over a short time: " + advice.reference.shortened + ".");
  } else {
    fmt::print("{}, to an accuracy of {:.3g} m\n\n", scene.name, advice.accuracy);
    print_reference(advice, request.duration);
    if (best) {
      fmt::print("Cheapest: {} with a step of {:g} s\n  {}\n", best->label(), best->choice()->step,
                 command_line(scene, arguments, *best));
      if (advice.tried_until > advice.reference.until)
        fmt::print(
            "After {:.4g} s there is nothing to compare it with; up to {:.4g} s its verdict is "
            "trusted.\n",
            advice.reference.until, advice.tried_until);
      else if (advice.reference.until < request.duration * (1 - 1e-9))
        fmt::print("There was no time to try it beyond {:.4g} s.\n", advice.reference.until);
      fmt::print("\n");
    } else {
      const bool is_part = advice.reference.until < request.duration * (1 - 1e-9);
      fmt::print("No method reaches {:.3g} m{} within the budget of {:g} s.\n\n", advice.accuracy,
                 is_part ? " and is then trusted for the whole duration" : "", request.budget);
    }
    print_tables(advice);
    if (advice.interrupted) fmt::print("\ninterrupted: the search is incomplete\n");
  }
  if (advice.interrupted) return exit_interrupted;
  return best ? exit_ok : exit_bad_result;
}

}  // namespace

void add_advise(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "advise", "Find the cheapest method and step size that are accurate enough for a scene");
  auto arguments = std::make_shared<AdviseArguments>();
  add_scene_arguments(*command, arguments->scene);
  command
      ->add_option("--accuracy", arguments->accuracy,
                   "Largest acceptable deviation of a body and largest constraint error, in m; by "
                   "default a thousandth of the scene's extent")
      ->type_name("METRES");
  command
      ->add_option("--duration", arguments->duration,
                   "Time to simulate in s instead of the scene's")
      ->type_name("SECONDS");
  command->add_option("--budget", arguments->budget, "Time for the search in s")
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Number of threads; 0: one per core")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print one JSON object with all trials instead");
  command->footer(
      "The exit code is 1 when no method reaches the accuracy.\n\n"
      "Examples:\n"
      "  taut advise two_link --accuracy 0.001\n"
      "  taut advise my_scene.json --duration 2 --budget 20 --json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace taut::cli
