#include "taut/collision/cast.hpp"

#include <limits>

#include "taut/base/error.hpp"
#include "taut/collision/pairs_internal.hpp"

namespace taut::collision {

namespace {

using detail::Core;

struct LocalRay {
  Vec3 origin, direction;  ///< of unit length
  double longest;
};

/// The distance from a convex body is a convex function along the ray, so Newton's method from
/// outside never goes too far, and a distance that grows never shrinks again.
bool cast_convex(const Core& core, const LocalRay& ray, double& t, Vec3& normal) {
  constexpr int most_steps_of_cast = 200;
  const Core point;
  const double scale = ray.origin.norm() + reach(core);
  t = 0;
  normal = -ray.direction;
  for (int i = 0; i < most_steps_of_cast; ++i) {
    const Vec3 p = ray.origin + t * ray.direction;
    const detail::Difference difference(core, point, Pose3(p));
    const detail::CoreGap near = core_gap(difference, std::numeric_limits<double>::infinity());
    const double gap = near.gap - core.radius;
    if (gap <= 0 && i == 0) return true;
    if (gap <= 1e-15 * scale) {
      // So near, the direction of a short distance says little, and on an edge it may be any.
      const bool is_exact = core.radius > 0 || detail::has_point_gap(core);
      if (is_exact && near.normal.dot(ray.direction) < 0) normal = near.normal;
      return true;
    }
    normal = near.normal;
    const double closing = -near.normal.dot(ray.direction);
    if (!(closing > 0)) return false;
    const double next = t + gap / closing;
    if (next > ray.longest) return false;
    if (next == t) return true;
    t = next;
  }
  return true;
}

/// From either side; the normal looks against the ray.
bool cast_triangle(const std::array<Vec3, 3>& c, const LocalRay& ray, double longest, double& t,
                   Vec3& normal) {
  const Vec3 a = c[0] - ray.origin, b = c[1] - ray.origin, d = c[2] - ray.origin;
  // Volumes spanned with the edges: of one sign where the ray goes through the triangle. The same
  // edge gives the same number for both its triangles, so no ray slips through between them.
  const auto volume = [&](const Vec3& p, const Vec3& q) { return ray.direction.dot(p.cross(q)); };
  const double u = volume(b, d), v = volume(d, a), w = volume(a, b);
  if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0))) return false;
  const double sum = u + v + w;
  if (sum == 0) return false;  // along the plane
  t = ((u * a + v * b + w * d) / sum).dot(ray.direction);
  if (!(t >= 0 && t <= longest)) return false;
  normal = (c[1] - c[0]).cross(c[2] - c[0]).normalized();
  if (normal.dot(ray.direction) > 0) normal = -normal;
  return true;
}

/// Calls visit(number, best) for the triangles of the cells below the ray, from near to far.
template <class Visit>
void along_field(const Shape& surface, const LocalRay& ray, Visit&& visit) {
  const HeightField& field = *surface.height_field;
  // The part of the ray over the grid.
  double from = 0, to = ray.longest;
  for (int k = 0; k < 3; ++k) {
    const double inverse = 1 / ray.direction[k];
    double near = (field.box.low[k] - ray.origin[k]) * inverse;
    double far = (field.box.high[k] - ray.origin[k]) * inverse;
    if (near > far) std::swap(near, far);
    if (near > from) from = near;
    if (far < to) to = far;
  }
  if (ray.direction.z() == 0 &&
      (ray.origin.z() < field.box.low.z() || ray.origin.z() > field.box.high.z()))
    return;
  const int cells[2] = {field.columns - 1, field.rows - 1};
  int cell[2], step[2];
  double next[2], every[2];
  const double slack = 1e-9 * field.spacing;
  if (!(from <= to + slack)) return;
  for (int k = 0; k < 2; ++k) {
    const double x = (ray.origin[k] + from * ray.direction[k]) / field.spacing;
    cell[k] = static_cast<int>(std::clamp(std::floor(x), 0.0, cells[k] - 1.0));
    step[k] = ray.direction[k] > 0 ? 1 : -1;
    const bool moves = ray.direction[k] != 0;
    every[k] = moves ? field.spacing / std::abs(ray.direction[k]) : INFINITY;
    const double border = (cell[k] + (step[k] > 0 ? 1 : 0)) * field.spacing;
    next[k] = moves ? (border - ray.origin[k]) / ray.direction[k] : INFINITY;
  }
  double best = ray.longest, entered = from;
  while (entered <= std::min(best, to) + slack) {
    for (int half = 0; half < 2; ++half)
      best = visit(2 * (cell[0] + cells[0] * cell[1]) + half, best);
    const int k = next[0] < next[1] ? 0 : 1;
    cell[k] += step[k];
    if (cell[k] < 0 || cell[k] >= cells[k]) return;
    entered = next[k];
    next[k] += every[k];
  }
}

