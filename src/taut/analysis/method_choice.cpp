#include "taut/analysis/method_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taut/analysis/diagnosis.hpp"
#include "taut/analysis/verify.hpp"
#include "taut/methods/projection.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/bounded_step.hpp"
#include "taut/simulate/verdict.hpp"
#include "taut/solve/kkt_solver.hpp"

namespace taut {
namespace {

constexpr double resolved = 0.5;          // step times angular frequency that explicit methods like
constexpr double damped = 1.73;           // the same where dampers count, too, √(h c/m): dop853
                                          // follows a decay by e⁻³ to 10⁻⁴
constexpr double followed_motion = 1;     // the same of the motion as a whole
constexpr double long_run = 20;           // in swings
constexpr int most_rows_to_judge = 2000;  // a rank costs more than a choice is worth beyond
constexpr double most_to_try = 1e6;       // rows times steps: of runs that are worth a trial
constexpr double few_to_try = 3e5;        // the same where there is little to choose

/// Bodies and the world joined by constraints, what hangs together in them, and how finely.
struct Structure {
  Structure(const System& system, const State& state)
      : parent(static_cast<std::size_t>(system.body_count()) + 1) {
    std::iota(parent.begin(), parent.end(), 0);
    const Pose pose(system, state.q);
    const int world = system.body_count();
    const auto node = [&](const Anchor& a) { return a.body.is_world() ? world : a.body.index; };
    std::vector<Anchor> anchors;
    for (const auto& batch : system.constraints()) {
      anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
      for (int c = 0; c < batch->size(); ++c) {
        batch->anchors(c, anchors);
        // A point on a plane or a line is not tied to it.
        if (std::any_of(anchors.begin(), anchors.end(),
                        [](const Anchor& a) { return a.is_direction; }))
          continue;
        if (anchors.size() == 1) tie(node(anchors[0]), world);
        for (std::size_t k = 1; k < anchors.size(); ++k) {
          const double length = (pose.at(anchors[k]) - pose.at(anchors[0])).norm();
          if (length > 1e-9) shortest = std::min(shortest, length);
          tie(node(anchors[0]), node(anchors[k]));
        }
      }
    }
    // Arms of rigid bodies are lengths too.
    for (int i = 0; i < system.body_count(); ++i)
      if (system.is_rigid({i}))
        shortest = std::min(shortest, std::sqrt(system.inertia({i}).trace() / system.mass({i})));
    const bool has_loop_of_constraints = has_loop;  // joints are ties that are there already
    const auto node_of = [&](const Point& p) { return p.body.is_world() ? world : p.body.index; };
    for (const Joint& joint : system.joints()) tie(node_of(joint.a), node_of(joint.b));
    has_loop = has_loop_of_constraints;
    const Neighbours next = neighbours(world);
    mass_ratio = std::max(has_loop ? load_in_loops(system, next) : 1, hanging_load(system, next));
  }

  using Neighbours = std::vector<std::vector<int>>;
  Neighbours neighbours(int world) const {
    Neighbours next(static_cast<std::size_t>(world) + 1);
    for (const auto& [a, b] : ties) {
      next[a].push_back(b);
      next[b].push_back(a);
    }
    return next;
  }

