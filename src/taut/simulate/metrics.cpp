#include "taut/simulate/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "taut/simulate/bounded_step.hpp"

namespace taut {

namespace {

constexpr double no_work = 1e-9;  // of what a motor may exert, over a rad or the size: no energy

Evidence::Worst Evidence::*kind_of(const RowLaw& law, bool is_located) {
  if (law.kind != RowLaw::Kind::limit) return &Evidence::equation;
  return is_located ? &Evidence::limit : &Evidence::loose_limit;
}

/// Calls visit(batch, constraint, row, law) for rows on velocities, and for those of motors.
template <class Visit>
void visit_rates(const System& system, const Visit& visit) {
  for (const auto& batch : system.constraints())
    for (int r = 0; batch->size() > 0 && r < batch->rows_per_constraint(); ++r)
      if (const auto kind = batch->law(0, r).kind;
          kind == RowLaw::Kind::velocity || kind == RowLaw::Kind::rate)
        for (int c = 0; c < batch->size(); ++c) visit(*batch, c, r, batch->law(c, r));
}

/// A motor without a bound, whose speed is a constraint like any other.
bool is_unbounded(const RowLaw& law) {
  return law.kind == RowLaw::Kind::rate && !std::isfinite(law.upper);
}

}  // namespace

Metrics::Metrics(const System& system, const State& start, double size, const RunOptions& options,
                 Evidence& evidence, RunReport& report)
    : system_(system),
      options_(options),
      evidence_(evidence),
      report_(report),
      errors_(static_cast<std::size_t>(system.constraint_count())),
      size_(size),
      course_(system, start),
      drive_work_(system),
      last_time_(start.time),
      pose_(system, start.q) {
  VecX F;
  system.forces(pose_, start.v, start.time, F);
  evidence.weight = F.size() > 0 ? F.lpNorm<1>() : 0;
  for (const BodySlot& slot : system.slots())
    if (slot.rigid < 0) evidence.weight_of_particles += F.segment<3>(slot.v).lpNorm<1>();
  energy_.emplace(system.kinetic_energy(start.v), system.potential_energy(pose_), size, evidence,
                  report);
  settled_by_ = start.time + 0.5 * options.duration;
  kinds_.reserve(errors_.size());
  const bool is_located = count_limits(system).are_located();
  for (const auto& batch : system.constraints())
    for (int c = 0; c < batch->size(); ++c) {
      const double unit = batch->force_unit(c, 0) == "N" ? size : 1.0;
      double bound = unit;
      for (int r = 1; r < batch->rows_per_constraint(); ++r)
        if (batch->force_unit(c, r) != "N") bound = std::max(bound, 1.0);
      kinds_.push_back(
          {kind_of(batch->law(c, 0), is_located), batch->natural_length(c), unit, bound});
    }
  bool has_rates = false;
  visit_rates(system, [&](const ConstraintBatch& batch, int c, int r, const RowLaw& law) {
    has_rates = has_rates || law.kind == RowLaw::Kind::velocity || is_unbounded(law);
    if (law.kind == RowLaw::Kind::rate && std::isfinite(law.upper))
      energy_->know_least_scale(no_work * law.upper * (batch.force_unit(c, r) == "N" ? size : 1.0));
  });
  if (has_rates) {
    pattern_ = RowPattern(system);
    rows_.resize(pattern_);
    for (const int row : pattern_.velocity_rows) slips_.push_back({row});
    if (!slips_.empty()) report.rate_error.emplace();
    for (const RowPattern::BoundedRow& bounded : pattern_.bounded)
      if (is_unbounded(bounded.law)) slips_.push_back({bounded.row, true});
  }
  report.energy.conservative = system.is_conservative();
  if (options.reference) {
    const ReferenceTrack& track = *options.reference;
    report.reference_deviation =
        RunReport::Deviation{track.label, "xyz"[track.axis], 0, 0, start.time};
  }
}

Metrics::Worst Metrics::measure(const State& state, const VecX& lambda) {
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
    if (!(errors_[i] <= worst.error)) worst = {errors_[i], static_cast<int>(i), kinds_[i].bound};
    (evidence_.*kinds_[i].worst).see(errors_[i] / kinds_[i].unit, static_cast<int>(i), state.time);
    if (kinds_[i].length > 0)
      evidence_.strain.see(errors_[i] / kinds_[i].length, static_cast<int>(i), state.time);
  }
  auto& error = report_.constraint_error;
  error.accumulated += sum;
  error.final = worst.error;
  if (worst.error > error.max) {
    error.max = worst.error;
    error.worst_at = state.time;
    worst_ = worst.constraint;
  }

