// What can be chosen of fast projection: for others that do the same step in another way.
#pragma once

#include <algorithm>

#include "taut/methods/free_step.hpp"

namespace taut {

enum class Fallback { newton, none };
template <>
struct Choices<Fallback> {
  static constexpr std::array<std::string_view, 2> names{"newton", "none"};
};

struct FastProjectionOptions : FilterMethod {
  FastProjectionOptions() : FilterMethod(1e-3, 100) {}

  double solve_tolerance = 0.05;
  Fallback fallback = Fallback::newton;
};

/// How a result of the projection is looked at.
struct ProjectionLimits {
  static constexpr double near = 0.005;  ///< from the nearest point, per rest length
  static constexpr int rarely = 8;       ///< steps from look to look, where it is much nearer
  /// What it may be off where strain of more is permitted: of the way that the forces lead.
  static constexpr double part_of_way = 0.03;
};

/// Steps in which something is not tried, since it failed, or is done at once: more of them each
/// time.
class ProjectionPause {
 public:
  bool is_paused() const { return left_ > 0; }
  void wait() { --left_; }
  void begin() {
    left_ = next_;
    next_ = std::min(2 * next_, longest);
  }
  void end() { left_ = 0; }
  void forget() { next_ = first; }
  void archive(Archive& a);

 private:
  static constexpr long first = 16, longest = 256;
  long left_ = 0, next_ = first;
};

}  // namespace taut
