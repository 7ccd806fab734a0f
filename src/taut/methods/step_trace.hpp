// What was done in a step beside plain steps of the method, in the order in which it was done.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace taut {

struct StepEvent {
  enum class Kind : unsigned char {
    cut,       ///< the step was cut where a stop, string, motor or joint with friction changes
    impact,    ///< a stop or string was hit
    collided,  ///< shapes hit each other
    contacts_changed,  ///< contacts opened, closed, began to stick or slide: a part of first order
    halved,            ///< the step failed as a whole, and was done in shorter ones
    not_halved,        ///< … but that did not help
    took_all_rows,     ///< rows that had been left out, as following from others, did not hold
    gave_way,          ///< the method let constraints give way, to find out whether they can hold
  };
  static constexpr int kinds = 8;

  Kind kind = Kind::cut;
  double time = 0;    ///< s
  double amount = 0;  ///< impact, collided: J that it changed; contacts_changed: s; halved:
                      ///< parts
  int row = -1;       ///< of the constraints; −1: none
};
/// One or two words: "cut at an event"
std::string_view event_text(StepEvent::Kind kind);

/// In a workspace. It keeps the first few dozen of a step.
class StepTrace {
 public:
  void clear() { events_.clear(); }
  void add(const StepEvent& event) {
    if (events_.capacity() == 0) events_.reserve(most);
    if (events_.size() < most) events_.push_back(event);
  }
  std::span<const StepEvent> events() const { return events_; }

 private:
  static constexpr std::size_t most = 64;
  std::vector<StepEvent> events_;
};

}  // namespace taut
