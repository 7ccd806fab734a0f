// Cloth that moves: energy, strain, forces.
#include <gtest/gtest.h>

#include "cloth/rest.hpp"
#include "support/builders.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/io/scene.hpp"

namespace taut {
namespace {

/// A sheet of n × n vertices that swings down from the horizontal, by one of its sides.
System swinging(int n) {
  System system;
  apply(system, Gravity{});
  Grid grid{n, n, 0.5, 0.5, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitZ(), GridPattern::quads};
  const Mesh mesh = grid_mesh(grid);
  std::vector<int> held(mesh.vertices.size(), 0);
  for (int i = 0; i < n; ++i) held[static_cast<std::size_t>(i)] = 1;
  const Surface cloth = add_cloth(system, mesh, {}, "cloth", n, held);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
    constrain(system, Pin{cloth.vertices[i], mesh.vertices[i]});
  return system;
}

TEST(SwingingCloth, KeepsMoreEnergyUnderIcd2) {
  const System system = swinging(8);
  const RunReport first = testing::run(system, "icd", 1.0 / 120, 1);
  const RunReport second = testing::run(system, "icd2", 1.0 / 120, 1);
  ASSERT_EQ(first.status, RunStatus::ok) << first.reason;
  ASSERT_EQ(second.status, RunStatus::ok) << second.reason;
  std::printf("icd loses %g, icd2 %g J\n", first.energy.max_abs_error, second.energy.max_abs_error);
  EXPECT_LT(second.energy.max_abs_error, 0.5 * first.energy.max_abs_error);
}

TEST(SwingingCloth, KeepsAllEnergyUnderEnergyMomentum) {
  const System system = swinging(8);
  const RunReport report = testing::run(system, "energy_momentum", 1.0 / 240, 0.5);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  const double fallen = 0.15 * 0.25 * 9.81 * 0.25;  // what is to be had: m g L/2
  std::printf("error %g of %g J, unconverged %ld halved %ld\n", report.energy.max_abs_error, fallen,
              report.cost.unconverged_steps, report.cost.halved_steps);
  EXPECT_LT(report.energy.max_abs_error, 1e-6 * fallen);
}

TEST(ClothWithWeight, ItsRodCarriesTheWeight) {
  const std::vector<io::Setting> settings{{"push", "0"}};
  const io::Scene scene = io::load_scene("cloth_with_weight", settings);
  const RunReport report = testing::come_to_rest(scene.system, 0.5, 1e-7, {{"tolerance", "1e-8"}});
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  double force = 0;
  for (const RunReport::Reaction& reaction : report.reactions)
    if (reaction.constraint == "rod") force = reaction.final.at(0);
  EXPECT_NEAR(force, 0.2 * 9.81, 1e-6);
}

class FlagMethod : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, FlagMethod,
                         ::testing::Values("icd", "icd2", "fast_projection", "sap"),
                         [](const auto& name) { return name.param; });

TEST_P(FlagMethod, MovesAFlagOnAPoleThatLeans) {
  const io::Scene scene = io::load_scene("flag_on_hinged_pole");
  std::vector<OptionValue> options;
  if (GetParam() != "fast_projection") options = {{"tolerance", "1e-6"}};
  const RunReport report = testing::run(scene.system, GetParam(), scene.step, 2, options);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  std::printf("strain %g, %g us per step\n", report.constraint_error.max * 9 / 0.6,
              report.cost.microseconds_per_step);
  EXPECT_LT(report.constraint_error.max, 0.01 * 0.6 / 9);
}

TEST_P(FlagMethod, KeepsItsLengthInAGust) {
  const io::Scene scene = io::load_scene("flag");
  std::vector<OptionValue> options;
  if (GetParam() != "fast_projection") options = {{"tolerance", "1e-6"}};
  const RunReport report = testing::run(scene.system, GetParam(), 1.0 / 60, 5, options);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  std::printf("strain %g, %g us per step\n", report.constraint_error.max * 10,
              report.cost.microseconds_per_step);
  EXPECT_LT(report.constraint_error.max, 0.01 * 0.1);
}

// The upper side of a rectangle moved sideways, such that all columns turn by γ: the energy is
// ½ G γ² A, and the upper side is held against G γ per width.
TEST(Shear, NeedsTheForceOfItsEnergy) {
  constexpr double G = 7, width = 0.6, height = 0.3;
  Grid grid{7, 5, width, height, Vec3::Zero(), Vec3::UnitX(), -Vec3::UnitY(), GridPattern::quads};
  ClothMaterial material;
  material.shear_stiffness = G;
  System system;
  const Mesh mesh = grid_mesh(grid);
  std::vector<int> held(mesh.vertices.size(), 0);
  for (std::size_t i = 0; i < 7; ++i) held[i] = 1, held[held.size() - 1 - i] = 2;
  const Surface cloth = add_cloth(system, mesh, material, "cloth", 7, held);
  const auto turned = [&](double angle) {
    VecX q = system.initial_state().q;
    for (Eigen::Index i = 0; i < q.size(); i += 3) {
      const double up = q[i + 1] + height;
      q[i] += up * std::sin(angle);
      q[i + 1] = up * std::cos(angle) - height;
    }
    return q;
  };
  const auto energy = [&](double angle) {
    return system.potential_energy(Pose(system, turned(angle)));
  };
  const double angle = 1e-3, step = 1e-5;
  EXPECT_NEAR(energy(angle), 0.5 * G * angle * angle * width * height, 2e-3 * energy(angle));
  const double slope = (energy(angle + step) - energy(angle - step)) / (2 * step);

  const VecX q = turned(angle);
  for (std::size_t v = 0; v < held.size(); ++v)
    if (held[v] > 0)
      constrain(system, Pin{cloth.vertices[v], Vec3(q.segment<3>(3 * static_cast<int>(v)))});
  const RunReport report = testing::come_to_rest(system, 0.1, 1e-9);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT((report.final_state.q - q).lpNorm<Eigen::Infinity>(), 1e-6);
  // Across the columns: along them the inextensible yarns pull at both sides.
  double force = 0;
  int pins = 0;
  for (const RunReport::Reaction& reaction : report.reactions)
    if (reaction.constraint.starts_with("pin") && ++pins <= 7)
      force += reaction.final.at(0) * std::cos(angle) - reaction.final.at(1) * std::sin(angle);
  EXPECT_EQ(pins, 14);
  EXPECT_NEAR(std::abs(force), slope / height, 1e-3 * slope / height);
  EXPECT_NEAR(std::abs(force), G * angle * width, 2e-3 * G * angle * width);
}

}  // namespace
}  // namespace taut
