#include "taut/collision/untangle.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "taut/collision/cloth_contacts.hpp"
#include "taut/collision/crossings.hpp"
#include "taut/collision/distance.hpp"
#include "taut/collision/sheet.hpp"
#include "taut/model/pose.hpp"

namespace taut::collision {
namespace {

constexpr int most_rounds_out = 1500, most_rounds_apart = 300;
constexpr int length_sweeps = 30;
constexpr double step_out = 0.3;      // of the shortest edge, in a round
constexpr double soft = 0.3;          // of g: what is shorter moves less
constexpr double together = 3;        // times what a crossing does by itself: see come_out()
constexpr double enough_depth = 0.3;  // of the thickness: nearer layers are moved apart
constexpr double enough_strain = 1e-4;
constexpr double least_in_shape = 1e-9;  // of the shortest edge

/// The places of all vertices, those of cloths first.
class Tangle {
 public:
  Tangle(const System& system, std::span<const taut::Surface> cloths, const VecX& q)
      : system_(system), cloths_(cloths), q_(q) {
    const Pose pose(system, q);
    for (const taut::Surface& cloth : cloths) add_cloth(cloth, pose);
    fix_what_is_held();
    for (const auto& source : system.contact_sources()) {
      const auto* shapes = dynamic_cast<const ShapeContacts*>(source.get());
      if (!shapes) continue;
      for (const BodyShape& shape : shapes->shapes()) {
        const Pose3 at = place_of(pose, shape);
        if (shape.shape.mesh || shape.shape.height_field)
          surfaces_.push_back(checked_surface(shape.shape, at));
        else
          shapes_.push_back({&shape.shape, at});
      }
    }
    thickness_ = system.sheets() ? system.sheets()->thickness() : 0.1 * shortest_;
    start_ = x_;
  }

  Untangling resolve(VecX& q) {
    Untangling result;
    while (result.rounds < most_rounds_out && come_out()) {
      restore_lengths(length_sweeps);
      ++result.rounds;
    }
    result.is_done = count_faults() == 0;
    if (result.is_done && system_.sheets()) move_apart();
    for (std::size_t v = 0; v < x_.size(); ++v)
      result.farthest = std::max(result.farthest, (x_[v] - start_[v]).norm());
    for (const Edge& edge : edges_) result.strain = std::max(result.strain, strain(edge));
    q = configuration();
    return result;
  }

 private:
  struct Edge {
    int a, b;
    double length;
  };
  struct PlacedShape {
    const Shape* shape;
    Pose3 at;
  };
  /// A point of a surface that does not move, or of a cloth, as a sum over vertices.
  struct Part {
    int vertex;
    double weight;
  };

  struct WayOut {
    std::vector<Part> parts;
    Vec3 way;  ///< g
    std::pair<std::size_t, std::size_t> pair;
    double sign;  ///< of the edge in the pair; 0: of the same surface
  };

  void add_cloth(const taut::Surface& cloth, const Pose& pose) {
    const int first = static_cast<int>(x_.size());
    first_.push_back(first);
    CheckedSurface surface;
    surface.triangles = triangles_of(cloth.faces);
    for (const BodyId body : cloth.vertices) {
      vertex_of_[body.index] = static_cast<int>(x_.size());
      x_.push_back(pose.at(Point(body)));
    }
    surface.vertices.assign(x_.begin() + first, x_.end());
    surfaces_.push_back(std::move(surface));
    faces_at_edge_.emplace_back();
    for (const auto& t : surfaces_.back().triangles)
      for (std::size_t k = 0; k < 3; ++k)
        faces_at_edge_.back()[std::minmax(t[k], t[(k + 1) % 3])].push_back(t[(k + 2) % 3]);
    std::map<std::pair<int, int>, bool> seen;
    for (const Face& face : cloth.faces)
      for (int k = 0; k < face.size(); ++k) {
        const int a = first + face.vertex[static_cast<std::size_t>(k)];
        const int b = first + face.vertex[static_cast<std::size_t>((k + 1) % face.size())];
        if (!seen.try_emplace(std::minmax(a, b), true).second) continue;
        edges_.push_back({a, b, (at(a) - at(b)).norm()});
        shortest_ = std::min(shortest_, edges_.back().length);
      }
  }

  /// Vertices that a constraint ties to anything but vertices of cloth.
  void fix_what_is_held() {
    yields_.assign(x_.size(), 1);
    std::vector<Anchor> anchors;
    for (const auto& batch : system_.constraints()) {
      anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
      for (int c = 0; c < batch->size(); ++c) {
        batch->anchors(c, anchors);
        const bool is_of_cloth =
            anchors.size() > 1 && std::all_of(anchors.begin(), anchors.end(), [&](const Anchor& a) {
              return vertex_of_.contains(a.body.index);
            });
        if (is_of_cloth) continue;
        for (const Anchor& anchor : anchors)
          if (const auto found = vertex_of_.find(anchor.body.index); found != vertex_of_.end())
            yields_[static_cast<std::size_t>(found->second)] = 0;
      }
    }
  }

