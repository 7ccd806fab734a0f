// What a run leaves behind while it goes on: tables, frames of surfaces, a recording to play.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "taut/mesh/mesh_file.hpp"
#include "taut/record/recording.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::cli {

/// What a run records; nothing where the name is empty.
struct RecordedFiles {
  std::filesystem::path trajectory, forces, joints;

  std::filesystem::path frames;  ///< a folder
  io::MeshFormat frame_format = io::MeshFormat::ply;
  std::filesystem::path recording;
  io::RecordedPositions positions = io::RecordedPositions::automatic;
  double frame_rate = 30;  ///< wanted, per simulated second, of frames and recording
  std::string method;      ///< that the recording names

  bool has_tables() const { return !trajectory.empty() || !forces.empty() || !joints.empty(); }
  bool has_motion() const { return !frames.empty() || !recording.empty(); }
};

/// What became of frames and recording.
struct RecordedMotion {
  long frames = 0;
  double interval = 0;                          ///< s between frames
  std::uint64_t file_size = 0, frame_size = 0;  ///< of the recording, in bytes
};

/// How far apart, in s, tables and frames are; and how often the run is to record for both.
///
/// Frames are whole steps apart, as many as come closest to the rate. Where there are tables, too,
/// frames rarer than their lines coincide with lines. With automatic steps frames are at their very
/// times, unless there are tables: then one interval is a multiple of the other.
struct RecordingTimes {
  double tables = 0, frames = 0;
};
RecordingTimes plan_recording(double frame_rate, bool has_tables, RunOptions& options);

class Recorders {
 public:
  /// Sets what `options` has for recording. The scene must outlive it. Throws OutputError when a
  /// file cannot be written.
  Recorders(const io::Scene& scene, const RecordedFiles& files, RunOptions& options);
  ~Recorders();
  Recorders(const Recorders&) = delete;
  Recorders& operator=(const Recorders&) = delete;

  /// Gives the files their names.
  RecordedMotion finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::cli
