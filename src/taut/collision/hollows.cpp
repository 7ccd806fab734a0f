// How far a hull reaches out of a body: branch and bound.
//
// The distance from the body changes by at most |Δx|. So what it is at the middle of a cube bounds
// it in the cube: a cube is left alone when even that bound is no more than the largest distance
// found so far, and divided into eight otherwise. Half a cube's diagonal is the error in the end.
#include <algorithm>
#include <cmath>
#include <queue>

#include "taut/collision/parts_internal.hpp"

namespace taut::collision::detail {

namespace {

struct Cube {
  Vec3 middle;
  double half;
  double bound;    ///< of the distance in it
  double surface;  ///< from its middle to the body's surface
  bool is_inside;  ///< the middle in the body, if that matters

  bool operator<(const Cube& other) const { return bound < other.bound; }
};

class HollowSearch {
 public:
  HollowSearch(const Solid& solid, const Hull& hull, double enough, double tolerance)
      : solid_(solid), hull_(hull), enough_(enough), tolerance_(tolerance) {}

  Hollow run() {
    Bounds box{hull_.vertices[0], hull_.vertices[0]};
    for (const Vec3& v : hull_.vertices) box = box.united({v, v});
    const Vec3 sides = box.high - box.low;
    const double half = 0.5 * std::max(sides.minCoeff(), sides.maxCoeff() / 16);
    std::array<int, 3> count{};
    for (int k = 0; k < 3; ++k)
      count[static_cast<std::size_t>(k)] = static_cast<int>(std::ceil(sides[k] / (2 * half)));
    for (int x = 0; x < count[0]; ++x)
      for (int y = 0; y < count[1]; ++y)
        for (int z = 0; z < count[2]; ++z)
          look(box.low + half * Vec3(2 * x + 1, 2 * y + 1, 2 * z + 1), half, nullptr);
    while (!open_.empty() && open_.top().bound > reached() + tolerance_) {
      const Cube cube = open_.top();
      if (++divided_ > most_divided) break;
      open_.pop();
      const double quarter = 0.5 * cube.half;
      for (int i = 0; i < 8; ++i)
        look(cube.middle + quarter * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), quarter,
             &cube);
    }
    if (!open_.empty()) left_ = std::max(left_, open_.top().bound);
    found_.depth = std::max(found_.depth, left_);
    return found_;
  }

 private:
  static constexpr long most_divided = 100'000;  ///< where that does not do, the bound is larger

  double reached() const { return std::max(found_.depth, enough_); }

  void look(const Vec3& middle, double half, const Cube* parent) {
    const double radius = std::sqrt(3.0) * half;
    double height = -INFINITY;  // of the middle above the hull's faces
    for (int f = 0; f < hull_.face_count(); ++f) {
      const auto i = static_cast<std::size_t>(f);
      const double above = hull_.normals[i].dot(middle) - hull_.offsets[i];
      if (above > half * hull_.normals[i].cwiseAbs().sum()) return;  // the cube is outside
      height = std::max(height, above);
    }
    Cube cube{middle, half, 0, solid_.distance(middle), false};
    // Only where it is far from the surface does it matter on which side it is.
    const bool matters = cube.surface + radius > reached();
    if (matters) {
      const bool as_parent = parent &&
                             parent->surface + std::sqrt(3.0) * parent->half > reached() &&
                             (middle - parent->middle).norm() < parent->surface;
      cube.is_inside = as_parent ? parent->is_inside : solid_.contains(middle);
    }
    cube.bound = (cube.is_inside ? -cube.surface : cube.surface) + radius;
    if (matters && !cube.is_inside && height <= 0 && cube.surface > found_.depth) {
      found_.depth = cube.surface;
      found_.place = middle;
    }
    if (cube.bound > reached() + tolerance_)
      open_.push(cube);
    else
      left_ = std::max(left_, cube.bound);
  }

  const Solid& solid_;
  const Hull& hull_;
  double enough_, tolerance_;
  double left_ = 0;  ///< largest bound of a cube that was left alone
  Hollow found_;
  std::priority_queue<Cube> open_;
  long divided_ = 0;
};

}  // namespace

Hollow deepest_hollow(const Solid& solid, const Hull& hull, double enough, double tolerance) {
  return HollowSearch(solid, hull, enough, tolerance).run();
}

}  // namespace taut::collision::detail
