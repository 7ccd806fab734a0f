// The experiments: their files are right, the engine measures what it says, and bad files get a
// message that tells where.
#include "taut/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "taut/base/error.hpp"
#include "taut/experiment/builtin_experiments.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::experiment {
namespace {

using report::Claim;
using report::Picture;
using report::Plot;
using report::Section;
using report::Series;
using report::Table;

const Claim* find(const Section& section, std::string_view text) {
  for (const Claim& claim : section.claims)
    if (claim.text.find(text) != std::string::npos) return &claim;
  return nullptr;
}

/// The claims in the file of a built-in experiment.
std::vector<detail::ClaimSpec> builtin_claims(std::string_view id, Extent extent) {
  for (const EmbeddedText& builtin : builtin_experiments())
    if (builtin.name.ends_with(id))
      return detail::read_experiment(std::string(builtin.text), std::string(id), extent).claims;
  return {};
}

TEST(Experiments, AllAreThere) {
  std::vector<std::string> ids;
  for (const ExperimentInfo& info : list_experiments()) ids.push_back(info.id);
  for (const char* id : {"feedback-response",
                         "stability-region",
                         "bead-illegal-start",
                         "two-link-error",
                         "two-link-motion",
                         "ten-link-stability",
                         "second-order-error",
                         "second-order-motion",
                         "shake-failures",
                         "order-of-convergence",
                         "cost",
                         "work-precision",
                         "heavy-chain",
                         "exact-and-high-order",
                         "mechanisms",
                         "rigid-chain",
                         "projection-residual",
                         "chain-cost",
                         "cloth-cost",
                         "drape",
                         "projection-theorem",
                         "flat-cloth",
                         "elongation"})
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << id;
}

/// These take more than a few seconds each.
bool takes_long(const ExperimentInfo& info) { return info.seconds > 5; }

// A claim that no longer holds, or holds all at once, is either a bug or news for the
// documentation. The experiments that take long are checked by taut reproduce, or here with
// TAUT_ALL_EXPERIMENTS=1.
TEST(Experiments, EveryClaimHasItsExpectedStatus) {
  int checked = 0;
  for (const ExperimentInfo& info : list_experiments()) {
    if (std::getenv("TAUT_ALL_EXPERIMENTS") == nullptr && takes_long(info)) continue;
    const Section section = reproduce(info.id);
    EXPECT_EQ(section.id, info.id);
    EXPECT_FALSE(section.claims.empty()) << info.id;
    for (const Claim& claim : section.claims) {
      EXPECT_TRUE(std::isfinite(claim.value)) << info.id << ": " << claim.text;
      EXPECT_TRUE(claim.is_as_expected())
          << info.id << ": " << claim.text << "\n  " << report::status_text(claim.status)
          << ", measured " << claim.measured << ", required " << claim.required;
      ++checked;
    }
    for (const Plot& plot : section.plots)
      EXPECT_FALSE(plot.series.empty() && !plot.field) << info.id << ": " << plot.title;
  }
  EXPECT_GT(checked, 100);
}

// What a reader who knows nothing of taut sees.
TEST(Experiments, EveryClaimStandsOnItsOwn) {
  std::set<std::string> all;
  for (const ExperimentInfo& info : list_experiments()) {
    EXPECT_FALSE(info.source.empty()) << info.id;
    EXPECT_GT(info.seconds, 0) << info.id << ": the progress line needs it";
    for (const Extent extent : {Extent::quick, Extent::full})
      for (const detail::ClaimSpec& claim : builtin_claims(info.id, extent)) {
        EXPECT_FALSE(claim.text.starts_with("…")) << info.id << ": " << claim.text;
        EXPECT_FALSE(claim.number.empty() && claim.words.empty()) << info.id << ": " << claim.text;
        if (extent == Extent::full)
          EXPECT_TRUE(all.insert(info.id + claim.text).second) << info.id << ": " << claim.text;
      }
  }
}

// Claims whose outcome is known from elsewhere.
TEST(Experiments, KnownOutcomes) {
  const Section error = reproduce("second-order-error");
  ASSERT_EQ(error.claims.size(), 2u);
  EXPECT_NEAR(error.claims[0].value, 343, 10);
  EXPECT_NEAR(error.claims[1].value, 68.5, 2);
  const Section motion = reproduce("second-order-motion");
  EXPECT_NEAR(motion.claims[0].value, 2.2e-3, 1e-4);
  const Section region = reproduce("stability-region");
  EXPECT_LT(find(region, "Simulation and eigenvalues")->value, 0.01);
  const Section shake = reproduce("shake-failures");
  EXPECT_EQ(find(shake, "Q1: SHAKE has no solution")->status, Claim::Status::holds);
}

TEST(Experiments, TheSameTwice) {
  const Section a = reproduce("ten-link-stability", {Extent::quick, 1, {}}),
                b = reproduce("ten-link-stability", {Extent::quick, 2, {}});
  ASSERT_EQ(a.claims.size(), b.claims.size());
  for (std::size_t i = 0; i < a.claims.size(); ++i) EXPECT_EQ(a.claims[i].value, b.claims[i].value);
  for (std::size_t i = 0; i < a.plots.size(); ++i)
    for (std::size_t j = 0; j < a.plots[i].series.size(); ++j)
      EXPECT_EQ(a.plots[i].series[j].y, b.plots[i].series[j].y);
}

TEST(Experiments, CanBeStopped) {
  const Section section =
      reproduce("two-link-error", {Extent::quick, 1, [](int, int) { return false; }});
  EXPECT_NE(section.description.find("stopped"), std::string::npos);
}

// The file ---------------------------------------------------------------------------------------

std::string file(const std::string& members) {
  return R"({"experiment": 1, "id": "x", )" + members + "}";
}

std::string complaint(const std::string& text) {
  try {
    detail::read_experiment(text, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ExperimentFile, ListsAreSpreadOut) {
  const detail::Experiment experiment = detail::read_experiment(
      file(R"("runs": [{"id": "{method} {step} {alpha} {N}", "scene": "chain",
              "method": ["baumgarte", "lagrange"], "step": [0.1, 0.2],
              "options": {"alpha": [1, 2], "beta": "=alpha"}, "set": {"N": 3}}])"),
      "x.json");
  ASSERT_EQ(experiment.runs.size(), 8u);
  const detail::RunSpec& last = experiment.runs.back();
  EXPECT_EQ(last.id, "lagrange 0.2 2 3");
  EXPECT_EQ(last.step, 0.2);
  EXPECT_EQ(last.options[1].name, "beta");
  EXPECT_EQ(last.options[1].value, "2");
  EXPECT_EQ(last.settings[0].value, "3");
}

TEST(ExperimentFile, ValuesMayBeWorkedOutFromOthers) {
  const detail::Experiment experiment = detail::read_experiment(
      file(R"("runs": [{"id": "{stretch} {N}", "scene": "chain", "method": "fast_projection",
              "solver": ["pcg", "ldlt_sparse"], "set": {"N": [10, 20], "l": "=8/N"},
              "permit": {"stretch": [0.1, "=1/100"]}, "options": {"strain": "=stretch*l/8"}}])"),
      "x.json");
  ASSERT_EQ(experiment.runs.size(), 8u);
  const detail::RunSpec& last = experiment.runs.back();
  EXPECT_EQ(last.solver, "ldlt_sparse");
  EXPECT_EQ(last.permit, "stretch");
  EXPECT_EQ(last.permitted, 0.01);
  EXPECT_EQ(last.settings[1].value, "0.4");
  EXPECT_NEAR(std::stod(last.options[0].value), 0.01 * 0.4 / 8, 1e-15);
  EXPECT_NE(complaint(file(R"("runs": [{"scene": "chain", "method": "sap", "permit": 3}])"))
                .find("/runs/0/permit"),
            std::string::npos);
}

