// A table: a line for each frame, in columns the position of each body, its quaternion, and its
// velocities where they are known.
#include <fmt/core.h>

#include <iterator>

#include "taut/record/drawing.hpp"
#include "taut/record/export.hpp"
#include "taut/text/csv_word.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

class CsvExport final : public ExportWriter {
 public:
  explicit CsvExport(const ExportTarget& target)
      : file_(target.path), info_(target.info), is_single_(target.is_single) {
    line_ = "time";
    for (std::uint32_t i = 0; i < info_.body_count(); ++i) {
      const std::string name = body_name(info_, static_cast<int>(i));
      const bool is_rigid = i >= info_.particle_count;
      add_columns(name, {"x", "y", "z"});
      if (is_rigid) add_columns(name, {"qw", "qx", "qy", "qz"});
      if (target.has_velocities) add_columns(name, {"vx", "vy", "vz"});
      if (target.has_velocities && is_rigid) add_columns(name, {"wx", "wy", "wz"});
    }
    end_line();
  }

  void record(const ExportFrame& frame) override {
    fmt::format_to(std::back_inserter(line_), "{}", frame.time);
    for (std::size_t i = 0; i < frame.positions.size(); ++i) {
      add(frame.positions[i]);
      const bool is_rigid = i >= info_.particle_count;
      const std::size_t rigid = i - info_.particle_count;
      if (is_rigid) {
        const Quat& q = frame.orientations[rigid];
        add(Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
      }
      if (frame.velocities.empty()) continue;
      add(frame.velocities[i]);
      if (is_rigid) add(frame.angular_velocities[rigid]);
    }
    end_line();
  }
  void finish() override { file_.finish(); }
  std::string details() const override { return fmt::format("{} columns", columns_); }

 private:
  void add_columns(const std::string& body, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      line_ += ',' + csv_word(fmt::format("{}.{}", body, part));
      ++columns_;
    }
  }
  /// Numbers are written so that they read back exactly.
  template <class Values>
  void add(const Values& values) {
    for (const double value : values)
      if (is_single_)
        fmt::format_to(std::back_inserter(line_), ",{}", static_cast<float>(value));
      else
        fmt::format_to(std::back_inserter(line_), ",{}", value);
  }
  void end_line() {
    line_ += '\n';
    file_.write(line_);
    line_.clear();
  }

  WholeFile file_;
  const RecordingInfo& info_;
  const bool is_single_;
  std::string line_;
  int columns_ = 1;
};

}  // namespace

ExportFormat describe_csv_export() {
  return {.name = "csv",
          .extensions = {".csv"},
          .summary = "a table of positions, quaternions and velocities, a line for each frame",
          .takes_nan = true,
          .make = [](const ExportFormat&,
                     const ExportTarget& target) -> std::unique_ptr<ExportWriter> {
            return std::make_unique<CsvExport>(target);
          }};
}

}  // namespace taut::io
