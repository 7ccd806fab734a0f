// Point masses on massless links in a plane, in joint angles: no constraints, so no constraint
// error. The truth that methods with constraints are measured against.
#pragma once

#include <functional>
#include <vector>

#include "taut/base/types.hpp"

namespace taut::reference {

class PlanarPendulum {
 public:
  struct Setup {
    std::vector<double> masses, lengths;
    std::vector<double> angles;  ///< from the downward vertical (−y), towards +x, rad
    std::vector<double> rates;   ///< rad/s; empty: at rest
    double gravity = 9.81;
    Vec3 pivot = Vec3::Zero();
  };

  /// `tolerance` of the estimated error per step of the adaptive integrator, relative to 1 +
  /// |value|. Throws Error when the lists differ in length or a number makes no sense.
  explicit PlanarPendulum(Setup setup, double tolerance = 1e-13);

  /// Integrates up to exactly `time`, which must not be before the last one asked for.
  void advance_to(double time);

  int links() const { return static_cast<int>(setup_.masses.size()); }
  double time() const { return time_; }
  Vec3 position(int link) const;
  Vec3 velocity(int link) const;
  double energy() const;

 private:
  void derivative(const VecX& state, VecX& out);
  double try_step(double h);

  Setup setup_;
  double tolerance_;
  double time_ = 0;
  double step_ = 1e-3;
  VecX state_;    // angles, then rates
  VecX carried_;  // masses of a link and of all below it

  // Work space of a step.
  VecX stages_[7];
  VecX next_, error_;
  bool first_stage_known_ = false;
  MatX mass_;
  VecX load_;
};

/// The coordinate `axis` (0, 1, 2) of mass `link` as a function of time. Best asked for increasing
/// times; a time asked before is looked up, so that several runs share the work.
std::function<double(double time)> coordinate_track(PlanarPendulum::Setup setup, int link,
                                                    int axis);

}  // namespace taut::reference
