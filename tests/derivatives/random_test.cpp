// Derivatives of random mechanisms under every method, against differences of whole runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "families.hpp"
#include "taut/base/error.hpp"
#include "taut/derivatives/gradient.hpp"

namespace taut::testing {
namespace {

/// To find one takes longer than what is done with it.
const RandomMechanism& mechanism_of(unsigned seed) {
  static std::map<unsigned, RandomMechanism> known;
  const auto found = known.find(seed);
  return found != known.end() ? found->second
                              : known.emplace(seed, random_mechanism(seed)).first->second;
}

RunOptions short_run(const RandomMechanism& random) {
  RunOptions options;
  options.duration = 0.3 * random.mechanism.duration * random.mechanism.scale.time;
  options.step = options.duration / 25;
  options.record_every = 1000;
  return options;
}

struct Count {
  int scenes = 0, compared = 0, trusted = 0;
  int sharp = 0;  // where differences of runs tell six digits
};

void compare(unsigned seed, const std::string& method, Count& count) {
  const RandomMechanism& random = mechanism_of(seed);
  if (random.attempts < 0) return;
  // Ten stages of a step whose forces are that stiff leave round-off that differences do not see
  // through: of a parameter that hardly counts they tell five digits.
  if (method == "energy_momentum4" && random.mechanism.family == "stiff") return;
  SCOPED_TRACE(fmt::format("seed {} ({}), {}", seed, random.mechanism.family, method));
  const ModelFamily family = mechanism_family(random.mechanism);
  const RunOptions options = short_run(random);
  const DerivedMethod with = derived(method);
  const Model model = family.make(family.values());
  if (simulate(model.system, model.start, *with.make(), options).status != RunStatus::ok) return;
  ++count.scenes;
  Sensitivities found;
  try {
    found = sensitivities(family, with, options);
  } catch (const Error&) {  // it says that there is none
    return;
  }
  if (!found.report.is_trusted()) return;
  ++count.trusted;
  for (std::size_t k = 0; k < family.parameters.size(); ++k) {
    const Truth right = truth(family, with, options, k);
    const Perturbation off{found.end_slopes[k].q - right.slope.q,
                           found.end_slopes[k].v - right.slope.v};
    const double size = std::max(right.slope.q.norm(), right.slope.v.norm());
    const double value = std::max(std::abs(family.parameters[k].value), 1e-12);
    // … and nothing below the round-off of the motion itself.
    const double motion = model.start.v.norm() + model.start.q.norm() + size * value;
    if (right.doubt > 3e-7 * size && size * value > 1e-6 * motion) continue;
    ++count.compared;
    const double unsure = 10 * right.doubt + 1e-8 * motion / value;
    count.sharp += unsure < 1e-6 * size;
    EXPECT_LE(std::max(off.q.norm(), off.v.norm()), 1e-6 * size + unsure)
        << family.parameters[k].name;
  }
}

class RandomDerivatives : public ::testing::TestWithParam<const char*> {};

// 50 scenes of all families: trees, loops, overconstrained linkages, springs, motors, stops and
// strings, at any scale, and from 1,000,000 on gears, gears in loops, thin bodies and skates.
TEST_P(RandomDerivatives, AreThoseOfRuns) {
  Count count;
  for (unsigned seed = 0; seed < 44; ++seed) compare(seed, GetParam(), count);
  for (unsigned seed = first_coupled_seed; seed < first_coupled_seed + 10; ++seed)
    compare(seed, GetParam(), count);
  RecordProperty("scenes", count.scenes);
  RecordProperty("compared", count.compared);
  fmt::print("{}: {} scenes, {} trusted, {} derivatives compared, {} to six digits\n", GetParam(),
             count.scenes, count.trusted, count.compared, count.sharp);
  EXPECT_GE(count.scenes, 40);
  EXPECT_GE(count.trusted, 38);
  EXPECT_GE(count.compared, 100);
  // Steps in several stages leave more round-off, and differences of runs fewer digits.
  EXPECT_GE(count.sharp, std::string_view(GetParam()) == "energy_momentum4" ? 80 : 120);
}

INSTANTIATE_TEST_SUITE_P(Methods, RandomDerivatives,
                         ::testing::Values("icd", "icd2", "energy_momentum", "implicit1",
                                           "implicit2", "shake", "rattle", "lagrange", "baumgarte",
                                           "post", "rk4_projected", "dop853", "energy_momentum4"),
                         [](const auto& info) { return std::string(info.param); });

class RandomAdjoints : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomAdjoints, AreTheSameAsForwards) {
  int adjoints = 0;
  for (unsigned seed = 0; seed < 16; ++seed) {
    const RandomMechanism& random = mechanism_of(seed);
    if (random.attempts < 0 || random.mechanism.family == "stiff") continue;
    SCOPED_TRACE(fmt::format("seed {} ({})", seed, random.mechanism.family));
    ModelFamily family = mechanism_family(random.mechanism);
    family.make = [make = family.make](const VecX& values) {
      Model model = make(values);
      model.sensors.add(model.system, {"place", "b0.x + 2*b0.y - b0.z"});
      model.sensors.add(model.system, {"speed", "b0.vx"});
      return model;
    };
    RunOptions options = short_run(random);
    options.record_every = 7;
    // All recorded values count.
    const Objective objective = [](const Measured& measured, auto& slopes) {
      double sum = 0;
      for (std::size_t k = 0; k < slopes.size(); ++k)
        for (std::size_t s = 0; s < slopes[k].size(); ++s) {
          sum += 0.5 * measured.values[k][s] * measured.values[k][s];
          slopes[k][s] = measured.values[k][s];
        }
      return sum;
    };
    const Gradient back =
        gradient(family, derived(GetParam()), options, objective, {.initial_state = true});
    const Sensitivities forth =
        sensitivities(family, derived(GetParam()), options, {.initial_state = true});
    adjoints += back.is_adjoint;
    VecX expected = VecX::Zero(static_cast<Eigen::Index>(forth.columns.size()));
    for (std::size_t k = 0; k < forth.times.size(); ++k)
      for (std::size_t s = 0; s < 2; ++s)
        expected += forth.values[k][s] * forth.slopes[k].row(static_cast<int>(s)).transpose();
    const Eigen::Index parameters = back.parameters.size(), size = back.start.q.size();
    ASSERT_EQ(expected.size(), parameters + 2 * size);
    for (Eigen::Index i = 0; i < parameters; ++i) {
      const double value = std::abs(family.parameters[static_cast<std::size_t>(i)].value);
      EXPECT_NEAR(back.parameters[i] * value, expected[i] * value,
                  1e-7 * std::max(std::abs(expected[i]) * value, std::abs(back.value)))
          << forth.columns[static_cast<std::size_t>(i)];
    }
    const auto near = [&](const VecX& a, const VecX& b) {
      EXPECT_LE((a - b).norm(), 1e-6 * b.norm()) << a.transpose() << "\n" << b.transpose();
    };
    near(back.start.q, expected.segment(parameters, size));
    near(back.start.v, expected.tail(size));
  }
  // Of loops, rows may be left out, and then there is no theorem for those that solve no equations.
  const bool is_newton = find_method(GetParam()).name.starts_with("icd") ||
                         std::string_view(GetParam()) == "energy_momentum";
  EXPECT_GE(adjoints, is_newton ? 14 : 11);
}

INSTANTIATE_TEST_SUITE_P(Methods, RandomAdjoints,
                         ::testing::Values("icd", "icd2", "energy_momentum", "shake", "implicit1",
                                           "rattle"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace taut::testing
