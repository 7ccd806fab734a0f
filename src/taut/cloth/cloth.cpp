#include "taut/cloth/cloth.hpp"

#include <array>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/cloth/topology_internal.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"

namespace taut {
namespace {

class ClothBuilder {
 public:
  ClothBuilder(System& system, const Mesh& mesh, const ClothMaterial& material,
               const std::string& name, std::span<const int> held)
      : system_(system),
        mesh_(mesh),
        material_(material),
        name_(name),
        held_(held),
        topology_(mesh, !material.constrain_diagonals) {}

  Surface add(int columns) {
    add_particles(columns);
    if (material_.stretch == StretchModel::constraints)
      add_edge_constraints();
    else
      add_edge_springs();
    if (material_.shear_stiffness > 0 || material_.shear_damping > 0) add_shear();
    if (has_bending()) {
      bend_yarns();
      bend_hinges();
    }
    if (material_.wind.is_given()) add_wind();
    return {name_, std::move(bodies_), mesh_.faces};
  }

 private:
  double distance(int u, int v) const { return (mesh_.vertices[u] - mesh_.vertices[v]).norm(); }
  bool are_held(int u, int v) const {
    return !held_.empty() && held_[u] > 0 && held_[u] == held_[v];
  }
  bool has_bending() const {
    if (material_.bending == BendingModel::springs) return material_.bending_spring > 0;
    return material_.bending_stiffness > 0 || material_.bending_damping > 0;
  }

  // Each face gives every corner an equal share of its mass.
  void add_particles(int columns) {
    bodies_.reserve(mesh_.vertices.size());
    for (int v = 0; v < static_cast<int>(mesh_.vertices.size()); ++v)
      bodies_.push_back(
          system_.add(Particle{material_.density * topology_.vertex_area[v], mesh_.vertices[v]},
                      vertex_name(name_, v, columns)));
  }

  void add_edge_constraints() {
    auto& batch = system_.constraint_batch<Batch<Distance>>();
    batch.reserve_more(topology_.yarns.size());
    const std::string prefix = name_ + "/edge";
    int number = 0;
    for (const cloth::YarnStep& step : topology_.yarns)
      if (step.is_new && !are_held(step.from, step.to))
        batch.add(Distance{bodies_[step.from], bodies_[step.to], distance(step.from, step.to),
                           DistanceForm::squared},
                  prefix + std::to_string(number++));
  }

  // An edge of length l stands for a strip of area A_e and width A_e/l that is stretched along it:
  // E = ½ Y ε² A_e = ½ (Y A_e/l²)(l ε)². Each of the two pairs of edges of a quadrilateral covers
  // it, so an edge has half of it; an edge of triangles has all of both, which makes a regular
  // sheet of triangles, joined or not, as stiff as one of squares.
  void add_edge_springs() {
    system_.force_batch<ForceBatchOf<Spring>>().reserve_more(topology_.yarns.size());
    for (const cloth::YarnStep& step : topology_.yarns) {
      if (!step.is_new) continue;
      double area = 0;
      for (const int face : topology_.edges[step.edge].face)
        if (face >= 0)
          area += topology_.face_area[face] * (mesh_.faces[face].size() == 4 ? 0.5 : 1.0);
      const double l = distance(step.from, step.to), share = area / (l * l);
      add_spring(step.from, step.to, material_.stretch_stiffness * share,
                 material_.stretch_damping * share);
    }
  }

  // A shear by γ makes one diagonal, of length d, of a rectangle of area A longer by γ A/d and the
  // other one shorter by as much, so two springs of k = G d²/(2A) have the energy ½ G γ² A.
  void add_shear() {
    system_.force_batch<ForceBatchOf<Spring>>().reserve_more(2 * topology_.cells.size());
    for (const cloth::Cell& cell : topology_.cells) {
      if (!cell.is_quad()) continue;
      for (const int i : {0, 1}) {
        const int u = cell.vertex[i], v = cell.vertex[i + 2];
        const double share = std::pow(distance(u, v), 2) / (2 * cell.area);
        add_spring(u, v, material_.shear_stiffness * share, material_.shear_damping * share);
      }
    }
  }

