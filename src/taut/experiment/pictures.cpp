// A scene's cloths and shapes as polygons, seen from far away: nearer ones are painted over the
// others.
#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/collision/cloth_contacts.hpp"
#include "taut/experiment/experiment_internal.hpp"
#include "taut/experiment/shape_faces_internal.hpp"

namespace taut::experiment::detail {
namespace {

struct View {
  View(const Vec3& from, const Vec3& upwards)
      : towards(from.normalized()),
        right(upwards.cross(towards).normalized()),
        up(towards.cross(right)) {}

  Vec3 towards, right, up;
};

struct Placed {
  Picture::Polygon polygon;
  double depth = 0;
};

Placed place(const View& view, const std::vector<Vec3>& corners) {
  Placed placed;
  Vec3 normal = Vec3::Zero(), middle = Vec3::Zero();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3& p = corners[i];
    normal += p.cross(corners[(i + 1) % corners.size()]);
    middle += p / static_cast<double>(corners.size());
    placed.polygon.corners.emplace_back(p.dot(view.right), p.dot(view.up));
  }
  placed.depth = middle.dot(view.towards);
  placed.polygon.is_back = normal.dot(view.towards) < 0;
  const Vec3 lamp = (view.towards + 0.8 * view.up - 0.9 * view.right).normalized();
  const double size = normal.norm();
  const double facing = size > 0 ? normal.dot(lamp) / size : 0;
  placed.polygon.light = std::clamp(placed.polygon.is_back ? -facing : facing, 0.0, 1.0);
  return placed;
}

/// Faces of cloth lie on those of shapes, which are larger: these are a little farther away.
void add_shapes(const View& view, const System& system, const Pose& pose, double size,
                std::vector<Placed>& all) {
  for (const auto& source : system.contact_sources()) {
    const auto* shapes = dynamic_cast<const collision::ShapeContacts*>(source.get());
    if (!shapes) continue;
    for (const collision::BodyShape& shape : shapes->shapes())
      for (const std::vector<Vec3>& face :
           faces_of(shape.shape, collision::place_of(pose, shape), size)) {
        Placed placed = place(view, face);
        if (placed.polygon.is_back) continue;
        placed.polygon.is_shape = true;
        placed.depth -= 0.5 * (face[2] - face[0]).norm();
        all.push_back(std::move(placed));
      }
  }
}

}  // namespace

Picture depict(const PictureSpec& spec, const std::vector<RunData>& runs) {
  const auto run = std::find_if(runs.begin(), runs.end(),
                                [&](const RunData& r) { return r.spec.id == spec.run; });
  if (run == runs.end())
    throw Error("picture \"" + spec.title + "\": there is no run \"" + spec.run + "\"");
  if (run->scene.surfaces.empty())
    throw Error("picture \"" + spec.title + "\": the scene \"" + run->scene.name +
                "\" has no surfaces");
  const View view(spec.from, spec.up);
  const Pose pose(run->scene.system, run->report.final_state.q);
  std::vector<Placed> all;
  double size = 0;  // how far cloth reaches
  for (const Surface& surface : run->scene.surfaces)
    for (const Face& face : surface.faces) {
      std::vector<Vec3> corners;
      for (int i = 0; i < face.size(); ++i)
        corners.push_back(pose.at(Point(
            surface.vertices[static_cast<std::size_t>(face.vertex[static_cast<std::size_t>(i)])])));
      for (const Vec3& corner : corners) size = std::max(size, corner.norm());
      all.push_back(place(view, corners));
    }
  add_shapes(view, run->scene.system, pose, size, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Placed& a, const Placed& b) { return a.depth < b.depth; });
  Picture picture;
  picture.title = spec.title;
  picture.caption = spec.caption;
  for (Placed& placed : all) picture.polygons.push_back(std::move(placed.polygon));
  return picture;
}

}  // namespace taut::experiment::detail
