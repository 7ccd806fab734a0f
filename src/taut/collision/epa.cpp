// Cores that overlap: the way out.
//
// A polytope inside B − A with the origin inside is expanded where it is nearest to the origin: its
// nearest face, with outward normal m, is at a lower bound of the depth; the farthest point of B −
// A along m gives an upper bound, h(m) = max m·w. The best upper bound is a way out in any case.
#include <limits>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int most_vertices = 128;
constexpr int most_faces = 3 * most_vertices;
constexpr double flat = 1e-13;      ///< thinner than this, relative to its size, B − A is flat
constexpr double finished = 1e-14;  ///< bounds so near each other, relative to the size, are equal

struct EpaFace {
  Vec3 normal;
  double offset;  ///< normal·x: the distance of the origin. Infinite without an area
  int vertex[3];
  int neighbour[3];  ///< across the edge from vertex k to k + 1
  bool is_alive;
};

class Expansion {
 public:
  Expansion(const Difference& difference, double scale) : difference_(difference), scale_(scale) {}

  CoreGap run(const Simplex& simplex);
  /// From the best way out and from those of other faces that are near.
  void polish_result(CoreGap& result) const;

 private:
  const Vec3& at(int i) const { return vertices_[i].w; }
  /// The farthest point along m, the normal of a face if one is given; keeps m where it is the best
  /// way out so far.
  DifferencePoint look(const Vec3& m, const EpaFace* face = nullptr);
  bool begin(const Simplex& simplex);
  bool extend(DifferencePoint* points, int& count);
  int add_face(int a, int b, int c);
  int nearest_face() const;
  bool expand(int face, const DifferencePoint& w);
  void find_horizon(int face, const Vec3& w);
  void witness(const EpaFace& face, CoreGap& result) const;

  const Difference& difference_;
  double scale_;
  Vec3 best_ = Vec3::UnitZ();
  double best_height_ = std::numeric_limits<double>::infinity();
  EpaFace best_face_;  ///< of which best_ is the normal
  bool has_best_face_ = false;
  DifferencePoint vertices_[most_vertices];
  EpaFace faces_[most_faces];
  int free_[most_faces];  ///< places of faces that are gone
  int vertex_count_ = 0, face_count_ = 0, free_count_ = 0;
  struct HorizonEdge {
    int face, edge;  ///< of the face that stays
  } horizon_[most_faces];
  int horizon_count_ = 0;
  int added_[most_faces];
};

DifferencePoint Expansion::look(const Vec3& m, const EpaFace* face) {
  const DifferencePoint p = lowest(difference_, Vec3(-m));
  const double height = m.dot(p.w);
  if (height < best_height_) {
    best_height_ = height;
    best_ = m;
    has_best_face_ = face != nullptr;
    if (face) best_face_ = *face;
  }
  return p;
}

/// Adds a point out of the line or plane of `count` points; false when B − A has none.
bool Expansion::extend(DifferencePoint* points, int& count) {
  const auto try_direction = [&](const Vec3& direction, auto&& distance) {
    DifferencePoint best = points[0];
    double farthest = flat * scale_;
    for (const double sign : {1.0, -1.0}) {
      const DifferencePoint p = look(sign * direction);
      if (distance(p.w) > farthest) {
        farthest = distance(p.w);
        best = p;
      }
    }
    if (farthest > flat * scale_) {
      points[count++] = best;
      return true;
    }
    return false;
  };
  const Vec3 p = points[0].w;
  if (count == 1) {
    for (int k = 0; k < 3; ++k)
      if (try_direction(Vec3::Unit(k), [&](const Vec3& w) { return (w - p).norm(); })) return true;
    return false;
  }
  if (count == 2) {
    const Vec3 line = (points[1].w - p).normalized();
    int least = 0;
    line.cwiseAbs().minCoeff(&least);
    const Vec3 side = line.cross(Vec3::Unit(least)).normalized();
    for (const Vec3& direction : {side, Vec3(line.cross(side))})
      if (try_direction(direction, [&](const Vec3& w) { return (w - p).cross(line).norm(); }))
        return true;
    return false;
  }
  const Vec3 normal = (points[1].w - p).cross(points[2].w - p).normalized();
  return try_direction(normal, [&](const Vec3& w) { return std::abs(normal.dot(w - p)); });
}

