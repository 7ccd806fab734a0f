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
using report::Plot;
using report::Section;

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
                         "elongation",
                         "grasping",
                         "cloth-touching",
                         "today"})
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

}  // namespace
}  // namespace taut::experiment
