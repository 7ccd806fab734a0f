// Formats of meshes: a folder with a mesh for each frame.
#include <fmt/core.h>

#include "taut/record/export.hpp"
#include "taut/record/surface_frames.hpp"

namespace taut::io {
namespace {

class MeshExport final : public ExportWriter {
 public:
  MeshExport(const ExportFormat& format, const ExportTarget& target)
      : info_(target.info),
        frames_(target.path, find_mesh_format(format.name), skin_of(target.info, target.size)) {}

  void record(const ExportFrame& frame) override {
    frames_.write(frame.time, [&](const Point& point) { return frame.at(info_, point); });
  }
  void finish() override { frames_.finish(); }
  std::string details() const override {
    return fmt::format("{} vertices in each, to {}", frames_.vertex_count(),
                       frames_.path(frames_.count() - 1).filename().string());
  }

 private:
  const RecordingInfo& info_;
  SurfaceFrames frames_;
};

}  // namespace

std::vector<ExportFormat> describe_mesh_exports() {
  std::vector<ExportFormat> formats;
  for (const MeshFormat& mesh : mesh_formats())
    formats.push_back({.name = mesh.name,
                       .extensions = {},
                       .summary = mesh.summary,
                       .takes_nan = true,
                       .make = [](const ExportFormat& format, const ExportTarget& target)
                           -> std::unique_ptr<ExportWriter> {
                         return std::make_unique<MeshExport>(format, target);
                       }});
  return formats;
}

}  // namespace taut::io
