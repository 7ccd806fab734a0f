// taut reproduce: runs the experiments and writes the report.
#include <fmt/core.h>

#include <filesystem>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "taut/base/parallel.hpp"
#include "taut/base/version.hpp"
#include "taut/experiment/experiment.hpp"
#include "taut/report/html.hpp"
#include "taut/text/json.hpp"

namespace taut::cli {
namespace {

using report::Claim;
using report::Section;
using report::status_text;

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string out = "results/report.html";
  bool list = false, json = false, quiet = false;
};

ExitCode list_experiments() {
  for (const report::ExperimentInfo& info : report::list_experiments())
    fmt::print("{:<22} {:<24} {}\n", info.id, info.source, info.title);
  return exit_ok;
}

void print_json(const std::vector<Section>& sections, const std::string& file) {
  io::Json all{{"taut", version}, {"report", file}};
  for (const Section& section : sections) {
    io::Json claims = io::Json::array();
    for (const Claim& claim : section.claims)
      claims.push_back({{"claim", claim.text},
                        {"expected", claim.expected},
                        {"measured", claim.value},
                        {"status", status_text(claim.status)},
                        {"pass", claim.status == Claim::Status::holds},
                        {"remark", claim.remark}});
    all["experiments"].push_back({{"id", section.id},
                                  {"source", section.source},
                                  {"title", section.title},
                                  {"seconds", section.seconds},
                                  {"claims", claims}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_section(const Section& section) {
  fmt::print("\n{}: {} ({})\n", section.id, section.title, section.source);
  for (const Claim& claim : section.claims)
    fmt::print("  {:<7}  {}: {} (expected {})\n", status_text(claim.status), claim.text,
               claim.measured, claim.expected);
}

ExitCode reproduce(const ReproduceOptions& options) {
  std::vector<std::string> names = options.names;
  if (names.empty())
    for (const report::ExperimentInfo& info : report::list_experiments()) names.push_back(info.id);

  for (const std::string& name : names) report::describe_experiment(name);  // before any is run

  catch_interrupts();
  report::Document document;
  document.title = "taut: the experiments";
  document.subtitle = "Every figure as something that was run, every claim with its number";
  document.facts = {
      {"taut", version}, {"compiler", __VERSION__}, {"cores", std::to_string(core_count())}};
  {
    ProgressBar bar(!options.quiet);
    for (std::size_t i = 0; i < names.size() && !interrupted(); ++i) {
      report::ExperimentOptions run;
      run.progress = [&](int done, int total) {
        const double share = total > 0 ? static_cast<double>(done) / total : 1;
        bar.update((static_cast<double>(i) + share) / static_cast<double>(names.size()), names[i]);
        return !interrupted();
      };
      document.sections.push_back(report::reproduce(names[i], run));
    }
  }

  const std::filesystem::path file(options.out);
  if (file.has_parent_path()) make_directory(file.parent_path());
  write_output(file, report::html(document));

  int holds = 0, fails = 0, waits = 0;
  for (const Section& section : document.sections) {
    if (!options.json) print_section(section);
    for (const Claim& claim : section.claims)
      ++(claim.status == Claim::Status::holds   ? holds
         : claim.status == Claim::Status::fails ? fails
                                                : waits);
  }
  if (options.json)
    print_json(document.sections, options.out);
  else
    fmt::print("\n{} claims hold, {} fail, {} wait for a method to come\nreport: {}\n", holds,
               fails, waits, options.out);
  return interrupted() ? exit_interrupted : exit_ok;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand(
      "reproduce", "run the experiments of the papers, check their claims, write an HTML report");
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("NAME", options->names, "experiments (or files); all if none is named");
  command->add_option("--out", options->out, "file of the report")->capture_default_str();
  command->add_flag("--list", options->list, "list the experiments");
  command->add_flag("--json", options->json, "print the claims as JSON");
  command->add_flag("--quiet", options->quiet, "no progress bar");
  command->footer(
      "A claim that does not hold is a result, not a failure: the exit code stays 0.\n\n"
      "Examples:\n"
      "  taut reproduce\n"
      "  taut reproduce two-link-error second-order-error --out results/two_link.html\n"
      "  taut reproduce --json\n"
      "Your own: docs/experiments.md.");
  command->callback([options, &chosen] {
    chosen = [options] { return options->list ? list_experiments() : reproduce(*options); };
  });
}

}  // namespace taut::cli
