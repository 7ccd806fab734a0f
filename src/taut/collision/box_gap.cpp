// Two boxes, or a box and a segment: the direction of the largest gap.
//
// Where they overlap it is the normal of a face or of a pair of edges, and all of these are tried
// (separating axes; Gottschalk, Lin and Manocha, 1996). Where they are apart the largest of these
// gaps is the distance if two points are just so far apart: a point of a face and one of the other
// box above it, or points inside of two edges. A corner beside a corner is left to others.
#include <algorithm>
#include <array>
#include <limits>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr double parallel_edges = 1e-10;  ///< sine: a pair of edges that adds nothing to the faces
constexpr double steep_edges =
    1e-3;  ///< sine: above it a division by it costs no digits that count
constexpr double same_height = 1e-15;  ///< heights that differ by this part of the size are equal

/// The second box in the frame of the first.
struct Boxes {
  const Vec3& a;
  const Vec3& b;
  const Mat3& turn;
  const Vec3& shift;
  double size;
};

double sign_of(double x) { return x < 0 ? -1 : 1; }

/// A direction with its gap; on which face or pair of edges it is.
struct BoxAxis {
  Vec3 n = Vec3::UnitZ();
  double gap = -std::numeric_limits<double>::infinity();
  int face_a = -1, face_b = -1, edge_a = -1, edge_b = -1;
};

/// The gap along n: exact up to rounding errors whatever n is.
double gap_along(const Boxes& boxes, const Vec3& n) {
  double radii = boxes.a.dot(n.cwiseAbs());
  for (int k = 0; k < 3; ++k) radii += boxes.b[k] * std::abs(n.dot(boxes.turn.col(k)));
  return std::abs(n.dot(boxes.shift)) - radii;
}

void try_faces(const Boxes& boxes, bool second_too, BoxAxis& best) {
  const Mat3 across = boxes.turn.cwiseAbs();
  for (int i = 0; i < 3; ++i) {
    const double gap = std::abs(boxes.shift[i]) - boxes.a[i] - across.row(i).dot(boxes.b);
    if (!(gap > best.gap)) continue;
    best = {sign_of(boxes.shift[i]) * Vec3::Unit(i), gap, i};
  }
  if (!second_too) return;
  for (int j = 0; j < 3; ++j) {
    const double along = boxes.shift.dot(boxes.turn.col(j));
    const double gap = std::abs(along) - boxes.b[j] - across.col(j).dot(boxes.a);
    // Faces that are parallel have the same gap: then that of the first box counts.
    if (!(gap > best.gap + same_height * boxes.size)) continue;
    best = {sign_of(along) * boxes.turn.col(j), gap, -1, j};
  }
}

void try_edges(const Boxes& boxes, int first_of_b, BoxAxis& best) {
  const Vec3 &a = boxes.a, &b = boxes.b, &shift = boxes.shift;
  const Mat3& turn = boxes.turn;
  for (int i = 0; i < 3; ++i)
    for (int j = first_of_b; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double p = -turn(i2, j), q = turn(i1, j);  // n = eᵢ × column j
      const double squared = p * p + q * q;
      if (!(squared > parallel_edges * parallel_edges)) continue;
      const double sine = std::sqrt(squared);
      const double along = p * shift[i1] + q * shift[i2];
      double gap = std::abs(along) - a[i1] * std::abs(p) - a[i2] * std::abs(q) -
                   b[j1] * std::abs(turn(i, j2)) - b[j2] * std::abs(turn(i, j1));
      gap /= sine;
      const double least = best.gap + 1e-13 * boxes.size;
      if (sine > steep_edges && !(gap > least)) continue;
      Vec3 n = Vec3::Zero();
      n[i1] = sign_of(along) * p / sine;
      n[i2] = sign_of(along) * q / sine;
      gap = gap_along(boxes, n);
      if (gap > least) best = {n, gap, -1, -1, i, j};
    }
}

/// The part of a segment p + u·d, −1 ≤ u ≤ 1, with |x| ≤ limit for the two given coordinates: its
/// middle.
bool middle_inside(const Vec3& p, const Vec3& d, const Vec3& limit, int x, int y, Vec3& middle) {
  double from = -1, to = 1;
  for (const int k : {x, y}) {
    if (std::abs(d[k]) <= 1e-14 * limit[k]) {
      if (!(std::abs(p[k]) <= limit[k])) return false;
      continue;
    }
    const double u = (-limit[k] - p[k]) / d[k], v = (limit[k] - p[k]) / d[k];
    from = std::max(from, std::min(u, v));
    to = std::min(to, std::max(u, v));
  }
  if (!(from <= to)) return false;
  middle = p + 0.5 * (from + to) * d;
  return true;
}

