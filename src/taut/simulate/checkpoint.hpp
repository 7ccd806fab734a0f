// Checkpoints: what a run needs to go on after it was stopped, however that was.
//
// At a checkpoint the run writes down all that its next step takes from the steps before, and all
// that it has measured. Then it throws its objects away, makes new ones from what it wrote, and
// goes on with these: just as a run does that is resumed. So a resumed run ends bit for bit as the
// one that was never stopped, whatever the objects may have kept beside that: what was not written,
// the run without a stop has forgotten, too.
//
// What it has handed to its recorders goes to a journal. A run that is resumed hands it over once
// more, so that whoever records (tables, films, sensors, a comparison of runs) needs to know
// nothing of checkpoints.
#pragma once

#include <string>
#include <string_view>

namespace taut {

/// Where checkpoints are kept: record/checkpoint_file.hpp has one in files.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;

  // To go on with:
  /// The run at the last checkpoint; empty: there is none, and the run begins.
  virtual std::string saved() = 0;
  /// The next entry of the journal, in the order in which they were added until then; false: that
  /// was all.
  virtual bool next(std::string& entry) = 0;

  // To be kept:
  virtual void add(std::string_view entry) = 0;
  /// The run, and the journal so far: both survive whatever happens after this.
  virtual void save(std::string_view run) = 0;
};

}  // namespace taut
