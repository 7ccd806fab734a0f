#include "taut/collision/sheet_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "taut/collision/manifold_internal.hpp"
#include "taut/collision/nearest.hpp"
#include "taut/collision/pairs_internal.hpp"

namespace taut::collision {
namespace {

/// A point is at a vertex, or on an edge, up to rounding errors of the distance queries.
constexpr double at_border = 1e-6;
/// What is nearest now and later at places that are not farther apart than this is looked at once.
constexpr double same_place = 0.1;

/// Corners of an element with weights, in an order of their own.
struct Place {
  std::array<int, 3> vertex{-1, -1, -1};
  std::array<double, 3> weight{};
};

class NearPiece {
 public:
  NearPiece(const NearShapeQuery& query, const Shape& shape, const Pose3& in_frame,
            std::uint64_t piece, NearShapeRoom& room, std::vector<NearShape>& out)
      : query_(query),
        at_(query.at * in_frame),
        then_(query.then * in_frame),
        piece_(piece),
        room_(room),
        out_(out) {
    room_.now.begin(query.x.size());
    room_.later.begin(query.x.size());
    is_plane_ = shape.type == ShapeType::plane;
    if (!is_plane_) core_ = detail::core_of(shape);
    begin_ = out.size();
  }

  void look_at(const Sheet::Element& element) {
    for (std::size_t k = 0; k < 3; ++k)
      if (element.vertex[k] >= 0 && element.owns_vertex(k)) look_at_vertex(element.vertex[k]);
    if (!is_plane_) look_inside(element);
  }

  /// Two triangles that share an edge are nearest at the same point of it.
  void keep_once() {
    const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(begin_);
    std::sort(begin, out_.end(), [](const NearShape& a, const NearShape& b) {
      return std::tie(a.vertex, a.feature, a.gap, a.weight) <
             std::tie(b.vertex, b.feature, b.gap, b.weight);
    });
    out_.erase(std::unique(begin, out_.end(),
                           [](const NearShape& a, const NearShape& b) {
                             return a.vertex == b.vertex && a.feature == b.feature;
                           }),
               out_.end());
  }

 private:
  double reach(const std::array<int, 3>& vertices) const {
    double way = 0;
    if (!query_.way.empty())
      for (const int v : vertices)
        if (v >= 0) way = std::max(way, query_.way[static_cast<std::size_t>(v)]);
    return query_.reach + way;
  }
  Distance gap_of(const detail::Core& core, const Pose3& at, const Pose3& pose,
                  double cutoff) const {
    return is_plane_ ? detail::plane_gap(at, core, pose)
                     : detail::convex_gap(core_, at, core, pose, cutoff);
  }
  Distance gap_at(const Vec3& point) const {
    return gap_of(detail::Core{}, at_, Pose3(point), INFINITY);
  }
  const Distance& gap_at_vertex(int v, std::span<const Vec3> x, const Pose3& at,
                                VertexGaps& gaps) const {
    return gaps.of(v, [&] {
      return gap_of(detail::Core{}, at, Pose3(x[static_cast<std::size_t>(v)]), INFINITY);
    });
  }
  void add(const Place& place, const Distance& d, bool is_later) {
    NearShape near{place.vertex, place.weight, d.on_a, d.normal, d.gap, piece_};
    if (is_later) near.feature = detail::mixed(near.feature, 0);
    for (const int v : near.vertex)
      near.feature = detail::mixed(near.feature, static_cast<std::uint64_t>(v + 1));
    out_.push_back(near);
  }

  void look_at_vertex(int v) {
    Place place;
    place.vertex[0] = v;
    place.weight[0] = 1;
    const double most = reach(place.vertex);
    const Distance& d = gap_at_vertex(v, query_.x, at_, room_.now);
    if (d.gap <= most) add(place, d, false);
  }

  /// The gap to a convex body is a convex function of the place: it is at least what its slope at a
  /// corner says. Whether that shows that no place within reach is nearer than all corners.
  bool is_nearest_at_corner(const Sheet::Element& element, std::span<const Vec3> x, const Pose3& at,
                            double most, VertexGaps& gaps) const {
    const std::size_t corners = element.is_triangle() ? 3 : 2;
    for (std::size_t k = 0; k < corners; ++k) {
      const Vec3& here = x[static_cast<std::size_t>(element.vertex[k])];
      const Distance& d = gap_at_vertex(element.vertex[k], x, at, gaps);
      double least = d.gap;
      for (std::size_t j = 0; j < corners; ++j)
        least = std::min(
            least, d.gap + d.normal.dot(x[static_cast<std::size_t>(element.vertex[j])] - here));
      if (least >= d.gap || least > most + d.error) return true;
    }
    return false;
  }

