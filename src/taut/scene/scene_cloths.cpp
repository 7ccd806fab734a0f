// Cloths in a scene: the list "cloths".
#include <algorithm>
#include <cmath>

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/seams.hpp"
#include "taut/collision/cloth_contacts.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {
namespace {

int nearest_vertex(const Mesh& mesh, const Vec3& place) {
  const auto nearer = [&](const Vec3& a, const Vec3& b) {
    return (a - place).squaredNorm() < (b - place).squaredNorm();
  };
  return static_cast<int>(std::min_element(mesh.vertices.begin(), mesh.vertices.end(), nearer) -
                          mesh.vertices.begin());
}

std::vector<int> vertices_within(const Mesh& mesh, const Vec3& place, double radius) {
  std::vector<int> vertices;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if ((mesh.vertices[v] - place).norm() <= radius) vertices.push_back(static_cast<int>(v));
  return vertices;
}

constexpr double usual_thickness = 1.5e-3;
constexpr double thin_enough = 0.125;  // of the shortest edge: what a thickness is by itself
constexpr double too_thick = 0.4;      // vertices two edges apart would touch where cloth folds

collision::ClothLayer layer_of(const At& at, const ClothFields& fields, const System& system,
                               const Surface& cloth) {
  const auto place = [&](int vertex) {
    return system.initial_place(Point(cloth.vertices[static_cast<std::size_t>(vertex)]));
  };
  double edge = INFINITY;
  for (const Face& face : cloth.faces)
    for (std::size_t k = 0; k < static_cast<std::size_t>(face.size()); ++k) {
      const std::size_t next = (k + 1) % static_cast<std::size_t>(face.size());
      edge = std::min(edge, (place(face.vertex[k]) - place(face.vertex[next])).norm());
    }
  collision::ClothLayer layer;
  layer.thickness = fields.thickness.value_or(std::min(usual_thickness, thin_enough * edge));
  if (layer.thickness > too_thick * edge)
    fail(at.member("thickness"),
         fmt::format("found {} m, expected at most {:.3g} m: {} of the shortest edge",
                     layer.thickness, too_thick * edge, too_thick));
  layer.surface.friction = fields.friction;
  layer.release = fields.release;
  return layer;
}

}  // namespace

void SceneReader::read_cloth(const At& at) {
  const auto fields = reader_.read_object<ClothFields>(at, {"name", "pins"});
  const ClothShape shape = read_shape(at, fields);
  const std::vector<Vec3> places = read_start(at, fields, shape.mesh);
  std::vector<ClothPin> pins;
  if (at.has("pins")) pins = read_pins(at.member("pins"), shape);
  if (sharing_) return add_share(at, fields, shape, pins, places);
  Surface cloth = with_place(at, [&] {
    return add_cloth(scene_.system, shape.mesh, fields, shape.name, shape.columns(), pins, places);
  });
  if (const ElementChoice choice = choose_elements(shape.mesh, fields);
      fields.elements == ClothElements::automatic)
    scene_.elements.push_back(
        fmt::format("{}: {}, since {}.", shape.name, choice_name(choice.elements), choice.reason));
  touching_cloths_.push_back(
      {scene_.surfaces.size(), layer_of(at, fields, scene_.system, cloth), fields.touches});
  scene_.surfaces.push_back(std::move(cloth));
}

/// After everything that has a shape. Cloths that touch something come into one source.
void SceneReader::finish_cloths() {
  auto sheets = std::make_unique<collision::ClothContacts>();
  for (const TouchingCloth& cloth : touching_cloths_)
    if (cloth.touches == ClothTouches::all ||
        (cloth.touches == ClothTouches::automatic && contacts_))
      sheets->add(scene_.system, scene_.surfaces[cloth.surface], cloth.layer);
  if (sheets->vertex_count() == 0) return;
  if (contacts_) sheets->set_shapes(contacts_->shapes(), materials_.pairs);
  sheets->ignore_joined(scene_.system);
  scene_.system.set_sheets(std::move(sheets));
}

std::string SceneReader::cloth_name(const At& at) {
  if (!at.has("name")) fail(at, "found no \"name\", expected a name, a string");
  std::string name = scope_.name_text(at.member("name"));
  // Its constraints are called "<name>/…", as those of robots are.
  bool is_taken = !cloth_names_.insert(name).second;
  for (const std::string& constraint : constraint_names_)
    is_taken = is_taken || constraint.starts_with(name + "/");
  if (is_taken)
    fail(at.member("name"),
         fmt::format("found {} again, expected a name that no other cloth or robot has",
                     in_quotes(name)));
  return name;
}

