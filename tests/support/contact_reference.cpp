#include "support/contact_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace taut::testing {

namespace {

using namespace collision;
using Real = long double;
using V = std::array<Real, 3>;

V operator+(const V& a, const V& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
V operator-(const V& a, const V& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
V operator*(Real s, const V& a) { return {s * a[0], s * a[1], s * a[2]}; }
Real dot(const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
V cross(const V& a, const V& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Real norm(const V& a) { return std::sqrt(dot(a, a)); }
V exact(const Vec3& a) { return {a.x(), a.y(), a.z()}; }

/// A shape in the world, relative to an origin near it.
struct Placed {
  const Shape& shape;
  V axis[3];
  V at;

  Placed(const Shape& s, const Pose3& pose, const Vec3& origin)
      : shape(s), at(exact(pose.position) - exact(origin)) {
    for (int k = 0; k < 3; ++k) axis[k] = exact(pose.rotation.col(k));
  }
  V local_direction(const V& d) const {
    return {dot(axis[0], d), dot(axis[1], d), dot(axis[2], d)};
  }
  V turned(const V& p) const { return p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]; }
  V placed(const V& p) const { return turned(p) + at; }
  V local(const V& p) const { return local_direction(p - at); }

  /// max n·x over the shape, for unit n.
  Real height(const V& n) const {
    const V d = local_direction(n);
    const V s = exact(shape.size);
    Real h = 0;
    switch (shape.type) {
      case ShapeType::cylinder:
        h = s[0] * std::hypot(d[0], d[1]) + s[2] * std::abs(d[2]);
        break;
      case ShapeType::cone:
        h = std::max(s[2] * d[2], s[0] * std::hypot(d[0], d[1]) - s[2] * d[2]);
        break;
      case ShapeType::ellipsoid:
        h = std::sqrt(s[0] * s[0] * d[0] * d[0] + s[1] * s[1] * d[1] * d[1] +
                      s[2] * s[2] * d[2] * d[2]);
        break;
      case ShapeType::hull:
        h = -INFINITY;
        for (const Vec3& v : shape.hull->vertices) h = std::max(h, dot(d, exact(v)));
        break;
      default:  // point, segment, box
        h = s[0] * std::abs(d[0]) + s[1] * std::abs(d[1]) + s[2] * std::abs(d[2]);
    }
    return h + dot(n, at) + shape.radius;
  }

  /// How far a point is outside of the core.
  Real outside_core(const V& world) const {
    const V p = local(world);
    const V s = exact(shape.size);
    switch (shape.type) {
      case ShapeType::cylinder:
        return std::hypot(std::max(std::hypot(p[0], p[1]) - s[0], 0.0L),
                          std::max(std::abs(p[2]) - s[2], 0.0L));
      case ShapeType::cone: {
        const Real slope = std::hypot(s[0], 2 * s[2]);
        const Real side = (2 * s[2] * std::hypot(p[0], p[1]) + s[0] * (p[2] - s[2])) / slope;
        return std::max({0.0L, side, -s[2] - p[2], p[2] - s[2]});
      }
      case ShapeType::ellipsoid: {
        // The nearest point is sᵢ²pᵢ/(t + sᵢ²) for the one t > 0 for which it is on the surface.
        const auto level = [&](Real t) {
          Real sum = 0;
          for (std::size_t k = 0; k < 3; ++k) sum += std::pow(s[k] * p[k] / (t + s[k] * s[k]), 2);
          return sum;
        };
        if (level(0) <= 1) return 0;
        Real low = 0, high = norm(p) * std::max({s[0], s[1], s[2]});
        for (int i = 0; i < 200 && low < high; ++i) {
          const Real middle = 0.5L * (low + high);
          if (middle == low || middle == high) break;
          (level(middle) > 1 ? low : high) = middle;
        }
        V gap;
        for (std::size_t k = 0; k < 3; ++k) gap[k] = p[k] * high / (high + s[k] * s[k]);
        return norm(gap);
      }
      case ShapeType::hull: {
        Real most = 0;
        for (std::size_t f = 0; f < shape.hull->normals.size(); ++f)
          most =
              std::max(most, dot(exact(shape.hull->normals[f]), p) - Real(shape.hull->offsets[f]));
        return most;
      }
      default: {
        V d;
        for (std::size_t k = 0; k < 3; ++k) d[k] = std::max(std::abs(p[k]) - s[k], 0.0L);
        return norm(d);
      }
    }
  }

  bool is_round() const {
    return shape.type == ShapeType::cylinder || shape.type == ShapeType::cone ||
           shape.type == ShapeType::ellipsoid;
  }
  /// Normals of flat sides, in the world.
  std::vector<V> normals() const {
    std::vector<V> list;
    if (shape.type == ShapeType::hull)
      for (const Vec3& n : shape.hull->normals) list.push_back(turned(exact(n)));
    else
      for (const V& n : axis) list.push_back(n);
    return list;
  }
  std::vector<V> edges() const {
    std::vector<V> list;
    if (shape.type == ShapeType::box) list.assign(axis, axis + 3);
    if (shape.type == ShapeType::capsule) list = {axis[2]};
    if (shape.type == ShapeType::hull)
      for (const Hull::Edge& e : shape.hull->edges)
        list.push_back(turned(exact(shape.hull->vertices[static_cast<std::size_t>(e.vertex[1])]) -
                              exact(shape.hull->vertices[static_cast<std::size_t>(e.vertex[0])])));
    return list;
  }
};

Real apart(const Placed& a, const Placed& b, const V& n) {
  return -b.height(Real(-1) * n) - a.height(n);
}

constexpr Real diagonal = 0.70710678118654752440L;
/// Cosines of multiples of 45°; six further on: their sines.
constexpr Real compass[8] = {1, diagonal, 0, -diagonal, -1, -diagonal, 0, diagonal};

/// Directions all around, evenly spread.
const std::vector<V>& all_around() {
  static const std::vector<V> list = [] {
    std::vector<V> directions;
    constexpr int count = 400;
    for (int i = 0; i < count; ++i) {
      const Real z = 1 - (2 * i + 1.0L) / count, r = std::sqrt(1 - z * z);
      const Real angle = i * 2.39996322972865332223L;
      directions.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
    return directions;
  }();
  return list;
}

/// Climbs from a direction to a better one near it: steps along the two tangents and their
/// diagonals, halved when none helps.
Real climb(const Placed& a, const Placed& b, V& n, Real value, Real step, Real until) {
  constexpr int most_steps = 2000;  // on a ridge each may gain next to nothing
  for (int i = 0; i < most_steps && step > until; ++i) {
    V t = std::abs(n[0]) < 0.6L ? V{1, 0, 0} : V{0, 1, 0};
    t = cross(n, t);
    t = 1 / norm(t) * t;
    const V u = cross(n, t);
    bool is_better = false;
    for (int k = 0; k < 8 && !is_better; ++k) {
      V trial = n + step * (compass[k] * t + compass[(k + 6) % 8] * u);
      trial = 1 / norm(trial) * trial;
      const Real found = apart(a, b, trial);
      if (found > value) {
        value = found;
        n = trial;
        is_better = true;
      }
    }
    step *= is_better ? 1.5L : 0.5L;
  }
  return value;
}

/// The largest separation that can be found of shapes that overlap.
Real best_separation(const Placed& a, const Placed& b, const V& start, Real wanted) {
  Real best = -INFINITY;
  const auto try_both = [&](V n) {
    const Real length = norm(n);
    if (!(length > 0)) return;
    n = 1 / length * n;
    best = std::max({best, apart(a, b, n), apart(a, b, Real(-1) * n)});
  };
  for (const V& n : a.normals()) try_both(n);
  for (const V& n : b.normals()) try_both(n);
  const std::vector<V> edges_a = a.edges(), edges_b = b.edges();
  for (const V& e : edges_a)
    for (const V& f : edges_b) {
      const V n = cross(e, f);
      if (norm(n) > 1e-12L * norm(e) * norm(f)) try_both(n);
    }
  if (!a.is_round() && !b.is_round()) return best;
  // Round: the best few of evenly spread directions, and the result itself, are improved.
  struct Start {
    Real value;
    V n;
  };
  std::vector<Start> starts;
  for (const V& n : all_around()) starts.push_back({apart(a, b, n), n});
  std::partial_sort(starts.begin(), starts.begin() + 4, starts.end(),
                    [](const Start& x, const Start& y) { return x.value > y.value; });
  starts.resize(4);
  for (Start& s : starts) best = std::max(best, climb(a, b, s.n, s.value, 0.1L, 1e-6L));
  if (best < wanted) {
    V n = start;
    best = std::max(best, climb(a, b, n, apart(a, b, n), 1e-3L, 1e-9L));
  }
  return best;
}

}  // namespace

double separation(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                  const Vec3& n) {
  return static_cast<double>(
      apart(Placed(a, at_a, at_a.position), Placed(b, at_b, at_a.position), exact(n)));
}

double outside(const Shape& shape, const Pose3& at, const Vec3& point, const Vec3& n) {
  const Placed placed(shape, at, at.position);
  return static_cast<double>(
      placed.outside_core(exact(point) - exact(at.position) - Real(shape.radius) * exact(n)));
}

std::string wrong_distance(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                           const Distance& result, double tolerance) {
  if (!result.on_a.allFinite() || !result.on_b.allFinite() || !result.normal.allFinite() ||
      !std::isfinite(result.gap))
    return "not finite";
  if (std::abs(result.normal.norm() - 1) > 1e-12)
    return fmt::format("the normal has the length {}", result.normal.norm());
  const Vec3 step = result.on_b - result.on_a - result.gap * result.normal;
  if (step.norm() > tolerance)
    return fmt::format("the points are {:g} from being gap·normal apart", step.norm());

  const Placed first(a, at_a, at_a.position), second(b, at_b, at_a.position);
  const V n = exact(result.normal);
  const Real along = apart(first, second, n);
  if (std::abs(along - result.gap) > tolerance)
    return fmt::format("the gap is {:.17g}, but along the normal it is {:.17g}", result.gap,
                       static_cast<double>(along));
  const V on_a = exact(result.on_a) - exact(at_a.position);
  const V on_b = exact(result.on_b) - exact(at_a.position);
  const Real out_a = first.outside_core(on_a - Real(a.radius) * n);
  const Real out_b = second.outside_core(on_b + Real(b.radius) * n);
  // On round bodies an error of the gap moves the points by its square root.
  const bool is_round = first.is_round() || second.is_round();
  const Real allowed =
      is_round ? std::sqrt(1e-2L * tolerance * (reach(a) + reach(b))) : 100 * tolerance;
  if (out_a > allowed || out_b > allowed)
    return fmt::format("the points are {:g} and {:g} outside (gap {:g})",
                       static_cast<double>(out_a), static_cast<double>(out_b), result.gap);
  // Cores that are apart: both bounds have been seen. Else the best direction is sought.
  if (result.gap + a.radius + b.radius > tolerance) return "";
  const Real best = best_separation(first, second, n, result.gap + tolerance);
  if (best > result.gap + tolerance)
    return fmt::format("the gap is {:.17g}, but {:.17g} along another direction", result.gap,
                       static_cast<double>(best));
  return "";
}

}  // namespace taut::testing
