#include "taut/collision/sheet_shapes.hpp"

#include <algorithm>
#include <tuple>

#include "taut/collision/manifold_internal.hpp"
#include "taut/collision/nearest.hpp"
#include "taut/collision/pairs_internal.hpp"

namespace taut::collision {
namespace {

/// A point is at a vertex, or on an edge, up to rounding errors of the distance queries.
constexpr double at_border = 1e-6;

class NearPiece {
 public:
  NearPiece(std::span<const Vec3> x, std::span<const double> way, const Shape& shape,
            const Pose3& at, double reach, std::uint64_t piece, std::vector<NearShape>& out)
      : x_(x), way_(way), at_(at), reach_(reach), piece_(piece), out_(out) {
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
      return std::tie(a.vertex, a.gap, a.weight) < std::tie(b.vertex, b.gap, b.weight);
    });
    out_.erase(
        std::unique(begin, out_.end(),
                    [](const NearShape& a, const NearShape& b) { return a.vertex == b.vertex; }),
        out_.end());
  }

 private:
  const Vec3& at(int v) const { return x_[static_cast<std::size_t>(v)]; }
  double reach(const std::array<int, 3>& vertices) const {
    double way = 0;
    if (!way_.empty())
      for (const int v : vertices)
        if (v >= 0) way = std::max(way, way_[static_cast<std::size_t>(v)]);
    return reach_ + way;
  }
  Distance gap_of(const detail::Core& core, const Pose3& pose, double cutoff) const {
    return is_plane_ ? detail::plane_gap(at_, core, pose)
                     : detail::convex_gap(core_, at_, core, pose, cutoff);
  }
  void add(NearShape near, const Distance& d) {
    near.on_shape = d.on_a;
    near.normal = d.normal;
    near.gap = d.gap;
    near.feature = piece_;
    for (const int v : near.vertex)
      near.feature = detail::mixed(near.feature, static_cast<std::uint64_t>(v + 1));
    out_.push_back(near);
  }

  void look_at_vertex(int v) {
    NearShape near;
    near.vertex[0] = v;
    near.weight[0] = 1;
    const double most = reach(near.vertex);
    const Distance d = gap_of(detail::Core{}, Pose3(at(v)), most);
    if (d.gap <= most) add(near, d);
  }

  /// Only where no corner of the element is as near.
  void look_inside(const Sheet::Element& element) {
    const bool is_triangle = element.is_triangle();
    const Vec3 &a = at(element.vertex[0]), &b = at(element.vertex[1]);
    const Vec3& c = is_triangle ? at(element.vertex[2]) : b;
    const double most = reach(element.vertex);
    // Seen from a corner: numbers are as small as the element is.
    const Pose3 from(a);
    const Distance d = gap_of(detail::triangle_core(Vec3::Zero(), b - a, c - a), from, most);
    if (!(d.gap <= most)) return;
    const std::size_t corners = is_triangle ? 3 : 2;
    const double size = (b - a).norm() + (c - a).norm();
    const std::array<double, 4> weight =
        is_triangle ? point_triangle({d.on_b, a, b, c}).weight : point_edge({d.on_b, a, b}).weight;
    NearShape near;
    std::size_t count = 0;
    double sum = 0;
    for (std::size_t k = 0; k < corners; ++k) {
      const double w = -weight[k + 1];
      if (w >= 1 - at_border) return;
      if (w <= at_border) continue;
      std::size_t place = count++;
      for (; place > 0 && near.vertex[place - 1] > element.vertex[k]; --place) {
        near.vertex[place] = near.vertex[place - 1];
        near.weight[place] = near.weight[place - 1];
      }
      near.vertex[place] = element.vertex[k];
      near.weight[place] = w;
      sum += w;
    }
    for (std::size_t k = 0; k < corners; ++k) {
      const Distance of_corner = gap_of(detail::Core{}, Pose3(at(element.vertex[k])), most);
      if (of_corner.gap <= d.gap + 1e-9 * size) return;
    }
    for (double& w : near.weight) w /= sum;
    add(near, d);
  }

  std::span<const Vec3> x_;
  std::span<const double> way_;
  Pose3 at_;
  double reach_;
  std::uint64_t piece_;
  std::vector<NearShape>& out_;
  bool is_plane_ = false;
  detail::Core core_;
  std::size_t begin_ = 0;
};

}  // namespace

void find_near_shape(const Sheet& sheet, const SheetTree& tree, std::span<const Vec3> x,
                     std::span<const double> way, const Shape& shape, const Pose3& at, double reach,
                     std::vector<NearShape>& out) {
  const auto look = [&](const Shape& piece, const Pose3& pose, std::uint64_t number) {
    NearPiece near(x, way, piece, pose, reach, number, out);
    tree.overlapping(bounds(piece, pose).grown(0.5 * reach), [&](int element) {
      const Sheet::Element& e = sheet.element(element);
      if (!sheet.part(e.part).is_fixed) near.look_at(e);
    });
    near.keep_once();
  };
  if (shape.type == ShapeType::compound) {
    for (std::size_t i = 0; i < shape.pieces->size(); ++i)
      look((*shape.pieces)[i].shape, at * (*shape.pieces)[i].pose, i);
  } else if (!detail::is_surface(shape)) {
    look(shape, at, 0);
  }
}

}  // namespace taut::collision
