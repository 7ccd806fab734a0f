#include "taut/derivatives/watched_run.hpp"

#include <algorithm>

namespace taut::detail {

WatchedMethod::WatchedMethod(std::unique_ptr<Method> inner) : inner_(std::move(inner)) {
  promises = inner_->promises;
  step_error = inner_->step_error;
}

StepReport WatchedMethod::step(const System& system, double h, State& state, Workspace& w) {
  ++calls;
  last.h = h;
  last.from = state;
  const StepReport report = inner_->step(system, h, state, w);
  last.to = state;
  last.lambda = w.lambda;
  last.modes = w.modes.modes();
  last.in_solve = w.modes.in_solve;
  was_pushed = w.modes.external.size() > 0 || w.contacts != nullptr;
  return report;
}

std::vector<double> step_lengths(double step, double duration) {
  std::vector<double> lengths(static_cast<std::size_t>(step_count(duration, step)), step);
  lengths.back() = last_step(duration, step);
  return lengths;
}

namespace {

RunOptions watched(RunOptions options, std::vector<StepEvent>& events) {
  options.record = nullptr;
  options.record_states = nullptr;
  options.record_joints = nullptr;
  options.record_contacts = nullptr;
  options.record_exerted = nullptr;
  options.record_event = [&events](const StepEvent& event) { events.push_back(event); };
  return options;
}

const Model& steered(const Model& model, double time) {
  model.steer(time);
  return model;
}

}  // namespace

WatchedRun::WatchedRun(const Model& model, const State& start, std::unique_ptr<Method> method,
                       const RunOptions& options)
    : model_(model),
      options_(watched(options, events_)),
      method_(std::move(method)),
      run_(steered(model, start.time + 1e-3 * options.step).system, start, method_, options_) {
  run_.begin_fixed_steps();
}

bool WatchedRun::step(double h) {
  if (!run_.may_go_on()) return false;
  before_ = run_.state();
  if (!model_.controls.empty()) {
    const long changes = model_.system.inputs().changes();
    model_.steer(before_.time + 0.5 * h);
    if (model_.system.inputs().changes() != changes) run_.settle_if_illegal();
  }
  method_.calls = 0;
  old_events_ = events_.size();
  const bool plain = run_.next_fixed_step(h);
  const StepRecord& did = method_.last;
  was_plain_ = plain && method_.calls == 1 && !method_.was_pushed &&
               events_.size() == old_events_ && did.from.q == before_.q &&
               did.from.v == before_.v && did.to.q == run_.state().q && did.to.v == run_.state().v;
  return run_.may_go_on();
}

bool are_alike(const std::vector<StepEvent>& a, const std::vector<StepEvent>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const StepEvent& x, const StepEvent& y) { return x.kind == y.kind && x.row == y.row; });
}

}  // namespace taut::detail
