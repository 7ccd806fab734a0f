// What is drawn of a scene over time, as a sequence of meshes: frame_00000.ply, frame_00001.ply, …
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "taut/mesh/mesh_file.hpp"
#include "taut/record/skin.hpp"

namespace taut::io {

/// All parts are in one mesh, in their order; in OBJ files each is an object of its name.
class SurfaceFrames {
 public:
  /// The folder must exist; frames of earlier runs are replaced.
  SurfaceFrames(std::filesystem::path folder, const MeshFormat& format,
                const std::vector<SkinPart>& parts);

  /// Writes the next frame. Throws WriteError when it cannot.
  void write(double time, const std::function<Vec3(const Point&)>& place);
  /// Removes the frames that an earlier, longer sequence has after the last one.
  void finish();

  long count() const { return count_; }
  std::size_t vertex_count() const { return mesh_.vertices.size(); }
  std::filesystem::path path(long frame) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  const MeshFormat* format_;
  std::vector<SkinVertex> vertices_;
  Mesh mesh_;
  MeshStyle style_;
  long count_ = 0;
};

}  // namespace taut::io