bool Expansion::begin(const Simplex& simplex) {
  const DifferencePoint& first = simplex.point[0];
  DifferencePoint p[4] = {first, first, first, first};
  int count = simplex.count;
  for (int i = 1; i < count; ++i) p[i] = simplex.point[i];
  // Points that are nearly in a line or a plane are no start.
  const auto drop_flat = [&] {
    if (count >= 2 && !((p[1].w - p[0].w).norm() > flat * scale_)) count = 1;
    if (count >= 3) {
      const Vec3 edge = p[1].w - p[0].w;
      if (!((p[2].w - p[0].w).cross(edge).norm() > flat * scale_ * edge.norm())) count = 2;
    }
    if (count >= 4) {
      const Vec3 n = (p[1].w - p[0].w).cross(p[2].w - p[0].w);
      if (!(std::abs(n.dot(p[3].w - p[0].w)) > flat * scale_ * n.norm())) count = 3;
    }
  };
  drop_flat();
  while (count < 4)
    if (!extend(p, count)) return false;
  for (int i = 0; i < 4; ++i) vertices_[i] = p[i];
  vertex_count_ = 4;
  const Vec3 n = (at(1) - at(0)).cross(at(2) - at(0));
  if (n.dot(at(3) - at(0)) > 0) std::swap(vertices_[1], vertices_[2]);
  // Now 0, 1, 2 is counter-clockwise seen from outside.
  const int f[4] = {add_face(0, 1, 2), add_face(0, 3, 1), add_face(1, 3, 2), add_face(2, 3, 0)};
  const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) faces_[f[i]].neighbour[k] = f[beside[i][k]];
  return true;
}

int Expansion::add_face(int a, int b, int c) {
  const int slot = free_count_ > 0 ? free_[--free_count_] : face_count_++;
  EpaFace& face = faces_[slot];
  face.vertex[0] = a;
  face.vertex[1] = b;
  face.vertex[2] = c;
  face.is_alive = true;
  const Vec3 ab = at(b) - at(a), bc = at(c) - at(b), ca = at(a) - at(c);
  // From the two shorter edges: the normal of a sliver is then as good as it can be.
  const double lab = ab.squaredNorm(), lbc = bc.squaredNorm(), lca = ca.squaredNorm();
  Vec3 n = lab >= lbc && lab >= lca ? bc.cross(ca) : lbc >= lca ? ca.cross(ab) : ab.cross(bc);
  const double length = n.norm();
  if (length > 1e-30 * scale_ * scale_ && length > 1e-15 * std::max({lab, lbc, lca})) {
    face.normal = n / length;
    face.offset =
        std::max({face.normal.dot(at(a)), face.normal.dot(at(b)), face.normal.dot(at(c))});
  } else {
    face.normal = Vec3::Zero();
    face.offset = std::numeric_limits<double>::infinity();
  }
  return slot;
}

int Expansion::nearest_face() const {
  int best = -1;
  double offset = std::numeric_limits<double>::infinity();
  for (int i = 0; i < face_count_; ++i)
    if (faces_[i].is_alive && faces_[i].offset < offset) {
      offset = faces_[i].offset;
      best = i;
    }
  return best;
}

/// Removes the faces that are seen from w, beginning with `face`, and keeps the edges around them.
void Expansion::find_horizon(int face, const Vec3& w) {
  struct Step {
    int face, edge;
  } stack[most_faces];
  int top = 0;
  horizon_count_ = 0;
  // Edges in order around the hole: depth first, each face from the edge after the one it was
  // entered through.
  const auto enter = [&](int f, int first, int edges) {
    faces_[f].is_alive = false;
    free_[free_count_++] = f;
    for (int k = edges - 1; k >= 0; --k) stack[top++] = {f, (first + k) % 3};
  };
  enter(face, 0, 3);
  while (top > 0) {
    const Step step = stack[--top];
    const int other = faces_[step.face].neighbour[step.edge];
    if (!faces_[other].is_alive) continue;
    int back = 0;
    while (faces_[other].neighbour[back] != step.face) ++back;
    // Faces that w is in the plane of go as well: what is left of them would be slivers.
    const EpaFace& f = faces_[other];
    const bool is_seen = f.normal.dot(w - at(f.vertex[0])) > -1e-15 * scale_;
    if (is_seen)
      enter(other, back + 1, 2);
    else
      horizon_[horizon_count_++] = {other, back};
  }
}