TEST(ExperimentFile, BadFilesAreRefusedWithTheirPlace) {
  EXPECT_NE(complaint("{}").find("experiment"), std::string::npos);
  EXPECT_NE(complaint("not json").find("x.json"), std::string::npos);
  EXPECT_NE(complaint(file(R"("rnus": [])")).find("did you mean \"runs\""), std::string::npos);
  EXPECT_NE(complaint(file(R"("runs": [{"method": "post"}])")).find("/runs/0"), std::string::npos);
  EXPECT_NE(complaint(file(R"("claims": [{"text": "a"}])")).find("/claims/0"), std::string::npos);
  EXPECT_NE(complaint(file(R"("plots": [{"title": 3, "y": "error"}])")).find("/plots/0/title"),
            std::string::npos);
  EXPECT_NE(complaint(file(R"("quantities": {"q": {"run": "a"}})")).find("/quantities/q"),
            std::string::npos);
  EXPECT_NE(complaint(file(R"("pictures": [{"title": "a"}])")).find("/pictures/0"),
            std::string::npos);
  EXPECT_NE(
      complaint(file(R"("pictures": [{"run": "a", "from": [0, 1, 0]}])")).find("/pictures/0/from"),
      std::string::npos);
  EXPECT_THROW(reproduce("no-such-experiment"), Error);
}

