#include "taut/cloth/cloth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/cloth/elements_internal.hpp"
#include "taut/cloth/nonconforming_internal.hpp"
#include "taut/cloth/topology_internal.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/bending.hpp"
#include "taut/forces/spring.hpp"
#include "taut/forces/wind.hpp"
#include "taut/model/system.hpp"

namespace taut {
namespace {

class ClothBuilder {
 public:
  ClothBuilder(System& system, const Mesh& mesh, const ClothMaterial& material,
               const std::string& name, std::span<const int> held, std::span<const Vec3> start,
               std::span<const int> numbers)
      : system_(system),
        mesh_(mesh),
        material_(material),
        name_(name),
        held_(held),
        start_(start.empty() ? std::span<const Vec3>(mesh.vertices) : start),
        numbers_(numbers),
        topology_(mesh, pairs(material)) {}

  Surface add(int columns) {
    add_particles(columns);
    const bool by_strain = material_.elements == ClothElements::strain_limited;
    if (by_strain)
      cloth::limit_strain(system_, mesh_, material_, name_, bodies_, held_);
    else if (material_.stretch != StretchModel::springs)
      add_edge_constraints();
    if (by_strain || material_.stretch != StretchModel::constraints) add_edge_springs();
    if (material_.shear_stiffness > 0 || material_.shear_damping > 0) add_shear();
    if (has_bending()) {
      bend_yarns();
      bend_hinges();
    }
    apply(system_, std::move(springs_));
    apply(system_, std::move(bends_));
    if (material_.wind.is_given()) add_wind();
    return {name_, std::move(bodies_), mesh_.faces};
  }

 private:
  // Springs along all three edges of triangles are as good as along two. Constraints are not.
  static cloth::TrianglePairs pairs(const ClothMaterial& material) {
    if (material.constrain_diagonals) return cloth::TrianglePairs::none;
    const bool is_rigid = material.stretch == StretchModel::constraints &&
                          material.elements != ClothElements::strain_limited;
    return is_rigid ? cloth::TrianglePairs::all : cloth::TrianglePairs::plain;
  }
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
          system_.add(Particle{material_.density * topology_.vertex_area[v], start_[v]},
                      vertex_name(name_, numbers_.empty() ? v : numbers_[v], columns)));
  }

  // Of limited springs the constraint is a string that gets taut at the largest strain: what it
  // adds to the spring's force begins at 0 and ends at 0.
  void add_edge_constraints() {
    std::vector<Distance> edges;
    std::vector<std::string> names;
    edges.reserve(topology_.yarns.size());
    names.reserve(topology_.yarns.size());
    const std::string prefix = name_ + "/edge";
    const bool is_limit = material_.stretch == StretchModel::limited;
    const double ratio = is_limit ? 1 + material_.stretch_limit : 1;
    for (const cloth::YarnStep& step : topology_.yarns)
      if (step.is_new && !are_held(step.from, step.to)) {
        names.push_back(prefix + std::to_string(edges.size()));
        edges.push_back({bodies_[step.from], bodies_[step.to], ratio * distance(step.from, step.to),
                         DistanceForm::squared, is_limit, is_limit});
      }
    constrain(system_, std::move(edges), std::move(names));
  }

  // An edge of length l stands for a strip of area A_e and width A_e/l that is stretched along it:
  // E = ½ Y ε² A_e = ½ (Y A_e/l²)(l ε)². Each of the two pairs of edges of a quadrilateral covers
  // it, so an edge has half of it; an edge of triangles has all of both, which makes a regular
  // sheet of triangles, joined or not, as stiff as one of squares.
  void add_edge_springs() {
    springs_.reserve(topology_.yarns.size());
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
    springs_.reserve(springs_.size() + 2 * topology_.cells.size());
    for (const cloth::Cell& cell : topology_.cells) {
      if (!cell.is_quad()) continue;
      for (const int i : {0, 1}) {
        const int u = cell.vertex[i], v = cell.vertex[i + 2];
        const double share = std::pow(distance(u, v), 2) / (2 * cell.area);
        add_spring(u, v, material_.shear_stiffness * share, material_.shear_damping * share);
      }
    }
  }

  // Where yarns cross they bend, and it does not matter whether the quadrilaterals between them are
  // cut: hinges at the cut ones would be softer than they seem. Bent to a cylinder they have the
  // right energy, but a sheet that may choose its shape evades them: cut squares have
  // ½ B ((κxx + κxy)² + (κyy + κxy)² + 4 κxy²), so that a strip twists as it is bent and is 17 %
  // too soft, on any mesh; where the cuts alternate, each hinge sees one of two rows only.
  //
  // The strip that bends with a yarn has the area A that the vertex has of its cells (not of their
  // faces, which is uneven where they are cut), so its width is A/l̄ with l̄ the length of yarn
  // there.
  void bend_yarns() {
    std::vector<int> bent;  // steps that begin where something is bent
    for (std::size_t i = 1; i < topology_.yarns.size(); ++i)
      if (topology_.yarns[i].continues && topology_.bends_as_woven[topology_.yarns[i].from])
        bent.push_back(static_cast<int>(i));
    // Along the vertices, not along yarns, so that neighbours in memory are used together.
    std::stable_sort(bent.begin(), bent.end(), [&](int i, int j) {
      return topology_.yarns[i].from < topology_.yarns[j].from;
    });
    if (material_.bending == BendingModel::quadratic) bends_.reserve(bent.size());
    for (const int i : bent) {
      const cloth::YarnStep &before = topology_.yarns[i - 1], &after = topology_.yarns[i];
      const int v = after.from;
      const double length = 0.5 * (distance(before.from, v) + distance(v, after.to));
      bend(before.from, after.to, topology_.cell_share[v] / length,
           {bodies_[before.from], bodies_[v], bodies_[after.to]});
    }
  }

