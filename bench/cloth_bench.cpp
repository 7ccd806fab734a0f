// Cloth: what a step costs, side by side in one run, with the strain reached.
//
//   build/release/bin/cloth_bench            all of it
//   build/release/bin/cloth_bench solvers    5041 vertices, h = 1 ms: linear solvers of one method
//   build/release/bin/cloth_bench growth     10⁴ to 10⁶ vertices: time per step, and memory
//   build/release/bin/cloth_bench swing      `cloth` swinging down: time per step by method
//   build/release/bin/cloth_bench iterations those of the Krylov solver, by vertices along a side
//   build/release/bin/cloth_bench cores      time on the clock on one core and on all of them
//
// Solvers take turns, and their times are those of the processor: other load on the machine matters
// less. From 5,000 vertices on a step is shared by all cores: for the time on one, `taskset -c 0`.
// Large sheets keep all cores busy, so the growth is that of the time on the clock: for this the
// machine should be idle.
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <vector>

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/simulate/metrics.hpp"

namespace {

using namespace taut;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e6;  // kB
}

enum class Held { side, corners };

/// A square metre, horizontal, held along one side or at two corners.
System cloth(int n, Held by = Held::side, const ClothMaterial& material = {}) {
  System system;
  apply(system, Gravity{});
  Grid grid;
  grid.columns = grid.rows = n;
  grid.along = Vec3::UnitZ();
  const Mesh mesh = grid_mesh(grid);
  std::vector<int> held(mesh.vertices.size(), 0);
  const int apart = by == Held::side ? 1 : n - 1;
  for (int j = 0; j < n; j += apart) held[static_cast<std::size_t>(j)] = 1;
  const Surface surface = add_cloth(system, mesh, material, "cloth", n, held);
  for (int j = 0; j < n; j += apart)
    constrain(system, Pin{Point(surface.vertices[static_cast<std::size_t>(j)]), {}, {}});
  return system;
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Timed {
  Timed(const System& cloth, std::vector<OptionValue> options, const std::string& solver,
        const char* name = "fast_projection")
      : system(cloth),
        method(make_method(name, options)),
        workspace(cloth, solver),
        state(cloth.initial_state()),
        metrics(cloth, state, extent(cloth, state), run_options, evidence, report) {}

  /// Seconds per step.
  double run(double h, int steps, double (*seconds)() = processor_seconds) {
    const double before = seconds();
    for (int i = 0; i < steps; ++i) {
      const StepReport step = method->step(system, h, state, workspace);
      iterations += step.iterations;
      linear_iterations += step.linear_iterations;
      linear_solves += step.linear_solves;
      failed += step.status != StepStatus::ok;
    }
    const double spent = seconds() - before;
    metrics.measure(state, workspace.lambda);
    return spent / steps;
  }

  const System& system;
  std::unique_ptr<Method> method;
  Workspace workspace;
  State state;
  Evidence evidence;
  RunReport report;
  RunOptions run_options;
  Metrics metrics;
  long iterations = 0, linear_iterations = 0, linear_solves = 0, failed = 0;
};

void compare_solvers() {
  const int n = 71, rounds = 5, steps = 40;
  const double h = 1e-3;
  const System system = cloth(n);
  for (const char* base : {"explicit", "implicit"}) {
    const std::vector<OptionValue> options{{"free_step", base}, {"strain", "0.01"}};
    Timed paths(system, options, "pcg_paths"), direct(system, options, "ldlt_sparse");
    double fast = INFINITY, slow = INFINITY;
    for (int round = 0; round < rounds; ++round) {
      fast = std::min(fast, paths.run(h, steps));
      slow = std::min(slow, direct.run(h, steps));
    }
    fmt::print(
        "fast_projection, {} forces, {} vertices, h = {} s: pcg_paths {:.2f} ms per step, "
        "ldlt_sparse {:.2f} ms: {:.1f} times; largest strain {:.1e} and {:.1e}\n",
        base, n * n, h, 1e3 * fast, 1e3 * slow, slow / fast,
        paths.report.constraint_error.max * (n - 1), direct.report.constraint_error.max * (n - 1));
  }
}

void measure_growth() {
  const double h = 1e-4;
  double first = 0, last = 0, smallest = 0, largest = 0;
  for (const int n : {100, 316, 1000}) {
    const System system = cloth(n);
    Timed timed(system, {{"strain", "0.01"}}, "auto");
    timed.run(h, 2);  // patterns are made
    timed.iterations = timed.linear_iterations = 0;
    const int steps = n < 1000 ? 10 : 4;
    const double seconds = timed.run(h, steps, clock_seconds);
    const double vertices = static_cast<double>(n) * n;
    fmt::print(
        "{:8} vertices: {:9.2f} ms per step, {:.2f} µs per vertex, {:.1f} iterations, {:.1f} of "
        "the linear solvers, largest strain {:.1e}; {:.2f} GB in all\n",
        n * n, 1e3 * seconds, 1e6 * seconds / vertices,
        static_cast<double>(timed.iterations) / steps,
        static_cast<double>(timed.linear_iterations) / steps,
        timed.report.constraint_error.max * (n - 1), peak_gigabytes());
    if (first == 0) {
      first = seconds;
      smallest = vertices;
    }
    last = seconds;
    largest = vertices;
  }
  fmt::print("time per step grows with the power {:.3f} of the number of vertices\n",
             std::log(last / first) / std::log(largest / smallest));
}

/// As the scene `cloth` has it.
ClothMaterial swinging() {
  ClothMaterial material;
  material.density = 0.15;
  material.shear_stiffness = 5;
  material.bending_stiffness = 1e-5;
  return material;
}

/// Over the first 0.3 s. The error is the distance from a run whose equations are solved tightly:
/// to 10⁻⁹, and those of icd to 2·10⁻⁷ (at 10⁻⁷, Newton's method fails at 1/60 s where cloth begins
/// to be compressed).
void measure_swing() {
  struct Case {
    const char* method;
    const char* reference;
    double h;
    Held by;
  };
  const int n = 71;
  for (const auto& [name, reference, h, by] :
       {Case{"fast_projection", "sap", 1e-3, Held::corners},
        Case{"fast_projection", "sap", 1e-3, Held::side}, Case{"icd", "icd", 4e-3, Held::corners},
        Case{"icd", "icd", 1.0 / 60, Held::corners}}) {
    const System system = cloth(n, by, swinging());
    const bool filters = std::strcmp(name, "fast_projection") == 0;
    const int steps = static_cast<int>(std::lround(0.3 / h));
    Timed timed(system,
                filters ? std::vector<OptionValue>{{"strain", "0.01"}} : std::vector<OptionValue>{},
                "auto", name);
    const double seconds = timed.run(h, steps);
    std::vector<OptionValue> tight{{"tolerance", filters ? "1e-9" : "2e-7"}};
    if (filters) tight.push_back({"free_step", "implicit"});
    Timed exact(system, tight, "auto", reference);
    exact.run(h, steps);
    fmt::print(
        "{}, {} vertices held at {}, h = {:.4f} s: {:.2f} ms per step, {:.2f} iterations, {:.1f} "
        "of "
        "the linear solvers, largest strain {:.1e}, {:.2g} mm from {} solved tightly\n",
        name, n * n, by == Held::side ? "a side" : "two corners", h, 1e3 * seconds,
        static_cast<double>(timed.iterations) / steps,
        static_cast<double>(timed.linear_iterations) / steps,
        timed.report.constraint_error.max * (n - 1),
        1e3 * (timed.state.q - exact.state.q).lpNorm<Eigen::Infinity>(), reference);
    if (timed.failed + exact.failed > 0)
      fmt::print("  {} steps failed, and {} of {} solved tightly\n", timed.failed, exact.failed,
                 reference);
  }
}

void measure_iterations() {
  for (const int n : {21, 41, 71, 101, 141}) {
    const System system = cloth(n, Held::corners, swinging());
    Timed timed(system, {}, "auto", "icd");
    const int steps = 18;
    const double seconds = timed.run(1.0 / 60, steps);
    fmt::print(
        "icd, {0} × {0} vertices, h = 1/60 s: {1:.1f} ms per step, {2:.1f} Krylov iterations "
        "per solve, {3:.1f} solves per step\n",
        n, 1e3 * seconds,
        static_cast<double>(timed.linear_iterations) / static_cast<double>(timed.linear_solves),
        static_cast<double>(timed.linear_solves) / steps);
  }
}

/// What `measure` returns in a process of its own, which may run on one core only, or on all.
template <class Measure>
double in_process(bool one_core, const Measure& measure) {
  int ends[2];
  if (pipe(ends) != 0) return NAN;
  const pid_t child = fork();
  if (child == 0) {
    cpu_set_t mine, one;
    CPU_ZERO(&one);
    if (one_core && sched_getaffinity(0, sizeof mine, &mine) == 0) {
      int core = 0;
      while (!CPU_ISSET(core, &mine)) ++core;
      CPU_SET(core, &one);
      sched_setaffinity(0, sizeof one, &one);
    }
    const double result = measure();
    const bool written = write(ends[1], &result, sizeof result) == sizeof result;
    _exit(written ? 0 : 1);
  }
  double result = NAN;
  close(ends[1]);
  if (read(ends[0], &result, sizeof result) != sizeof result) result = NAN;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return result;
}

/// The fastest of several runs of each, in turns. Threads do not outlive a fork, so this comes
/// before everything else.
void compare_cores() {
  struct Case {
    const char* method;
    double h;
    int n;
  };
  const int rounds = 5;
  for (const auto& [name, h, n] :
       {Case{"icd", 1.0 / 60, 51}, Case{"icd", 1.0 / 60, 71}, Case{"icd", 1.0 / 60, 101},
        Case{"icd", 1.0 / 60, 141}, Case{"icd", 4e-3, 71}, Case{"fast_projection", 1e-3, 71},
        Case{"fast_projection", 1e-3, 141}}) {
    const auto measure = [&] {
      const System system = cloth(n, Held::corners, swinging());
      Timed timed(system, {}, "auto", name);
      return timed.run(h, static_cast<int>(std::lround(0.2 / h)), clock_seconds);
    };
    double one = INFINITY, all = INFINITY;
    for (int round = 0; round < rounds; ++round) {
      one = std::min(one, in_process(true, measure));
      all = std::min(all, in_process(false, measure));
    }
    fmt::print(
        "{}, {} vertices, h = {:.4f} s: {:.2f} ms per step on one core, {:.2f} on all: {:.2f} "
        "times as fast\n",
        name, n * n, h, 1e3 * one, 1e3 * all, one / all);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = [&](const char* name) {
    return argc < 2 || std::any_of(argv + 1, argv + argc, [&](const char* given) {
             return std::strcmp(given, name) == 0;
           });
  };
  if (wanted("cores")) compare_cores();
  if (wanted("solvers")) compare_solvers();
  if (wanted("growth")) measure_growth();
  if (wanted("swing")) measure_swing();
  if (wanted("iterations")) measure_iterations();
  return 0;
}