// Measuring --------------------------------------------------------------------------------------

detail::RunData made_up(std::vector<double> y) {
  detail::RunData run;
  run.spec.id = "a";
  for (std::size_t i = 0; i < y.size(); ++i) run.series["time"].push_back(static_cast<double>(i));
  run.series["y"] = std::move(y);
  return run;
}

double taken(const std::string& take, std::vector<double> y, double level = 0,
             const std::string& from = "", const std::string& until = "") {
  detail::Experiment experiment;
  detail::Quantity quantity;
  quantity.name = "q";
  quantity.run = "a";
  quantity.series = "y";
  quantity.take = take;
  quantity.level = level;
  quantity.from = from;
  quantity.until = until;
  experiment.quantities = {quantity};
  std::vector<detail::RunData> runs;
  runs.push_back(made_up(std::move(y)));
  return detail::measure(experiment, runs).at("q");
}

TEST(Quantities, OfASeries) {
  EXPECT_EQ(taken("max", {1, 5, -7}), 5);
  EXPECT_EQ(taken("min", {1, 5, -7}), -7);
  EXPECT_EQ(taken("max_abs", {1, 5, -7}), 7);
  EXPECT_EQ(taken("last", {1, 5, -7}), -7);
  EXPECT_EQ(taken("mean", {1, 5, -3}), 1);
  EXPECT_EQ(taken("spread", {1, 5, -3}), 8);
  EXPECT_EQ(taken("settles", {9, 5, 1, 2, 0.5, 0.1}, 1), 4);
  EXPECT_EQ(taken("settles", {0.1, 0.1}, 1), 0);
  EXPECT_TRUE(std::isinf(taken("settles", {0.1, 5}, 1)));
  EXPECT_EQ(taken("leaves", {0, 1, 3, 0}, 2), 2);
  EXPECT_EQ(taken("leaves", {0, 1, 1, 0}, 2), 3);
  EXPECT_EQ(taken("max", {9, 5, 1, 2, 0.5}, 0, "1", "=1+2"), 5);
  EXPECT_THROW(taken("middle", {1}), Error);
}

TEST(Quantities, OverRuns) {
  detail::Experiment experiment;
  std::vector<detail::RunData> runs(3);
  for (int i = 0; i < 3; ++i) {
    runs[i].spec.id = "run " + std::to_string(i);
    const double h = std::pow(0.5, i);
    runs[i].metrics = {{"step", h}, {"err", 7 * h * h}, {"ok", i == 0 ? 0.0 : 1.0}};
  }
  detail::Quantity slope;
  slope.name = "order";
  slope.run = "run *";
  slope.metric = "err";
  slope.take = "slope";
  slope.against = "step";
  detail::Quantity largest = slope;
  largest.name = "largest";
  largest.metric = "ok";
  largest.take = "largest_while";
  experiment.quantities = {slope, largest};
  const auto values = detail::measure(experiment, runs);
  EXPECT_NEAR(values.at("order"), 2, 1e-12);
  EXPECT_EQ(values.at("largest"), 0.5);
}

TEST(Quantities, TheLeastOfThoseThatAreGoodEnough) {
  detail::Experiment experiment;
  std::vector<detail::RunData> runs(4);
  const double seconds[] = {4, 2, 1, 0.5}, errors[] = {1e-5, 1e-4, 1e-2, NAN};
  for (std::size_t i = 0; i < 4; ++i) {
    runs[i].spec.id = "run " + std::to_string(i);
    runs[i].metrics = {{"cpu_seconds", seconds[i]}, {"err", errors[i]}};
  }
  detail::Quantity cheapest;
  cheapest.name = "cheapest";
  cheapest.run = "run *";
  cheapest.metric = "cpu_seconds";
  cheapest.take = "least_where";
  cheapest.against = "err";
  cheapest.level = 1e-3;
  detail::Quantity none = cheapest, best = cheapest;
  none.name = "none";
  none.level = 1e-9;
  best.name = "best";
  best.metric = "err";
  best.take = "min";
  experiment.quantities = {cheapest, none, best};
  const auto values = detail::measure(experiment, runs);
  EXPECT_EQ(values.at("cheapest"), 2);
  EXPECT_TRUE(std::isnan(values.at("none")));
  EXPECT_EQ(values.at("best"), 1e-5) << "what diverged does not count";
}

