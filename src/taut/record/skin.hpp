// What is drawn of a scene, as meshes that move with the bodies: surfaces, shapes, and where there
// are none of these, boxes, balls and rods.
#pragma once

#include <string>
#include <vector>

#include "taut/model/mesh.hpp"
#include "taut/record/recording.hpp"

namespace taut::io {

struct SkinVertex {
  Point point;                 ///< of a body, numbered as in the recording
  Vec3 offset = Vec3::Zero();  ///< from there, in the world: of balls and rods, which do not turn
};
struct SkinPart {
  std::string name;
  std::vector<SkinVertex> vertices;
  std::vector<Face> faces;
};

/// `size`: of the scene, m; particles and links are drawn as thick as suits it.
std::vector<SkinPart> skin_of(const RecordingInfo& info, double size);

/// The box of uniform density that has the mass and inertia of a body: how it is drawn without a
/// shape.
RecordingInfo::Box inertia_box(double mass, const Mat3& inertia);

}  // namespace taut::io
