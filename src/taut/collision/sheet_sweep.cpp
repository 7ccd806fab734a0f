#include "taut/collision/sheet_sweep.hpp"

#include <algorithm>

#include "taut/collision/pairs_internal.hpp"

namespace taut::collision {
namespace {

constexpr int most_directions = 60;
constexpr double no_advance = 1e-3;  // of the whole way: what is found then is near enough

/// One convex piece, or a plane.
class Sweep {
 public:
  Sweep(const SheetSweep& sweep, const Shape& shape, const Pose3& in_frame, const Motion3& motion)
      : sweep_(sweep), in_frame_(in_frame), motion_(motion) {
    is_plane_ = shape.type == ShapeType::plane;
    if (!is_plane_) core_ = detail::core_of(shape);
    // No point of it goes farther than this beside the shift of its frame.
    turning_ = is_plane_ ? 0 : motion.turn.norm() * (in_frame.position.norm() + reach(shape));
    box_ = bounds(shape, motion.at(0) * in_frame)
               .united(bounds(shape, motion.at(1) * in_frame))
               .grown(turning_ + sweep.separation);
  }

  double free_part() {
    double least = 1;
    sweep_.tree.overlapping(box_, [&](int number) {
      const Sheet::Element& element = sweep_.sheet.element(number);
      if (sweep_.sheet.part(element.part).is_fixed || is_ignored(element)) return;
      least = std::min(least, advance(element, least));
    });
    return least;
  }

 private:
  bool is_ignored(const Sheet::Element& element) const {
    if (sweep_.ignored.empty()) return false;
    return std::any_of(element.vertex.begin(), element.vertex.end(), [&](int v) {
      return v >= 0 && sweep_.ignored[static_cast<std::size_t>(v)];
    });
  }

  // A direction n separates them as long as n·x > max n·a for all corners x of the element and all
  // points a of the piece. The left side is linear in time. The right side grows by no more than
  // n·shift and what turning adds. So n is good for an interval; the next one is found at its end.
  double advance(const Sheet::Element& element, double enough) const {
    const std::size_t corners = element.is_triangle() ? 3 : 2;
    std::array<Vec3, 3> x, way;
    for (std::size_t k = 0; k < corners; ++k) {
      const auto v = static_cast<std::size_t>(element.vertex[k]);
      x[k] = sweep_.from[v];
      way[k] = sweep_.to[v] - sweep_.from[v];
    }
    if (corners == 2) {
      x[2] = x[1];
      way[2] = way[1];
    }
    double fastest = turning_;
    for (std::size_t k = 0; k < corners; ++k)
      fastest = std::max(fastest, turning_ + (way[k] - motion_.shift).norm());
    double floor = sweep_.separation, t = 0;
    for (int i = 0; i < most_directions; ++i) {
      const Pose3 at = motion_.at(t) * in_frame_;
      const Vec3 corner = x[0] + t * way[0];
      const detail::Core triangle = detail::triangle_core(Vec3::Zero(), x[1] + t * way[1] - corner,
                                                          x[2] + t * way[2] - corner);
      const Distance d =
          is_plane_ ? detail::plane_gap(at, triangle, Pose3(corner))
                    : detail::convex_gap(core_, at, triangle, Pose3(corner),
                                         floor + 2 * fastest * (1 - t) + sweep_.separation);
      if (i == 0) {
        if (!(d.gap > 0)) return 1;
        floor = d.gap > sweep_.least ? std::min(floor, 0.9 * d.gap) : d.gap;
      }
      const double height = d.normal.dot(d.on_a);  // of the piece, along the normal
      double good_for = 2;
      for (std::size_t k = 0; k < corners; ++k) {
        const double above = d.normal.dot(x[k] + t * way[k]) - height - floor;
        const double rate = d.normal.dot(way[k] - motion_.shift) - turning_;
        if (rate < 0) good_for = std::min(good_for, std::max(0.0, above) / -rate);
      }
      if (t + good_for >= enough) return enough;
      if (good_for < no_advance) return t;
      t += good_for;
    }
    return t;
  }

  const SheetSweep& sweep_;
  Pose3 in_frame_;
  const Motion3& motion_;
  bool is_plane_ = false;
  detail::Core core_;
  double turning_ = 0;
  Bounds box_;
};

}  // namespace

double free_part(const SheetSweep& sweep, const Shape& shape, const Motion3& motion) {
  if (detail::is_surface(shape)) return 1;
  if (shape.type != ShapeType::compound) return Sweep(sweep, shape, {}, motion).free_part();
  double least = 1;
  for (const Piece& piece : *shape.pieces)
    least = std::min(least, Sweep(sweep, piece.shape, piece.pose, motion).free_part());
  return least;
}

}  // namespace taut::collision
