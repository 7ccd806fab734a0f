// How well steps can follow a motion, told from the motion alone. A method that takes too long a
// step may keep energy and constraints exactly and be wrong all the same: what it cannot keep is a
// course that bends more in a step than it can follow.
#pragma once

#include <vector>

#include "taut/simulate/verdict.hpp"

namespace taut {

class Course {
 public:
  Course(const System& system, const State& start);

  /// After a step. An impact bends a course at once, at a moment that is known: it does not count.
  void follow(const State& state, bool has_impacts, Evidence& evidence);

 private:
  /// A body with different moments of inertia, and how it turns.
  struct Rod {
    int body, dof;
    Vec3 axis;        // of the least moment, in the body's frame
    double thinness;  // the largest moment over the least
    double twist = 0;
  };

  const System& system_;
  double last_time_;
  bool was_smooth_ = false;
  VecX start_q_, last_v_;
  VecX bend_, last_bend_;      // of the velocities, in a step
  std::vector<double> drift_;  // per body, m
  std::vector<Rod> rods_;
};

}  // namespace taut
