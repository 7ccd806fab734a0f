#include "taut/record/surface_frames.hpp"

#include <fmt/core.h>

namespace taut::io {

SurfaceFrames::SurfaceFrames(std::filesystem::path folder, const MeshFormat& format,
                             const std::vector<SkinPart>& parts)
    : folder_(std::move(folder)), format_(&format) {
  for (const SkinPart& part : parts) {
    style_.parts.push_back({part.name, mesh_.faces.size()});
    const int first = static_cast<int>(vertices_.size());
    vertices_.insert(vertices_.end(), part.vertices.begin(), part.vertices.end());
    for (Face face : part.faces) {
      for (int k = 0; k < face.size(); ++k) face.vertex[static_cast<std::size_t>(k)] += first;
      mesh_.faces.push_back(face);
    }
  }
  mesh_.vertices.resize(vertices_.size());
}

void SurfaceFrames::write(double time, const std::function<Vec3(const Point&)>& place) {
  for (std::size_t i = 0; i < vertices_.size(); ++i)
    mesh_.vertices[i] = place(vertices_[i].point) + vertices_[i].offset;
  style_.comment = fmt::format("time {} s", time);
  write_mesh(path(count_), mesh_, style_);
  ++count_;
}

void SurfaceFrames::finish() {
  std::error_code no_throw;
  for (long next = count_; std::filesystem::remove(path(next), no_throw); ++next) continue;
}

std::filesystem::path SurfaceFrames::path(long frame) const {
  return folder_ / fmt::format("frame_{:05}.{}", frame, format_->name);
}

}  // namespace taut::io
