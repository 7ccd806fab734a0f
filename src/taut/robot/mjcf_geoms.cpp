// MJCF's geoms: what they look like, weigh and touch; and the meshes they are made of.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "taut/mesh/mesh_file.hpp"
#include "taut/robot/mjcf_internal.hpp"
#include "taut/robot/robot_files.hpp"

namespace taut::io::detail {
namespace {

const AttributeRule geom_rule{
    "geom",
    {"name",      "class",       "type",   "size",     "fromto", "pos",     "quat",
     "axisangle", "xyaxes",      "zaxis",  "euler",    "mass",   "density", "mesh",
     "contype",   "conaffinity", "condim", "friction", "group",  "rgba",    "material"},
    {"solmix", "solref", "solimp", "user", "fluidcoef", "fluidshape"},
    {"margin", "gap", "priority", "shellinertia", "hfield", "fitscale"}};
const AttributeRule mesh_rule{
    "mesh",
    {"name", "class", "file", "scale", "vertex", "face", "refpos", "refquat", "content_type"},
    {"normal", "texcoord", "smoothnormal", "maxhullvert", "material"},
    {"inertia"}};

constexpr std::string_view geom_types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                           "cylinder", "box",    "mesh",   "sdf"};

using Triangles = std::vector<std::array<int, 3>>;

/// With one vertex for each place: files repeat vertices where the texture has a seam.
Triangles sewn(const Mesh& mesh) {
  const auto order = [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::map<Vec3, int, decltype(order)> first(order);
  std::vector<int> place;
  for (const Vec3& vertex : mesh.vertices)
    place.push_back(first.emplace(vertex, static_cast<int>(place.size())).first->second);
  Triangles triangles;
  for (const Face& face : mesh.faces) {
    const auto corner = [&](int k) {
      return place[static_cast<std::size_t>(face.vertex[static_cast<std::size_t>(k)])];
    };
    for (int k = 2; k < face.size(); ++k) {
      const std::array<int, 3> triangle{corner(0), corner(k - 1), corner(k)};
      if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0])
        triangles.push_back(triangle);
    }
  }
  return triangles;
}

/// Of a surface whose faces leave no gap, whichever way they face; else there is none.
std::optional<collision::MassProperties> mass_of(const Mesh& mesh) {
  Triangles triangles = sewn(mesh);
  if (triangles.empty()) return {};
  for (int side = 0; side < 2; ++side) {
    try {
      const auto mass =
          collision::mass_properties(collision::triangle_mesh(mesh.vertices, triangles));
      if (mass.volume > 0) return mass;
    } catch (const Error&) {  // not closed, or inside out
    }
    for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
  }
  return {};
}

}  // namespace

void MjcfReader::read_assets() {
  each("asset", [&](const XmlElement& section) {
    for (const XmlElement& element : section.children) {
      if (element.name == "mesh") {
        read_mesh_asset(element);
      } else if (element.name == "material") {
        const XmlElement at = whole(element, "material", "");
        name(at, file_.required(at, "name"), static_cast<int>(material_colors_.size()), materials_,
             "material");
        const auto rgba = file_.numbers(at, "rgba", 4, 4);
        auto& color = material_colors_.emplace_back(std::array<double, 4>{1, 1, 1, 1});
        if (rgba) std::copy(rgba->begin(), rgba->end(), color.begin());
      } else if (element.name == "texture" || element.name == "skin") {
        file_.ignore(element, "only colours are kept");
      } else if (element.name == "hfield" || element.name == "model") {
        file_.warn(element, "not simulated");
      } else {
        constexpr std::string_view known[] = {"mesh", "material", "texture", "skin", "hfield"};
        file_.unknown(element, section, known);
      }
    }
  });
}

