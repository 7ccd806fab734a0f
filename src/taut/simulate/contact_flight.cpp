#include "taut/simulate/contact_flight.hpp"

#include <cmath>

namespace taut {
namespace {

constexpr int most_shots = 24;  // at the moment of an impact

}  // namespace

// An impact is aimed at: between the last moment known to be clear and the first at which something
// overlaps, to where a straight line through the gaps, or along the gap's rate, crosses 0.
double ContactFlight::fly(const System& system, Method& method, double length, bool locates,
                          State& state, Workspace& w, StepReport& report) {
  from_ = state;
  modes_from_ = w.modes.modes();
  double clear = 0, clear_gap = INFINITY, inside = length, inside_gap = 0, inside_rate = 0;
  for (int shot = 0;; ++shot) {
    state = from_;
    w.modes.restore(modes_from_);
    const StepReport done = work_.step(system, method, length, state, w);
    const bool is_stopped = work_.bounded.reached() < length;
    length = work_.bounded.reached();
    const bool failed = done.status == StepStatus::not_converged || !state.q.allFinite();
    // A part that failed, too, may end inside something.
    ContactRows::Lowest lowest;
    if (state.q.allFinite()) {
      at_end_.find(system, state, inside - length, scale_.no_gap, work_.sleep.asleep());
      lowest = at_end_.lowest();
    }
    const double exact = locates ? scale_.no_gap : scale_.deepest_overlap();
    const bool is_clear = lowest.gap >= -exact;
    const bool is_there = is_clear && (shot == 0 || is_stopped || lowest.gap <= exact);
    // Where the time does not matter, the depth does for what bounces.
    const bool aims =
        locates || shot > 0 || (!is_clear && at_end_.contact(lowest.contact).restitution > 0);
    if (failed || !aims || is_there || shot == most_shots) {
      add_part(report, done);
      return length;
    }
    report.add(done);
    double next;
    if (is_clear) {
      if (clear > 0) inside_gap /= 2;  // the Illinois rule: else one end might stay for ever
      clear = length;
      clear_gap = lowest.gap;
      next = clear + (inside - clear) * clear_gap / (clear_gap - inside_gap);
    } else {
      at_end_.velocities(state.v, u_);
      inside = length;
      inside_gap = lowest.gap;
      inside_rate = u_[3 * lowest.contact];
      next = inside - inside_gap / inside_rate;
    }
    const double least = 1e-3 * (inside - clear);
    const bool is_good = next > clear + least && next < inside && shot % 4 != 3;
    length = is_good ? next : 0.5 * (clear + inside);
  }
}

}  // namespace taut
