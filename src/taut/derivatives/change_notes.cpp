#include "taut/derivatives/change_notes.hpp"

#include <fmt/core.h>

#include <cmath>

namespace taut::detail {

std::string ChangeNotes::name_of_row(int row) const {
  return row < 0 ? std::string() : constraint_label(system_, pattern_.constraint_of(row));
}

void ChangeNotes::add_events(std::span<const StepEvent> events) {
  for (const StepEvent& event : events)
    report_.changes.push_back(
        {event.time, std::string(event_text(event.kind)), name_of_row(event.row)});
}

void ChangeNotes::add_modes(const StepRecord& step, const StepRecord* previous) {
  constexpr double nothing = 1e-9;
  const double largest = step.lambda.size() > 0 ? step.lambda.lpNorm<Eigen::Infinity>() : 0;
  for (std::size_t i = 0; i < step.modes.size(); ++i) {
    const RowModes::Mode& mode = step.modes[i];
    if (!mode.is_limit()) continue;
    if (previous && i < previous->modes.size() &&
        previous->modes[i].is_equation != mode.is_equation)
      report_.changes.push_back({step.from.time,
                                 mode.is_equation ? "begins to act" : "ceases to act",
                                 name_of_row(mode.row)});
    if (mode.is_equation && std::abs(step.lambda[mode.row]) <= nothing * largest)
      doubt(step.from.time, "acts without a force", name_of_row(mode.row));
  }
}

void ChangeNotes::doubt(double time, const std::string& what, const std::string& of) {
  for (const ActiveChange& known : report_.changes)
    if (known.is_edge && known.of == of && known.what == what) return;
  report_.changes.push_back({time, what, of, true});
  report_.doubts.push_back(fmt::format("at t = {:.6g} s {} {}: the derivative is one-sided there",
                                       time, of.empty() ? "something" : of, what));
}

void ChangeNotes::add_stretch(const StretchSlopes& slopes, double begin, bool is_last,
                              std::span<const StepEvent> events, const std::string& column) {
  using Sides = StretchSlopes::Sides;
  // What comes after may let an error grow.
  const double six_digits = is_last ? 1e-6 : 2e-7;
  if (slopes.sides != Sides::none && !std::isfinite(slopes.error))
    report_.doubts.push_back(
        fmt::format("from t = {:.6g} s on, nearby runs that agree are too near to tell how well "
                    "the derivative with respect to {} is known",
                    begin, column));
  else if (slopes.sides != Sides::none && !(slopes.error <= six_digits))
    report_.doubts.push_back(
        fmt::format("from t = {:.6g} s on, differences of runs tell the derivative with respect to "
                    "{} to about {:.1g} of it only",
                    begin, column, slopes.error));
  if (slopes.sides == Sides::both) return;
  std::string of, what = "another event";
  for (const StepEvent& event : events)
    if (event.time >= slopes.first_difference - 1e-12) {
      of = name_of_row(event.row);
      what = event_text(event.kind);
      break;
    }
  report_.changes.push_back({slopes.first_difference, what, of, true});
  const std::string place = fmt::format("at t = {:.6g} s{}{} ({})", slopes.first_difference,
                                        of.empty() ? "" : ", ", of, what);
  report_.doubts.push_back(
      slopes.sides == Sides::one
          ? fmt::format("{}: what acts changes with {} on one side only: the derivative is that "
                        "of the other side",
                        place, column)
          : fmt::format("{}: what acts changes with {} on both sides: there is no derivative",
                        place, column));
}

}  // namespace taut::detail