TEST(Quantities, SkipAndSeveralRuns) {
  detail::Experiment experiment;
  std::vector<detail::RunData> runs;
  runs.push_back(made_up({9, 5, 1}));
  runs.push_back(made_up({8, 7, 2}));
  detail::Quantity quantity;
  quantity.name = "q";
  quantity.run = "a*";
  quantity.series = "y";
  quantity.take = "max";
  quantity.skip = 1;
  experiment.quantities = {quantity};
  EXPECT_EQ(detail::measure(experiment, runs).at("q"), 7);
}

TEST(Runs, TimedOnesKeepTheirPlace) {
  const detail::Experiment experiment = detail::read_experiment(
      file(R"("runs": [{"id": "timed {step}", "scene": "pendulum", "method": "rattle",
                        "step": [0.01, 0.02], "duration": 0.1, "timed": true},
                       {"id": "other {step}", "scene": "pendulum", "method": "rattle",
                        "step": [0.01, 0.02], "duration": 0.1}])"),
      "x.json");
  const std::vector<detail::RunData> runs = detail::perform(experiment, {});
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].spec.id, "timed 0.01") << "the order is that of the file";
  EXPECT_EQ(runs[3].spec.id, "other 0.02");
  for (const int i : {0, 1})
    EXPECT_DOUBLE_EQ(runs[i].metrics.at("us_per_step") * runs[i].metrics.at("steps"),
                     1e6 * runs[i].metrics.at("cpu_seconds"));
}

TEST(Runs, TimedOnesAreTimedAgainEvenIfTheyDiverge) {
  const detail::Experiment experiment = detail::read_experiment(
      file(R"("runs": [{"id": "a", "scene": "iftomm_a01", "method": "baumgarte", "step": 0.04,
                        "duration": 10, "timed": true}])"),
      "x.json");
  const std::vector<detail::RunData> runs = detail::perform(experiment, {});
  ASSERT_EQ(runs[0].metrics.at("ok"), 0);
  EXPECT_GT(runs[0].repeats, 0) << "a single short run says little about its time";
}

TEST(Runs, AreComparedWithFinalValues) {
  const detail::Experiment experiment = detail::read_experiment(file(R"("runs": [
        {"id": "whole", "scene": "iftomm_a01", "method": "rattle", "step": 0.01, "duration": 10},
        {"id": "short", "scene": "iftomm_a01", "method": "rattle", "step": 0.01, "duration": 9}])"),
                                                                "x.json");
  const std::vector<detail::RunData> runs = detail::perform(experiment, {});
  EXPECT_NEAR(runs[0].metrics.at("reference_error"), 5.8e-3, 1e-4);
  EXPECT_GT(runs[0].metrics.at("cpu_seconds"), 0);
  EXPECT_TRUE(std::isnan(runs[1].metrics.at("reference_error"))) << "it ended elsewhere";
}

TEST(Runs, TheCheapestOfThoseWithinWhatIsPermitted) {
  const detail::Experiment experiment = detail::read_experiment(file(R"(
      "metrics": {"stretch": "max_error/l"},
      "runs": [{"id": "within {stretch}", "scene": "chain", "method": "implicit_springs",
                "set": {"N": 3}, "options": {"stiffness": [10, 1000, 100000]},
                "best_by": "stiffness", "permit": {"stretch": [1e-2, 1e-12]}, "step": 0.01, "duration": 0.1}])"),
                                                                "x.json");
  const std::vector<detail::RunData> runs = detail::perform(experiment, {});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].metrics.at("permitted"), 1e-2);
  EXPECT_LE(runs[0].metrics.at("stretch"), 1e-2);
  EXPECT_GT(runs[0].metrics.at("stiffness"), 10) << "the softest stretches more";
  EXPECT_TRUE(std::isnan(runs[1].metrics.at("stiffness"))) << "none is within that";
}