  if (!slips_.empty()) follow_rates(state);
  const double driven = drive_work_.most(pose_, last_time_, state.time, last_lambda_, lambda);
  last_time_ = state.time;
  last_lambda_ = lambda;
  energy_->follow(system_.kinetic_energy(state.v), system_.potential_energy(pose_), state.time,
                  driven);
  // In contacts the moment of an impact is not always known.
  const bool has_known_impacts =
      system_.contact_sources().empty() && report_.impacts.count != last_impacts_;
  course_.follow(state, has_known_impacts, evidence_);
  last_impacts_ = report_.impacts.count;
  deviate(state);
  return worst;
}

// The pose is that of the state.
void Metrics::follow_rates(const State& state) {
  rows_.linearize(system_, pattern_, pose_, state.time);
  if (report_.rate_error) report_.rate_error->final = 0;
  for (Slip& slip : slips_) {
    const RowRate rate = row_rate(pattern_, rows_, state.v, slip.row);
    const double size = std::abs(rate.value);
    slip.speed = std::max(slip.speed, rate.size);
    if (size > slip.largest) {
      slip.largest = size;
      slip.at = state.time;
    }
    if (slip.is_motor) {
      // What starts from rest is off its speed for a while.
      if (state.time > settled_by_) slip.late = std::max(slip.late, size);
      continue;
    }
    RunReport::RateError& error = *report_.rate_error;
    error.final = std::max(error.final, size);
    if (!(size > error.max)) continue;
    error.max = size;
    error.worst_at = state.time;
    worst_slip_ = pattern_.constraint_of(slip.row);
  }
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
  compared_at_.push_back(state.time);
  squared_deviation_ += deviation * deviation;
  ++deviations_;
}

void Metrics::finish() {
  if (worst_slip_ >= 0) report_.rate_error->worst = constraint_name(system_, worst_slip_);
  // Against the speeds that a row adds up; what would move the scene by less than a millionth of it
  // over the whole run is no slip.
  for (const Slip& slip : slips_) {
    const double unit = pattern_.is_angle[static_cast<std::size_t>(slip.row)] ? 1 : size_;
    const double speed = std::max(slip.speed, no_motion * unit / options_.duration);
    if (!(speed > 0)) continue;
    const int constraint = pattern_.constraint_of(slip.row);
    (slip.is_motor ? evidence_.motor : evidence_.rate)
        .see(slip.largest / speed, constraint, slip.at);
    if (slip.is_motor) evidence_.late_motor.see(slip.late / speed, constraint, slip.at);
  }
  if (worst_ >= 0) report_.constraint_error.worst = constraint_name(system_, worst_);
  if (report_.reference_deviation && deviations_ > 0)
    report_.reference_deviation->rms =
        std::sqrt(squared_deviation_ / static_cast<double>(deviations_));
}

namespace {

/// What `of(batch, number in the batch)` says of the constraint with this number.
template <class Of>
auto of_constraint(const System& system, int constraint, Of of)
    -> decltype(of(*system.constraints().front(), constraint)) {
  for (const auto& batch : system.constraints()) {
    if (constraint < batch->size()) return of(*batch, constraint);
    constraint -= batch->size();
  }
  return {};
}

}  // namespace

bool constraint_is_angle(const System& system, int constraint) {
  return of_constraint(system, constraint, [](const ConstraintBatch& batch, int i) {
    return batch.force_unit(i, 0) != "N";
  });
}

std::string constraint_name(const System& system, int constraint) {
  return of_constraint(system, constraint,
                       [](const ConstraintBatch& batch, int i) { return batch.name(i); });
}

std::string constraint_label(const System& system, int constraint) {
  return of_constraint(system, constraint, [](const ConstraintBatch& batch, int i) {
    return std::string(batch.type()) + " \"" + batch.name(i) + "\"";
  });
}

}  // namespace taut
