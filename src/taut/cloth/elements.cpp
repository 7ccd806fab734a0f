#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/elements_internal.hpp"
#include "taut/cloth/topology_internal.hpp"
#include "taut/constraints/stretch.hpp"

namespace taut {
namespace cloth {
namespace {

/// The axis along which the mesh is longest.
Vec3 longest_axis(const Mesh& mesh) {
  Vec3 low = mesh.vertices[0], high = low;
  for (const Vec3& vertex : mesh.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  return Vec3::Unit(axis);
}

}  // namespace

void limit_strain(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, std::span<const BodyId> bodies,
                  std::span<const int> held) {
  constexpr double least_part = 0.1;  // of the warp's direction that must lie in a triangle's plane
  const Vec3 warp = material.warp.value_or(longest_axis(mesh)).normalized();
  if (!warp.allFinite()) throw Error("the warp has no direction");
  std::vector<Stretch> rows;
  std::vector<std::string> names;
  const auto limit = [&](std::size_t face, int a, int b, int c) {
    const auto group = [&](int v) { return held.empty() ? 0 : held[static_cast<std::size_t>(v)]; };
    if (group(a) > 0 && group(a) == group(b) && group(a) == group(c)) return;
    const auto at = [&](int v) -> const Vec3& {
      return mesh.vertices[static_cast<std::size_t>(v)];
    };
    const Vec3 normal = (at(b) - at(a)).cross(at(c) - at(a)).normalized(),
               weft = normal.cross(warp);
    if (!(weft.norm() > least_part))
      throw Error("face " + std::to_string(face) +
                  " is square to the warp: give another direction as \"warp\"");
    for (const Vec3& direction : {warp, weft}) {
      names.push_back(name + "/strain" + std::to_string(rows.size()));
      rows.push_back({{bodies[static_cast<std::size_t>(a)], bodies[static_cast<std::size_t>(b)],
                       bodies[static_cast<std::size_t>(c)]},
                      direction,
                      1 + material.stretch_limit,
                      true,
                      true});
    }
  };
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto& v = mesh.faces[f].vertex;
    limit(f, v[0], v[1], v[2]);
    if (mesh.faces[f].size() == 4) limit(f, v[0], v[2], v[3]);
  }
  constrain(system, std::move(rows), std::move(names));
}

}  // namespace cloth

// Yarns are several times as fast as nonconforming elements (docs/cloth.md), and shear as woven
// cloth does.
ElementChoice choose_elements(const Mesh& mesh, const ClothMaterial& material) {
  const auto triangles = static_cast<int>(std::count_if(
      mesh.faces.begin(), mesh.faces.end(), [](const Face& f) { return f.size() == 3; }));
  if (material.elements != ClothElements::automatic)
    return {material.elements, "the scene says so"};
  if (triangles == 0) return {ClothElements::yarns, "all its faces are quadrilaterals"};
  if (material.constrain_diagonals)
    return {ClothElements::yarns,
            "constrain_diagonals: all edges of its triangles are constraints"};
  if (material.stretch != StretchModel::constraints)
    return {ClothElements::yarns, "edges of triangles that are springs do not lock"};
  const cloth::Topology topology(mesh, cloth::TrianglePairs::all);
  const auto alone =
      static_cast<int>(std::count_if(topology.cells.begin(), topology.cells.end(),
                                     [](const cloth::Cell& cell) { return !cell.is_quad(); }));
  return {ClothElements::yarns,
          std::to_string(triangles - alone) + " of its " + std::to_string(triangles) +
              " triangles are read in pairs, as quadrilaterals, which is faster than nonconforming "
              "elements"};
}

}  // namespace taut
