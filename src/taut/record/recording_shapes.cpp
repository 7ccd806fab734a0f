// The shapes of a scene in the header of a recording, for whoever draws them.
#include "taut/collision/shape_contacts.hpp"
#include "taut/collision/triangles_internal.hpp"
#include "taut/record/recording_internal.hpp"

namespace taut::io::detail {
namespace {

using Shape = RecordingInfo::Shape;

void add_corners(const collision::Shape& from, Shape& to) {
  if (from.hull) {
    to.vertices = from.hull->vertices;
    for (int f = 0; f < from.hull->face_count(); ++f) {
      const auto begin = from.hull->face_vertex.begin();
      const std::size_t face = static_cast<std::size_t>(f);
      to.faces.emplace_back(begin + from.hull->face_start[face],
                            begin + from.hull->face_start[face + 1]);
    }
  } else if (from.mesh) {
    to.vertices = from.mesh->vertices;
    for (const auto& triangle : from.mesh->triangles)
      to.faces.emplace_back(triangle.begin(), triangle.end());
  } else if (from.height_field) {
    const collision::HeightField& field = *from.height_field;
    for (int y = 0; y < field.rows; ++y)
      for (int x = 0; x < field.columns; ++x) {
        to.vertices.push_back(field.at(x, y));
        const int at = x + field.columns * y;
        if (x == 0 || y == 0) continue;
        to.faces.push_back({at - field.columns - 1, at - field.columns, at});
        to.faces.push_back({at - field.columns - 1, at, at - 1});
      }
  }
}

void add_shape(const collision::Shape& from, const collision::Pose3& pose, Shape shape,
               std::vector<Shape>& out) {
  if (from.pieces && !from.mesh) {
    for (const collision::Piece& piece : *from.pieces)
      add_shape(piece.shape, pose * piece.pose, shape, out);
    return;
  }
  // Of a mesh that moves, the surface is drawn, not its convex pieces.
  shape.type = collision::name(from.mesh ? collision::ShapeType::mesh : from.type);
  shape.size = from.size;
  shape.radius = from.radius;
  shape.position = pose.position;
  shape.orientation = Quat(pose.rotation);
  add_corners(from, shape);
  out.push_back(std::move(shape));
}

}  // namespace

std::vector<Shape> recorded_shapes(const System& system, const std::vector<int>& recorded_number) {
  std::vector<Shape> shapes;
  for (const auto& source : system.contact_sources()) {
    const auto* all = dynamic_cast<const collision::ShapeContacts*>(source.get());
    if (!all) continue;
    for (const collision::BodyShape& each : all->shapes()) {
      Shape shape;
      shape.name = each.name;
      if (!each.body.is_world())
        shape.body = recorded_number[static_cast<std::size_t>(each.body.index)];
      add_shape(each.shape, each.pose, std::move(shape), shapes);
    }
  }
  return shapes;
}

}  // namespace taut::io::detail
