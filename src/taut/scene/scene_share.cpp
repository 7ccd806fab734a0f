// One part of a scene of cloth. What cannot be divided is refused before anything is made of it.
#include "taut/scene/scene_share.hpp"

#include <algorithm>

#include "taut/forces/force_info.hpp"
#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view remedy = "run it without --engine petsc";

}  // namespace

SceneShare SceneReader::read_share(const At& root, int part, int parts) {
  sharing_.emplace(Sharing{part, parts, {}, {}});
  SceneShare share;
  share.scene = read(root);
  share.cloths = std::move(sharing_->cloths);
  share.releases = std::move(sharing_->releases);
  std::sort(share.releases.begin(), share.releases.end());
  share.releases.erase(std::unique(share.releases.begin(), share.releases.end()),
                       share.releases.end());
  for (const ClothShare& cloth : share.cloths) share.whole_bodies += cloth.whole_vertices;
  return share;
}

void SceneReader::require_divisible(const At& root) {
  for (const char* key : {"robots", "bodies", "hands", "styluses", "shapes", "constraints",
                          "inputs", "sensors", "reference"})
    if (root.has(key))
      fail(
          root.member(key),
          fmt::format("found \"{}\", expected cloths and forces alone: nothing else can be divided "
                      "among processes; {}",
                      key, remedy));
  if (!root.has("cloths"))
    fail(root, fmt::format("found no \"cloths\", expected some: nothing else can be divided among "
                           "processes; {}",
                           remedy));
}

void SceneReader::require_divisible_force(const At& at) {
  const std::string_view type = reader_.chosen_type(at, "force", force_types()).type;
  if (type == "gravity" || (type == "drag" && !at.has("point"))) return;
  fail(at, fmt::format("found the force {}{}, expected gravity, or drag on all bodies: others "
                       "cannot be divided among processes; {}",
                       in_quotes(type), type == "drag" ? " at a point" : "", remedy));
}

void SceneReader::require_divisible(const At& at, const ClothFields& fields,
                                    const ClothShape& shape) {
  const auto refuse = [&](const char* key, std::string_view expected) {
    fail(at.has(key) ? at.member(key) : at,
         fmt::format("found what cannot be divided among processes, expected {}; or {}", expected,
                     remedy));
  };
  if (fields.elements != ClothElements::automatic && fields.elements != ClothElements::yarns)
    refuse("elements", "\"yarns\"");
  if (fields.stretch != StretchModel::constraints) refuse("stretch", "\"constraints\"");
  if (fields.touches == ClothTouches::all) refuse("touches", "\"nothing\"");
  // Which triangles are read as squares is decided from the whole mesh. Those of a grid are, in any
  // part of it, the squares that were cut.
  if (!shape.grid && !fields.constrain_diagonals && faces_around(shape.mesh) > 2)
    refuse("mesh",
           "a mesh of quadrilaterals alone, or \"constrain_diagonals\": true: which triangles are "
           "read as squares is decided from all of them");
}

void SceneReader::add_share(const At& at, const ClothFields& fields, const ClothShape& shape,
                            std::span<const ClothPin> pins, std::span<const Vec3> places) {
  require_divisible(at, fields, shape);
  for (std::size_t i = 0; i < pins.size(); ++i)
    if (!pins[i].body.is_world())
      fail(at.member("pins").item(i).member("body"),
           fmt::format("found a body, expected none: what is sewn to one cannot be divided among "
                       "processes; {}",
                       remedy));
  // By places at rest: they are apart even where the start is folded.
  const std::vector<int> owner = divide(shape.mesh.vertices, sharing_->parts);
  ClothShare share{part_of(shape.mesh, owner, sharing_->part, faces_around(shape.mesh)),
                   shape.name,
                   shape.columns(),
                   0,
                   {}};
  for (const ClothShare& before : sharing_->cloths) share.first_body += before.whole_vertices;

  const auto number = [&](int vertex) {
    const auto found = std::lower_bound(share.vertex.begin(), share.vertex.end(), vertex);
    return found == share.vertex.end() || *found != vertex
               ? -1
               : static_cast<int>(found - share.vertex.begin());
  };
  std::vector<ClothPin> mine(pins.begin(), pins.end());  // all entries: their numbers tell groups
  for (ClothPin& pin : mine) {
    share.pinned.insert(share.pinned.end(), pin.vertices.begin(), pin.vertices.end());
    if (pin.until) sharing_->releases.push_back(*pin.until);
    for (int& vertex : pin.vertices) vertex = number(vertex);
    std::erase(pin.vertices, -1);
  }
  std::vector<Vec3> starts;
  for (std::size_t i = 0; i < share.vertex.size() && !places.empty(); ++i)
    starts.push_back(places[static_cast<std::size_t>(share.vertex[i])]);

  // There may be more parts than vertices.
  if (!share.vertex.empty())
    scene_.surfaces.push_back(with_place(at, [&] {
      return add_cloth(scene_.system, share.mesh, fields, share.name, share.columns, mine, starts,
                       share.vertex);
    }));
  sharing_->cloths.push_back(std::move(share));
}

}  // namespace taut::io::detail
