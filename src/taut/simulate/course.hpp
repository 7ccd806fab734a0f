// How much a motion bends in a step, told from the motion alone: no method follows a course that
// bends by as much as the scene is large.
#pragma once

#include "taut/simulate/verdict.hpp"

namespace taut {

class Archive;

class Course {
 public:
  Course(const System& system, const State& start)
      : system_(system), last_time_(start.time), start_q_(start.q) {}

  /// After a step. An impact bends a course at once, at a moment that is known: it does not count.
  void follow(const State& state, bool has_impacts, Evidence& evidence);

  void archive(Archive& a);

 private:
  const System& system_;
  double last_time_;
  VecX start_q_, last_v_;
};

}  // namespace taut