bool Expansion::expand(int face, const DifferencePoint& w) {
  find_horizon(face, w.w);
  if (horizon_count_ < 3 || vertex_count_ == most_vertices ||
      face_count_ + horizon_count_ > most_faces)
    return false;
  const int vertex = vertex_count_++;
  vertices_[vertex] = w;
  for (int i = 0; i < horizon_count_; ++i) {
    const EpaFace& outer = faces_[horizon_[i].face];
    const int k = horizon_[i].edge;
    added_[i] = add_face(outer.vertex[(k + 1) % 3], outer.vertex[k], vertex);
  }
  for (int i = 0; i < horizon_count_; ++i) {
    EpaFace& added = faces_[added_[i]];
    const int next = added_[i + 1 < horizon_count_ ? i + 1 : 0];
    added.neighbour[0] = horizon_[i].face;
    added.neighbour[1] = next;
    added.neighbour[2] = added_[i > 0 ? i - 1 : horizon_count_ - 1];
    faces_[horizon_[i].face].neighbour[horizon_[i].edge] = added_[i];
    // The edges must follow each other, and the origin stay inside: else rounding has won.
    if (added.vertex[1] != faces_[next].vertex[0] || added.offset < -1e-12 * scale_) return false;
  }
  return true;
}

/// The point of A that belongs to the origin's projection on a face. The face may be below the
/// surface of B − A, or only a part of a side of it, and the projection on another part: then the
/// point where the bodies part is looked for.
void Expansion::witness(const EpaFace& face, CoreGap& result) const {
  Simplex s;
  const Vec3 foot = face.offset * face.normal;
  for (int k = 0; k < 3; ++k) {
    s.point[k] = vertices_[face.vertex[k]];
    s.point[k].w -= foot;
  }
  s.count = 3;
  reduce(s);
  const bool is_inside =
      best_height_ - face.offset <= 1e-12 * scale_ && s.nearest().norm() <= flat * scale_;
  result.on_a = is_inside ? s.nearest_on_a()
                          : gap_at_exit(difference_, result.normal, result.gap, scale_).on_a;
}

CoreGap Expansion::run(const Simplex& simplex) {
  double lower = 0;
  if (begin(simplex)) {
    best_height_ = std::numeric_limits<double>::infinity();  // now of faces
    for (;;) {
      const int face = nearest_face();
      if (face < 0) break;
      const Vec3 m = faces_[face].normal;
      const double offset = faces_[face].offset;
      lower = std::max(lower, offset);
      const DifferencePoint w = look(m, &faces_[face]);
      if (best_height_ - lower <= finished * scale_) break;
      if (m.dot(w.w) - offset <= finished * scale_) break;
      if (!expand(face, w)) break;
    }
  }
  CoreGap result{-best_, -best_height_, Vec3::Zero(), std::max(0.0, best_height_ - lower)};
  if (has_best_face_)
    witness(best_face_, result);
  else if (simplex.count < 4)
    result.on_a = simplex.nearest_on_a();
  else
    result.on_a = simplex.point[0].a;
  return result;
}

void Expansion::polish_result(CoreGap& result) const {
  constexpr int most_starts = 32;
  Vec3 starts[most_starts];
  int count = 0;
  while (count < most_starts) {
    int nearest = -1;
    for (int i = 0; i < face_count_; ++i) {
      const EpaFace& face = faces_[i];
      if (!face.is_alive || face.offset >= best_height_) continue;
      bool is_new = face.normal.dot(best_) < 0.98;
      for (int k = 0; k < count && is_new; ++k) is_new = -face.normal.dot(starts[k]) < 0.98;
      if (is_new && (nearest < 0 || face.offset < faces_[nearest].offset)) nearest = i;
    }
    if (nearest < 0) break;
    starts[count++] = -faces_[nearest].normal;
  }
  polish(difference_, scale_, std::span<const Vec3>(starts, static_cast<std::size_t>(count)),
         result);
}

}  // namespace

CoreGap penetration(const Difference& difference, const Simplex& simplex, double scale) {
  Expansion expansion(difference, scale);
  CoreGap result = expansion.run(simplex);
  constexpr double trusted = 1e-11;
  if (result.error > trusted * scale) {
    if (difference.a.is_polytope() && difference.b.is_polytope())
      try_all_directions(difference, scale, result);
    else
      expansion.polish_result(result);
  }
  // Bodies that just touch: their common point is known.
  if (simplex.count < 4 && std::abs(result.gap) <= 1e-9 * scale)
    result.on_a = simplex.nearest_on_a();
  return result;
}

}  // namespace taut::collision::detail
