// A scene's surfaces as polygons, seen from far away: nearer ones are painted over the others.
#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::experiment::detail {
namespace {

struct View {
  explicit View(const Vec3& from)
      : towards(from.normalized()),
        right(Vec3::UnitY().cross(towards).normalized()),
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

}  // namespace

Picture depict(const PictureSpec& spec, const std::vector<RunData>& runs) {
  const auto run = std::find_if(runs.begin(), runs.end(),
                                [&](const RunData& r) { return r.spec.id == spec.run; });
  if (run == runs.end())
    throw Error("picture \"" + spec.title + "\": there is no run \"" + spec.run + "\"");
  if (run->scene.surfaces.empty())
    throw Error("picture \"" + spec.title + "\": the scene \"" + run->scene.name +
                "\" has no surfaces");
  const View view(spec.from);
  const Pose pose(run->scene.system, run->report.final_state.q);
  std::vector<Placed> all;
  for (const Surface& surface : run->scene.surfaces)
    for (const Face& face : surface.faces) {
      std::vector<Vec3> corners;
      for (int i = 0; i < face.size(); ++i)
        corners.push_back(pose.at(Point(
            surface.vertices[static_cast<std::size_t>(face.vertex[static_cast<std::size_t>(i)])])));
      all.push_back(place(view, corners));
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Placed& a, const Placed& b) { return a.depth < b.depth; });
  Picture picture;
  picture.title = spec.title;
  picture.caption = spec.caption;
  for (Placed& placed : all) picture.polygons.push_back(std::move(placed.polygon));
  return picture;
}

}  // namespace taut::experiment::detail
