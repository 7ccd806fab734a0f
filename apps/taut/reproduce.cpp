// taut reproduce: runs the experiments and writes the report.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "commands.hpp"
#include "interrupt.hpp"
#include "machine.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "section_archive.hpp"
#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"
#include "taut/base/version.hpp"
#include "taut/experiment/experiment.hpp"
#include "taut/farm/fleet.hpp"
#include "taut/report/html.hpp"
#include "taut/text/json.hpp"

namespace taut::cli {
namespace {

using experiment::ExperimentInfo;
using report::Claim;
using report::Section;

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string out = "results/report.html";
  bool full = false, list = false, json = false, quiet = false;
};

ExitCode list_experiments() {
  for (const ExperimentInfo& info : experiment::list_experiments())
    fmt::print("{:<22} {}\n{:<22} {}\n", info.id, info.title, "", info.source);
  return exit_ok;
}

/// How far the whole is: on a terminal as a bar, elsewhere as one line per experiment.
class Progress {
 public:
  Progress(const std::vector<ExperimentInfo>& all, bool wanted, bool full)
      : all_(all), bar_(wanted), has_lines_(wanted && !isatty(STDERR_FILENO)), full_(full) {
    for (const ExperimentInfo& info : all) total_ += weight(info);
  }

  void begin(std::size_t index) {
    index_ = index;
    if (has_lines_) fmt::print(stderr, "taut: experiment {}\n", label());
    update(0);
  }
  void update(double share) {
    bar_.update((before_ + share * weight(all_[index_])) / total_, label());
  }
  void end() { before_ += weight(all_[index_]); }

 private:
  static double weight(const ExperimentInfo& info) { return std::max(0.2, info.seconds); }

  /// "3 of 23: bead-illegal-start, about 5 s"
  std::string label() const {
    const ExperimentInfo& info = all_[index_];
    const std::string time =
        full_ || info.seconds < 1 ? "" : fmt::format(", about {:.0f} s", info.seconds);
    return fmt::format("{} of {}: {}{}", index_ + 1, all_.size(), info.id, time);
  }

