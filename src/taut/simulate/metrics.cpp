#include "taut/simulate/metrics.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

Metrics::Metrics(const System& system, const State& start, const RunOptions& options,
                 RunReport& report)
    : system_(system),
      options_(options),
      report_(report),
      errors_(static_cast<std::size_t>(system.constraint_count())),
      pose_(system, start.q) {
  report.energy.initial = report.energy.final =
      system.kinetic_energy(start.v) + system.potential_energy(pose_);
  report.energy.conservative = system.is_conservative();
  if (options.reference) {
    const ReferenceTrack& track = *options.reference;
    report.reference_deviation =
        RunReport::Deviation{track.label, "xyz"[track.axis], 0, 0, start.time};
  }
}

Metrics::Worst Metrics::measure(const State& state) {
  pose_.set(system_, state.q);

  std::span<double> rest(errors_);
  for (const auto& batch : system_.constraints()) {
    const std::size_t count = static_cast<std::size_t>(batch->size());
    batch->errors(pose_, state.time, rest.first(count));
    rest = rest.subspan(count);
  }
  Worst worst;
  double sum = 0;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    sum += errors_[i];
    if (!(errors_[i] <= worst.error)) worst = {errors_[i], static_cast<int>(i)};
  }
  auto& error = report_.constraint_error;
  error.accumulated += sum;
  error.final = worst.error;
  if (worst.error > error.max) {
    error.max = worst.error;
    error.worst_at = state.time;
    worst_ = worst.constraint;
  }

  auto& energy = report_.energy;
  energy.final = system_.kinetic_energy(state.v) + system_.potential_energy(pose_);
  const double expected = energy.initial + energy.work + report_.activation.energy_change +
                          report_.impacts.energy_change;
  energy.max_abs_error = std::max(energy.max_abs_error, std::abs(energy.final - expected));

  deviate(state);
  return worst;
}

std::string Metrics::ended() const {
  int before = 0;
  for (const auto& batch : system_.constraints()) {
    if (const auto ended = batch->first_ended(pose_))
      return constraint_label(system_, before + ended->constraint) + ": " +
             std::string(ended->reason);
    before += batch->size();
  }
  return "";
}

void Metrics::compare(const State& state) {
  if (!options_.reference) return;
  pose_.set(system_, state.q);
  deviate(state);
}

// The pose is that of the state.
void Metrics::deviate(const State& state) {
  if (!options_.reference) return;
  const ReferenceTrack& track = *options_.reference;
  if (state.time > track.until * (1 + 1e-12)) return;
  const double deviation = pose_.at(track.point)[track.axis] - track.value(state.time);
  auto& reported = *report_.reference_deviation;
  reported.max = std::max(reported.max, std::abs(deviation));
  reported.until = state.time;
  squared_deviation_ += deviation * deviation;
  ++deviations_;
}

void Metrics::finish() {
  if (worst_ >= 0) report_.constraint_error.worst = constraint_name(system_, worst_);
  if (report_.reference_deviation && deviations_ > 0)
    report_.reference_deviation->rms =
        std::sqrt(squared_deviation_ / static_cast<double>(deviations_));
}

namespace {

/// What `of(batch, number in the batch)` says of the constraint with this number.
template <class Of>
std::string constraint_text(const System& system, int constraint, Of of) {
  for (const auto& batch : system.constraints()) {
    if (constraint < batch->size()) return of(*batch, constraint);
    constraint -= batch->size();
  }
  return "?";
}

}  // namespace

std::string constraint_name(const System& system, int constraint) {
  return constraint_text(system, constraint,
                         [](const ConstraintBatch& batch, int i) { return batch.name(i); });
}

std::string constraint_label(const System& system, int constraint) {
  return constraint_text(system, constraint, [](const ConstraintBatch& batch, int i) {
    return std::string(batch.type()) + " \"" + batch.name(i) + "\"";
  });
}

}  // namespace taut
