// A round cloth that is held in the middle falls and folds, and its folds snap from one side to the
// other in less than a step. Newton's method is not to chase them.
#include <gtest/gtest.h>

#include "cloth/discs.hpp"
#include "support/builders.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::folding_disc {
namespace {

constexpr double radius = 0.5, h = 1.0 / 60;
constexpr int steps = 60;

struct Fall {
  Fall(const Mesh& mesh, const char* method) {
    ClothMaterial material;
    material.density = 0.2;
    material.wind = Vec3(0, 0, 0);
    ClothPin held;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
      if (mesh.vertices[v].norm() <= 0.13 * radius) held.vertices.push_back(static_cast<int>(v));
    System system;
    apply(system, Gravity{{0.01, -9.81, 0.007}});
    add_cloth(system, mesh, material, "disc", 0, std::span<const ClothPin>(&held, 1));
    RunOptions options;
    options.step = h;
    options.duration = steps * h;
    report = simulate(system, system.initial_state(), *make_method(method), options);
    start = system.energy(system.initial_state());
    end = system.energy(report.final_state);
    state = report.final_state.q;
  }
  double solves_per_step() const { return static_cast<double>(report.cost.linear_solves) / steps; }

  RunReport report;
  double start, end;
  VecX state;
};

TEST(FoldingDisc, OfTrianglesTakesFewIterations) {
  const Mesh mesh = testing::disc_of_triangles(radius, 12);
  for (const char* method : {"icd", "fast_projection"}) {
    const Fall fall(mesh, method);
    EXPECT_EQ(fall.report.status, RunStatus::ok) << fall.report.reason;
    EXPECT_TRUE(fall.report.doubts.empty()) << method;
    // 1 % of an edge is 4e-4 m.
    EXPECT_LT(fall.report.constraint_error.max, 2e-5) << method;
    EXPECT_LT(fall.end, fall.start) << method;
    RecordProperty(std::string(method) + " solves per step",
                   std::to_string(fall.solves_per_step()));
    EXPECT_LT(fall.solves_per_step(), 10) << method;
  }
}

TEST(FoldingDisc, IsTheSameInEveryRun) {
  const Mesh mesh = testing::disc_of_triangles(radius, 8);
  EXPECT_EQ(Fall(mesh, "icd").state, Fall(mesh, "icd").state);
}

}  // namespace
}  // namespace taut::folding_disc