  /// Where an element with these vertices is nearest, if no corner is as near.
  bool nearest_inside(const Sheet::Element& element, std::span<const Vec3> x, const Pose3& at,
                      double most, VertexGaps& gaps, Place& place, Distance& d) const {
    if (is_nearest_at_corner(element, x, at, most, gaps)) return false;
    const auto corner = [&](std::size_t k) -> const Vec3& {
      return x[static_cast<std::size_t>(element.vertex[k])];
    };
    const bool is_triangle = element.is_triangle();
    const Vec3 &a = corner(0), &b = corner(1), &c = is_triangle ? corner(2) : b;
    // Seen from a corner: numbers are as small as the element is.
    d = gap_of(detail::triangle_core(Vec3::Zero(), b - a, c - a), at, Pose3(a), most);
    if (!(d.gap <= most)) return false;
    const std::size_t corners = is_triangle ? 3 : 2;
    const double size = (b - a).norm() + (c - a).norm();
    const std::array<double, 4> weight =
        is_triangle ? point_triangle({d.on_b, a, b, c}).weight : point_edge({d.on_b, a, b}).weight;
    place = {};
    std::size_t count = 0;
    double sum = 0;
    for (std::size_t k = 0; k < corners; ++k) {
      const double w = -weight[k + 1];
      if (w >= 1 - at_border) return false;
      if (w <= at_border) continue;
      std::size_t free = count++;
      for (; free > 0 && place.vertex[free - 1] > element.vertex[k]; --free) {
        place.vertex[free] = place.vertex[free - 1];
        place.weight[free] = place.weight[free - 1];
      }
      place.vertex[free] = element.vertex[k];
      place.weight[free] = w;
      sum += w;
    }
    for (std::size_t k = 0; k < corners; ++k)
      if (gap_at_vertex(element.vertex[k], x, at, gaps).gap <= d.gap + 1e-9 * size) return false;
    for (double& w : place.weight) w /= sum;
    return true;
  }

  void look_inside(const Sheet::Element& element) {
    const double most = reach(element.vertex);
    Place place;
    Distance d;
    const bool is_now = nearest_inside(element, query_.x, at_, most, room_.now, place, d);
    if (is_now) add(place, d, false);
    if (query_.to.empty()) return;
    Place later;
    if (!nearest_inside(element, query_.to, then_, query_.reach, room_.later, later, d)) return;
    if (is_now && is_about(place, later)) return;
    Vec3 point = Vec3::Zero();
    for (std::size_t k = 0; k < 3 && later.vertex[k] >= 0; ++k)
      point += later.weight[k] * query_.x[static_cast<std::size_t>(later.vertex[k])];
    d = gap_at(point);
    if (d.gap <= most) add(later, d, true);
  }

  static bool is_about(const Place& a, const Place& b) {
    if (a.vertex != b.vertex) return false;
    double apart = 0;
    for (std::size_t k = 0; k < 3; ++k) apart += std::abs(a.weight[k] - b.weight[k]);
    return apart < same_place;
  }

  const NearShapeQuery& query_;
  Pose3 at_, then_;
  std::uint64_t piece_;
  NearShapeRoom& room_;
  std::vector<NearShape>& out_;
  bool is_plane_ = false;
  detail::Core core_;
  std::size_t begin_ = 0;
};

}  // namespace

void find_near_shape(const NearShapeQuery& query, NearShapeRoom& room,
                     std::vector<NearShape>& out) {
  const auto look = [&](const Shape& piece, const Pose3& in_frame, std::uint64_t number) {
    NearPiece near(query, piece, in_frame, number, room, out);
    query.tree.overlapping(bounds(piece, query.at * in_frame).grown(0.5 * query.reach),
                           [&](int element) {
                             const Sheet::Element& e = query.sheet.element(element);
                             if (!query.sheet.part(e.part).is_fixed) near.look_at(e);
                           });
    near.keep_once();
  };
  const Shape& shape = query.shape;
  if (shape.type == ShapeType::compound) {
    for (std::size_t i = 0; i < shape.pieces->size(); ++i)
      look((*shape.pieces)[i].shape, (*shape.pieces)[i].pose, i);
  } else if (!detail::is_surface(shape)) {
    look(shape, {}, 0);
  }
}

}  // namespace taut::collision