  // About edges between triangles, or a triangle and a quadrilateral, of which the half at the edge
  // is taken: as far as no yarns do it.
  void bend_hinges() {
    for (const cloth::Edge& edge : topology_.edges) {
      if (edge.face[1] < 0) continue;
      const Face &first = mesh_.faces[edge.face[0]], &second = mesh_.faces[edge.face[1]];
      if (first.size() == 4 && second.size() == 4) continue;
      const int a = beyond(first, edge), b = beyond(second, edge);
      const double share = edge.is_diagonal ? twist_share(edge, a, b) : 1 - 0.5 * woven(edge);
      if (share > 0) bend(a, b, share, {bodies_[a], bodies_[edge.a], bodies_[edge.b], bodies_[b]});
    }
  }

  int woven(const cloth::Edge& edge) const {
    return int{topology_.bends_as_woven[edge.a]} + int{topology_.bends_as_woven[edge.b]};
  }

  // The diagonal of a rectangle, of area A and with diagonals d, bends by its twist κxy alone, and
  // its hinge has ½ B (d²/A)² κxy² per area. With 2 (A/d²)² of it, yarns and twist add up to
  // ½ B (κxx² + κyy² + 2 κxy²), which is the same in all directions: Kirchhoff's plate that does
  // not contract across. At corners where no yarns cross, the hinge is on its own. Springs instead
  // would lie along the other diagonal, and shear.
  double twist_share(const cloth::Edge& edge, int a, int b) const {
    const double woven_part =
        0.25 * (woven(edge) + int{topology_.bends_as_woven[a]} + int{topology_.bends_as_woven[b]});
    if (material_.bending == BendingModel::springs) return 1 - woven_part;
    const double area = topology_.face_area[edge.face[0]] + topology_.face_area[edge.face[1]];
    return 1 - woven_part +
           woven_part * 2 * std::pow(area / std::pow(distance(edge.a, edge.b), 2), 2);
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
      bends_.push_back(
          {points, material_.bending_stiffness * width, material_.bending_damping * width});
  }

  void add_spring(int u, int v, double stiffness, double damping) {
    springs_.push_back({bodies_[u], bodies_[v], stiffness, damping, distance(u, v)});
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
  std::span<const Vec3> start_;
  std::span<const int> numbers_;
  cloth::Topology topology_;
  std::vector<BodyId> bodies_;
  std::vector<Spring> springs_;
  std::vector<Bending> bends_;
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

namespace {

template <class Make>
Surface make_cloth(const std::string& name, const Mesh& mesh, Make&& make) {
  if (name.empty()) throw Error("a cloth needs a name");
  try {
    if (mesh.faces.empty()) throw Error("the mesh has no faces");
    return make();
  } catch (const Error& error) {
    throw Error("cloth \"" + name + "\": " + error.what());
  }
}

}  // namespace

Motion<Vec3> displaced(const Vec3& start, const Motion<Vec3>& displacement) {
  if (displacement.is_constant()) return Vec3(start + displacement.value(0));
  return [=](double t) {
    MotionSample<Vec3> sample = displacement.at(t);
    sample.value += start;
    return sample;
  };
}

Surface add_cloth(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, int columns, std::span<const int> held,
                  std::span<const Vec3> start) {
  return make_cloth(name, mesh, [&] {
    if (material.elements == ClothElements::nonconforming) {
      if (!held.empty()) throw Error("nonconforming elements are held by pins");
      if (!start.empty()) throw Error("nonconforming elements start as the mesh is");
      return cloth::add_nonconforming(system, mesh, material, name, {});
    }
    return ClothBuilder(system, mesh, material, name, held, start, {}).add(columns);
  });
}

Surface add_cloth(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, int columns, std::span<const ClothPin> pins,
                  std::span<const Vec3> start, std::span<const int> numbers) {
  return make_cloth(name, mesh, [&] {
    if (material.elements == ClothElements::nonconforming) {
      if (!start.empty()) throw Error("nonconforming elements start as the mesh is");
      return cloth::add_nonconforming(system, mesh, material, name, pins);
    }
    std::vector<int> held(pins.empty() ? 0 : mesh.vertices.size(), 0);
    for (std::size_t i = 0; i < pins.size(); ++i)
      if (!pins[i].until)
        for (const int v : pins[i].vertices) held[v] = static_cast<int>(i) + 1;
    Surface surface = ClothBuilder(system, mesh, material, name, held, start, numbers).add(columns);
    int number = 0;
    for (const ClothPin& pin : pins)
      for (const int v : pin.vertices) {
        const std::string pin_name = name + "/pin" + std::to_string(number++);
        const Vec3& place = start.empty() ? mesh.vertices[v] : start[v];
        if (pin.body.is_world())
          constrain(system, Pin{surface.vertices[v], displaced(place, pin.displacement), pin.until},
                    pin_name);
        else
          constrain(system, Ball{system.point_at(pin.body, place), surface.vertices[v]}, pin_name);
      }
    return surface;
  });
}

}  // namespace taut
