#include <algorithm>
#include <array>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/cloth/fans_internal.hpp"
#include "taut/cloth/nonconforming_internal.hpp"
#include "taut/cloth/topology_internal.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/held_sum.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/bending.hpp"
#include "taut/forces/spring.hpp"
#include "taut/forces/wind.hpp"

namespace taut::cloth {
namespace {

class NonconformingBuilder {
 public:
  NonconformingBuilder(System& system, const Mesh& mesh, const ClothMaterial& material,
                       const std::string& name, std::span<const ClothPin> pins)
      : system_(system),
        mesh_(mesh),
        material_(material),
        name_(name),
        pins_(pins),
        topology_(mesh, TrianglePairs::none),
        fans_(mesh, topology_) {}

  Surface add() {
    add_particles();
    find_held();
    add_triangles();
    for (const ClothPin& pin : pins_) hold(pin);
    if (material_.bending_stiffness > 0 || material_.bending_damping > 0) add_bending();
    if (material_.shear_stiffness > 0 || material_.shear_damping > 0) add_turning();
    if (material_.wind.is_given()) add_wind();
    return {name_, std::move(bodies_), touching_faces()};
  }

 private:
  Vec3 middle(int edge) const {
    const Edge& e = topology_.edges[edge];
    return 0.5 * (mesh_.vertices[e.a] + mesh_.vertices[e.b]);
  }

  // Each triangle gives a third of its mass to each of its edges: the mass matrix of these elements
  // is diagonal by itself.
  void add_particles() {
    bodies_.reserve(topology_.edges.size());
    for (std::size_t e = 0; e < topology_.edges.size(); ++e) {
      const Edge& edge = topology_.edges[e];
      double area = 0;
      for (const int face : edge.face)
        if (face >= 0) area += topology_.face_area[face] / 3;
      bodies_.push_back(
          system_.add(Particle{material_.density * area, middle(static_cast<int>(e))},
                      name_ + "_mid_" + std::to_string(edge.a) + "_" + std::to_string(edge.b)));
    }
  }

  void find_held() {
    held_by_.assign(mesh_.vertices.size(), nullptr);
    for (const ClothPin& pin : pins_)
      for (const int v : pin.vertices) held_by_[v] = &pin;
    held_edges_.assign(mesh_.vertices.size(), 0);
    for (const Edge& edge : topology_.edges)
      if (held_by_[edge.a] != nullptr && held_by_[edge.a] == held_by_[edge.b]) {
        ++held_edges_[edge.a];
        ++held_edges_[edge.b];
      }
  }
  bool is_held(int edge, const ClothPin& pin) const {
    const Edge& e = topology_.edges[edge];
    return held_by_[e.a] == &pin && held_by_[e.b] == &pin;
  }
  /// By a pin that never lets go.
  bool is_held_for_good(int edge) const {
    const ClothPin* pin = held_by_[topology_.edges[edge].a];
    return pin != nullptr && !pin->until && is_held(edge, *pin);
  }
  /// No other held edge is near that would keep it from turning about its middle.
  bool is_alone(int edge) const {
    const Edge& e = topology_.edges[edge];
    return held_edges_[e.a] == 1 && held_edges_[e.b] == 1;
  }

  // Three distances each, but for those that follow from what is held.
  void add_triangles() {
    std::vector<Distance> sides;
    std::vector<std::string> names;
    sides.reserve(3 * mesh_.faces.size());
    names.reserve(3 * mesh_.faces.size());
    for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
      const auto& edge = fans_.edges_of_face[f];
      const bool is_fixed =
          std::all_of(edge.begin(), edge.end(), [&](int e) { return is_held_for_good(e); });
      for (std::size_t k = 0; k < 3 && !is_fixed; ++k) {
        const bool has_way = is_held_for_good(edge[k]) && is_alone(edge[k]) &&
                             topology_.edges[edge[k]].face[0] == static_cast<int>(f);
        if (has_way) continue;  // the way between the other two is held
        const int a = edge[(k + 1) % 3], b = edge[(k + 2) % 3];
        names.push_back(name_ + "/side" + std::to_string(sides.size()));
        sides.push_back(
            {bodies_[a], bodies_[b], (middle(b) - middle(a)).norm(), DistanceForm::squared});
      }
    }
    constrain(system_, std::move(sides), std::move(names));
  }

  void hold(const ClothPin& pin) {
    if (!pin.body.is_world())
      throw Error("nonconforming elements cannot be sewn to a body: use other elements");
    std::vector<bool> is_done(mesh_.vertices.size(), false);
    for (std::size_t e = 0; e < topology_.edges.size(); ++e) {
      const Edge& edge = topology_.edges[e];
      const int number = static_cast<int>(e);
      if (!is_held(number, pin)) continue;
      is_done[edge.a] = is_done[edge.b] = true;
      constrain(system_, Pin{bodies_[e], displaced(middle(number), pin.displacement), pin.until},
                pin_name());
      if (is_alone(number)) hold_way(number, edge.face[0], pin);
    }
    for (const int v : pin.vertices)
      if (!is_done[v]) hold_vertex(v, pin);
  }

  // The line between the other two middles is parallel to a held edge, and half as long.
  void hold_way(int edge, int face, const ClothPin& pin) {
    std::vector<int> others;
    for (const int other : fans_.edges_of_face[face])
      if (other != edge) others.push_back(other);
    constrain(system_,
              HeldSum{{bodies_[others[0]], bodies_[others[1]]},
                      {1, -1},
                      Vec3(middle(others[0]) - middle(others[1])),
                      pin.until},
              pin_name());
  }

