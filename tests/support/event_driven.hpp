// The motion of a mechanism in joint coordinates from event to event: between events by
// extrapolation, at events with impulses and modes found by trying all combinations.
#pragma once

#include <string>
#include <vector>

#include "support/joint_coordinates.hpp"

namespace taut::testing {

class EventDriven {
 public:
  /// `tolerance`: the error of a step. `longest`: of the steps that are short enough for any.
  EventDriven(const Mechanism& mechanism, double tolerance, double longest = 1);

  bool start(const VecX& u);
  /// To a time that is later. False, here and in start(): see `trouble`.
  bool advance(double until);

  double energy() const { return c_.equations(now_.x, now_.u).energy; }
  std::vector<JointCoordinates::Pose> poses() const { return c_.poses(now_.x, now_.u); }
  double largest_rate() const { return largest_rate_; }
  int events = 0;
  std::string trouble;

 private:
  struct Motion {
    VecX x, u;
  };
  /// What one-sided rows do at the moment.
  struct Modes {
    std::vector<char> active;  // per limit: an equation
    std::vector<int> slip;     // per motor: 0 holds its speed, +1 too fast, −1 too slow
  };
  /// Modes that an event decides: what lets go cannot hold on by round-off.
  struct Forced {
    int released = -1;         // a limit
    int motor = -1, slip = 0;  // a motor that slips from now on
  };

  bool fail(const char* why);
  JointCoordinates::OneSided limits() const;
  double slip_speed(const Motion& at, std::size_t motor) const;
  /// u̇ with these modes; λ of active limits and of motors that hold, where asked for.
  VecX acceleration(const Motion& at, const Modes& modes, VecX* lambda = nullptr,
                    bool* is_regular = nullptr, VecX* limit_acceleration = nullptr) const;
  double step(double h, Motion& out) const;
  VecX margins(const Motion& at) const;
  VecX margin_rates(const Motion& at) const;
  double dip(double h, const Motion& end, const VecX& at_end) const;
  double first_event(double h, const Motion& end, Forced& forced);
  Forced force(Eigen::Index row, double h);
  bool meet(const Forced& forced) { return impact() && choose(forced); }
  double rebound_rate(Eigen::Index limit, double rate) const;
  bool impact();
  bool choose(const Forced& forced);
  bool is_consistent(const std::vector<std::vector<int>>& choices, const Forced& forced) const;
  bool watch();

  const Mechanism m_;
  JointCoordinates c_;
  Motion now_;
  Modes modes_;
  double tolerance_ = 0, longest_ = 0, time_ = 0, h_ = 0;
  int stuck_ = 0;
  mutable double weakest_row_ = 1;  // over all evaluations, so that no singular position is missed
  double largest_rate_ = 0;
};

}  // namespace taut::testing