bool cast_surface(const Shape& surface, const LocalRay& ray, double& t, Vec3& normal, int& part) {
  bool is_hit = false;
  const auto visit = [&](int number, double best) {
    double found = 0;
    Vec3 n;
    if (!cast_triangle(detail::corners(surface, number), ray, best, found, n)) return best;
    is_hit = true;
    t = found;
    normal = n;
    part = number;
    return found;
  };
  if (surface.mesh)
    surface.mesh->tree.along_ray(ray.origin, ray.direction, ray.longest, visit);
  else
    along_field(surface, ray, visit);
  return is_hit;
}

bool cast_plane(const LocalRay& ray, double& t, Vec3& normal) {
  normal = Vec3::UnitZ();
  t = 0;
  if (ray.origin.z() <= 0) {
    normal = -ray.direction;
    return true;
  }
  if (!(ray.direction.z() < 0)) return false;
  t = -ray.origin.z() / ray.direction.z();
  return t <= ray.longest;
}

}  // namespace

bool ray_cast(const Shape& shape, const Pose3& at, const Vec3& origin, const Vec3& direction,
              double longest, RayHit& hit) {
  if (shape.type == ShapeType::compound) {
    bool is_hit = false;
    const auto visit = [&](int number, double best) {
      const Piece& piece = (*shape.pieces)[static_cast<std::size_t>(number)];
      RayHit found;
      if (!ray_cast(piece.shape, at * piece.pose, origin, direction, best, found)) return best;
      // Of two at the same place the first counts, whatever the order in the tree is.
      if (is_hit && found.t == hit.t && number > hit.part) return best;
      is_hit = true;
      hit = found;
      hit.part = number;
      return hit.t;
    };
    shape.piece_tree->along_ray(at.to_local(origin), at.rotation.transpose() * direction, longest,
                                visit);
    return is_hit;
  }
  const double length = direction.stableNorm();
  TAUT_CHECK(length > 0);
  const LocalRay ray{at.to_local(origin), at.rotation.transpose() * (direction / length),
                     longest * length};
  double t = 0;
  Vec3 normal;
  int part = -1;
  bool is_hit = false;
  if (shape.type == ShapeType::plane)
    is_hit = cast_plane(ray, t, normal);
  else if (detail::is_surface(shape))
    is_hit = cast_surface(shape, ray, t, normal, part);
  else
    is_hit = cast_convex(detail::core_of(shape), ray, t, normal);
  if (!is_hit) return false;
  hit.t = t / length;
  hit.point = origin + hit.t * direction;
  hit.normal = at.rotation * normal;
  hit.part = part;
  return true;
}

Motion3::Motion3(const Pose3& from, const Pose3& to)
    : start(from), shift(to.position - from.position) {
  const Eigen::AngleAxisd change(Mat3(to.rotation * from.rotation.transpose()));
  turn = change.angle() * change.axis();
}

Pose3 Motion3::at(double t) const {
  Pose3 pose(start.position + t * shift, start.rotation);
  const double angle = turn.norm();
  if (angle > 0)
    pose.rotation =
        Eigen::AngleAxisd(t * angle, Vec3(turn / angle)).toRotationMatrix() * start.rotation;
  return pose;
}

Impact time_of_impact(const Shape& a, const Motion3& motion_a, const Shape& b,
                      const Motion3& motion_b, double tolerance) {
  TAUT_CHECK(tolerance > 0);
  constexpr int most_advances = 2000;
  // No point moves by more than this on account of the turning.
  const auto turning = [](const Shape& shape, const Motion3& motion) {
    const double angle = motion.turn.norm();
    return angle > 0 ? angle * reach(shape) : 0;
  };
  const double turned = turning(a, motion_a) + turning(b, motion_b);
  const Vec3 closing = motion_a.shift - motion_b.shift;
  // Of convex bodies the gap along the normal can only close by what they move along it.
  const auto is_one_piece = [](const Shape& s) {
    return s.is_convex() || s.type == ShapeType::plane;
  };
  const bool has_plane_between = is_one_piece(a) && is_one_piece(b);

  Impact impact;
  double t = 0;
  for (int i = 0; i < most_advances; ++i) {
    impact.distance = distance(a, motion_a.at(t), b, motion_b.at(t));
    impact.t = t;
    const Distance& d = impact.distance;
    if (d.gap <= tolerance) {
      impact.hit = true;
      return impact;
    }
    if (t >= 1) return impact;
    const double speed = turned + (has_plane_between ? closing.dot(d.normal) : closing.norm());
    const double room = d.gap - 0.5 * tolerance;
    // What is computed of the time is rounded: a little less is safe.
    const double step = speed > 0 ? (1 - 1e-12) * room / speed : 1;
    t = t + step < 1 ? t + step : 1;
  }
  impact.settled = false;
  return impact;
}

}  // namespace taut::collision
