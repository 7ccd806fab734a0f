// Results of a run over several processes, in the formats of any run: the first process writes what
// it gathers piece by piece. docs/recording.md has the format of recordings.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "taut/distributed/cloth_run.hpp"
#include "taut/record/recording.hpp"

namespace taut::distributed {

/// Everybody makes one, and calls all functions together. What the first process cannot write
/// throws WriteError there alone.
class ClothRecording {
 public:
  ClothRecording(std::filesystem::path path, const Processes& processes,
                 const io::SceneShare& share, double frame_interval,
                 io::RecordedPositions positions);
  ~ClothRecording();
  void record(const Domain& domain, const State& state);
  void finish();
  long frames() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// trajectory.csv
class ClothTrajectory {
 public:
  ClothTrajectory(std::filesystem::path path, const Processes& processes,
                  const io::SceneShare& share);
  ~ClothTrajectory();
  void record(const Domain& domain, const State& state);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The report of the run, with what each process cost.
std::string report_json(const io::SceneShare& share, const ClothRun& run);

}  // namespace taut::distributed
