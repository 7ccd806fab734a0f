// Children of this process, each of which does one piece of work and tells the result by a pipe.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "taut/farm/farm.hpp"

namespace taut::farm {

class Processes {
 public:
  Processes(const Work& work, int most) : work_(work), most_(most) {}
  ~Processes();  ///< ends those that are still there
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  bool has_room() const { return static_cast<int>(children_.size()) < most_; }
  bool empty() const { return children_.empty(); }
  void start(long number);

  /// What poll() is to wait for.
  void add_to(std::vector<pollfd>& waiting) const;
  /// Reads what there is, without waiting, and returns those that have ended.
  std::vector<Result> ended();

 private:
  struct Child {
    long number;
    pid_t process;
    int pipe;
    std::string text;
  };
  static Result judged(Child& child);

  const Work& work_;
  int most_;
  std::vector<Child> children_;
};

}  // namespace taut::farm
