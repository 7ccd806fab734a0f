#include <algorithm>
#include <array>

#include "taut/methods/method.hpp"

namespace taut {

void add_part(StepReport& whole, const StepReport& part) {
  add_costs(whole, part);
  whole.residual = std::max(whole.residual, part.residual);
  whole.unsolved += part.unsolved;
  whole.work += part.work;
  whole.has_unknown_work = whole.has_unknown_work || part.has_unknown_work;
  whole.has_close_impacts = whole.has_close_impacts || part.has_close_impacts;
  whole.impacts += part.impacts;
  whole.impact_energy += part.impact_energy;
  whole.friction_energy += part.friction_energy;
  whole.contacts = part.contacts;
  whole.contact_force = std::max(whole.contact_force, part.contact_force);
  whole.rolling_time += part.rolling_time;
  whole.overlap = std::max(whole.overlap, part.overlap);
  whole.impact_shift = std::max(whole.impact_shift, part.impact_shift);
  whole.active_limits = std::max(whole.active_limits, part.active_limits);
  if (part.status != StepStatus::ok) whole.status = part.status;
}

void add_costs(StepReport& whole, const StepReport& part) {
  whole.add(part);
  whole.halvings = std::max(whole.halvings, part.halvings);
  whole.regularized = whole.regularized || part.regularized;
}

std::string_view event_text(StepEvent::Kind kind) {
  static constexpr std::array<std::string_view, StepEvent::kinds> texts{
      "cut at an event",
      "hit a stop",
      "shapes hit each other",
      "contacts changed",
      "done in parts",
      "parts did not help",
      "took all rows",
      "gave way"};
  return texts[static_cast<std::size_t>(kind)];
}

}  // namespace taut
