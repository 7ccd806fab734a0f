// Parts of a body between planes: what decompose() works with.
#pragma once

#include <optional>

#include "taut/collision/decomposition.hpp"
#include "taut/collision/solid_internal.hpp"

namespace taut::collision::detail {

/// Below it: normal·x ≤ offset.
struct CutPlane {
  Vec3 normal;
  double offset;

  double height(const Vec3& x) const { return normal.dot(x) - offset; }
};

/// The part of a body that is below some planes. Its convex hull is that of the surface there, cut
/// into polygons, and of those corners of the planes themselves that are inside the body.
struct BodyPart {
  std::vector<Vec3> points;  ///< of all polygons, one after the other
  std::vector<int> start;    ///< where a polygon begins; one more at the end
  std::vector<Vec3> normals;
  std::vector<CutPlane> planes;
  std::vector<Vec3> corners;  ///< of the planes, inside the body

  int polygon_count() const { return static_cast<int>(normals.size()); }
};

BodyPart whole(const Solid& solid);

/// With fewer polygons, the largest and some of the others: enough to compare planes with.
BodyPart sketch(const BodyPart& part);

/// What is below and above the plane. What is nearer to it than `thin` is on it.
struct Halves {
  BodyPart below, above;
};
Halves cut(const Solid& solid, const BodyPart& part, const CutPlane& plane, double thin);

/// The points whose hull is that of the part, each once.
std::vector<Vec3> hull_points(const BodyPart& part);
/// Volumes of the two hulls that a cut would leave; infinite where one of them has none.
std::array<double, 2> volumes_after(const Solid& solid, const BodyPart& part, const CutPlane& plane,
                                    double thin);

/// Planes that are worth a try: through the hollow around `place`, and along the faces at the edges
/// that are deepest in the hull.
std::vector<CutPlane> cut_candidates(const Solid& solid, const BodyPart& part, const Hull& hull,
                                     const Vec3& place);

/// How far the points of a hull are from the body at most.
struct Hollow {
  double depth = 0;  ///< upper bound
  Vec3 place = Vec3::Zero();
};
/// The bound is too large by at most `tolerance`, except that it need not be less than `enough`.
Hollow deepest_hollow(const Solid& solid, const Hull& hull, double enough, double tolerance);

/// With fewer vertices: no point is farther than `tolerance` outside. `left_out`: how far.
Shape simplified_hull(std::span<const Vec3> points, double tolerance, double& left_out);

}  // namespace taut::collision::detail
