// What it costs to solve for contact with friction: factorisations, solves and time, beside the
// residual that was reached.
//
//   build/release/bin/cone_bench                 cold starts, and 200 warm steps, to 1e-8
//   build/release/bin/cone_bench 1e-12           to another tolerance
//   build/release/bin/cone_bench 1e-8 stack      only scenes with such a name
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/contact_scenes.hpp"

namespace {

using namespace taut;
using testing::ContactScene;

struct Scene {
  std::string name;
  std::function<ContactScene()> make;
};

double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

std::string_view word(ConeReport::Status status) {
  switch (status) {
    case ConeReport::Status::converged:
      return "ok";
    case ConeReport::Status::compromise:
      return "compromise";
    default:
      return "NOT";
  }
}

/// The quickest of several solves, each without a guess.
void cold(const Scene& scene, double tolerance) {
  const ContactScene contacts = scene.make();
  ConeSolver solver;
  const double begin = now();
  solver.analyze(contacts.pattern);
  const double analysis = now() - begin;
  ConeReport report;
  double best = 1e300;
  const double start = now();
  for (int i = 0; i < 50 && (i == 0 || now() - start < 200); ++i) {
    ConeSolution solution;
    const double from = now();
    report = solver.solve(contacts.problem, contacts.options(tolerance), solution);
    best = std::min(best, now() - from);
  }
  fmt::print("{:<26}{:>7}{:>10.2f}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>12.3f}{:>10.1e}  {}\n",
             scene.name, contacts.problem.laws.size(), analysis, report.factorisations,
             report.backsolves, report.free_solves, report.newton_steps, report.admm_iterations,
             report.sweeps, best, report.residual, word(report.status));
}

/// 200 steps of 1 ms on a table that shakes in all directions. Positions are kept: only the
/// impulses have to be found anew.
void warm(const Scene& scene, double tolerance, double shaking) {
  constexpr int steps = 200;
  ContactScene contacts = scene.make();
  ConeSolver solver;
  solver.analyze(contacts.pattern);
  ConeSolution solution;
  int factorisations = 0, backsolves = 0, free_solves = 0, most = 0, failed = 0;
  double time = 0;
  for (int step = 0; step <= steps; ++step) {
    const double phase = 2 * M_PI * 5e-3 * step;
    contacts.gravity =
        -9.81 * Vec3(shaking * std::sin(phase), 0.6 * shaking * std::sin(0.7 * phase),
                     1 + shaking * std::cos(1.3 * phase));
    contacts.build();
    const double from = now();
    const ConeReport report = solver.solve(contacts.problem, contacts.options(tolerance), solution);
    contacts.advance(solution.v);
    if (step == 0) continue;  // cold
    time += now() - from;
    factorisations += report.factorisations;
    backsolves += report.backsolves;
    free_solves += report.free_solves;
    most = std::max(most, report.factorisations);
    failed += report.ok() ? 0 : 1;
  }
  fmt::print("{:<26}{:>10}{:>10.2f}{:>10.2f}{:>10.2f}{:>8}{:>12.4f}{:>8}\n", scene.name,
             fmt::format("{:.1f} %", 100 * shaking), double(factorisations) / steps,
             double(backsolves) / steps, double(free_solves) / steps, most, time / steps, failed);
}

}  // namespace

int main(int count, char** arguments) {
  const double tolerance = count > 1 ? std::atof(arguments[1]) : 1e-8;
  const std::string filter = count > 2 ? arguments[2] : "";
  const auto is_wanted = [&](const Scene& scene) {
    return scene.name.find(filter) != std::string::npos;
  };
  using namespace testing;
  const std::vector<Scene> scenes{
      {"stack 10", [] { return stack(10); }},
      {"stack 10, top 1e4", [] { return stack(10, 1e4); }},
      {"stack 10, top 1e6", [] { return stack(10, 1e6); }},
      {"stack 50", [] { return stack(50); }},
      {"stack 50, top 1e4", [] { return stack(50, 1e4); }},
      {"wall 10x20", [] { return wall(10, 20); }},
      {"wall 10x20, top 1e3", [] { return wall(10, 20, 1e3); }},
      {"grasp 5x4 holds by 0.1 %", [] { return grasp(5, 4, 1e-3); }},
      {"grasp 5x4 slips by 0.1 %", [] { return grasp(5, 4, -1e-3); }},
      {"grasp 5x20 holds", [] { return grasp(5, 20, 1e-3); }},
      {"chain 100, end 1e4", [] { return chain(100, 1e4); }},
      {"kicked stack 10", [] { return kicked_stack(10); }},
      {"kicked stack 10, top 1e3", [] { return kicked_stack(10, 1e3); }},
      {"kicked stack 50", [] { return kicked_stack(50); }},
      {"kicked stack 50, top 1e4", [] { return kicked_stack(50, 1e4); }},
      {"kicked wall 10x20", [] { return kicked_wall(10, 20); }},
      {"cubes 3", [] { return cubes(3, false); }},
      {"cubes 5", [] { return cubes(5, false); }},
      {"cubes 8", [] { return cubes(8, false); }},
      {"cubes 12", [] { return cubes(12, false); }},
      {"kicked cubes 3", [] { return cubes(3, true); }},
      {"kicked cubes 4", [] { return cubes(4, true); }},
      {"kicked cubes 6", [] { return cubes(6, true); }},
      {"kicked cubes 8", [] { return cubes(8, true); }},
      {"squeeze", [] { return squeeze(0.1); }}};

  fmt::print("cold, tolerance {:.0e}\n", tolerance);
  fmt::print("{:<26}{:>7}{:>10}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>12}{:>10}\n", "scene", "groups",
             "analysis", "f", "solves", "free", "newton", "admm", "sweeps", "ms", "residual");
  for (const Scene& scene : scenes)
    if (is_wanted(scene)) cold(scene, tolerance);

  fmt::print("\n200 warm steps, per step\n");
  fmt::print("{:<26}{:>10}{:>10}{:>10}{:>10}{:>8}{:>12}{:>8}\n", "scene", "shaking", "f", "solves",
             "free", "most f", "ms", "failed");
  const std::vector<Scene> moving{{"stack 10", [] { return stack(10); }},
                                  {"stack 10, top 1e4", [] { return stack(10, 1e4); }},
                                  {"stack 50", [] { return stack(50); }},
                                  {"wall 10x20", [] { return wall(10, 20); }},
                                  {"grasp 5x4 holds", [] { return grasp(5, 4, 0.3); }},
                                  {"grasp 5x20 holds", [] { return grasp(5, 20, 0.3); }},
                                  {"grasp 5x4 slips", [] { return grasp(5, 4, -1e-3); }},
                                  {"chain 100, end 1e4", [] { return chain(100, 1e4); }},
                                  {"kicked stack 10", [] { return kicked_stack(10); }}};
  for (const Scene& scene : moving)
    if (is_wanted(scene))
      for (const double shaking : {0.001, 0.05}) warm(scene, tolerance, shaking);
}
