#include "taut/collision/shape.hpp"

#include <fmt/core.h>

#include <limits>

#include "taut/base/error.hpp"
#include "taut/collision/core_internal.hpp"
#include "taut/collision/triangles_internal.hpp"

namespace taut::collision {

namespace {

/// Squares and products of lengths must neither overflow nor vanish.
constexpr double smallest_length = 1e-60, largest_length = 1e60;

void require_length(const char* shape, const char* what, double length) {
  if (!(length >= smallest_length && length <= largest_length))
    throw Error(fmt::format("{}: the {} is {}, expected a length from {} to {}", shape, what,
                            length, smallest_length, largest_length));
}

/// Flatter or longer than this, and distances would be exact to fewer digits than promised.
void require_proportion(const char* shape, double least, double most) {
  constexpr double largest = 1e6;
  if (most > largest * least)
    throw Error(
        fmt::format("{}: one side is {:g} times as long as another, expected at most {:g} times",
                    shape, most / least, largest));
}

Shape make(ShapeType type, const Vec3& size, double radius = 0) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  shape.radius = radius;
  return shape;
}

}  // namespace

std::string_view name(ShapeType type) {
  constexpr std::string_view names[] = {"plane",    "sphere", "capsule",     "box",
                                        "cylinder", "cone",   "ellipsoid",   "hull",
                                        "compound", "mesh",   "height_field"};
  return names[static_cast<std::size_t>(type)];
}

Shape plane() { return make(ShapeType::plane, Vec3::Zero()); }

Shape sphere(double radius) {
  require_length("sphere", "radius", radius);
  return make(ShapeType::sphere, Vec3::Zero(), radius);
}

Shape capsule(double half_length, double radius) {
  require_length("capsule", "half length", half_length);
  require_length("capsule", "radius", radius);
  return make(ShapeType::capsule, {0, 0, half_length}, radius);
}

Shape box(const Vec3& half_size) {
  require_length("box", "half size along x", half_size.x());
  require_length("box", "half size along y", half_size.y());
  require_length("box", "half size along z", half_size.z());
  require_proportion("box", half_size.minCoeff(), half_size.maxCoeff());
  return make(ShapeType::box, half_size);
}

Shape cylinder(double radius, double half_length) {
  require_length("cylinder", "radius", radius);
  require_length("cylinder", "half length", half_length);
  require_proportion("cylinder", std::min(radius, half_length), std::max(radius, half_length));
  return make(ShapeType::cylinder, {radius, radius, half_length});
}

Shape cone(double radius, double half_height) {
  require_length("cone", "radius", radius);
  require_length("cone", "half height", half_height);
  require_proportion("cone", std::min(radius, half_height), std::max(radius, half_height));
  return make(ShapeType::cone, {radius, radius, half_height});
}

Shape ellipsoid(const Vec3& semi_axes) {
  require_length("ellipsoid", "semi-axis along x", semi_axes.x());
  require_length("ellipsoid", "semi-axis along y", semi_axes.y());
  require_length("ellipsoid", "semi-axis along z", semi_axes.z());
  require_proportion("ellipsoid", semi_axes.minCoeff(), semi_axes.maxCoeff());
  return make(ShapeType::ellipsoid, semi_axes);
}

Shape rounded(Shape shape, double radius) {
  if (!shape.is_convex())
    throw Error(fmt::format("rounded: found a {}, expected a convex shape of finite size",
                            name(shape.type)));
  require_length("rounded", "radius", radius);
  shape.radius += radius;
  return shape;
}

Shape compound(std::vector<Piece> pieces) {
  if (pieces.empty()) throw Error("compound: it has no pieces, expected at least one");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (!piece.shape.is_convex())
      throw Error(fmt::format("compound: piece {} is a {}, expected a convex shape of finite size",
                              i, name(piece.shape.type)));
    const Mat3& R = piece.pose.rotation;
    if (!piece.pose.position.allFinite() ||
        !((R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-9) ||
        R.determinant() < 0)
      throw Error(
          fmt::format("compound: the pose of piece {} is no rigid motion, expected a finite "
                      "position and a rotation matrix",
                      i));
  }
  Shape shape = make(ShapeType::compound, Vec3::Zero());
  std::vector<Bounds> boxes;
  double size = 0;
  for (const Piece& piece : pieces) {
    boxes.push_back(bounds(piece.shape, piece.pose));
    size = std::max(
        {size, boxes.back().low.cwiseAbs().maxCoeff(), boxes.back().high.cwiseAbs().maxCoeff()});
  }
  // A little larger: what touches a box is turned into its frame with rounding errors.
  auto tree = std::make_shared<BoxTree>(1e-12 * size);
  tree->build(boxes);
  shape.piece_tree = std::move(tree);
  shape.pieces = std::make_shared<const std::vector<Piece>>(std::move(pieces));
  return shape;
}

Vec3 support(const Shape& shape, const Vec3& direction) {
  TAUT_CHECK(shape.is_convex());
  const Vec3 unit = direction.stableNormalized();
  return detail::support(detail::core_of(shape), unit) + shape.radius * unit;
}

Bounds bounds(const Shape& shape, const Pose3& pose) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (shape.type) {
    case ShapeType::plane: {
      Bounds box{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
      const Vec3 normal = pose.rotation.col(2);
      for (int i = 0; i < 3; ++i)
        if (std::abs(normal[i]) == 1) (normal[i] > 0 ? box.high : box.low)[i] = pose.position[i];
      return box;
    }
    case ShapeType::compound: {
      Bounds box{Vec3::Constant(infinity), Vec3::Constant(-infinity)};
      for (const Piece& piece : *shape.pieces)
        box = box.united(bounds(piece.shape, pose * piece.pose));
      return box;
    }
    case ShapeType::mesh:
    case ShapeType::height_field: {
      const Bounds& own = shape.mesh ? shape.mesh->box : shape.height_field->box;
      const Vec3 middle = pose * Vec3(0.5 * (own.low + own.high));
      const Vec3 half = pose.rotation.cwiseAbs() * (0.5 * (own.high - own.low));
      return {middle - half, middle + half};
    }
    default:
      return detail::bounds(detail::core_of(shape), pose);
  }
}

double reach(const Shape& shape) {
  double most = 0;
  switch (shape.type) {
    case ShapeType::plane:
      return std::numeric_limits<double>::infinity();
    case ShapeType::compound:
      for (const Piece& piece : *shape.pieces)
        most = std::max(most, piece.pose.position.norm() + reach(piece.shape));
      return most;
    case ShapeType::mesh:
      for (const Vec3& v : shape.mesh->vertices) most = std::max(most, v.norm());
      return most;
    case ShapeType::height_field:
      return shape.height_field->box.low.cwiseAbs()
          .cwiseMax(shape.height_field->box.high.cwiseAbs())
          .norm();
    default:
      return detail::reach(detail::core_of(shape));
  }
}

}  // namespace taut::collision