  const std::vector<ExperimentInfo>& all_;
  ProgressBar bar_;
  bool has_lines_, full_;
  double total_ = 0, before_ = 0;
  std::size_t index_ = 0;
};

void print_json(const std::vector<Section>& sections, const std::string& file) {
  io::Json all{{"taut", version}, {"report", file}};
  for (const Section& section : sections) {
    io::Json claims = io::Json::array();
    for (const Claim& claim : section.claims)
      claims.push_back({{"claim", claim.text},
                        {"number", claim.number},
                        {"required", claim.required},
                        {"measured", claim.value},
                        {"status", report::status_text(claim.status)},
                        {"expected", report::expected_text(claim.expected)},
                        {"as_expected", claim.is_as_expected()},
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
  fmt::print("\n{}: {}\n{}\n", section.id, section.title, section.source);
  for (const Claim& claim : section.claims) {
    const std::string number = claim.number.empty() ? "" : claim.number + ": ";
    fmt::print("  {}  {}\n         {}{} (required: {})\n", report::status_text(claim.status),
               claim.text, number, claim.measured, claim.required);
  }
}

/// The summary, and last what needs attention. True when all is as expected.
bool print_summary(const std::vector<Section>& sections, const std::string& file) {
  int holds = 0, known = 0, varies = 0, surprises = 0, total = 0;
  for (const Section& section : sections)
    for (const Claim& claim : section.claims) {
      ++total;
      if (!claim.is_as_expected()) ++surprises;
      if (claim.status == Claim::Status::holds)
        ++holds;
      else if (claim.expected == Claim::Expected::varies)
        ++varies;
      else if (claim.expected == Claim::Expected::fails)
        ++known;
    }
  fmt::print("\n{} claims: {} hold, {} fail", total, holds, total - holds);
  if (known > 0) fmt::print("; {} known to fail", known);
  if (varies > 0) fmt::print("; {} that depend on the machine", varies);
  fmt::print("\nreport: {}\n", file);
  if (surprises == 0) return true;
  fmt::print("\nNot as expected:\n");
  for (const Section& section : sections)
    for (const Claim& claim : section.claims)
      if (!claim.is_as_expected())
        fmt::print("  {}: {}\n    {}, was expected {}; measured {}, required {}\n", section.id,
                   claim.text, report::status_text(claim.status),
                   claim.expected == Claim::Expected::holds ? "to hold" : "to fail", claim.measured,
                   claim.required);
  return false;
}

std::vector<ExperimentInfo> chosen_experiments(const std::vector<std::string>& names) {
  if (names.empty()) return experiment::list_experiments();
  std::vector<ExperimentInfo> all;
  for (const std::string& name : names) all.push_back(experiment::describe_experiment(name));
  return all;
}

/// By all processes that mpirun has started, an experiment at a time each.
void share_out(farm::Fleet& fleet, std::size_t count, const farm::Work& work, bool quiet,
               std::vector<Section>& sections) {
  std::vector<long> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<long>(i));
  sections.resize(count);
  std::size_t done = 0;
  ProgressBar bar(!quiet);
  farm::Options options;
  options.fleet = &fleet;
  options.keep_going = [&] {
    bar.update(static_cast<double>(done) / static_cast<double>(count),
               fmt::format("{} of {} experiments", done, count));
    return !interrupted();
  };
  farm::work_through(
      numbers, work,
      [&](const farm::Result& result) {
        if (!result.is_done) throw Error(result.text);
        Archive a(result.text);
        a(sections[static_cast<std::size_t>(result.number)]);
        ++done;
      },
      options);
  std::erase_if(sections, [](const Section& section) { return section.id.empty(); });
}

ExitCode reproduce(const ReproduceOptions& options) {
  const std::vector<ExperimentInfo> chosen = chosen_experiments(options.names);
  const auto name_of = [&](std::size_t i) {
    return options.names.empty() ? chosen[i].id : options.names[i];
  };
  const farm::Work work = [&](long number) {
    experiment::ExperimentOptions run;
    run.extent = options.full ? experiment::Extent::full : experiment::Extent::quick;
    Section section = experiment::reproduce(name_of(static_cast<std::size_t>(number)), run);
    Archive a;
    a(section);
    return a.take();
  };
  const std::unique_ptr<farm::Fleet> fleet = farm::Fleet::of_mpi();
  if (fleet && !fleet->is_leader()) {
    fleet->serve(work, 1);
    return exit_ok;
  }
  catch_interrupts();
  report::Document document;
  document.title = "taut: the experiments";
  document.subtitle =
      "Figures from the literature and taut's own, computed anew; every claim with its number";
  document.facts = {{"date", today()},
                    {"taut", version},
                    {"processor", processor_name()},
                    {"cores", std::to_string(taut::core_count())},
                    {"compiler", compiler_name()},
                    {"extent", options.full ? "full (--full)" : "quick (--full does more)"}};
  if (fleet) {
    share_out(*fleet, chosen.size(), work, options.quiet, document.sections);
  } else {
    Progress progress(chosen, !options.quiet, options.full);
    for (std::size_t i = 0; i < chosen.size() && !interrupted(); ++i) {
      experiment::ExperimentOptions run;
      run.extent = options.full ? experiment::Extent::full : experiment::Extent::quick;
      run.progress = [&](int done, int total) {
        progress.update(total > 0 ? static_cast<double>(done) / total : 1);
        return !interrupted();
      };
      progress.begin(i);
      document.sections.push_back(experiment::reproduce(name_of(i), run));
      progress.end();
    }
  }

  const std::filesystem::path file(options.out);
  if (file.has_parent_path()) make_directory(file.parent_path());
  write_output(file, report::html(document));

  bool is_as_expected = true;
  if (options.json) {
    print_json(document.sections, options.out);
    for (const Section& section : document.sections)
      is_as_expected &= std::ranges::all_of(section.claims, &Claim::is_as_expected);
  } else {
    for (const Section& section : document.sections) print_section(section);
    is_as_expected = print_summary(document.sections, options.out);
  }
  if (interrupted()) return exit_interrupted;
  return is_as_expected ? exit_ok : exit_bad_result;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand(
      "reproduce", "Run the experiments of the papers, check their claims, write an HTML report");
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("NAME", options->names,
                      "Names of experiments, or your own files; all experiments if none is given");
  command->add_option("--out", options->out, "The report, an HTML file")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--full", options->full, "Also make the runs that take long");
  command->add_flag("--list", options->list, "List the experiments and their sources");
  command->add_flag("--json", options->json, "Print the claims as JSON, and nothing else");
  command->add_flag("--quiet", options->quiet, "Print no progress");
  command->footer(
      "All experiments take a few minutes on two cores; --full takes much longer.\n"
      "Runs whose time is measured are made one at a time: leave the machine idle for them.\n\n"
      "Every claim states whether it is expected to hold. The exit code is 1 if one that is\n"
      "expected to hold fails, or the other way round; a claim that is known to fail does not\n"
      "count.\n\n"
      "Examples:\n"
      "  taut reproduce                       all experiments, report in results/report.html\n"
      "  taut reproduce --list                what there is\n"
      "  taut reproduce two-link-error drape --out results/two.html\n"
      "  taut reproduce cloth-cost --full     with more vertices and smaller strains\n"
      "  taut reproduce --json > claims.json  for a script\n"
      "  taut reproduce my_experiment.json    your own: docs/experiments.md describes the format");
  command->callback([options, &chosen] {
    chosen = [options] { return options->list ? list_experiments() : reproduce(*options); };
  });
}

}  // namespace taut::cli