/// From whichever member says what shape the cloth has.
ClothShape SceneReader::read_shape(const At& at, const ClothFields& fields) {
  if (fields.grid.has_value() + fields.mesh.has_value() != 1)
    fail(at, fmt::format("found {0} \"grid\" and {0} \"mesh\", expected one of the two",
                         fields.grid ? "a" : "no"));
  ClothShape shape;
  shape.name = cloth_name(at);
  shape.grid = fields.grid;
  if (fields.grid) {
    for (const char* key : {"scale", "position", "orientation"})
      if (at.has(key))
        fail(at.member(key), "found the place of a mesh, expected none: a grid has its own");
    if (at.has("open_seams"))
      fail(at.member("open_seams"), "found it beside \"grid\", expected none: a grid has no seams");
    shape.mesh = with_place(at.member("grid"), [&] { return grid_mesh(*fields.grid); });
    return shape;
  }
  shape.mesh = with_place(at.member("mesh"), [&] { return read_mesh(*fields.mesh, folder_); });
  if (const auto seam = find_seam(shape.mesh); seam && !fields.open_seams)
    fail(
        at.member("mesh"),
        fmt::format("found the vertices {} and {} at the same place, expected one: the cloth would "
                    "be open there. Merge them in the program that made the mesh, or say "
                    "\"open_seams\": true if it is to be open",
                    seam->first, seam->second));
  const Mat3 turn = fields.orientation.value_or(Orientation{}).rotation.toRotationMatrix();
  for (Vec3& vertex : shape.mesh.vertices)
    vertex = fields.position.value_or(Vec3::Zero()) + fields.scale.value_or(1) * (turn * vertex);
  return shape;
}

/// Where the vertices start; empty: where the mesh is.
std::vector<Vec3> SceneReader::read_start(const At& at, const ClothFields& fields,
                                          const Mesh& mesh) {
  if (fields.start && fields.start_formula)
    fail(at, "found \"start\" and \"start_formula\", expected one of the two");
  if (fields.start) {
    if (fields.start->size() != mesh.vertices.size())
      fail(at.member("start"), fmt::format("found {} places, expected {}, one for each vertex",
                                           fields.start->size(), mesh.vertices.size()));
    return *fields.start;
  }
  if (!fields.start_formula) return {};
  const At formula = at.member("start_formula");
  if (fields.start_formula->size() != 3)
    fail(formula, fmt::format("found {} formulas, expected 3", fields.start_formula->size()));
  std::vector<Vec3> places;
  for (const Vec3& rest : mesh.vertices) {
    constexpr std::array<const char*, 3> names{"x", "y", "z"};
    for (Eigen::Index k = 0; k < 3; ++k)
      scope_.push(formula, names[static_cast<std::size_t>(k)], rest[k]);
    Vec3& place = places.emplace_back();
    for (Eigen::Index k = 0; k < 3; ++k)
      place[k] = scope_.number(formula.item(static_cast<std::size_t>(k)), Range::any);
    for (int k = 0; k < 3; ++k) scope_.pop();
  }
  return places;
}

std::vector<ClothPin> SceneReader::read_pins(const At& at, const ClothShape& shape) {
  if (!at->items()) fail_found(at, "an array […]");
  std::vector<bool> is_pinned(shape.mesh.vertices.size(), false);
  std::vector<ClothPin> pins;
  for (std::size_t i = 0; i < at->items()->size(); ++i) {
    const At item = at.item(i);
    const auto fields = reader_.read_object<ClothPinFields>(item);
    const std::vector<int> vertices = pinned_vertices(item, fields, shape);
    for (const char* key : {"displacement", "until"})
      if (!fields.body.is_world() && item.has(key))
        fail(item.member(key),
             "found it beside \"body\", expected one of the two: what is sewn to "
             "a body moves with it, and stays");
    ClothPin pin{{}, fields.displacement, fields.until, fields.body};
    for (std::size_t k = 0; k < vertices.size(); k += static_cast<std::size_t>(fields.every)) {
      const int v = vertices[k];
      if (is_pinned[v])
        fail(item, fmt::format("found the vertex {}, which is pinned already, expected others",
                               in_quotes(vertex_name(shape.name, v, shape.columns()))));
      is_pinned[v] = true;
      pin.vertices.push_back(v);
    }
    pins.push_back(std::move(pin));
  }
  return pins;
}

std::vector<int> SceneReader::pinned_vertices(const At& at, const ClothPinFields& pin,
                                              const ClothShape& shape) {
  if (pin.part.has_value() + pin.vertices.has_value() + pin.near.has_value() != 1)
    fail(at, "found a pin, expected it to have exactly one of \"part\", \"vertices\" and \"near\"");
  if (pin.radius && !pin.near)
    fail(at.member("radius"), "found a radius, expected a place \"near\" that it is about");
  const auto name = [&](int v) { return in_quotes(vertex_name(shape.name, v, shape.columns())); };
  if (pin.part) {
    if (!shape.grid)
      fail(at.member("part"),
           "found a part of a grid, expected \"vertices\" or \"near\": the cloth is a mesh");
    return vertices_of(*shape.grid, *pin.part);
  }
  if (pin.near && !pin.radius) return {nearest_vertex(shape.mesh, *pin.near)};
  if (pin.near) {
    const std::vector<int> found = vertices_within(shape.mesh, *pin.near, *pin.radius);
    if (found.empty())
      fail(at, fmt::format("found no vertex within {} m of the place, expected one (the nearest is "
                           "{})",
                           *pin.radius, name(nearest_vertex(shape.mesh, *pin.near))));
    return found;
  }
  const At list = at.member("vertices");
  std::vector<int> found;
  for (std::size_t i = 0; i < pin.vertices->size(); ++i) {
    const std::string text = scope_.name_text(list.item(i));
    const int v = find_vertex(shape.name, text, shape.vertex_count(), shape.columns());
    if (v < 0)
      fail(list.item(i),
           fmt::format("found {}, expected the name of a vertex of this cloth, {} to {}",
                       in_quotes(text), name(0), name(shape.vertex_count() - 1)));
    found.push_back(v);
  }
  return found;
}

}  // namespace taut::io::detail
