// Stops and strings beside contacts: how far they are from acting, and when they will.
#pragma once

#include <vector>

#include "taut/simulate/law_rows.hpp"

namespace taut {

/// The first time at which gap + rate t + ½ acceleration t² is 0; `never` if it never is.
double closing_time(double gap, double rate, double acceleration, double never);

/// Of what forces change in a step: what is approached more slowly is not left again.
constexpr double weakest_bounce = 0.5;

class StopsAhead {
 public:
  struct Stop {
    int row = 0;
    double gap = 0, rate = 0, free_rate = 0;
    double slow = 0;         ///< an approach that is no impact
    double restitution = 0;  ///< 0 if it would not bounce
    bool is_closed = false;
  };

  /// m or rad: no gap of a stop, in a scene of this size.
  static double no_gap(bool is_angle, double size) { return 2e-9 * (is_angle ? 1 : size); }

  /// With `rest` left of a step of length h, at whose end the bodies would have v_free. What closes
  /// within `at_once` is closed.
  void look(const System& system, const State& state, double h, double rest, const VecX& v_free,
            double size, double at_once, LawRows& laws, Workspace& w);
  bool empty() const { return stops_.empty(); }
  const Stop* find(int row) const;
  /// Whether one that is closed is approached.
  bool is_hit() const;
  /// How long until one is hit that bounces, or with `locates` any; `rest` if none is.
  double time_to_hit(double rest, bool locates) const;

 private:
  std::vector<Stop> stops_;
};

}  // namespace taut