  /// Any body of a loop may bear all of the loop and what hangs on it; but not the body that the
  /// loop hangs on, however heavy. So per block of the graph (what hangs together in more than one
  /// way), with what is farther from the world: that mass over the lightest body in the block.
  /// Tarjan's search in depth, without recursion.
  double load_in_loops(const System& system, const Neighbours& next) const {
    const int world = system.body_count();
    const auto mass = [&](int body) { return body == world ? 0 : system.mass({body}); };
    std::vector<int> number(next.size(), -1), lowest(next.size()), from(next.size(), -1);
    std::vector<std::size_t> looked(next.size(), 0);
    std::vector<double> below(next.size());  // mass of a body and of what was found from it
    std::vector<int> path, in_block;
    double most = 1;
    int count = 0;
    for (int root = world; root >= 0; --root) {
      if (number[root] >= 0) continue;
      path.assign(1, root);
      while (!path.empty()) {
        const int body = path.back();
        if (number[body] < 0) {
          number[body] = lowest[body] = count++;
          below[body] = mass(body);
          in_block.push_back(body);
        }
        if (looked[body] < next[body].size()) {
          const int other = next[body][looked[body]++];
          if (number[other] < 0) {
            from[other] = body;
            path.push_back(other);
          } else {
            lowest[body] = std::min(lowest[body], number[other]);
          }
          continue;
        }
        path.pop_back();
        const int above = from[body];
        if (above < 0) {
          in_block.clear();
          continue;
        }
        below[above] += below[body];
        if (lowest[body] < number[above]) {
          lowest[above] = std::min(lowest[above], lowest[body]);
          continue;
        }
        // The block of `body` hangs on `above`, which is part of it only where nothing bears that.
        const bool floats = above == root && root != world;
        double lightest = floats ? mass(above) : INFINITY;
        const double borne = below[body] + (floats ? mass(above) : 0);
        for (int member = -1; member != body;) {
          member = in_block.back();
          in_block.pop_back();
          lightest = std::min(lightest, mass(member));
        }
        most = std::max(most, borne / lightest);
      }
    }
    return most;
  }

  /// From the world on: the mass of a body and of all that hangs on it, over its own.
  double hanging_load(const System& system, const Neighbours& next) const {
    const int world = system.body_count();
    std::vector<int> order, from(next.size(), -1);
    for (int root = world; root >= 0; --root) {
      if (from[root] >= 0) continue;
      from[root] = root;
      order.push_back(root);
      for (std::size_t i = order.size() - 1; i < order.size(); ++i)
        for (const int body : next[order[i]])
          if (from[body] < 0) {
            from[body] = order[i];
            order.push_back(body);
          }
    }
    std::vector<double> hanging(next.size(), 0.0);
    double most = 1;
    for (auto body = order.rbegin(); body != order.rend(); ++body) {
      if (*body == world) continue;
      const double mass = system.mass({*body});
      hanging[*body] += mass;
      most = std::max(most, hanging[*body] / mass);
      if (from[*body] != *body) hanging[from[*body]] += hanging[*body];
    }
    return most;
  }

  void tie(int a, int b) {
    ties.emplace_back(a, b);
    a = find(a);
    b = find(b);
    has_loop = has_loop || a == b;
    parent[a] = b;
  }
  int find(int body) {
    while (parent[body] != body) body = parent[body] = parent[parent[body]];
    return body;
  }

