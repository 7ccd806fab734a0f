#include "taut/distributed/cloth_run.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "taut/base/error.hpp"
#include "taut/base/largest.hpp"
#include "taut/distributed/cloth_metrics_internal.hpp"
#include "taut/distributed/cloth_step_internal.hpp"
#include "taut/distributed/gather_internal.hpp"
#include "taut/simulate/run_loop_internal.hpp"

namespace taut::distributed {
namespace {

using detail::legal;
using detail::sliver;

constexpr HalvingLimits halving;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool is_ok(const StepReport& report) { return report.status == StepStatus::ok; }

class Loop {
 public:
  Loop(const Processes& processes, const io::SceneShare& share, const FastProjectionOptions& method,
       const ClothRunOptions& options)
      : options_(options),
        method_(method),
        domain_(processes, share),
        state_(share.scene.system.initial_state()),
        metrics_(domain_, state_, evidence_, report_),
        step_(domain_, method, options.yarn_ends) {}

  ClothRun run();

 private:
  void begin();
  void look_for_jumps(double h);
  StepReport whole_step(double h);
  StepReport halved_step(double h);
  bool try_parts(double h, int parts, StepReport& report);
  void judge(const StepReport& step);
  void diverged(std::string reason);
  void finish(ClothRun& run);
  bool may_go_on() const { return report_.status == RunStatus::ok; }

  const ClothRunOptions& options_;
  const FastProjectionOptions& method_;
  Domain domain_;
  State state_, before_;
  Evidence evidence_;
  RunReport report_;
  ClothMetrics metrics_;
  ClothStep step_;
  RunProgress progress_;
  long steps_ = 0, no_halving_until_ = 0, no_halving_for_ = 1;
  int halvings_before_ = 0;
  double stepping_ = 0, cpu_ = 0;
  const Clock::time_point begin_ = Clock::now();