  Vec3& at(int v) { return x_[static_cast<std::size_t>(v)]; }
  const Vec3& at(int v) const { return x_[static_cast<std::size_t>(v)]; }
  double strain(const Edge& edge) const {
    return std::abs((at(edge.a) - at(edge.b)).norm() / edge.length - 1);
  }
  void place_surfaces() {
    for (std::size_t c = 0; c < cloths_.size(); ++c)
      std::copy_n(x_.begin() + first_[c], surfaces_[c].vertices.size(),
                  surfaces_[c].vertices.begin());
  }

  /// Moves Σ weight·x by d, and no vertex more than it must; into `moves_`.
  void move(std::span<const Part> parts, const Vec3& d) {
    double yield = 0;
    for (const Part& part : parts)
      yield += part.weight * part.weight * yields_[static_cast<std::size_t>(part.vertex)];
    if (!(yield > 0)) return;
    for (const Part& part : parts) {
      const auto v = static_cast<std::size_t>(part.vertex);
      moves_[v] += (part.weight * yields_[v] / yield) * d;
      ++moved_[v];
    }
  }

  /// One round. Whether something was moved. Contours between two surfaces shrink from their
  /// ends; in between, r of the two faces cancel. There both surfaces go the way that all of the
  /// contour wants, Σ g, or edges that keep their lengths would hold the ends back.
  bool come_out() {
    place_surfaces();
    moves_.assign(x_.size(), Vec3::Zero());
    moved_.assign(x_.size(), 0);
    const std::vector<Crossing> crossings = find_crossings(surfaces_);
    ways_out_.clear();
    contours_.clear();
    for (const Crossing& crossing : crossings) shorten_contour(crossing);
    for (const WayOut& out : ways_out_) {
      const Vec3 all = out.sign * contours_[out.pair];
      const Vec3 way = out.way / std::hypot(out.way.norm(), soft) +
                       together * all / std::hypot(all.norm(), soft);
      move(out.parts, step_out * shortest_ * way);
    }
    leave_shapes();
    return carry_out();
  }

  bool carry_out() {
    bool has_moved = false;
    for (std::size_t v = 0; v < x_.size(); ++v) {
      if (moved_[v] == 0 || moves_[v].isZero(0)) continue;
      x_[v] += moves_[v] / moved_[v];
      has_moved = true;
    }
    return has_moved;
  }

  void shorten_contour(const Crossing& crossing) {
    const auto edge_of = static_cast<std::size_t>(crossing.edge_surface);
    const auto face_of = static_cast<std::size_t>(crossing.triangle_surface);
    const CheckedSurface &mine = surfaces_[edge_of], &other = surfaces_[face_of];
    const auto [from, to] = crossing.edge;
    const Vec3 &p = mine.vertices[static_cast<std::size_t>(from)],
               &q = mine.vertices[static_cast<std::size_t>(to)];
    const auto& t = other.triangles[static_cast<std::size_t>(crossing.triangle)];
    const Vec3 &a = other.vertices[static_cast<std::size_t>(t[0])],
               &b = other.vertices[static_cast<std::size_t>(t[1])],
               &c = other.vertices[static_cast<std::size_t>(t[2])];
    const Vec3 area = (b - a).cross(c - a);
    const Vec3 n = area.normalized(), e = (q - p).normalized();
    const double steep = e.dot(n);
    Vec3 g = Vec3::Zero();
    if (edge_of < cloths_.size() && std::abs(steep) > 1e-6)
      for (const int corner : faces_at_edge_[edge_of][std::minmax(from, to)]) {
        const Vec3 into = mine.vertices[static_cast<std::size_t>(corner)] - p;
        const Vec3 inward = into - e * e.dot(into);
        Vec3 r = n.cross(e.cross(inward));
        if (!(r.norm() > 0)) continue;
        r.normalize();
        if (r.dot(inward) < 0) r = -r;
        g += r - (2 * e.dot(r) / steep) * n;
      }
    const double along = std::clamp((a - p).dot(n) / ((q - p).dot(n)), 0.0, 1.0);
    const Vec3 x = p + (std::isfinite(along) ? along : 0.5) * (q - p);
    const double size = area.squaredNorm();
    const double u = (x - a).cross(c - a).dot(area) / size,
                 w = (b - a).cross(x - a).dot(area) / size;
    std::vector<Part> parts;
    if (edge_of < cloths_.size()) {
      parts.push_back({first_[edge_of] + from, 1 - along});
      parts.push_back({first_[edge_of] + to, along});
    }
    if (face_of < cloths_.size()) {
      parts.push_back({first_[face_of] + t[0], -(1 - u - w)});
      parts.push_back({first_[face_of] + t[1], -u});
      parts.push_back({first_[face_of] + t[2], -w});
    }
    const bool is_same = edge_of == face_of;
    const double sign = edge_of < face_of ? 1 : -1;
    const auto pair = std::minmax(edge_of, face_of);
    if (!is_same) contours_.try_emplace(pair, Vec3::Zero()).first->second += sign * g;
    ways_out_.push_back({std::move(parts), g, pair, is_same ? 0 : sign});
  }