  std::vector<int> parent;
  std::vector<std::pair<int, int>> ties;
  bool has_loop = false;
  double shortest = INFINITY;  // distance between points that a constraint ties
  double mass_ratio = 1;       // what a part bears, over its own mass
};

/// The largest acceleration by the applied forces, at rest.
double load(const System& system, const State& state) {
  const Pose pose(system, state.q);
  VecX F;
  system.forces(pose, VecX::Zero(system.velocity_size()), state.time, F);
  double largest = 0;
  for (int i = 0; i < system.body_count(); ++i)
    largest = std::max(largest, F.segment<3>(system.slot({i}).v).norm() / system.mass({i}));
  return largest;
}

/// Of springs, and of dampers with K + `rate` · c: the largest ω² among the motions that the
/// constraints allow, W K x = ω² x, by a power iteration. It is a question of a factor, not of
/// digits.
double force_frequency(const System& system, const State& state, double rate) {
  Workspace w(system);
  if (w.pattern.coupling_blocks.empty()) return 0;
  w.start.add_force_stiffness(system, w.pattern, Pose(system, state.q), state.v, rate, state.time);
  const bool is_constrained = w.pattern.rows() > 0 && w.pattern.rows() <= most_rows_to_judge;
  if (is_constrained) {
    for (RowModes::Mode& mode : w.modes.modes()) mode.is_equation = false;
    w.linearize(system, state.q, state.time, w.end);
    w.end.C_t.setZero();
  }
  StepReport unused;
  VecX x(system.velocity_size()), product(system.velocity_size());
  // Any start that is square to nothing in particular.
  for (Eigen::Index i = 0; i < x.size(); ++i)
    x[i] = std::sin(1 + 2.399963 * static_cast<double>(i));
  double largest = 0;
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    // Where the constraints hold all that springs push, only round-off is left.
    const double pushed = system.kinetic_energy(x);
    if (is_constrained) project_velocity(x, w, unused);
    const double energy = system.kinetic_energy(x);
    if (!(energy > 1e-20 * pushed)) break;
    x /= std::sqrt(2 * energy);
    product.setZero();
    add_product(w.pattern.coupling_blocks, w.start.K, x, product);
    largest = std::max(largest, std::abs(x.dot(product)));  // of Mx² = 1: Rayleigh's quotient
    system.apply_inverse_mass(product, x);
  }
  return std::sqrt(largest);
}

/// Of the motion as a whole at the start: how fast it bends, √(|v̇|/size).
/// What nothing ties has no size to compare with but the way it goes.
double motion_frequency(const System& system, const State& state, double duration) {
  Workspace w(system);
  for (RowModes::Mode& mode : w.modes.modes()) mode.is_equation = false;
  VecX lambda, acceleration;
  StepReport unused;
  reactions(system, state, w, lambda, unused, &acceleration);
  double largest = 0, fastest = 0;
  for (const BodySlot& slot : system.slots()) {
    largest = std::max(largest, acceleration.segment<3>(slot.v).norm());
    fastest = std::max(fastest, state.v.segment<3>(slot.v).norm());
  }
  double size = scene_size(system, state);
  if (system.row_count() == 0 && system.contact_sources().empty())
    size = std::max(size, duration * (fastest + 0.5 * duration * largest));
  return std::sqrt(largest / size);
}

/// A method over the whole run, and in words how well it did; empty: not at all, or it would take
/// too long. A run that conserves energy shows that by itself; another is compared with one of half
/// the step.
std::string trial(const char* method, const System& system, const State& state, double step,
                  double duration, double most) {
  constexpr double wanted = 1e-4;  // of the scene's size
  const double work = system.row_count() * duration / step;
  if (work * (system.is_conservative() ? 1 : 3) > most) return "";
  RunOptions options;
  options.step = step;
  options.duration = duration;
  const auto make = [method] { return make_method(method); };
  if (!system.is_conservative()) {
    const RunReport report = simulate_verified(system, state, make, options, wanted);
    if (report.status != RunStatus::ok || !report.is_trusted()) return "";
    return fmt::format("half the step changes positions by no more than {:.1g} m",
                       report.verification->error);
  }
  const RunReport report = simulate(system, state, *make(), options);
  if (report.status != RunStatus::ok || !report.is_trusted()) return "";
  return fmt::format("the energy stays to {:.1g} J", report.energy.max_abs_error);
}

/// A step in which a whip cracks is done in parts. (Where shapes touch, steps are cut and done
/// again in ways of their own.)
MethodChoice careful_dop853(const System& system, std::string reason) {
  std::vector<OptionValue> options;
  if (system.contact_sources().empty()) options = {{"step_error", "1e-9"}};
  return {"dop853", std::move(options), std::move(reason)};
}

}  // namespace

