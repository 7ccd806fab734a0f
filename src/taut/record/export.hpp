// A motion as a file for other programs: Blender, ParaView, three.js, NumPy, spreadsheets. The
// frames come from a recording or from a run, in order; no format keeps them in memory.
// docs/exports.md has what is in each. A new format is one file that describes it as an
// ExportFormat, and one line in export.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/record/recording.hpp"

namespace taut::io {

/// Bodies are numbered as in RecordingInfo.
struct ExportFrame {
  double time = 0;
  std::vector<Vec3> positions;
  std::vector<Quat> orientations;                    ///< of the rigid ones
  std::vector<Vec3> velocities, angular_velocities;  ///< in the world; empty where not known
  std::vector<RecordedContact> contacts;

  Vec3 at(const RecordingInfo& info, const Point& point) const;
  bool is_finite() const;  ///< and as a float32
};
/// What a recording has: all but velocities.
void to_export(const RecordedFrame& from, ExportFrame& to);

struct ExportTarget {
  const RecordingInfo& info;  ///< outlives the writer
  std::filesystem::path path;
  double size = 1;      ///< of the scene, m: how large particles, links and planes are drawn
  double interval = 0;  ///< s between frames; 0 if they are not evenly spaced
  bool has_velocities = false;
  bool is_single = false;  ///< positions have been stored as float32
};

/// All functions throw WriteError when something cannot be written. Without finish() nothing is
/// left under the final name.
class ExportWriter {
 public:
  virtual ~ExportWriter() = default;
  /// The next frame; its time is greater than that of the last one.
  virtual void record(const ExportFrame& frame) = 0;
  virtual void finish() = 0;
  /// What was written, for people: "961 vertices".
  virtual std::string details() const = 0;
};

struct ExportFormat {
  std::string_view name;
  std::vector<std::string_view> extensions;  ///< the usual one first; none: it is a folder
  std::string_view summary;
  bool takes_nan = false;  ///< else frames that are not finite are left out
  std::unique_ptr<ExportWriter> (*make)(const ExportFormat& format, const ExportTarget& target);

  bool is_folder() const { return extensions.empty(); }
};

std::span<const ExportFormat> export_formats();
/// The one called `name`, or the one of the path's extension if `name` is empty or "auto". Throws
/// Error if there is none, or if the path does not suit it.
const ExportFormat& find_export_format(std::string_view name, const std::filesystem::path& path);

/// What is done for all formats.
class Export {
 public:
  /// Makes folders that are missing.
  Export(const ExportFormat& format, ExportTarget target);
  ~Export();

  void record(const ExportFrame& frame);
  /// Throws WriteError, also if there was no frame that could be written.
  void finish();

  long count() const { return count_; }
  long left_out() const { return left_out_; }  ///< of frames, because they were not finite
  std::string details() const;
  const ExportFormat& format() const { return format_; }
  const std::filesystem::path& path() const { return target_.path; }

 private:
  const ExportFormat& format_;
  ExportTarget target_;
  std::unique_ptr<ExportWriter> writer_;
  long count_ = 0, left_out_ = 0;
};

}  // namespace taut::io
