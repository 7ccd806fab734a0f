// Which method, and which step? Tries them on the user's own system and measures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taut/simulate/simulation.hpp"

namespace taut {

struct AdviceRequest {
  double accuracy = 1e-3;  ///< wanted: largest deviation of a body's position, and constraint error
  double duration = 10;    ///< in s
  double step = 0.01;      ///< in s: a usual step for this system; the search begins at 10 times it
  std::vector<OptionValue> options;     ///< for the methods that have them
  std::optional<ReferenceTrack> known;  ///< one coordinate whose truth is known
  double budget = 60;                   ///< in s: no search goes on beyond it
  int threads = 0;                      ///< 0: one per core
  /// Told how far we are; false ends the search with what is known so far.
  std::function<bool(double fraction, const std::string& what)> keep_going;
};

/// One run of a method with one step.
struct AdviceTrial {
  double step = 0;
  bool diverged = false;
  bool reaches = false;         ///< the wanted accuracy, and settles
  bool settles = true;          ///< brings a start that violates constraints back to them
  double deviation = 0;         ///< largest distance of a body from the reference, m
  double constraint_error = 0;  ///< largest, m (rad for angles)
  double energy_error = 0;      ///< largest, J
  double cost = 0;              ///< µs of computing per simulated second, one thread
};

/// A method with the options that are not its defaults, and what was tried, from large steps to
/// small.
struct AdviceCandidate {
  std::string method;
  std::vector<OptionValue> options;
  std::vector<AdviceTrial> trials;
  int chosen = -1;      ///< the largest step from which on all reach the accuracy; −1: none did
  std::string stopped;  ///< why no smaller step was tried, where none was chosen
  std::string label() const;
  const AdviceTrial* choice() const {
    return chosen < 0 ? nullptr : &trials[static_cast<std::size_t>(chosen)];
  }
};

/// What everything is measured against, and how far it can be trusted.
struct AdviceReference {
  std::string method;  ///< label of the candidate it was made with
  double step = 0;
  double uncertainty = 0;            ///< m: what halving the step last changed
  std::optional<double> from_known;  ///< m: its distance from the coordinate whose truth is known
  double until = 0;                  ///< s: judged time
  std::string shortened;             ///< why `until` is less than the duration; else empty
};

struct Advice {
  double accuracy = 0;
  double start_violation = 0;  ///< m (rad): > 0 when the start had to be corrected
  bool conservative = true;    ///< whether the energy error means anything
  AdviceReference reference;
  std::vector<AdviceCandidate> candidates;  ///< those that reach the accuracy first, cheapest first
  bool interrupted = false;
  /// s: up to then the recommended run was tried, and ended without doubt, whether or not a
  /// reference was there to compare it with.
  double tried_until = 0;
  /// None when no method reached the accuracy, or nothing could be judged.
  const AdviceCandidate* best() const {
    return candidates.empty() || candidates.front().chosen < 0 ? nullptr : &candidates.front();
  }
};

/// Throws Error for options that no method has, and for constraints that no start can meet.
Advice advise(const System& system, const AdviceRequest& request);

}  // namespace taut