MethodChoice choose_method(const System& system, const State& state, double step, double duration) {
  Structure structure(system, state);
  const double acceleration = load(system, state);

  // A link of length l and mass m under the weight of all that it bears swings across at √(T/(m
  // l)).
  const double across = std::isfinite(structure.shortest)
                            ? std::sqrt(structure.mass_ratio * acceleration / structure.shortest)
                            : 0;
  const RowPattern pattern(system);
  if (step * across > resolved && is_sheet(system, pattern))
    return {
        "icd",
        {},
        fmt::format("a sheet of light parts, which swing at up to about {:.2g} rad/s: a step of "
                    "{:.3g} s does not resolve that, and this is the most robust there",
                    across, step)};

  bool is_redundant = false;
  if (system.row_count() > 0 && system.row_count() <= most_rows_to_judge) {
    const Diagnosis diagnosis = diagnose(system, state);
    if (diagnosis.has_conflict())
      return {"icd2", {}, "constraints contradict each other: it keeps the best compromise"};
    // Rows that say the same everywhere, as those of loops of hinges do, are no harm; rows that
    // depend on each other only here are a singular position.
    is_redundant = !diagnosis.dependencies.empty();
    if (std::any_of(diagnosis.dependencies.begin(), diagnosis.dependencies.end(),
                    [](const Dependency& dependency) { return dependency.only_here; }))
      return {"icd2", {}, "the start is a singular position: it stays robust there"};
  }

  const double springs = force_frequency(system, state, 0);
  const double dampers = force_frequency(system, state, 1 / step);
  if (step * across > resolved)
    return {"icd2",
            {},
            fmt::format("light or short parts carry much: they swing at up to about {:.2g} rad/s, "
                        "which a step of {:.3g} s does not resolve",
                        across, step)};
  if (step * springs > resolved || step * dampers > damped)
    return {
        "icd2",
        {},
        fmt::format("springs or dampers are stiff: about {:.2g} rad/s, which a step of {:.3g} s "
                    "does not resolve",
                    std::max(springs, dampers), step)};

  const bool conserves = system.is_conservative() && system.row_count() > 0;
  if (const LimitCount limits = count_limits(system); !limits.are_located()) {
    const bool does_not_damp = conserves && limits.threads == 0;
    return {does_not_damp ? "energy_momentum" : "icd2",
            {},
            fmt::format("{} stops and strings are too many to wait for each: it decides in its "
                        "solve which of them act, and {}",
                        limits.all, does_not_damp ? "does not damp" : "is robust there")};
  }

  const std::vector<OptionValue> order{{"order", "4"}};
  if (const double motion = motion_frequency(system, state, duration);
      step * motion > followed_motion)
    return {conserves ? "energy_momentum" : "icd2", conserves ? order : std::vector<OptionValue>{},
            fmt::format("the motion turns by about {:.2g} rad in a step of {:.3g} s, and no method "
                        "follows that accurately: this one keeps the constraints{}; a step of "
                        "{:.1g} s would resolve it",
                        step * motion, step, conserves ? " and the energy" : "", 0.2 / motion)};

  if (structure.has_loop || is_redundant) {
    const double most = conserves || is_redundant ? most_to_try : few_to_try;
    for (const char* method : {"dop853", "rk4_projected"})
      if (const std::string result = trial(method, system, state, step, duration, most);
          !result.empty())
        return {method, {}, "a trial of the whole run passes all positions: " + result};
    if (conserves)
      return {"energy_momentum",
              {},
              "energy should stay, and the mechanism has loops, which may pass singular positions"};
    if (is_redundant)
      return {"icd2", {}, "rows depend on each other, here or nearby: it stays robust there"};
  }
  if (conserves) {
    const double swing =
        acceleration > 0 ? 2 * M_PI * std::sqrt(extent(system, state) / acceleration) : INFINITY;
    if (duration > long_run * swing)
      return {"energy_momentum", order,
              fmt::format("energy should stay over a long run, {:.0f} swings", duration / swing)};
  }
  if (!pattern.bounded.empty())
    return careful_dop853(
        system,
        "the step resolves the motion at the start, and every moment at which a stop, a string "
        "or a motor begins or ceases to act is found: most digits for the time");
  return careful_dop853(system,
                        "the step resolves the motion at the start: most digits for the time");
}

}  // namespace taut
