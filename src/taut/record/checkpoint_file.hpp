// Checkpoints of a run in two files (simulate/checkpoint.hpp): FILE has the run at the last
// checkpoint, and FILE.journal what it had recorded until then. FILE is written under another name
// and then renamed, so that there is a whole one at any moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "taut/simulate/checkpoint.hpp"
#include "taut/text/files_read.hpp"

namespace taut::io {

/// What was run: so that it can be run again.
struct CheckpointJob {
  std::vector<std::string> words;  ///< of the command line
  std::string folder;              ///< in which it was given
  std::vector<FileRead> files;     ///< the scene, and what it refers to
};

class CheckpointFile final : public CheckpointStore {
 public:
  /// For a run that begins. What is there is replaced at the first checkpoint.
  CheckpointFile(std::filesystem::path path, CheckpointJob job);
  /// To go on with. Throws Error, clearly, where there is no whole checkpoint, or it was written by
  /// another build of taut, or on a processor whose results may differ.
  explicit CheckpointFile(std::filesystem::path path);
  ~CheckpointFile() override;

  const CheckpointJob& job() const;
  const std::filesystem::path& path() const;
  /// Throws Error, with the file's name, where one of the job's files is not what it was.
  void require_same(const std::vector<FileRead>& files) const;

  // All of these throw WriteError where something cannot be written.
  std::string saved() override;
  bool next(std::string& entry) override;
  void add(std::string_view entry) override;
  void save(std::string_view run) override;

  /// The run is over.
  void remove();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A run that somebody else drives (Stepping::save) in one file. `what` tells one kind of run from
/// others: reading, another one is refused, and another build or kind of processor.
void write_saved_run(const std::filesystem::path& path, const std::string& what,
                     const std::string& run);
std::string read_saved_run(const std::filesystem::path& path, const std::string& what);

}  // namespace taut::io