void MjcfReader::read_mesh_asset(const XmlElement& element) {
  const XmlElement at = whole(element, "mesh", "");
  file_.check(at, mesh_rule);
  MjcfMesh data;
  data.scale = file_.vector(at, "scale", Vec3::Ones());
  const Vec3 origin = file_.vector(at, "refpos", Vec3::Zero());
  Quat turn = Quat::Identity();
  if (const auto q = file_.numbers(at, "refquat", 4, 4)) {
    turn = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (!(turn.norm() > 0)) file_.refuse(at, "refquat", "a quaternion that is not zero");
    turn.normalize();
  }
  data.is_drawn = origin.isZero(0) && turn.isApprox(Quat::Identity());

  Mesh mesh;
  std::string name = file_.text(at, "name");
  if (const std::string* file = at.attribute("file")) {
    namespace fs = std::filesystem;
    fs::path path = options_.strip_path ? fs::path(*file).filename() : fs::path(*file);
    if (name.empty()) name = path.stem().string();
    if (path.is_relative()) path = fs::path(options_.mesh_folder) / path;
    if (file_.folder().empty()) file_.refuse(at, "file", "none: this model is in no folder");
    data.path = robot_file_path(path.string(), file_.folder()).string();
    mesh = file_.at(at, [&] { return read_mesh(data.path); });
  } else {
    const auto vertices = file_.numbers(at, "vertex", 12, 3'000'000);
    if (!vertices) file_.fail(at, "found no \"file\" and no \"vertex\", expected one of them");
    if (vertices->size() % 3 != 0) file_.refuse(at, "vertex", "three numbers for each vertex");
    for (std::size_t i = 0; i < vertices->size(); i += 3)
      mesh.vertices.emplace_back(vertices->data() + i);
    if (const auto faces = file_.numbers(at, "face", 3, 3'000'000)) {
      for (std::size_t i = 0; i + 2 < faces->size(); i += 3) {
        Face& face = mesh.faces.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
          const double corner = (*faces)[i + k];
          if (!(corner >= 0 && corner < static_cast<double>(mesh.vertices.size())) ||
              corner != std::floor(corner))
            file_.fail(at, fmt::format("found the corner {} of a face, expected the number of a "
                                       "vertex, 0 to {}",
                                       corner, mesh.vertices.size() - 1));
          face.vertex[k] = static_cast<int>(corner);
        }
      }
    }
  }
  if (name.empty()) file_.fail(at, "found no \"name\", expected one");
  for (Vec3& vertex : mesh.vertices)
    vertex = (turn.conjugate() * (vertex - origin)).cwiseProduct(data.scale);
  if (data.scale.prod() < 0)
    for (Face& face : mesh.faces) std::swap(face.vertex[1], face.vertex[2]);
  const auto mass = file_.at(at, [&] { return mass_of(mesh); });
  if (!mass && !mesh.faces.empty())
    file_.warned.count("<mesh> element", " whose surface is not closed",
                       "has the mass of its convex hull");
  data.mass = mass ? *mass : file_.at(at, [&] {
    return collision::mass_properties(collision::convex_hull(mesh.vertices));
  });
  data.vertices = std::move(mesh.vertices);
  this->name(at, name, static_cast<int>(mesh_data_.size()), meshes_, "mesh");
  mesh_data_.push_back(std::move(data));
}

