// Results on disk. Files are written under a temporary name and renamed when complete.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::io {

class Json;

namespace detail {
struct CsvLines;
}

/// Writes `text` to `path` through a temporary file beside it. Throws Error when it cannot.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The report object of `taut run`.
Json report_object(const Scene& scene, std::string_view method, const RunReport& report);
/// … as text, indented.
std::string report_json(const Scene& scene, std::string_view method, const RunReport& report);

/// trajectory.csv while it is being recorded: time, then per body position (quaternion) and
/// velocities (angular velocity in the world's directions, as in scenes). Numbers are written so
/// that they read back exactly. Throws Error when the disk is full. The system must outlive it.
class TrajectoryWriter {
 public:
  TrajectoryWriter(std::filesystem::path path, const System& system);
  ~TrajectoryWriter();  ///< without finish() no file is left behind
  TrajectoryWriter(const TrajectoryWriter&) = delete;
  TrajectoryWriter& operator=(const TrajectoryWriter&) = delete;

  void record(const State& state);
  void finish();  ///< gives the file its final name

 private:
  std::unique_ptr<detail::CsvLines> impl_;
};

/// forces.csv, in the same way: time, then the constraint force of every row, named
/// constraint.row (unit). For a distance it is the tension; for a pin or a ball the components
/// along the world's axes.
class ForceWriter {
 public:
  ForceWriter(std::filesystem::path path, const System& system);
  ~ForceWriter();
  ForceWriter(const ForceWriter&) = delete;
  ForceWriter& operator=(const ForceWriter&) = delete;

  void record(const State& state, const VecX& lambda);
  void finish();

 private:
  std::unique_ptr<detail::CsvLines> impl_;
};

/// joints.csv, in the same way: time, then per joint its coordinates (whole turns counted) with
/// their rates, and what a does to b: the force, and the torque about b's place of the joint, in
/// the world's directions.
class JointWriter {
 public:
  JointWriter(std::filesystem::path path, const System& system);
  ~JointWriter();
  JointWriter(const JointWriter&) = delete;
  JointWriter& operator=(const JointWriter&) = delete;

  void record(double time, const std::vector<JointSample>& joints);
  void finish();

 private:
  std::unique_ptr<detail::CsvLines> impl_;
};

}  // namespace taut::io
