// What a derivative's report says about what acts: where it changes, and what speaks against the
// derivative there.
#pragma once

#include <span>
#include <string>

#include "taut/derivatives/sensitivities.hpp"
#include "taut/derivatives/stretch.hpp"

namespace taut::detail {

class ChangeNotes {
 public:
  ChangeNotes(const System& system, const RowPattern& pattern, DerivativeReport& report)
      : system_(system), pattern_(pattern), report_(report) {}

  void add_events(std::span<const StepEvent> events);
  /// Of rows that are decided in the solve of a plain step: which begin to act, or cease to.
  void add_modes(const StepRecord& step, const StepRecord* previous);
  /// Of a stretch that begins at a time, and may be the last of the run, with respect to something.
  void add_stretch(const StretchSlopes& slopes, double begin, bool is_last,
                   std::span<const StepEvent> events, const std::string& column);

 private:
  std::string name_of_row(int row) const;
  void doubt(double time, const std::string& what, const std::string& of);

  const System& system_;
  const RowPattern& pattern_;
  DerivativeReport& report_;
};

}  // namespace taut::detail
