#include "taut/experiment/experiment.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "taut/base/error.hpp"
#include "taut/base/join.hpp"
#include "taut/experiment/builtin_experiments.hpp"
#include "taut/experiment/experiment_internal.hpp"
#include "taut/text/json_text.hpp"

namespace taut::experiment {
namespace {

/// "04-two-link-error": the number gives the order, the rest is the id.
std::string_view id_of(const EmbeddedText& builtin) {
  return builtin.name.substr(builtin.name.find('-') + 1);
}

detail::Experiment load(const std::string& id_or_path, Extent extent) {
  std::vector<std::string_view> ids;
  for (const EmbeddedText& builtin : builtin_experiments()) {
    const std::string_view id = id_of(builtin);
    if (id == id_or_path)
      return detail::read_experiment(std::string(builtin.text), id_or_path, extent);
    ids.push_back(id);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(id_or_path, ignored))
    throw Error("there is no experiment \"" + id_or_path + "\"" + suggestion(id_or_path, ids));
  return detail::read_experiment(io::read_text(id_or_path), id_or_path, extent);
}

/// What was simulated, for readers who want to repeat it.
std::string run_text(const detail::RunData& run) {
  std::string text = fmt::format("scene {}, method {}, h = {:.6g} s for {:.6g} s", run.spec.scene,
                                 run.spec.method, run.report.step, run.report.time);
  if (run.spec.solver != "auto") text += ", solver " + run.spec.solver;
  if (run.spec.contact_solver != "exact") text += ", contacts by " + run.spec.contact_solver;
  for (const OptionValue& option : run.spec.options)
    text += fmt::format(", {} = {}", option.name, option.value);
  for (const io::Setting& setting : run.spec.settings)
    text += fmt::format(", {} = {}", setting.key, setting.value);
  if (run.report.status != RunStatus::ok)
    text += fmt::format("; {} at step {}: {}", status_text(run.report.status),
                        run.report.diverged_at_step, run.report.reason);
  text += fmt::format("; took {:.2g} s", run.report.cost.wall_seconds);
  return text;
}

}  // namespace

std::vector<ExperimentInfo> list_experiments() {
  std::vector<ExperimentInfo> all;
  for (const EmbeddedText& builtin : builtin_experiments())
    all.push_back(describe_experiment(std::string(id_of(builtin))));
  return all;
}

ExperimentInfo describe_experiment(const std::string& id_or_path) {
  const detail::Experiment experiment = load(id_or_path, Extent::quick);
  return {experiment.id, experiment.source, experiment.title, experiment.seconds};
}

report::Section reproduce(const std::string& id_or_path, const ExperimentOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const detail::Experiment experiment = load(id_or_path, options.extent);
  report::Section section;
  section.id = experiment.id;
  section.title = experiment.title;
  section.source = experiment.source;
  section.description = experiment.description;
  section.settings = experiment.choices;

  const std::vector<detail::RunData> runs = detail::perform(experiment, options);
  if (runs.empty() && !experiment.runs.empty()) {
    section.description += "\n\nThe experiment was stopped before it was complete.";
    return section;
  }
  std::map<std::string, double> values = detail::measure(experiment, runs);
  for (const detail::RegionSpec& spec : experiment.regions) {
    detail::Region region = detail::map_region(spec);
    values["region_disagreement"] = region.disagreement;
    section.plots.push_back(std::move(region.plot));
  }
  section.claims = detail::judge(experiment, values);
  for (const detail::PlotSpec& plot : experiment.plots)
    section.plots.push_back(detail::draw(plot, runs));
  for (const detail::PictureSpec& picture : experiment.pictures)
    section.pictures.push_back(detail::depict(picture, runs));
  for (const detail::TableSpec& table : experiment.tables)
    section.tables.push_back(detail::tabulate(table, runs));
  for (const detail::RunData& run : runs)
    section.settings.emplace_back("run " + run.spec.label, run_text(run));
  section.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return section;
}

}  // namespace taut::experiment
