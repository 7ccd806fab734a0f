// What a step of cloth that touches costs, by parts: a sheet draped over a ball. Beside it, what
// its edges alone cost: the same steps, from the same states, if nothing touched; and the same
// sheet that hangs by its corners.
//
//   build/release/bin/drape_bench [vertices along a side …]    31, 51 and 101 if not given
//   build/release/bin/drape_bench --seconds 0.6 31             simulated; 0.5 if not given
//
// Times are those of the processor, of all threads together, on average over the steps in which
// something touches. "near": all that is near is looked for. "way": how far all may go. "solve":
// Newton's method with the touches' forces, in which the lengths of all edges are kept. "edges":
// icd from the same states, without shapes and touches.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/model/sheet_source.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/stepping.hpp"

namespace {

using namespace taut;

constexpr double h = 1.0 / 120;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Part {
  double time = 0;
  long calls = 0;
};

/// Those of another one, with the time they take.
class TimedSheets final : public SheetSource {
 public:
  TimedSheets(const SheetSource& sheets, Part& near, Part& way)
      : sheets_(sheets), near_(near), way_(way) {}
  bool find(const Pose& pose, const Pose& wanted, std::vector<SheetTouch>& out) const override {
    const double begin = seconds();
    const bool is_finite = sheets_.find(pose, wanted, out);
    near_.time += seconds() - begin;
    ++near_.calls;
    return is_finite;
  }
  double free_part(const Pose& from, const Pose& to) const override {
    const double begin = seconds();
    const double part = sheets_.free_part(from, to);
    way_.time += seconds() - begin;
    ++way_.calls;
    return part;
  }
  double longest_way(const Pose& from, const Pose& to) const override {
    return sheets_.longest_way(from, to);
  }
  double thickness() const override { return sheets_.thickness(); }
  std::string cloth_name(int cloth) const override { return sheets_.cloth_name(cloth); }
  std::string shape_name(int shape) const override { return sheets_.shape_name(shape); }

 private:
  const SheetSource& sheets_;
  Part &near_, &way_;
};

struct Cost {
  double all = 0;  // s per step
  double iterations = 0, linear_iterations = 0;
  long steps = 0;
  int touches = 0;
  double strain = 0;
};

/// Steps by icd of a system in which nothing touches, from states of another one.
class Untouched {
 public:
  explicit Untouched(const System& system)
      : system_(system), method_(make_method("icd")), workspace_(system) {}
  void step(State state) {
    const double begin = seconds();
    const StepReport report = method_->step(system_, h, state, workspace_);
    time += seconds() - begin;
    iterations += report.iterations;
    linear_iterations += static_cast<double>(report.linear_iterations);
  }
  double time = 0, iterations = 0, linear_iterations = 0;

 private:
  const System& system_;
  std::unique_ptr<Method> method_;
  Workspace workspace_;
};

/// From the first step on in which something touches, if its `edges` are given.
Cost run(const System& system, double duration, int n, Untouched* edges, Part& near, Part& way) {
  const auto method = make_method("icd");
  RunOptions options;
  options.step = h;
  Stepping stepping(system, system.initial_state(), *method, options);
  Cost cost;
  while (stepping.state().time < duration - 1e-9) {
    const auto before = stepping.report().cost;
    const State start = stepping.state();
    const double begin = seconds();
    if (!stepping.step()) {
      fmt::print("  {}\n", stepping.report().reason);
      break;
    }
    const double spent = seconds() - begin;
    if (edges && stepping.report().contacts.most == 0) {
      near = way = {};
      continue;
    }
    cost.all += spent;
    if (edges) edges->step(start);
    const auto& after = stepping.report().cost;
    cost.iterations += static_cast<double>(after.iterations - before.iterations);
    cost.linear_iterations +=
        static_cast<double>(after.linear_iterations - before.linear_iterations);
    ++cost.steps;
  }
  cost.touches = stepping.report().contacts.most;
  cost.strain = stepping.report().constraint_error.max * (n - 1);
  const auto steps = static_cast<double>(cost.steps);
  for (double* sum : {&cost.all, &cost.iterations, &cost.linear_iterations, &near.time, &way.time})
    *sum /= steps;
  return cost;
}

/// The sheet of the scene, held at its corners: it swings down between them.
System hanging(int n) {
  System system;
  apply(system, Gravity{});
  Grid grid;
  grid.columns = grid.rows = n;
  grid.along = Vec3::UnitZ();
  const Mesh mesh = grid_mesh(grid);
  ClothMaterial material;
  material.density = 0.2;
  material.bending_stiffness = 2e-5;
  const Surface surface = add_cloth(system, mesh, material, "cloth", n);
  for (const int corner : {0, n - 1, n * (n - 1), n * n - 1})
    constrain(system, Pin{Point(surface.vertices[static_cast<std::size_t>(corner)]), {}, {}});
  return system;
}

void compare(int n, double duration) {
  const std::vector<io::Setting> settings{{"n", std::to_string(n)}};
  io::Scene scene = io::load_scene("cloth_on_sphere", settings);
  const io::Scene other = io::load_scene("cloth_on_sphere", settings);  // whose sheets are timed
  Part near, way, none;
  scene.system.set_sheets(std::make_unique<TimedSheets>(*other.system.sheets(), near, way));
  io::Scene free = io::load_scene("cloth_on_sphere", settings);
  free.system.set_sheets(nullptr);
  Untouched edges(free.system);
  const Cost touching = run(scene.system, duration, n, &edges, near, way);
  const Cost alone = run(hanging(n), duration, n, nullptr, none, none);
  const auto per_step = [&](const Part& part) {
    return static_cast<double>(part.calls) / static_cast<double>(touching.steps);
  };
  const double solve = touching.all - near.time - way.time;
  const auto steps = static_cast<double>(touching.steps);
  fmt::print(
      "{} vertices: {:.1f} ms per step ({} steps with up to {} touches, strain {:.1e}): near "
      "{:.1f} "
      "({:.1f} times), way {:.1f} ({:.1f} times), solve {:.1f} ({:.1f} Newton iterations, {:.0f} "
      "of "
      "the linear solver); edges {:.1f} ({:.1f}, {:.0f}); hanging {:.1f} ({:.1f}, {:.0f})\n",
      n * n, 1e3 * touching.all, touching.steps, touching.touches, touching.strain, 1e3 * near.time,
      per_step(near), 1e3 * way.time, per_step(way), 1e3 * solve, touching.iterations,
      touching.linear_iterations, 1e3 * edges.time / steps, edges.iterations / steps,
      edges.linear_iterations / steps, 1e3 * alone.all, alone.iterations, alone.linear_iterations);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  double duration = 0.5;
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
      duration = std::atof(argv[++i]);
    else
      sizes.push_back(std::atoi(argv[i]));
  }
  if (sizes.empty()) sizes = {31, 51, 101};
  for (const int n : sizes) compare(n, duration);
}
