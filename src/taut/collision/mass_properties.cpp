#include "taut/collision/mass_properties.hpp"

#include <fmt/core.h>

#include <numbers>

#include "taut/base/error.hpp"
#include "taut/collision/moments_internal.hpp"
#include "taut/collision/triangles_internal.hpp"

namespace taut::collision {

namespace {

using detail::Moments;
constexpr double pi = std::numbers::pi;

/// A body of revolution about z, of the radius and its change along z at every point of Gauss'
/// formula. The profile of a rounded cylinder or cone consists of arcs and lines, and each of them
/// is integrated by itself: ∫ π ρ² dz and so on, with z as a function of a parameter.
class Revolution {
 public:
  /// The part of the profile (ρ, z)(s), s from 0 to 1, going up.
  template <class Profile>
  void add(Profile&& profile) {
    // Nodes and weights of 16 points on −1 … 1, by Newton's method on the Legendre polynomial.
    constexpr int n = 16;
    for (int i = 0; i < n; ++i) {
      double x = std::cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
      for (int step = 0; step < 20; ++step) {
        double p = 1, before = 0;
        for (int k = 0; k < n; ++k) {
          const double last = before;
          before = p;
          p = ((2 * k + 1) * x * before - k * last) / (k + 1);
        }
        slope = n * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      const double weight = 1 / ((1 - x * x) * slope * slope);  // for an interval of length 1
      const auto [rho, z, dz] = profile(0.5 * (1 + x));
      const double disc = weight * pi * rho * rho * dz;
      moments_.volume += disc;
      moments_.first.z() += disc * z;
      const double across = disc * rho * rho / 4;
      moments_.second += Vec3(across, across, disc * z * z).asDiagonal();
    }
  }
  const Moments& moments() const { return moments_; }

 private:
  Moments moments_;
};

struct ProfilePoint {
  double rho, z, dz;
};

/// Of a cylinder (top = r) or a cone (top = 0) with a ball of radius e around every point.
Moments rounded_revolution(double r, double top, double h, double e) {
  Revolution body;
  // Directions of the outward normal: from straight down, over the side's, to straight up.
  const double side = std::atan2(r - top, 2 * h);
  const auto arc = [&](double rho, double z, double from, double to) {
    if (e > 0)
      body.add([&](double s) {
        const double angle = from + s * (to - from);
        return ProfilePoint{rho + e * std::cos(angle), z + e * std::sin(angle),
                            e * std::cos(angle) * (to - from)};
      });
  };
  arc(r, -h, -pi / 2, side);
  body.add([&](double s) {
    return ProfilePoint{r + s * (top - r) + e * std::cos(side), -h + 2 * h * s + e * std::sin(side),
                        2 * h};
  });
  arc(top, h, side, pi / 2);
  return body.moments();
}

Moments ellipsoid_moments(const Vec3& s) {
  Moments m;
  m.volume = 4 * pi / 3 * s.x() * s.y() * s.z();
  m.second = (m.volume / 5 * s.cwiseAbs2()).asDiagonal();
  return m;
}

/// Steiner's formula needs the curvature of an ellipsoid, which has no closed form: summed over its
/// surface, in the angles of a sphere. The sum of a smooth periodic function converges at once.
Moments rounded_ellipsoid(const Vec3& s, double e) {
  Moments m;
  // By the divergence theorem: ∫ dV = ∮ x·n dA / 3, ∫ x xᵀ dV = ∮ x xᵀ (x·n) dA / 5.
  // For the surface moved out by e along n, dA is times (1 + 2He + Ke²).
  constexpr int longitudes = 512, latitudes = 512;
  for (int i = 0; i < latitudes; ++i) {
    // So that the sum over u, too, is one of a smooth periodic function.
    const double u = (i + 0.5) / latitudes;
    const double theta = pi * (u - std::sin(2 * pi * u) / (2 * pi));
    const double dtheta = pi * (1 - std::cos(2 * pi * u)) / latitudes;
    for (int j = 0; j < longitudes; ++j) {
      const double phi = 2 * pi * (j + 0.5) / longitudes;
      const Vec3 d(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                   std::cos(theta));
      const double solid = std::sin(theta) * dtheta * 2 * pi / longitudes;
      // x = s∘d; the normal along d/s; area element |s|·|d/s| per solid angle.
      const Vec3 x = s.cwiseProduct(d), g = d.cwiseQuotient(s);
      const double length = g.norm(), product = s.x() * s.y() * s.z();
      const Vec3 n = g / length;
      const double area = product * length * solid;
      const double gauss = 1 / (product * product * std::pow(length, 4));
      const double mean =
          (s.squaredNorm() - x.squaredNorm()) / (2 * product * product * std::pow(length, 3));
      const Vec3 y = x + e * n;
      const double flux = y.dot(n) * area * (1 + 2 * mean * e + gauss * e * e);
      m.volume += flux / 3;
      m.second += flux / 5 * y * y.transpose();
    }
  }
  return m;
}

Moments convex_moments(const Shape& shape) {
  const Vec3& s = shape.size;
  const double e = shape.radius;
  switch (shape.type) {
    case ShapeType::sphere:
      return ellipsoid_moments(Vec3::Constant(e));
    case ShapeType::capsule:
      return rounded_revolution(0, 0, s.z(), e);
    case ShapeType::cylinder:
      return rounded_revolution(s.x(), s.x(), s.z(), e);
    case ShapeType::cone:
      return rounded_revolution(s.x(), 0, s.z(), e);
    case ShapeType::ellipsoid:
      return e > 0 ? rounded_ellipsoid(s, e) : ellipsoid_moments(s);
    case ShapeType::box:
      return detail::polyhedron_moments(detail::box_hull(s), e);
    default:
      return detail::polyhedron_moments(*shape.hull, e);
  }
}

Moments mesh_moments(const TriangleMesh& mesh) {
  if (!mesh.is_closed)
    throw Error(
        "mass properties: the mesh has an edge with a triangle on one side only, expected a "
        "closed surface");
  Moments m;
  const Vec3 origin = 0.5 * (mesh.box.low + mesh.box.high);
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) {
      return Vec3(mesh.vertices[static_cast<std::size_t>(t[k])] - origin);
    };
    m.add_tetrahedron(corner(0), corner(1), corner(2));
  }
  if (!(m.volume > 0))
    throw Error(
        fmt::format("mass properties: the mesh encloses the volume {}, expected more than 0 "
                    "(triangles counter-clockwise seen from outside)",
                    m.volume));
  return m.moved(Mat3::Identity(), origin);
}

Moments moments(const Shape& shape) {
  if (shape.type == ShapeType::mesh) return mesh_moments(*shape.mesh);
  if (shape.type == ShapeType::compound) {
    if (shape.mesh && shape.mesh->is_closed) return mesh_moments(*shape.mesh);
    Moments sum;
    for (const Piece& piece : *shape.pieces)
      sum += moments(piece.shape).moved(piece.pose.rotation, piece.pose.position);
    return sum;
  }
  if (!shape.is_convex())
    throw Error(
        fmt::format("mass properties: a {} has no volume, expected a body", name(shape.type)));
  return convex_moments(shape);
}

}  // namespace

MassProperties mass_properties(const Shape& shape) {
  const Moments m = moments(shape);
  MassProperties result;
  result.volume = m.volume;
  result.centre = m.first / m.volume;
  const Mat3 second = m.second - m.volume * result.centre * result.centre.transpose();
  result.inertia = second.trace() * Mat3::Identity() - second;
  return result;
}

}  // namespace taut::collision