TEST(Runs, TheDirectionOfTheEndIsIcds) {
  const detail::Experiment experiment = detail::read_experiment(file(R"(
      "runs": [{"id": "{method}", "scene": "chain", "method": ["sap", "shake"], "set": {"N": 5},
                "step": 0.01, "duration": 0.1},
               {"id": "fast", "scene": "chain", "method": "fast_projection", "set": {"N": 5},
                "options": {"strain": 1e-10, "fallback": "none"},
                "beside": {"strain": 1e9, "fallback": "none"}, "step": 0.01, "duration": 0.1}],
      "plots": [{"y": "direction_error", "also": {"first": "direction_error_beside"}}],
      "tables": [{"columns": ["free_distance", "N"], "labels": {"N": "links"}}])"),
                                                                "x.json");
  const std::vector<detail::RunData> runs = detail::perform(experiment, {});
  const auto last = [&](int run, const char* name) {
    return runs[static_cast<std::size_t>(run)].series.at(name).back();
  };
  EXPECT_LT(last(0, "direction_error"), 1e-12);
  EXPECT_GT(last(1, "direction_error"), 1e-8);
  EXPECT_GT(last(2, "direction_error"), 1e-12);
  EXPECT_GT(last(2, "direction_error_beside"), 1e-12);
  EXPECT_LT(last(2, "direction_error"), 1e-4);
  EXPECT_TRUE(std::isnan(last(0, "direction_error_beside"))) << "nothing was beside it";
  const Plot plot = detail::draw(experiment.plots[0], runs);
  EXPECT_EQ(plot.series.size(), 6u);
  EXPECT_EQ(plot.series[5].label, "first");
  EXPECT_EQ(plot.series[5].style, Series::Style::dashed);
  EXPECT_GT(runs[0].metrics.at("free_distance"), 1e-6);
  const Table table = detail::tabulate(experiment.tables[0], runs);
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[2], "links");
  EXPECT_NE(table.rows[0][1], "—");
}

TEST(Pictures, NearerPolygonsArePaintedOverOthers) {
  const detail::Experiment experiment = detail::read_experiment(file(R"(
      "runs": [{"id": "a", "scene": "cloth", "method": "icd", "set": {"n": 4}, "step": 0.01,
                "duration": 0.01},
               {"id": "b", "scene": "chain", "method": "icd", "step": 0.01, "duration": 0.01}],
      "pictures": [{"title": "t", "run": "a", "from": [0, 1, 2]}, {"run": "b"}, {"run": "c"}])"),
                                                                "x.json");
  const std::vector<detail::RunData> runs = detail::perform(experiment, {});
  const Picture picture = detail::depict(experiment.pictures[0], runs);
  ASSERT_EQ(picture.polygons.size(), 9u);
  // The sheet lies in y = 0 with its rows along z: what is nearer is lower in the picture.
  EXPECT_GT(picture.polygons.front().corners[0].second, picture.polygons.back().corners[0].second);
  for (const Picture::Polygon& polygon : picture.polygons) {
    EXPECT_EQ(polygon.corners.size(), 4u);
    EXPECT_EQ(polygon.is_back, picture.polygons[0].is_back);
  }
  EXPECT_THROW(detail::depict(experiment.pictures[1], runs), Error) << "a chain has no surface";
  EXPECT_THROW(detail::depict(experiment.pictures[2], runs), Error) << "there is no such run";
}

TEST(ExperimentFile, WhatIsMarkedAsFullIsLeftOutOtherwise) {
  const std::string text = file(R"(
      "runs": [{"id": "a", "scene": "pendulum", "method": "rattle"},
               {"id": "b", "scene": "pendulum", "method": "rattle", "full": true}],
      "quantities": {"q": {"run": "b", "metric": "ok", "full": true}},
      "claims": [{"text": "c", "measure": "q", "at_least": 1, "full": true}])");
  const detail::Experiment quick = detail::read_experiment(text, "x.json", Extent::quick),
                           full = detail::read_experiment(text, "x.json", Extent::full);
  EXPECT_EQ(quick.runs.size() + quick.quantities.size() + quick.claims.size(), 1u);
  EXPECT_EQ(full.runs.size() + full.quantities.size() + full.claims.size(), 4u);
}

}  // namespace
}  // namespace taut::experiment
