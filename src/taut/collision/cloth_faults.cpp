#include "taut/collision/cloth_faults.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/collision/cloth_contacts.hpp"
#include "taut/collision/crossings.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/collision/sheet.hpp"
#include "taut/model/pose.hpp"

namespace taut::collision {
namespace {

/// What crossings are looked for in, and what its vertices are called.
struct Named {
  std::string name;
  CheckedSurface surface;
  std::vector<std::string> vertices;

  std::string vertex(int i) const {
    return vertices.empty() ? fmt::format("vertex {}", i) : vertices[static_cast<std::size_t>(i)];
  }
};

Named named(const System& system, const Pose& pose, const taut::Surface& cloth) {
  Named out;
  out.name = cloth.name;
  for (const BodyId body : cloth.vertices) {
    out.surface.vertices.push_back(pose.at(Point(body)));
    out.vertices.push_back(system.body_name(body));
  }
  out.surface.triangles = triangles_of(cloth.faces);
  return out;
}

std::string name_of(const System& system, const BodyShape& shape, std::size_t number) {
  const std::string owner = shape.body.is_world() ? "" : system.body_name(shape.body);
  if (!owner.empty())
    return shape.name.empty() || shape.name == owner ? owner : owner + "/" + shape.name;
  return shape.name.empty() ? fmt::format("world/shape{}", number) : shape.name;
}

}  // namespace

ClothFaults find_cloth_faults(const System& system, std::span<const taut::Surface> cloths,
                              const Pose& pose, double least) {
  ClothFaults faults;
  if (cloths.empty()) return faults;
  std::vector<Named> all;
  for (const taut::Surface& cloth : cloths) all.push_back(named(system, pose, cloth));
  for (const auto& source : system.contact_sources()) {
    const auto* shapes = dynamic_cast<const ShapeContacts*>(source.get());
    if (!shapes) continue;
    for (std::size_t s = 0; s < shapes->shapes().size(); ++s) {
      const BodyShape& shape = shapes->shapes()[s];
      const std::string name = name_of(system, shape, s);
      const Pose3 at = place_of(pose, shape);
      if (shape.shape.type == ShapeType::mesh || shape.shape.type == ShapeType::height_field) {
        all.push_back({name, checked_surface(shape.shape, at), {}});
        continue;
      }
      for (std::size_t c = 0; c < cloths.size(); ++c) {
        const Named& cloth = all[c];
        const auto found = find_intrusions(cloth.surface, shape.shape, at, least);
        if (found.empty()) continue;
        const auto deepest =
            std::max_element(found.begin(), found.end(),
                             [](const auto& a, const auto& b) { return a.depth < b.depth; });
        const auto& corners = cloth.surface.triangles[static_cast<std::size_t>(deepest->triangle)];
        const auto distance = [&](int v) {
          return (cloth.surface.vertices[static_cast<std::size_t>(v)] - deepest->place).norm();
        };
        const int nearest = *std::min_element(corners.begin(), corners.end(), [&](int a, int b) {
          return distance(a) < distance(b);
        });
        faults.inside.push_back({cloth.name, name, static_cast<int>(found.size()), deepest->depth,
                                 cloth.vertex(nearest)});
      }
    }
  }
  std::stable_sort(faults.inside.begin(), faults.inside.end(),
                   [](const ClothInShape& a, const ClothInShape& b) { return a.depth > b.depth; });
  std::vector<CheckedSurface> surfaces;
  for (const Named& one : all) surfaces.push_back(one.surface);
  for (const Crossing& crossing : find_crossings(surfaces)) {
    const Named& a = all[static_cast<std::size_t>(crossing.edge_surface)];
    const Named& b = all[static_cast<std::size_t>(crossing.triangle_surface)];
    const auto& face = b.surface.triangles[static_cast<std::size_t>(crossing.triangle)];
    faults.tangled.push_back({a.name,
                              {a.vertex(crossing.edge[0]), a.vertex(crossing.edge[1])},
                              b.name,
                              {b.vertex(face[0]), b.vertex(face[1]), b.vertex(face[2])}});
  }
  return faults;
}

std::vector<std::string> describe_tangled(const ClothFaults& faults) {
  std::vector<std::string> lines;
  for (const TangledPair& pair : faults.tangled)
    lines.push_back(fmt::format("{}: the edge {} – {} goes through the face {}, {}, {} of {}.",
                                pair.cloth, pair.edge[0], pair.edge[1], pair.face[0], pair.face[1],
                                pair.face[2], pair.cloth == pair.other ? "itself" : pair.other));
  return lines;
}

std::vector<std::string> describe_inside(const ClothFaults& faults) {
  std::vector<std::string> lines;
  for (const ClothInShape& in : faults.inside)
    lines.push_back(fmt::format("{} is in {}: {} of its triangles, by {:.4g} m near {}.", in.cloth,
                                in.shape, in.faces, in.depth, in.vertex));
  return lines;
}

}  // namespace taut::collision
