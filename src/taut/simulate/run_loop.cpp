#include <fmt/core.h>

#include <cmath>
#include <ctime>

#include "taut/methods/archive.hpp"
#include "taut/simulate/report_archive_internal.hpp"
#include "taut/simulate/run_loop_internal.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace taut::detail {
namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// In real time the best so far is what was asked for: the run goes on unless that is nonsense.
double residual_bound(const RunOptions& options) {
  if (options.residual_bound > 0) return options.residual_bound;
  const ContactSolver solver = find_contact_solver(options.contact_solver).solver;
  return solver == ContactSolver::real_time ? 1e-2 : largest_residual;
}

}  // namespace

Run::Run(const System& system, State state, Method& method, const RunOptions& options)
    : system_(system),
      method_(method),
      options_(options),
      start_time_(state.time),
      size_(scene_size(system, state)),
      extent_(extent(system, state)),
      residual_bound_(residual_bound(options)),
      state_(std::move(state)),
      workspace_(system, options.solver),
      policy_({.max_halvings = options.max_halvings}),
      stiff_(system, method),
      metrics_(system, state_, size_, options, evidence_, report_),
      recording_(system, options, evidence_, report_),
      activation_(system, options, extent_, policy_.bounded(), report_),
      cpu_begin_(cpu_seconds()) {
  progress_.time = start_time_;
  workspace_.mean.is_wanted = recording_.use(method.promises.forces);
  policy_.contacts().use(find_contact_solver(options.contact_solver).solver, options.contact_time);
  policy_.sheets().divide_finer(options.finer_parts);
}

void Run::start() {
  if (is_automatic()) {
    start_automatic_steps();
  } else {
    plan_fixed_steps();
    begin_fixed_steps();
    recording_.add(state_);
  }
}

bool Run::go_on(const Pause& pause) {
  return is_automatic() ? automatic_steps(pause) : fixed_steps(pause);
}

StepReport Run::do_step(double h, Halving halving) {
  const Clock::time_point begin = Clock::now();
  const StepReport step = halving == Halving::never
                              ? policy_.step_once(system_, method_, h, state_, workspace_)
                          : stiff_.any() ? do_parts(h)
                                         : policy_.step(system_, method_, h, state_, workspace_);
  events_.insert(events_.end(), step.trace.begin(), step.trace.end());
  stepping_ += Clock::now() - begin;
  return step;
}

// As the state changes, so does the length of the parts.
StepReport Run::do_parts(double h) {
  const double start = state_.time;
  StepReport report;
  MeanMotion whole;
  whole.is_wanted = workspace_.mean.is_wanted;
  whole.begin(state_.v);
  bool is_plain = true;
  for (double rest = h; rest > sliver * h;) {
    const StiffForces::Need need =
        stiff_.need(system_, options_.finer_parts * rest, state_, workspace_);
    if (need.parts * (h / rest) > StiffForces::most_parts) {
      diverged(
          fmt::format("{} is too stiff for this method and steps of {:.4g} s: one would "
                      "take about {:.0f} parts. icd and icd2 take stiff forces; "
                      "else choose a smaller step",
                      StiffForces::name(system_, need), h, need.parts * (h / rest)));
      report_.diverged_at_step = progress_.step + 1;  // that is, in it
      break;
    }
    if (rest == h && need.parts == 1) return policy_.step(system_, method_, h, state_, workspace_);
    const double part = rest / need.parts;
    const StepReport done = policy_.step(system_, method_, part, state_, workspace_);
    events_.insert(events_.end(), done.trace.begin(), done.trace.end());
    add_part(report, done);
    is_plain = is_plain && done.trace.empty() && done.impacts == 0;
    if (!is_finite(state_)) break;
    rest -= part;
  }
  whole.end(state_.v, h);
  if (is_plain) workspace_.mean = whole;
  state_.time = start + h;
  return report;
}