/// A lowest point of the second box above face i of the first one, which looks to the side `up`.
bool lowest_above_face(const Boxes& boxes, int i, double up, Vec3& point) {
  const int x = (i + 1) % 3, y = (i + 2) % 3;
  Vec3 corner = boxes.shift;
  int level[3], levels = 0;  // axes of the second box along which the height does not change
  for (int k = 0; k < 3; ++k) {
    if (boxes.b[k] == 0) continue;
    const double slope = up * boxes.turn(i, k);
    if (std::abs(slope) * boxes.b[k] <= same_height * boxes.size)
      level[levels++] = k;
    else
      corner -= sign_of(slope) * boxes.b[k] * boxes.turn.col(k);
  }
  if (levels == 0) {
    point = corner;
    return std::abs(point[x]) <= boxes.a[x] && std::abs(point[y]) <= boxes.a[y];
  }
  const auto half = [&](int k) -> Vec3 { return boxes.b[level[k]] * boxes.turn.col(level[k]); };
  if (levels == 1) return middle_inside(corner, half(0), boxes.a, x, y, point);
  if (levels > 2) return false;
  // Face on face: an edge of the one across the other, or all of the other above the one.
  for (int k = 0; k < 2; ++k)
    for (const double side : {-1.0, 1.0})
      if (middle_inside(corner + side * half(k), half(1 - k), boxes.a, x, y, point)) return true;
  point = Vec3::Zero();
  point[i] = corner[i];
  const Vec3 seen = boxes.turn.transpose() * (point - boxes.shift);
  return std::abs(seen[level[0]]) <= boxes.b[level[0]] &&
         std::abs(seen[level[1]]) <= boxes.b[level[1]];
}

/// The point of the first box between the two edges whose normal n is.
bool between_edges(const Boxes& boxes, const BoxAxis& axis, Vec3& on_a) {
  const int i = axis.edge_a, j = axis.edge_b;
  Vec3 p = Vec3::Zero(), q = boxes.shift;
  for (int k = 0; k < 3; ++k) {
    if (k != i) p[k] = sign_of(axis.n[k]) * boxes.a[k];
    if (k != j) q -= sign_of(axis.n.dot(boxes.turn.col(k))) * boxes.b[k] * boxes.turn.col(k);
  }
  const Vec3 d = q - p, along = boxes.turn.col(j);
  const double cosine = along[i];
  const double squared = 1 - cosine * cosine;
  if (!(squared > steep_edges * steep_edges)) return false;
  const double s = (d[i] - cosine * d.dot(along)) / squared;
  const double r = (cosine * d[i] - d.dot(along)) / squared;
  if (!(std::abs(s) <= boxes.a[i] && std::abs(r) <= boxes.b[j])) return false;
  on_a = p;
  on_a[i] = s;
  return true;
}

/// A pair of points that are apart by gap·n.
bool point_between(const Boxes& boxes, const BoxAxis& axis, Vec3& on_a) {
  if (axis.edge_a >= 0) return between_edges(boxes, axis, on_a);
  Vec3 point;
  if (axis.face_a >= 0) {
    if (!lowest_above_face(boxes, axis.face_a, axis.n[axis.face_a], point)) return false;
    on_a = point - axis.gap * axis.n;
    return true;
  }
  // The same seen from the second box.
  const Mat3 turn = boxes.turn.transpose();
  const Vec3 shift = -(turn * boxes.shift);
  const double up = -sign_of(axis.n.dot(boxes.turn.col(axis.face_b)));
  if (!lowest_above_face({boxes.b, boxes.a, turn, shift, boxes.size}, axis.face_b, up, point))
    return false;
  on_a = boxes.turn * point + boxes.shift;
  return true;
}

}  // namespace

bool box_gap(const Difference& difference, double cutoff, CoreGap& gap) {
  const Boxes boxes{difference.a.size, difference.b.size, difference.rotation, difference.shift,
                    difference.a.size.sum() + difference.b.size.sum()};
  const bool is_segment = difference.b.type == CoreType::segment;
  BoxAxis best;
  try_faces(boxes, !is_segment, best);
  if (best.gap <= cutoff) try_edges(boxes, is_segment ? 2 : 0, best);
  gap = {best.n, best.gap, Vec3::Zero(), 0};
  if (best.gap > cutoff || point_between(boxes, best, gap.on_a)) return true;
  if (best.gap > 0) return false;
  gap.on_a = gap_at_exit(difference, best.n, best.gap, boxes.size).on_a;
  return true;
}

}  // namespace taut::collision::detail
