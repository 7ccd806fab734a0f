// All outputs of one run: gives each writer its records at its times.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "taut/record/run_writer.hpp"

namespace taut::io {

struct WantedOutput {
  const RunWriterInfo* writer = nullptr;
  std::filesystem::path path;
  std::map<std::string_view, std::string> options;  ///< of the writer
};

/// What became of one of them.
struct WrittenOutput {
  const RunWriterInfo* writer = nullptr;
  std::filesystem::path place;
  long records = 0;
  double interval = 0;  ///< s between records, of frames
  std::string details;
};

class RunOutput {
 public:
  /// Makes the folders that are missing, and sets what `options` has for recording. `frame_rate`:
  /// wanted, per simulated second, of writers that record frames. The scene must outlive it. Throws
  /// Error for options that a writer does not know, and WriteError when something cannot be
  /// written, here and during the run. In that case the message says where the records made so far
  /// are kept.
  RunOutput(const Scene& scene, std::string method, std::vector<WantedOutput> wanted,
            double frame_rate, RunOptions& options);
  ~RunOutput();
  RunOutput(const RunOutput&) = delete;
  RunOutput& operator=(const RunOutput&) = delete;

  /// Shows every record to somebody else, too; before the run. Only of scenes with sensors or with
  /// outputs.
  void show(std::function<void(const RunSample&)> watch);
  /// What became of the scene's sensors so far: for the report.
  const std::vector<RunReport::SensorSummary>& sensors() const;
  /// Calls `watch` with the values of all sensors at each recording time.
  void watch_sensors(std::function<void(double time, const std::vector<double>& values)> watch);
  /// Completes all outputs. If one fails, the others are completed all the same.
  void finish(const RunReport& report);
  std::vector<WrittenOutput> written() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::io