  void hold_vertex(int v, const ClothPin& pin) {
    HeldSum held;
    for (const VertexTerm& term : fans_.vertex_by(v, fans_.opposite_faces(v))) {
      held.points.emplace_back(bodies_[term.edge]);
      held.weights.push_back(term.weight);
    }
    held.at = displaced(mesh_.vertices[v], pin.displacement);
    held.until = pin.until;
    constrain(system_, std::move(held), pin_name());
  }

  std::string pin_name() { return name_ + "/pin" + std::to_string(pin_count_++); }

  /// An edge, then the two others of either triangle, those at its end a first.
  std::array<int, 5> around(int e) const {
    const Edge& edge = topology_.edges[e];
    std::array<int, 5> edges{e};
    for (std::size_t side = 0; side < 2; ++side)
      for (const int other : fans_.edges_of_face[edge.face[side]]) {
        if (other == e) continue;
        const Edge& o = topology_.edges[other];
        edges[(o.a == edge.a || o.b == edge.a ? 1 : 2) + 2 * side] = other;
      }
    return edges;
  }

  // Triangles that hang together in points could turn against each other in the plane, all of them
  // at once, and the sheet shrink without a fold. By the angle γ between two of them, a spring
  // between middles that are next to each other about a vertex, of length d, gets longer by 2S/d γ,
  // with S the area of the triangle that it makes with the middle between them.
  void add_turning() {
    std::vector<Spring> springs;
    for (std::size_t e = 0; e < topology_.edges.size(); ++e) {
      const Edge& edge = topology_.edges[e];
      if (edge.face[1] < 0) continue;
      const std::array<int, 5> edges = around(static_cast<int>(e));
      const double area =
          (topology_.face_area[edge.face[0]] + topology_.face_area[edge.face[1]]) / 3;
      for (const std::size_t end : {1u, 2u}) {
        const Vec3 u = middle(edges[end]) - middle(edges[0]);
        const Vec3 v = middle(edges[end + 2]) - middle(edges[0]);
        const double d = (v - u).norm(), arm = u.cross(v).norm() / d;
        const double share = 0.5 * area / (arm * arm);
        if (!(arm > 0.1 * std::sqrt(area))) continue;
        springs.push_back({bodies_[edges[end]], bodies_[edges[end + 2]],
                           material_.shear_stiffness * share, material_.shear_damping * share, d});
      }
    }
    apply(system_, std::move(springs));
  }

  void add_bending() {
    std::vector<MidpointBending> bends;
    for (std::size_t e = 0; e < topology_.edges.size(); ++e) {
      if (topology_.edges[e].face[1] < 0) continue;
      const std::array<int, 5> middles = around(static_cast<int>(e));
      MidpointBending bend{{}, material_.bending_stiffness, material_.bending_damping, {}};
      std::array<Vec3, 5> places;
      for (std::size_t k = 0; k < 5; ++k) {
        bend.points.body[k] = bodies_[middles[k]];
        places[k] = middle(middles[k]);
      }
      for (const std::array<double, 5>& weights : midpoint_weights(places)) {
        bend.weights = weights;
        bends.push_back(bend);
      }
    }
    apply(system_, std::move(bends));
  }

  // The middles enclose a quarter of the triangle's area, and move as fast as its corners on
  // average.
  void add_wind() {
    Wind wind{{},
              material_.wind,
              4 * material_.air_density,
              material_.normal_drag,
              material_.tangential_drag};
    wind.faces.reserve(mesh_.faces.size());
    for (const auto& edge : fans_.edges_of_face)
      wind.faces.emplace_back(bodies_[edge[0]], bodies_[edge[1]], bodies_[edge[2]]);
    apply(system_, std::move(wind));
  }

  // A surface without gaps: in each triangle the one of its middles, and about each vertex what the
  // middles of its edges enclose. Of border vertices the corners stand out over it.
  std::vector<Face> touching_faces() const {
    std::vector<Face> faces;
    for (const auto& edge : fans_.edges_of_face) faces.push_back({{edge[0], edge[1], edge[2], -1}});
    for (int v = 0; v < static_cast<int>(mesh_.vertices.size()); ++v) {
      const std::vector<int>& spokes = fans_.spokes(v);
      const auto area = [&](int a, int b, const Vec3& seen_from) {
        return Vec3((middle(a) - seen_from).cross(middle(b) - seen_from));
      };
      Vec3 normal = Vec3::Zero();
      for (std::size_t k = 1; k < spokes.size(); ++k)
        normal += area(spokes[k - 1], spokes[k], mesh_.vertices[v]);
      // At a corner of the border that points inwards some would be turned over.
      for (std::size_t k = 2; k < spokes.size(); ++k)
        if (area(spokes[k - 1], spokes[k], middle(spokes[0])).dot(normal) >
            1e-6 * normal.squaredNorm())
          faces.push_back({{spokes[0], spokes[k - 1], spokes[k], -1}});
    }
    return faces;
  }

  System& system_;
  const Mesh& mesh_;
  const ClothMaterial& material_;
  const std::string& name_;
  std::span<const ClothPin> pins_;
  Topology topology_;
  Fans fans_;
  std::vector<BodyId> bodies_;            // per edge
  std::vector<const ClothPin*> held_by_;  // per vertex
  std::vector<int> held_edges_;           // per vertex
  int pin_count_ = 0;
};

}  // namespace

Surface add_nonconforming(System& system, const Mesh& mesh, const ClothMaterial& material,
                          const std::string& name, std::span<const ClothPin> pins) {
  return NonconformingBuilder(system, mesh, material, name, pins).add();
}

}  // namespace taut::cloth
