// From a mesh and a material to particles, constraints and forces. See docs/cloth.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/cloth/cloth_material.hpp"
#include "taut/model/mesh.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// Adds the cloth that is at rest, flat and unstretched, where the mesh is. Its vertices become
/// particles named "<name>_<number>", or "<name>_<row>_<column>" when `columns`, the vertices in a
/// row, is given; the constraints are "<name>/edge<number>", and follow the yarns: those of one
/// direction, then those across.
///
/// `held` says, per vertex, 0 or the number of the group it belongs to of vertices that something
/// else moves as one, pins say: edges inside a group keep their length anyway, and a constraint on
/// top of that would only make the rows dependent.
///
/// `start` says where the vertices are at the start, if not at rest.
///
/// Throws Error for a mesh that is no surface: faces without area or with a vertex twice, edges of
/// more than two faces, vertices without a face.
Surface add_cloth(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, int columns = 0, std::span<const int> held = {},
                  std::span<const Vec3> start = {});

/// Vertices that are held together: in place, or moved alike, for good or until a time, or sewn to
/// a rigid body.
struct ClothPin {
  std::vector<int> vertices;
  Motion<Vec3> displacement{Vec3(0, 0, 0)};  ///< from where they start
  std::optional<double> until;
  BodyId body = world_body;  ///< that they are sewn to, where they start
};
/// The same with pins, which are called "<name>/pin<number>": for elements of any kind. The
/// surface's vertices are those of the mesh only where these are particles. Where the mesh is a part
/// of a cloth, `numbers` are those that its vertices have in the whole, for their names.
Surface add_cloth(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, int columns, std::span<const ClothPin> pins,
                  std::span<const Vec3> start = {}, std::span<const int> numbers = {});

/// Which elements a cloth gets, and why; never `automatic`.
struct ElementChoice {
  ClothElements elements;
  std::string reason;
};
ElementChoice choose_elements(const Mesh& mesh, const ClothMaterial& material);

/// Where something that starts at a place is led to.
Motion<Vec3> displaced(const Vec3& start, const Motion<Vec3>& displacement);

/// What the particle of a vertex is called.
std::string vertex_name(const std::string& cloth, int vertex, int columns);
/// The vertex of a cloth of `count` that is called so, −1 when there is none.
int find_vertex(const std::string& cloth, std::string_view name, int count, int columns);

}  // namespace taut
