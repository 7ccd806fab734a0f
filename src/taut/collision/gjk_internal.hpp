// The gap between two convex cores: the algorithms of Gilbert, Johnson and Keerthi (apart) and of
// van den Bergen (overlapping).
#pragma once

#include "taut/collision/core_internal.hpp"

namespace taut::collision::detail {

/// B − A as seen from A's frame. Its points are b − a.
struct Difference {
  const Core& a;
  const Core& b;
  Mat3 rotation;  ///< of B in A's frame
  Vec3 shift;
  mutable int vertex_a = -1, vertex_b = -1;  ///< of hulls, found last: the next ones are near

  Difference(const Core& first, const Core& second, const Pose3& relative)
      : a(first), b(second), rotation(relative.rotation), shift(relative.position) {}
};

struct DifferencePoint {
  Vec3 w;  ///< b − a
  Vec3 a;
};

/// The point with the least n·w.
inline DifferencePoint lowest(const Difference& d, const Vec3& n) {
  DifferencePoint p;
  p.a = support(d.a, n, d.vertex_a);
  p.w = d.rotation * support(d.b, Vec3(-(d.rotation.transpose() * n)), d.vertex_b) + d.shift - p.a;
  return p;
}

struct Simplex {
  DifferencePoint point[4];
  double weight[4];  ///< of the points in the one nearest to the origin
  int count = 0;

  Vec3 nearest() const {
    Vec3 v = weight[0] * point[0].w;
    for (int i = 1; i < count; ++i) v += weight[i] * point[i].w;
    return v;
  }
  Vec3 nearest_on_a() const {
    Vec3 v = weight[0] * point[0].a;
    for (int i = 1; i < count; ++i) v += weight[i] * point[i].a;
    return v;
  }
};

/// Drops the points that the one nearest to the origin does not need, and sets the weights. Four
/// points are left when the origin is inside them.
void reduce(Simplex& simplex);

struct CoreGap {
  Vec3 normal;  ///< from A to B, in A's frame
  double gap;
  Vec3 on_a;     ///< in A's frame; on B it is on_a + gap·normal
  double error;  ///< bound: how much the true gap can differ
};

/// Between a core and a point, in the core's frame.
struct PointGap {
  Vec3 normal;  ///< from the core to the point
  double gap;
};
/// Whether there is a closed form.
bool has_point_gap(const Core& core);
PointGap point_gap(const Core& core, const Vec3& p);

/// Of two segments: closed form.
CoreGap segment_gap(const Difference& difference);

/// Stops early when the gap exceeds `cutoff`; the gap is then above it, but not the largest one.
CoreGap core_gap(const Difference& difference, double cutoff);

/// The same for cores that are apart; false when they overlap or touch: `simplex` then contains the
/// origin. `size`: of the points of B − A.
bool gap_apart(const Difference& difference, double cutoff, CoreGap& best, Simplex& simplex,
               double& size);

/// Of a box and a box or a segment: the directions that can be the best one are few, and tried.
/// False where they are apart by more: then it is a lower bound.
bool box_gap(const Difference& difference, double cutoff, CoreGap& gap);

/// For cores that overlap or touch, from the simplex in which the origin was found. `scale`: the
/// size of the points.
CoreGap penetration(const Difference& difference, const Simplex& simplex, double scale);

/// Tries the normals of all flat sides, and the opposite of the best direction so far.
void try_normals(const Difference& difference, CoreGap& best);

/// The same by trying all directions that can be the best one for polytopes: normals of faces, and
/// of pairs of edges. Slow; for what rounding errors keep penetration() from finishing.
void try_all_directions(const Difference& difference, double scale, CoreGap& best);

/// The gap that opens when B is moved along n until it is just free; `gap`: along n, below 0.
CoreGap gap_at_exit(const Difference& difference, const Vec3& n, double gap, double scale);

/// Improves a way out that is nearly the best one, or that from one of the other starts; for round
/// bodies.
void polish(const Difference& difference, double scale, std::span<const Vec3> starts,
            CoreGap& best);
/// … of round bodies that are apart, if only just. False where that is not certain: nothing is
/// changed then.
bool polish_apart(const Difference& difference, double scale, CoreGap& best);

}  // namespace taut::collision::detail
