// What a step costs, and what it buys: every time stands beside the constraint error reached.
//
//   build/release/bin/step_bench --benchmark_filter=two_link
//   build/release/bin/step_bench --benchmark_filter=^chain     (prints the log-log slopes at the
//   end)
//   build/release/bin/step_bench --benchmark_filter=heavy      (h = 1/60, a heavy end)
//   build/release/bin/step_bench --benchmark_filter=hinge      (rigid links on hinges)
//   build/release/bin/step_bench --benchmark_filter=points     (joined in pairs, come down on a
//   plane)
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "taut/constraints/distance.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/model/point_contacts.hpp"
#include "taut/simulate/metrics.hpp"
#include "taut/simulate/step_policy.hpp"

namespace {

using namespace taut;

System arm(int links, double L, double mass, double end_ratio = 1) {
  System system;
  apply(system, Gravity{});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i <= links; ++i) {
    const Point next = system.add(Particle{i == links ? end_ratio * mass : mass, {i * L, 0, 0}});
    constrain(system, Distance{last, next, L});
    last = next;
  }
  return system;
}

/// Rigid rods along x, end to end on hinges about z.
System hinged(int links, double L, double mass) {
  System system;
  apply(system, Gravity{});
  BodyId last = world_body;
  for (int i = 0; i < links; ++i) {
    const double inertia = mass * L * L / 12;
    RigidBody link;
    link.mass = mass;
    link.inertia = Vec3(0.1 * inertia, inertia, inertia).asDiagonal();
    link.position = {(i + 0.5) * L, 0, 0};
    Hinge hinge;
    hinge.b = Point(system.add(link));
    if (!last.is_world()) hinge.a = Point(last);
    hinge.at = Vec3(i * L, 0, 0);
    constrain(system, hinge);
    last = hinge.b.body;
  }
  return system;
}

/// Points in pairs, at different heights above the ground z = 0.
System falling(int count) {
  System system;
  apply(system, Gravity{{0, 0, -9.81}});
  auto contacts = std::make_unique<PointContacts>();
  contacts->planes = {{{0, 0, 1}, 0, 0.3, 0}};
  for (int i = 0; i < count; ++i) {
    contacts->points.push_back(
        system.add(Particle{0.1, {0.1 * i, 0, 0.06 + 0.04 * std::sin(0.3 * i)}}));
    if (i % 2 == 1)
      constrain(
          system,
          Distance{contacts->points[contacts->points.size() - 2], contacts->points.back(), {}});
  }
  system.add_contacts(std::move(contacts));
  return system;
}

/// A fall to rest, again and again, with the whole policy: contacts come and go.
void falls(benchmark::State& bench, const System& system, std::string_view name, double h) {
  const auto method = make_method(name);
  State state = system.initial_state();
  double overlap = 0;
  int contacts = 0;
  long steps = 0;
  const long steps_of_a_fall = static_cast<long>(std::ceil(0.2 / h));
  auto workspace = std::make_unique<Workspace>(system);
  auto policy = std::make_unique<StepPolicy>();
  for (auto _ : bench) {
    if (steps++ % steps_of_a_fall == 0) {
      bench.PauseTiming();
      state = system.initial_state();
      policy = std::make_unique<StepPolicy>();
      policy->start(system, state, *workspace);
      bench.ResumeTiming();
    }
    const StepReport report = policy->step(system, *method, h, state, *workspace);
    overlap = std::max(overlap, report.overlap);
    contacts = std::max(contacts, report.contacts);
  }
  bench.counters["overlap"] = overlap;
  bench.counters["contacts"] = contacts;
}

void step(benchmark::State& bench, const System& system, std::string_view name, double h) {
  const auto method = make_method(name);
  Workspace workspace(system);
  State state = system.initial_state();
  RunReport report;
  const RunOptions options;
  Evidence evidence;
  Metrics metrics(system, state, extent(system, state), options, evidence, report);
  const long steps_of_a_run = static_cast<long>(std::ceil(1 / h));
  long steps = 0;
  for (auto _ : bench) {
    method->step(system, h, state, workspace);
    if (++steps % steps_of_a_run == 0) {  // a second of motion, again and again
      bench.PauseTiming();
      metrics.measure(state, workspace.lambda);
      state = system.initial_state();
      bench.ResumeTiming();
    }
  }
  metrics.measure(state, workspace.lambda);
  bench.counters["max_error"] = report.constraint_error.max;
  bench.counters["ns_per_link"] =
      benchmark::Counter(1e-9 * system.row_count(), benchmark::Counter::kIsIterationInvariantRate |
                                                        benchmark::Counter::kInvert);
}

/// Keeps the times of the chains, to print how they grow.
class SlopeReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      int links = 0;
      char method[64];
      const std::string& name = run.benchmark_name();
      const bool found = std::sscanf(name.c_str(), "chain/%63[^/]/%d", method, &links) == 2 ||
                         std::sscanf(name.c_str(), "heavy_chain/%63[^/]/%d", method, &links) == 2 ||
                         std::sscanf(name.c_str(), "hinge_chain/%63[^/]/%d", method, &links) == 2;
      if (found && run.run_type == Run::RT_Iteration)
        times_[name.substr(0, name.rfind('/'))][links] = run.GetAdjustedCPUTime();
    }
  }
  void print_slopes() const {
    for (const auto& [method, times] : times_) {
      if (times.size() < 2) continue;
      const auto& [small, fast] = *times.begin();
      const auto& [large, slow] = *times.rbegin();
      std::printf("%-28s time per step from %d to %d links grows with the power %.3f\n",
                  method.c_str(), small, large,
                  std::log(slow / fast) / std::log(1.0 * large / small));
    }
  }

 private:
  std::map<std::string, std::map<int, double>> times_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const MethodInfo& method : methods()) {
    const std::string name(method.name);
    benchmark::RegisterBenchmark(("two_link/" + name).c_str(), [name](benchmark::State& bench) {
      step(bench, arm(2, 10, 1), name, 0.01);
    });
    benchmark::RegisterBenchmark(
        ("points/" + name + "/1000").c_str(),
        [name](benchmark::State& bench) { falls(bench, falling(1000), name, 0.005); })
        ->Unit(benchmark::kMicrosecond);
    for (const int links : {100, 1000, 10000, 100000})
      benchmark::RegisterBenchmark(("chain/" + name + "/" + std::to_string(links)).c_str(),
                                   [name, links](benchmark::State& bench) {
                                     step(bench, arm(links, 0.1, 0.01), name, 1e-3);
                                   })
          ->Unit(benchmark::kMicrosecond);
  }
  for (const std::string name : {"icd2", "energy_momentum"})
    for (const int links : {100, 1000, 10000, 100000})
      benchmark::RegisterBenchmark(("heavy_chain/" + name + "/" + std::to_string(links)).c_str(),
                                   [name, links](benchmark::State& bench) {
                                     step(bench, arm(links, 0.1, 0.01, 1000), name, 1.0 / 60);
                                   })
          ->Unit(benchmark::kMicrosecond);
  for (const std::string name : {"implicit1", "icd2", "energy_momentum"})
    for (const int links : {10, 100, 1000, 10000})
      benchmark::RegisterBenchmark(("hinge_chain/" + name + "/" + std::to_string(links)).c_str(),
                                   [name, links](benchmark::State& bench) {
                                     step(bench, hinged(links, 0.1, 0.01), name, 1e-3);
                                   })
          ->Unit(benchmark::kMicrosecond);
  SlopeReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_slopes();
  benchmark::Shutdown();
  return 0;
}
