// Where a Sheet is near a shape: at its vertices, and where corners, edges and round sides of the
// shape are nearest to the inside of a triangle or an edge of the sheet, at those.
//
// The distances are those of distance.hpp: exact or nearly so, inside as well as outside. Meshes
// and height fields are sheets themselves (Sheet::add_triangles, is_fixed) and are not looked at
// here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "taut/collision/distance.hpp"
#include "taut/collision/sheet_tree.hpp"

namespace taut::collision {

struct NearShape {
  std::array<int, 3> vertex{-1, -1, -1};  ///< −1: fewer take part
  std::array<double, 3> weight{};  ///< the point of the sheet is Σ weight·x; they add up to 1
  Vec3 on_shape = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  ///< from the shape to the sheet
  double gap = 0;               ///< negative: inside
  std::uint64_t feature = 0;    ///< made of the vertices and the piece of a compound
};

struct NearShapeQuery {
  const Sheet& sheet;
  const SheetTree& tree;    ///< refitted to these ways with at least half the reach as margin
  std::span<const Vec3> x;  ///< of each vertex
  const Shape& shape;
  Pose3 at;          ///< of the shape
  double reach = 0;  ///< gaps up to this, and the ways of the vertices
  /// Where all is expected to go; `to` may be empty. A triangle that turns on its way is nearest at
  /// the end where it was not at the start: at that place, too, it is looked at.
  std::span<const Vec3> to{};
  Pose3 then{};
  std::span<const double> way{};  ///< of each vertex beside the shape; may be empty
};

/// Gaps at the vertices, which several triangles ask for; kept for its room.
class VertexGaps {
 public:
  void begin(std::size_t vertices) {
    gaps_.resize(vertices);
    known_.resize(vertices, 0);
    ++round_;
  }
  template <class Measure>
  const Distance& of(int vertex, const Measure& measure) {
    const auto v = static_cast<std::size_t>(vertex);
    if (known_[v] != round_) {
      known_[v] = round_;
      gaps_[v] = measure();
    }
    return gaps_[v];
  }

 private:
  std::vector<Distance> gaps_;
  std::vector<std::uint64_t> known_;  // the round in which it was measured
  std::uint64_t round_ = 0;
};
struct NearShapeRoom {
  VertexGaps now, later;
};

/// Appends all places with a gap within reach. Vertices that are fixed are left out. Each vertex
/// comes once for each convex piece, each edge and triangle at most twice.
void find_near_shape(const NearShapeQuery& query, NearShapeRoom& room, std::vector<NearShape>& out);

}  // namespace taut::collision
