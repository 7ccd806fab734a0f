// The examples of the README and of docs/adding.md: they compile, they run, and the pages show them
// as they are.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "../../docs/examples/attraction.cpp"
#include "../../docs/examples/impulse.cpp"
#include "../../docs/examples/on_ellipsoid.cpp"
#include "support/builders.hpp"

namespace taut {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::string(TAUT_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_GT(text.str().size(), 0u) << path;
  return text.str();
}

TEST(Adding, ThePageShowsTheFiles) {
  const std::string page = read("docs/adding.md");
  for (const char* file : {"on_ellipsoid.hpp", "on_ellipsoid.cpp", "attraction.hpp",
                           "attraction.cpp", "impulse.cpp", "seesaw.json"})
    EXPECT_NE(page.find(read(std::string("docs/examples/") + file)), std::string::npos) << file;
}

TEST(Recording, ThePageShowsTheReader) {
  EXPECT_NE(read("docs/recording.md").find(read("docs/examples/recording.mjs")), std::string::npos);
}

TEST(Readme, ShowsTheProgramThatTheConsumerTestBuilds) {
  EXPECT_NE(read("README.md").find(read("tests/consumer/main.cpp")), std::string::npos);
}

TEST(Adding, AConstraintByItsFormula) {
  System system;
  const BodyId bead = system.add(Particle{1, {2, 0, 0}, {0, 1, 1}});
  constrain(system, Formula<OnEllipsoid>{{bead, {2, 1, 1}}}, "egg");
  const RunReport report = testing::run(system, "rattle", 1e-3, 10);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.constraint_error.max, 1e-12);
  EXPECT_NEAR(report.energy.final, report.energy.initial, 1e-5);
}

TEST(Adding, AConstraintInTheRegistry) {
  const ConstraintInfo info = describe_on_ellipsoid();
  const std::shared_ptr<void> object = info.make();
  System system;
  static_cast<OnEllipsoid*>(object.get())->point = system.add(Particle{1, {1, 0, 0}, {0, 1, 0}});
  info.add(system, object.get(), "ball");
  ASSERT_EQ(system.row_count(), 1);
  EXPECT_EQ(system.constraints()[0]->type(), "on_ellipsoid");
  EXPECT_LT(testing::run(system, "rattle", 1e-3, 1).constraint_error.max, 1e-12);
}

// A circular orbit: v² = strength/(m r).
TEST(Adding, AForce) {
  System system;
  const BodyId moon = system.add(Particle{1, {2, 0, 0}, {0, 1, 0}});
  apply(system, Attraction{moon, 2});
  const RunReport report = testing::run(system, "energy_momentum", 1e-2, 20);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_NEAR(report.final_state.q.norm(), 2, 1e-4);
  EXPECT_LT(report.energy.max_abs_error, 1e-4);
  EXPECT_EQ(describe_attraction().fields.size(), 2u);
}

TEST(Adding, AMethod) {
  const auto method = describe_impulse().make(std::vector<OptionValue>{{"share", "0.3"}});
  RunOptions options;
  options.step = 1e-3;
  options.duration = 5;
  const System system = testing::arm(2, 1);
  const RunReport report = simulate(system, system.initial_state(), *method, options);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.constraint_error.max, 1e-3);
}

TEST(Adding, AScene) {
  const io::Scene scene =
      io::load_scene(std::string(TAUT_SOURCE_DIR) + "/docs/examples/seesaw.json");
  EXPECT_EQ(scene.system.body_count(), 2);
  const RunReport report =
      testing::run(scene.system, scene.method, scene.step, scene.duration, scene.method_options);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.constraint_error.max, 1e-10);
}

}  // namespace
}  // namespace taut