  // Of drives that jump: only where something depends on time.
  bool may_jump_ = false;
  BoundedStep bounded_;
  RunReport no_report_;
  RunOptions activation_options_;
  std::optional<detail::Activation> activation_;
};

// Constraints that begin to act on a state that violates them would make velocity of that.
void Loop::begin() {
  Workspace& w = domain_.workspace;
  const System& system = domain_.system;
  const Processes& all = domain_.processes;
  activation_options_.duration = options_.duration;
  activation_.emplace(system, activation_options_, metrics_.extent(), bounded_, no_report_);
  may_jump_ = all.any(system.constraints_depend_on_time()) ||
              all.any(std::any_of(system.all_forces().begin(), system.all_forces().end(),
                                  [](const auto& batch) { return !batch->is_passive(); }));
  step_.release(state_.time);
  if (options_.start != Start::settle) return;
  w.evaluate(system, state_.q, state_.time, w.end);
  w.J(w.end, state_.v, w.Jv);
  w.Jv += w.end.C_t;
  double position = 0, velocity = 0;
  for (const int row : domain_.owned_rows()) {
    position = std::max(position, std::abs(w.end.C[row]));
    velocity = std::max(velocity, std::abs(w.Jv[row]));
  }
  position = all.largest(position);
  velocity = all.largest(velocity);
  const double speed =
      std::max(metrics_.extent() / options_.duration, all.largest(largest(state_.v)));
  if (position > legal * metrics_.extent())
    throw AgreedError(fmt::format(
        "found a start that violates constraints by {:.3g} m, expected one that meets them: to "
        "settle it is not supported with --engine petsc; use --start as_is, or run it without "
        "--engine petsc",
        position));
  if (!(velocity > legal * speed)) return;
  const State start = state_;
  const auto energy = [&] {
    const auto [kinetic, potential] = metrics_.energies(state_);
    return all.sum(kinetic + potential);
  };
  const double before = energy();
  StepReport settled;
  step_.settle_velocity(state_.v, settled);
  auto& activation = report_.activation;
  activation.count = 1;
  activation.times = {state_.time};
  activation.rate_before = velocity;
  activation.velocity_change = all.largest(largest(VecX(state_.v - start.v)));
  activation.energy_change = energy() - before;
}

// In the normal loop a step is cut there.
void Loop::look_for_jumps(double h) {
  if (!may_jump_) return;
  const auto jump = activation_->find_jump(state_, h, domain_.workspace);
  const double at = -domain_.processes.largest(jump ? -jump->after : -INFINITY);
  if (std::isfinite(at))
    throw AgreedError(fmt::format(
        "found a drive or a force that jumps at {:.6g} s, expected smooth ones: jumps are not "
        "supported with --engine petsc; run it without",
        at));
}

// A step ends where a pin lets go, and the rest of it is done without.
StepReport Loop::whole_step(double h) {
  const double end = state_.time + h;
  StepReport report;
  for (const double release : domain_.share.releases)
    if (release > state_.time + sliver * h && release < end - sliver * h)
      add_part(report, halved_step(release - state_.time));
  add_part(report, halved_step(end - state_.time));
  return report;
}

// As StepPolicy::step().
StepReport Loop::halved_step(double h) {
  before_ = state_;
  const long now = steps_++;
  StepReport spent;
  for (int halvings = std::max(0, halvings_before_ - 1); halvings <= halving.max_halvings;
       ++halvings) {
    StepReport report;
    add_costs(report, spent);
    const bool ok = try_parts(h, 1 << halvings, report);
    const bool is_roundoff = report.status == StepStatus::not_converged &&
                             std::max(report.residual, report.unsolved) <= halving.harmless;
    const bool enough = halvings == 0 && (is_roundoff || now < no_halving_until_);
    if (ok || enough) {
      report.halvings = halvings;
      halvings_before_ = halvings;
      if (ok) no_halving_for_ = 1;
      return report;
    }
    add_costs(spent = {}, report);
  }
  no_halving_until_ = now + 1 + no_halving_for_;
  no_halving_for_ = std::min(2 * no_halving_for_, halving.longest_pause);
  halvings_before_ = 0;
  state_ = before_;
  StepReport whole = step_.step(h, state_);
  add_costs(whole, spent);
  return whole;
}

bool Loop::try_parts(double h, int parts, StepReport& report) {
  state_ = before_;
  for (int i = 0; i < parts; ++i) {
    const StepReport part = step_.step(h / parts, state_);
    add_part(report, part);
    if (!is_ok(part)) return false;
  }
  return true;
}

void Loop::diverged(std::string reason) {
  report_.status = RunStatus::diverged;
  report_.reason = std::move(reason);
  report_.diverged_at_step = progress_.step;
}

// All of this is the same for everybody, and so are the decisions.
void Loop::judge(const StepReport& step) {
  auto& cost = report_.cost;
  cost.add(step);
  cost.halved_steps += step.halvings > 0 ? 1 : 0;
  bool is_stopped = options_.keep_going && !options_.keep_going(progress_);
  const double worst = metrics_.measure(state_, is_stopped);
  if (!std::isfinite(report_.energy.final)) return diverged("the energy is not finite");
  if (!is_ok(step)) {
    ++cost.unconverged_steps;
    evidence_.residual.see(step.residual, -1, state_.time);
    evidence_.unsolved += step.unsolved;
    if (!(step.residual <= detail::largest_residual))
      return diverged(fmt::format(
          "the step {}, nor did a {}th of it: residual {:.3g} after {} iterations; light vertices "
          "under tension need steps below √(m l/T), their mass times the length of an edge over "
          "its "
          "force: use a smaller --step",
          status_text(step.status), 1 << halving.max_halvings, step.residual, step.iterations));
  }
  const double bound = options_.error_bound > 0 ? options_.error_bound : 100 * metrics_.size();
  if (!(worst <= bound))
    return diverged(fmt::format("the error of a constraint is {:.3g}, more than the bound {:.3g}",
                                worst, bound));
  if (is_stopped && progress_.step < progress_.steps) report_.status = RunStatus::interrupted;
}

ClothRun Loop::run() {
  const double h = options_.step;
  const double start = state_.time;
  begin();
  report_.step = h;
  progress_.steps = detail::step_count(options_.duration, h);
  if (options_.record) options_.record(domain_, state_);
  const long reductions = domain_.processes.reductions();
  const long body_messages = domain_.bodies().times(), row_messages = domain_.rows().times();
  while (progress_.step < progress_.steps && may_go_on()) {
    const bool is_last = progress_.step + 1 == progress_.steps;
    const double end =
        is_last ? start + options_.duration : start + static_cast<double>(progress_.step + 1) * h;
    const double length = is_last ? detail::last_step(options_.duration, h) : h;
    const Clock::time_point begin = Clock::now();
    const double cpu_begin = cpu_seconds();
    look_for_jumps(length);
    const StepReport step = whole_step(length);
    stepping_ += seconds_since(begin);
    cpu_ += cpu_seconds() - cpu_begin;
    state_.time = end;
    ++progress_.step;
    progress_.time = end;
    progress_.fraction = (end - start) / options_.duration;
    report_.steps = progress_.step;
    report_.time = end;
    judge(step);
    const bool is_due = progress_.step % options_.record_every == 0 || is_last || !may_go_on();
    if (options_.record && is_due && std::isfinite(report_.energy.final))
      options_.record(domain_, state_);
  }
  ClothRun run;
  ProcessCost mine;
  mine.reductions = static_cast<double>(domain_.processes.reductions() - reductions);
  mine.body_messages = static_cast<double>(domain_.bodies().times() - body_messages);
  mine.row_messages = static_cast<double>(domain_.rows().times() - row_messages);
  mine.row_iterations = static_cast<double>(step_.row_iterations());
  mine.bodies = static_cast<double>(domain_.owned_bodies().size());
  mine.rows = static_cast<double>(domain_.owned_rows().size());
  mine.all_bodies = domain_.system.body_count();
  mine.cpu_seconds = cpu_;
  mine.wall_seconds = stepping_;
  mine.neighbours = std::max(domain_.bodies().neighbours(), domain_.rows().neighbours());
  mine.body_bytes = static_cast<double>(domain_.bodies().bytes());
  mine.row_bytes = static_cast<double>(domain_.rows().bytes());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  mine.most_memory = 1024.0 * static_cast<double>(usage.ru_maxrss);
  run.costs = gather(domain_.processes, mine);
  finish(run);
  return run;
}

void Loop::finish(ClothRun& run) {
  metrics_.finish();
  auto& cost = report_.cost;
  const auto& all = domain_.processes;
  cost.solver = fmt::format("PETSc's cg, paths ({}) on {} {}", choice_name(options_.yarn_ends),
                            all.count(), all.count() == 1 ? "process" : "processes");
  cost.wall_seconds = all.largest(seconds_since(begin_));
  cost.cpu_seconds = all.sum(cpu_seconds());
  cost.microseconds_per_step =
      1e6 * all.largest(stepping_) / static_cast<double>(std::max(1L, report_.steps));
  give_verdict(domain_.system, method_, metrics_.size(), evidence_, report_);
  const auto& error = report_.constraint_error;
  if (report_.status != RunStatus::diverged && error.max > met_roughly * metrics_.size())
    report_.doubts.push_back(fmt::format("the edge or pin {} is off by {:.3g} m at {:.4g} s",
                                         error.worst, error.max, error.worst_at));
  run.report = std::move(report_);
}

}  // namespace

ClothRun run_cloth(const Processes& processes, const io::SceneShare& share,
                   const FastProjectionOptions& method, const ClothRunOptions& options) {
  return Loop(processes, share, method, options).run();
}

}  // namespace taut::distributed