void Run::judge(const StepReport& step) {
  for (const StepEvent& event : events_) {
    ++report_.events[static_cast<std::size_t>(event.kind)];
    if (options_.record_event) options_.record_event(event);
  }
  events_.clear();
  auto& cost = report_.cost;
  cost.add(step);
  cost.regularized_steps += step.regularized ? 1 : 0;
  cost.halved_steps += step.halvings > 0 ? 1 : 0;
  const bool is_first_compromise =
      step.status == StepStatus::compromise && cost.compromise_steps == 0;
  if (is_first_compromise || (!report_.singular_state && step.regularized))
    report_.singular_state = state_;
  report_.energy.work += step.work;
  evidence_.has_unknown_work = evidence_.has_unknown_work || step.has_unknown_work;
  if (step.has_close_impacts) evidence_.close_impacts.see(1, -1, state_.time);
  evidence_.impact_shift = std::max(evidence_.impact_shift, step.impact_shift);
  report_.impacts.count += step.impacts;
  report_.impacts.energy_change += step.impact_energy;
  report_.energy.friction += step.friction_energy;
  auto& contacts = report_.contacts;
  contacts.most = std::max(contacts.most, step.contacts);
  contacts.final = step.contacts;
  contacts.largest_force = std::max(contacts.largest_force, step.contact_force);
  contacts.overlap = std::max(contacts.overlap, step.overlap);
  evidence_.rolling_time += step.rolling_time;
  evidence_.overlap.see(step.overlap / size_, -1, state_.time);
  auto& limits = report_.active_limits;
  limits.mean += (step.active_limits - limits.mean) / static_cast<double>(++judged_);
  limits.most = std::max(limits.most, step.active_limits);
  if (!is_finite(state_)) return diverged("the state is not finite");

  recording_.follow(state_, workspace_, policy_.sheets());
  const Metrics::Worst worst = metrics_.measure(state_, workspace_.lambda);
  if (!std::isfinite(report_.energy.final)) return diverged("the energy is not finite");
  if (step.status == StepStatus::compromise) {
    ++cost.compromise_steps;  // as good as it can be: not the method's failure
    evidence_.compromise.see(1, -1, state_.time);
  } else if (step.status != StepStatus::ok) {
    ++cost.unconverged_steps;
    evidence_.residual.see(step.residual, -1, state_.time);
    evidence_.unsolved += step.unsolved;
    if (!(step.residual <= residual_bound_))
      return diverged(fmt::format("the step {}: residual {:.3g} after {} iterations",
                                  status_text(step.status), step.residual, step.iterations));
  }
  if (const std::string ended = metrics_.ended(); !ended.empty())
    return diverged(fmt::format("{} at t = {:.6g} s", ended, state_.time));
  const double bound = options_.error_bound > 0 ? options_.error_bound : 100 * worst.unit;
  if (!(worst.error <= bound))
    diverged(fmt::format("the error of {} is {:.3g}, more than the bound {:.3g}",
                         constraint_label(system_, worst.constraint), worst.error, bound));
}

void Run::diverged(std::string reason) {
  report_.status = RunStatus::diverged;
  report_.reason = std::move(reason);
  report_.diverged_at_step = progress_.step;
}

void Run::archive(Archive& a) {
  if (a.is_reading() && is_automatic() && !norm_)
    norm_.emplace(system_, state_, VecX::Zero(state_.v.size()), extent_, options_.duration);
  if (a.is_reading() && !is_automatic()) plan_fixed_steps();
  a(state_);
  workspace_.archive(a, system_);
  policy_.archive(a, system_);
  method_.archive(a, system_, workspace_);
  a(report_, evidence_, progress_.step, progress_.time, metrics_, recording_, next_record_,
    equal_.length, equal_.start, equal_.count, interval_, next_step_, judged_);
  if (norm_) a(*norm_);
  bool has_controller = controller_.has_value();
  a(has_controller);
  if (has_controller && !controller_) controller_.emplace(1);
  if (has_controller) a(*controller_);
  bool has_probe = probe_.has_value();
  a(has_probe);
  if (has_probe) a(*probe_);
  double wall = wall_before_ + seconds(Clock::now() - begin_);
  double cpu = cpu_before_ + cpu_seconds() - cpu_begin_;
  Clock::rep stepping = stepping_.count();
  a(wall, cpu, stepping);
  if (!a.is_reading()) return;
  wall_before_ = wall;
  cpu_before_ = cpu;
  stepping_ = Clock::duration(stepping);
}

void Run::ask(bool is_last) {
  progress_.fraction = (progress_.time - start_time_) / options_.duration;
  if (!options_.keep_going) return;
  const Clock::time_point now = Clock::now();
  if (now - asked_ <= std::chrono::milliseconds(20)) return;
  asked_ = now;
  if (!options_.keep_going(progress_) && !is_last && may_go_on())
    report_.status = RunStatus::interrupted;
}

RunReport Run::judged() {
  metrics_.finish();
  RunReport report = report_;
  give_verdict(system_, method_, size_, evidence_, report);
  return report;
}

RunReport Run::finish() {
  if (options_.keep_going) options_.keep_going(progress_);
  metrics_.finish();
  recording_.finish(state_);
  report_.steps = progress_.step;
  report_.time = progress_.time;
  report_.cost.solver = workspace_.solver_name();
  report_.cost.wall_seconds = wall_before_ + seconds(Clock::now() - begin_);
  report_.cost.cpu_seconds = cpu_before_ + cpu_seconds() - cpu_begin_;
  const double steps = static_cast<double>(std::max(1L, progress_.step));
  report_.cost.microseconds_per_step = 1e6 * seconds(stepping_) / steps;
  give_verdict(system_, method_, size_, evidence_, report_);
  if (options_.contact_solver != contact_solvers().front().name && report_.contacts.most > 0)
    report_.remarks.push_back(fmt::format(
        "contacts were solved for by {}, which does not always follow Coulomb's law: {}",
        options_.contact_solver, find_contact_solver(options_.contact_solver).summary));
  if (options_.contact_time > 0 && report_.contacts.most > 0)
    report_.remarks.push_back(
        fmt::format("solves for contacts had {:.4g} µs each: what came out depends on the clock",
                    1e6 * options_.contact_time));
  report_.final_state = std::move(state_);
  return std::move(report_);
}

}  // namespace taut::detail