  // Where a yarn passes a vertex between quadrilaterals only. The strip that bends with it has the
  // vertex's area A, so its width is A/l̄ with l̄ the length of yarn at the vertex.
  void bend_yarns() {
    if (material_.bending == BendingModel::quadratic)
      system_.force_batch<ForceBatchOf<Bending>>().reserve_more(topology_.yarns.size());
    for (std::size_t i = 1; i < topology_.yarns.size(); ++i) {
      const cloth::YarnStep &before = topology_.yarns[i - 1], &after = topology_.yarns[i];
      const int v = after.from;
      if (!after.continues || topology_.has_triangle[v]) continue;
      const double length = 0.5 * (distance(before.from, v) + distance(v, after.to));
      bend(before.from, after.to, topology_.vertex_area[v] / length,
           {bodies_[before.from], bodies_[v], bodies_[after.to]});
    }
  }

  // About every edge between triangles, or a triangle and a quadrilateral, of which the half at the
  // edge is taken.
  void bend_hinges() {
    for (const cloth::Edge& edge : topology_.edges) {
      if (edge.face[1] < 0) continue;
      const Face &first = mesh_.faces[edge.face[0]], &second = mesh_.faces[edge.face[1]];
      if (first.size() == 4 && second.size() == 4) continue;
      const int a = beyond(first, edge), b = beyond(second, edge);
      bend(a, b, 1, {bodies_[a], bodies_[edge.a], bodies_[edge.b], bodies_[b]});
    }
  }

  /// A vertex of a face that is not on its edge: the one after the edge.
  static int beyond(const Face& face, const cloth::Edge& edge) {
    const auto is_on_edge = [&](int i) {
      const int v = face.vertex[i % face.size()];
      return v == edge.a || v == edge.b;
    };
    int i = 0;
    while (!is_on_edge(i) || !is_on_edge(i + 1)) ++i;
    return face.vertex[(i + 2) % face.size()];
  }

  /// Between the ends u and v of what is bent, a strip of some width.
  void bend(int u, int v, double width, const ParticleGroup& points) {
    if (material_.bending == BendingModel::springs)
      add_spring(u, v, material_.bending_spring, 0);
    else
      apply(system_, Bending{points, material_.bending_stiffness * width,
                             material_.bending_damping * width});
  }

  void add_spring(int u, int v, double stiffness, double damping) {
    apply(system_, Spring{bodies_[u], bodies_[v], stiffness, damping, distance(u, v)});
  }

  void add_wind() {
    Wind wind{{},
              material_.wind,
              material_.air_density,
              material_.normal_drag,
              material_.tangential_drag};
    wind.faces.reserve(mesh_.faces.size());
    for (const Face& face : mesh_.faces)
      wind.faces.emplace_back(bodies_[face.vertex[0]], bodies_[face.vertex[1]],
                              bodies_[face.vertex[2]],
                              face.size() == 4 ? bodies_[face.vertex[3]] : world_body);
    apply(system_, std::move(wind));
  }

  System& system_;
  const Mesh& mesh_;
  const ClothMaterial& material_;
  const std::string& name_;
  std::span<const int> held_;
  cloth::Topology topology_;
  std::vector<BodyId> bodies_;
};

}  // namespace

std::string vertex_name(const std::string& cloth, int vertex, int columns) {
  const std::string name = cloth + "_";
  if (columns <= 0) return name + std::to_string(vertex);
  return name + std::to_string(vertex / columns) + "_" + std::to_string(vertex % columns);
}

int find_vertex(const std::string& cloth, std::string_view name, int count, int columns) {
  // The numbers behind the cloth's name; whether they were written that way shows at the end.
  std::array<int, 2> number{0, 0};
  std::size_t part = 0, at = cloth.size() + 1;
  for (; at < name.size() && part < 2 && number[part] < count; ++at) {
    if (name[at] == '_')
      ++part;
    else if (name[at] >= '0' && name[at] <= '9')
      number[part] = 10 * number[part] + (name[at] - '0');
    else
      return -1;
  }
  const int vertex = columns > 0 ? number[0] * columns + number[1] : number[0];
  const bool is_one = vertex >= 0 && vertex < count && vertex_name(cloth, vertex, columns) == name;
  return is_one ? vertex : -1;
}

Surface add_cloth(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, int columns, std::span<const int> held) {
  if (name.empty()) throw Error("a cloth needs a name");
  if (mesh.faces.empty()) throw Error("cloth \"" + name + "\": the mesh has no faces");
  try {
    return ClothBuilder(system, mesh, material, name, held).add(columns);
  } catch (const Error& error) {
    throw Error("cloth \"" + name + "\": " + error.what());
  }
}

}  // namespace taut
