// What a run can leave behind: tables, recordings, frames, a report. A new kind of output is one
// file, with a class derived from RunWriter and a function that describes it, and one line in
// run_writers.cpp. The command line takes its options from there.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::io {

/// The run at a recording time. `lambda`, `joints` and `contacts` are empty unless a writer or a
/// sensor needs them.
struct RunSample {
  const State& state;
  const VecX& lambda;                      ///< constraint forces, per row
  const std::vector<JointSample>& joints;  ///< per joint of the system
  const std::vector<ContactSample>& contacts;
  const std::vector<double>& sensors;  ///< per sensor of the scene; always there
};

/// Writes one kind of output of a run. All functions throw WriteError when something cannot be
/// written. A writer that is destroyed before finish() keeps what was recorded.
class RunWriter {
 public:
  virtual ~RunWriter() = default;
  virtual void record(const RunSample& sample) = 0;
  /// Something was done beside plain steps of the method.
  virtual void note(const StepEvent&) {}
  /// Called now and then: what was recorded survives the end of the process.
  virtual void flush() {}
  /// Completes the output and gives it its final name.
  virtual void finish(const RunReport& report) = 0;
  /// The file or folder in which the records are now; empty while there is none.
  virtual std::filesystem::path place() const = 0;
  /// More about what was written, for people; may be empty.
  virtual std::string details() const { return ""; }
};

/// What a writer is given to begin with.
struct RunTarget {
  const Scene& scene;  ///< outlives the writer
  std::string method;
  std::filesystem::path path;  ///< of the file or folder
  double interval = 0;         ///< s between records; 0 if they are not evenly spaced
  std::map<std::string_view, std::string> options;  ///< as chosen; only those that were given
};

/// A choice that a writer offers. The first one is the default.
struct RunWriterOption {
  std::string_view name, summary;
  std::vector<std::string_view> choices;
};

struct RunWriterInfo {
  std::string_view name;
  std::string_view file;  ///< an example of what it writes: "NAME.taut"
  std::string_view summary;

  enum class Place {
    results,  ///< `file` in the results folder of the run, one record per line of the tables
    file,     ///< a file of its own, one record per frame
    folder,   ///< a folder of its own, one record per frame
  };
  Place place = Place::results;

  struct Needs {
    bool forces = false;    ///< RunSample::lambda
    bool joints = false;    ///< RunSample::joints; scenes without joints are left out
    bool contacts = false;  ///< RunSample::contacts; scenes without shapes are left out
    bool laws = false;      ///< scenes without stops, strings, motors and friction are left out
    bool sensors = false;   ///< scenes without sensors are left out
  };
  Needs needs = {};
  bool takes_contacts = false;  ///< wants RunSample::contacts as well, where there are shapes

  std::vector<RunWriterOption> options = {};
  /// Throws Error for a path that does not suit; before anything is written.
  void (*check)(const RunTarget& target) = nullptr;
  std::unique_ptr<RunWriter> (*make)(const RunTarget& target) = nullptr;

  bool is_table() const { return place == Place::results; }
  /// Whether the scene has what the writer needs.
  bool suits(const Scene& scene) const;
};

/// All of them, in the order in which they are listed and written.
std::span<const RunWriterInfo> run_writers();
/// Throws Error, with the nearest name, if there is none.
const RunWriterInfo& find_run_writer(std::string_view name);

/// The number of the option's choice in the target. Throws Error if it is none of them.
std::size_t chosen(const RunTarget& target, const RunWriterOption& option);

/// Makes the directory with its parents. Throws WriteError when that fails.
void make_directory(const std::filesystem::path& directory);

}  // namespace taut::io