Mat3 MjcfReader::orientation(const XmlElement& at) const {
  constexpr std::string_view ways[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  int count = 0;
  for (const std::string_view way : ways) count += at.attribute(way) != nullptr;
  if (count > 1) file_.fail(at, "found several orientations, expected one of them");
  if (const auto q = file_.numbers(at, "quat", 4, 4)) {
    const Quat quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    const double size = quat.coeffs().stableNorm();
    if (!(size > 1e-100)) file_.refuse(at, "quat", "a quaternion that is not zero");
    return Quat(quat.coeffs() / size).toRotationMatrix();
  }
  const auto unit = [&](const Vec3& v, std::string_view name) -> Vec3 {
    if (!(v.stableNorm() > 1e-100)) file_.refuse(at, name, "a direction that is not zero");
    return v / v.stableNorm();
  };
  if (const auto a = file_.numbers(at, "axisangle", 4, 4))
    return Eigen::AngleAxisd(angle((*a)[3]), unit(Vec3(a->data()), "axisangle")).toRotationMatrix();
  if (const auto euler = file_.vector(at, "euler")) {
    Mat3 all = Mat3::Identity();
    for (int i = 0; i < 3; ++i) {
      const char letter = options_.euler[static_cast<std::size_t>(i)];
      const int axis = (letter | 0x20) - 'x';
      const Mat3 one = Eigen::AngleAxisd(angle((*euler)[i]), Vec3::Unit(axis)).toRotationMatrix();
      // Small letters: about axes that turn along; capitals: about those of the parent.
      all = letter >= 'x' ? Mat3(all * one) : Mat3(one * all);
    }
    return all;
  }
  if (const auto axes = file_.numbers(at, "xyaxes", 6, 6)) {
    const Vec3 x = unit(Vec3(axes->data()), "xyaxes");
    Vec3 y(axes->data() + 3);
    y = unit(y - x * x.dot(y), "xyaxes");
    Mat3 all;
    all << x, y, x.cross(y);
    return all;
  }
  if (const auto z = file_.vector(at, "zaxis"))
    return Quat::FromTwoVectors(Vec3::UnitZ(), unit(*z, "zaxis")).toRotationMatrix();
  return Mat3::Identity();
}

Frame MjcfReader::pose(const XmlElement& at) const {
  Frame frame = Frame::Identity();
  frame.translation() = file_.vector(at, "pos", Vec3::Zero());
  frame.linear() = orientation(at);
  return frame;
}

Vec3 MjcfReader::size(const XmlElement& at, std::string_view type, Frame& frame) const {
  const bool has_ends = at.attribute("fromto") && (type == "capsule" || type == "cylinder" ||
                                                   type == "box" || type == "ellipsoid");
  const bool is_round = type == "sphere" || type == "capsule" || type == "cylinder";
  const std::size_t count = type == "sphere" ? 1 : has_ends ? 1 : is_round ? 2 : 3;
  const auto sizes = file_.numbers(at, "size", count, std::max<std::size_t>(count, 3));
  if (!sizes)
    file_.fail(at, fmt::format("found no \"size\", expected {}", count_text(count, count)));
  for (std::size_t i = 0; i < count; ++i)
    if (!((*sizes)[i] > 0)) file_.refuse(at, "size", count_text(count, count) + " > 0");
  Vec3 size((*sizes)[0], (*sizes)[0], (*sizes)[0]);
  if (!has_ends) {
    if (is_round && count > 1) size[2] = (*sizes)[1];
    if (!is_round) size = Vec3(sizes->data());
    return size;
  }
  const auto ends = file_.numbers(at, "fromto", 6, 6);
  const Vec3 from(ends->data()), to(ends->data() + 3), way = to - from;
  if (!(way.stableNorm() > 1e-12))
    file_.refuse(at, "fromto", "two different points, as six numbers");
  frame.translation() = 0.5 * (from + to);
  frame.linear() = Quat::FromTwoVectors(Vec3::UnitZ(), way.stableNormalized()).toRotationMatrix();
  size[2] = 0.5 * way.norm();
  return size;
}

MjcfGeom MjcfReader::read_geom(const XmlElement& at, int link, const Frame& outer) {
  file_.check(at, geom_rule);
  MjcfGeom geom;
  geom.link = link;
  geom.name = file_.text(at, "name");
  std::string_view type =
      geom_types[file_.word(at, "type", geom_types, at.attribute("mesh") ? 7 : 2)];
  Frame frame = pose(at);
  const MjcfMesh* mesh = nullptr;
  if (at.attribute("mesh")) {
    const int number = file_.find(at, "mesh", file_.text(at, "mesh"), meshes_, "mesh");
    mesh = &mesh_data_[static_cast<std::size_t>(number)];
    if (type != "mesh") {
      file_.warned.count("<geom> element", fmt::format(" of type {} fitted to a mesh", type),
                         "the mesh itself is taken");
      type = "mesh";
    }
  } else if (type == "mesh") {
    file_.fail(at, "found no \"mesh\", expected the name of one");
  }
  if (type == "hfield" || type == "sdf") {
    file_.warned.count("<geom> element", fmt::format(" of type {}", type), "not simulated");
    return geom;
  }
  collision::MassProperties solid;
  Visual& visual = geom.visual;
  if (type == "plane") {
    file_.numbers(at, "size", 3, 3);
    geom.is_plane = true;
    if (link != 0) file_.fail(at, "found a plane on a body, expected it in <worldbody>");
  } else if (mesh) {
    solid = mesh->mass;
    visual.shape = Visual::Shape::mesh;
    visual.size = mesh->scale;
    visual.mesh = mesh->path;
    visual.folder = file_.folder();
  } else {
    const Vec3 half = size(at, type, frame);
    const auto shaped = [&](Visual::Shape shape, const Vec3& drawn, const collision::Shape& of) {
      visual.shape = shape;
      visual.size = drawn;
      solid = collision::mass_properties(of);
    };
    const Vec3 long_one(half[0], half[0], 2 * half[2]);
    file_.at(at, [&] {
      if (type == "sphere")
        shaped(Visual::Shape::sphere, Vec3::Constant(half[0]), collision::sphere(half[0]));
      else if (type == "capsule")
        shaped(Visual::Shape::capsule, long_one, collision::capsule(half[2], half[0]));
      else if (type == "cylinder")
        shaped(Visual::Shape::cylinder, long_one, collision::cylinder(half[0], half[2]));
      else if (type == "ellipsoid")
        shaped(Visual::Shape::ellipsoid, half, collision::ellipsoid(half));
      else
        shaped(Visual::Shape::box, 2 * half, collision::box(half));
    });
  }
  geom.frame = outer * frame;
  visual.position = geom.frame.translation();
  visual.orientation = Quat(geom.frame.linear());
  visual.color = color(at);
  set_mass(at, solid, geom);
  add_shape(at, geom, mesh);
  return geom;
}

void MjcfReader::set_mass(const XmlElement& at, const collision::MassProperties& solid,
                          MjcfGeom& geom) const {
  const double density = file_.number(at, "density", 1000, Range::non_negative);
  const auto mass = file_.number(at, "mass", Range::non_negative);
  const double group = file_.number(at, "group", 0);
  if (!(solid.volume > 0) || group < options_.first_group || group > options_.last_group) return;
  geom.mass = mass.value_or(density * solid.volume);
  geom.center = geom.frame * solid.centre;
  const Mat3 R = geom.frame.linear();
  geom.inertia = geom.mass / solid.volume * R * solid.inertia * R.transpose();
  if (!std::isfinite(geom.mass) || !geom.inertia.allFinite())
    file_.fail(at, "found a mass or an inertia that is too large for a number");
}

std::array<double, 4> MjcfReader::color(const XmlElement& at) const {
  std::array<double, 4> color{0.5, 0.5, 0.5, 1};
  if (const std::string* material = at.attribute("material"))
    color = material_colors_[static_cast<std::size_t>(
        file_.find(at, "material", *material, materials_, "material"))];
  if (const auto rgba = file_.numbers(at, "rgba", 4, 4))
    for (std::size_t i = 0; i < 4; ++i) color[i] = std::clamp((*rgba)[i], 0.0, 1.0);
  return color;
}

void MjcfReader::add_shape(const XmlElement& at, const MjcfGeom& geom, const MjcfMesh* mesh) {
  const auto bits = [&](std::string_view name) {
    const double value = file_.number(at, name, 1);
    if (!(value >= 0 && value < 4294967296.0) || value != std::floor(value))
      file_.refuse(at, name, "a whole number of 32 bits");
    return static_cast<unsigned>(value);
  };
  const double dimension = file_.number(at, "condim", 3);
  if (dimension != 1 && dimension != 3 && dimension != 4 && dimension != 6)
    file_.refuse(at, "condim", "1, 3, 4 or 6");
  auto friction = file_.numbers(at, "friction", 1, 3).value_or(std::vector<double>{1});
  for (const double each : friction)
    if (!(each >= 0)) file_.refuse(at, "friction", "one to three numbers >= 0");
  friction.resize(3, 0.005);
  if (!at.attribute("friction") || file_.numbers(at, "friction", 1, 3)->size() < 3)
    friction[2] = 0.0001;
  LinkShape shape;
  shape.is_hull = true;
  shape.link = geom.link;
  shape.visual = geom.visual;
  shape.is_plane = geom.is_plane;
  shape.name = geom.name;
  shape.kinds = bits("contype");
  shape.meets = bits("conaffinity");
  shape.friction = dimension == 1 ? 0 : friction[0];
  if (dimension >= 4) shape.spinning_friction = friction[1];
  if (dimension == 6) shape.rolling_friction = friction[2];
  if (mesh) shape.points = mesh->vertices;
  const bool touches = options_.contact && (shape.kinds != 0 || shape.meets != 0);
  if (touches) robot_.collisions.push_back(std::move(shape));
  const bool is_drawn = !geom.is_plane && file_.number(at, "group", 0) < 3 &&
                        (!mesh || (mesh->is_drawn && !mesh->path.empty()));
  if (is_drawn) robot_.visuals.push_back({geom.link, geom.visual});
}

}  // namespace taut::io::detail
