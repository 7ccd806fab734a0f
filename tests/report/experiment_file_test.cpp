// The files of experiments: what they may say, and messages that tell where one is wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "support/experiment_files.hpp"
#include "taut/base/error.hpp"
#include "taut/experiment/experiment.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::experiment {
namespace {

using testing::complaint;
using testing::file;

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
