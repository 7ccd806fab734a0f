// What experiments measure, on runs with known answers.
#include <gtest/gtest.h>

#include <cmath>

#include "support/experiment_files.hpp"
#include "taut/base/error.hpp"
#include "taut/experiment/experiment.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::experiment {
namespace {

using report::Picture;
using report::Plot;
using report::Series;
using report::Table;
using testing::file;

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

}  // namespace
}  // namespace taut::experiment
