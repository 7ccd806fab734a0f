// When a run records, if it has to for tables and for frames.
#pragma once

#include "taut/simulate/simulation.hpp"

namespace taut::io {

/// Times in s between lines of the tables and between frames.
///
/// Frames are a whole number of steps apart, the number that comes closest to the rate. If there
/// are tables as well, frames that are less frequent than their lines coincide with lines. With
/// automatic steps the rate is met exactly, unless there are tables: then one interval is a
/// multiple of the other.
struct RecordingTimes {
  double tables = 0, frames = 0;
};
/// Also sets how often the run is to record for both.
RecordingTimes plan_recording(double frame_rate, bool has_tables, RunOptions& options);

}  // namespace taut::io