  void leave_shapes() {
    for (const PlacedShape& shape : shapes_)
      for (std::size_t s = 0; s < cloths_.size(); ++s) {
        const CheckedSurface& cloth = surfaces_[s];
        for (const Intrusion& in :
             find_intrusions(cloth, *shape.shape, shape.at, least_in_shape * shortest_)) {
          const Distance out =
              distance(*shape.shape, shape.at, sphere(1e-6 * shortest_), Pose3(in.place));
          const auto& t = cloth.triangles[static_cast<std::size_t>(in.triangle)];
          std::vector<Part> parts;
          for (const int v : t) parts.push_back({first_[s] + v, 1.0 / 3});
          move(parts, (in.depth + 0.6 * thickness_) * out.normal);
        }
      }
  }

  std::size_t count_faults() {
    place_surfaces();
    std::size_t count = find_crossings(surfaces_, 1).size();
    for (const PlacedShape& shape : shapes_)
      for (std::size_t s = 0; s < cloths_.size(); ++s)
        count += find_intrusions(surfaces_[s], *shape.shape, shape.at, least_in_shape * shortest_)
                     .size();
    return count;
  }

  void restore_lengths(int sweeps) {
    for (int i = 0; i < sweeps; ++i)
      for (const Edge& edge : edges_) {
        const double a = yields_[static_cast<std::size_t>(edge.a)],
                     b = yields_[static_cast<std::size_t>(edge.b)];
        const Vec3 way = at(edge.b) - at(edge.a);
        const double length = way.norm();
        if (!(a + b > 0) || !(length > 0)) continue;
        const Vec3 change = ((length - edge.length) / (length * (a + b))) * way;
        at(edge.a) += a * change;
        at(edge.b) -= b * change;
      }
  }

  VecX configuration() const {
    VecX q = q_;
    for (const auto& [body, v] : vertex_of_) q.segment<3>(system_.slot({body}).q) = at(v);
    return q;
  }

  /// From here on only on ways that are free.
  void move_apart() {
    std::vector<SheetTouch> touches;
    for (int round = 0; round < most_rounds_apart; ++round) {
      const VecX before = configuration();
      const Pose here(system_, before);
      system_.sheets()->find(here, here, touches);
      double deepest = 0, longest = 0;
      for (const Edge& edge : edges_) longest = std::max(longest, strain(edge));
      for (const SheetTouch& touch : touches)
        deepest = std::max(deepest, -touch.gap / touch.thickness);
      if (deepest <= enough_depth && longest <= enough_strain) return;
      const std::vector<Vec3> from = x_;
      moves_.assign(x_.size(), Vec3::Zero());
      moved_.assign(x_.size(), 0);
      for (const SheetTouch& touch : touches) {
        if (touch.gap >= 0) continue;
        std::vector<Part> parts;
        for (const Share& share : touch.all())
          if (const auto found = vertex_of_.find(share.point.body.index); found != vertex_of_.end())
            parts.push_back({found->second, share.weight});
        move(parts, -touch.gap * touch.normal);
      }
      carry_out();
      restore_lengths(length_sweeps);
      const VecX wanted = configuration();
      const double part = system_.sheets()->free_part(here, Pose(system_, wanted));
      for (std::size_t v = 0; v < x_.size(); ++v) x_[v] = from[v] + part * (x_[v] - from[v]);
    }
  }

  const System& system_;
  std::span<const taut::Surface> cloths_;
  const VecX& q_;
  std::vector<Vec3> x_, start_, moves_;
  std::vector<int> moved_;      // how often, per vertex
  std::vector<double> yields_;  // 1, or 0: it is held
  std::map<int, int> vertex_of_;
  std::vector<int> first_;  // vertex, per cloth
  std::vector<CheckedSurface> surfaces_;
  /// Per cloth and edge: the corners of its faces that are not on it.
  std::vector<std::map<std::pair<int, int>, std::vector<int>>> faces_at_edge_;
  std::vector<Edge> edges_;
  std::vector<PlacedShape> shapes_;
  std::vector<WayOut> ways_out_;                                  // of the round
  std::map<std::pair<std::size_t, std::size_t>, Vec3> contours_;  // Σ g per pair of surfaces
  double shortest_ = INFINITY, thickness_ = 0;
};

}  // namespace

Untangling untangle(const System& system, std::span<const taut::Surface> cloths, VecX& q) {
  const VecX start = q;
  return Tangle(system, cloths, start).resolve(q);
}

}  // namespace taut::collision
