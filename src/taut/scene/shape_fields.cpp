#include "taut/base/error.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/scene/mesh_pieces.hpp"
#include "taut/scene/parameters.hpp"
#include "taut/scene/shape_fields_internal.hpp"

namespace taut::io::detail {
namespace {

using collision::Shape;

struct PlaneFields : ShapeFields {
  static constexpr std::string_view type = "plane";
  static constexpr std::string_view summary = "solid below its own z = 0, without end";
  Shape shape() const { return collision::plane(); }
};

struct SphereFields : ShapeFields {
  static constexpr std::string_view type = "sphere";
  static constexpr std::string_view summary = "a ball";
  double radius = 1;
  Shape shape() const { return collision::sphere(radius); }
};

struct CapsuleFields : ShapeFields {
  static constexpr std::string_view type = "capsule";
  static constexpr std::string_view summary = "all points near a segment along its z axis";
  double radius = 1, length = 1;
  Shape shape() const { return collision::capsule(0.5 * length, radius); }
};

struct BoxFields : ShapeFields {
  static constexpr std::string_view type = "box";
  static constexpr std::string_view summary = "a box along its axes";
  Vec3 size = Vec3::Ones();
  Shape shape() const { return collision::box(0.5 * size); }
};

struct CylinderFields : ShapeFields {
  static constexpr std::string_view type = "cylinder";
  static constexpr std::string_view summary = "a cylinder about its z axis";
  double radius = 1, height = 1;
  Shape shape() const { return collision::cylinder(radius, 0.5 * height); }
};

struct ConeFields : ShapeFields {
  static constexpr std::string_view type = "cone";
  static constexpr std::string_view summary = "a cone about its z axis, apex up, middle at 0";
  double radius = 1, height = 1;
  Shape shape() const { return collision::cone(radius, 0.5 * height); }
};

struct EllipsoidFields : ShapeFields {
  static constexpr std::string_view type = "ellipsoid";
  static constexpr std::string_view summary = "an ellipsoid along its axes";
  Vec3 radii = Vec3::Ones();
  Shape shape() const { return collision::ellipsoid(radii); }
};

/// Points of a mesh file, or of the scene itself.
struct MeshPlace : ShapeFields {
  std::optional<std::string> file;
  std::optional<std::vector<Vec3>> vertices;
  double scale = 1;

  Mesh read(const std::optional<std::string>& folder) const {
    if (file.has_value() == vertices.has_value())
      throw Error(fmt::format(
          "found {}, expected one of them",
          file ? "both \"file\" and \"vertices\"" : "neither \"file\" nor \"vertices\""));
    Mesh mesh;
    if (file)
      mesh = read_mesh(*file, folder);
    else
      mesh.vertices = *vertices;
    for (Vec3& vertex : mesh.vertices) vertex *= scale;
    return mesh;
  }
};

struct HullFields : MeshPlace {
  static constexpr std::string_view type = "hull";
  static constexpr std::string_view summary = "the convex hull of a mesh's vertices";
  Shape shape(ShapePlace& place) const {
    return collision::convex_hull(read(place.folder).vertices);
  }
};

struct MeshFields : MeshPlace {
  static constexpr std::string_view type = "mesh";
  static constexpr std::string_view summary =
      "triangles, solid on the side from which they appear clockwise; on a body, the convex pieces "
      "of what they enclose";
  std::vector<std::vector<int>> faces;
  std::optional<int> pieces;
  std::optional<double> concavity;

  Shape shape(ShapePlace& place) const {
    Mesh mesh = read(place.folder);
    if (file && !faces.empty())
      throw Error("found \"faces\" beside \"file\", expected them with \"vertices\" only");
    for (const std::vector<int>& face : faces) {
      if (face.size() != 3 && face.size() != 4)
        throw Error(fmt::format("found a face of {} vertices, expected 3 or 4", face.size()));
      mesh.faces.push_back({{face[0], face[1], face[2], face.size() == 4 ? face[3] : -1}});
    }
    if (place.is_moving) return moving(mesh, place.remarks);
    if (pieces || concavity)
      throw Error(fmt::format("found \"{}\" of a mesh of the world, expected it on a body only",
                              pieces ? "pieces" : "concavity"));
    return collision::triangle_mesh(mesh.vertices, triangles_of(mesh));
  }

  Shape moving(const Mesh& mesh, std::vector<std::string>& remarks) const {
    if (mesh.faces.empty()) throw Error("found no faces, expected a surface");
    collision::DecompositionOptions options;
    options.pieces = pieces.value_or(options.pieces);
    options.concavity = concavity.value_or(options.concavity);
    const collision::Decomposition made = mesh_pieces(mesh, options);
    const std::string what = file ? *file : "a mesh";
    for (const std::string& repair : made.repairs)
      remarks.push_back(fmt::format("{}: {}", what, repair));
    if (const double size = made.size(); made.reaches_out > options.concavity * size)
      remarks.push_back(fmt::format(
          "{}: {} pieces reach out by up to {:.2g} of its size, more than the concavity of {:g}",
          what, made.pieces.size(), made.reaches_out / size, options.concavity));
    return collision::moving_mesh(made);
  }
};

struct HeightFieldFields : ShapeFields {
  static constexpr std::string_view type = "height_field";
  static constexpr std::string_view summary = "heights above a grid in its x and y";
  int columns = 2;
  double spacing = 1;
  std::vector<double> heights;
  Shape shape() const {
    if (columns < 2 || heights.size() % static_cast<std::size_t>(columns) != 0)
      throw Error(
          "found heights that do not fill rows of the given columns, expected columns ≥ 2 "
          "and a multiple of that many heights");
    return collision::height_field(columns, static_cast<int>(heights.size()) / columns, spacing,
                                   heights);
  }
};

FieldList<ShapeFields> common_fields() {
  FieldList<ShapeFields> fields;
  fields.optional("at", &ShapeFields::at, "m", "where it is, in the frame of its body")
      .optional("orientation", &ShapeFields::orientation, "", "how it is turned there")
      .optional("material", &ShapeFields::material, "",
                "one of the scene's, or of `taut list materials`: density, friction, restitution")
      .optional("friction", &ShapeFields::friction, "",
                "coefficient of friction, instead of the material's; 0.5 if there is neither. Of "
                "two surfaces, the geometric mean counts",
                Range::non_negative)
      .optional("friction_across", &ShapeFields::friction_across, "",
                "coefficient of friction across the grain; `friction` is that along it",
                Range::non_negative)
      .optional("grain", &ShapeFields::grain, "",
                "a direction in the shape's frame, with friction_across")
      .optional("restitution", &ShapeFields::restitution, "",
                "speed after an impact relative to that before, at most 1, instead of the "
                "material's; 0 if there is neither. Of two, the larger counts",
                Range::non_negative)
      .optional("density", &ShapeFields::density, "kg/m³",
                "gives its body mass and inertia, if the body has none of its own; instead of the "
                "material's",
                Range::positive)
      .optional("group", &ShapeFields::group, "", "above 0: shapes of one group do not touch",
                Range::non_negative)
      .optional("rounding", &ShapeFields::rounding, "m",
                "a ball of this radius is added on all sides of a convex shape",
                Range::non_negative)
      .optional("centred", &ShapeFields::centred, "",
                "true: `at` is where its centre of mass is, not the origin of its frame")
      .inherit(ContactFields::list());
  return fields;
}

template <class T>
ShapeInfo describe_shape(const FieldList<T>& own) {
  FieldList<T> fields = own;
  fields.inherit(common_fields());
  ShapeInfo info;
  static_cast<TypeInfo&>(info) = describe<T>(fields);
  info.shape = [](const void* object, ShapePlace& place) {
    const T& it = *static_cast<const T*>(object);
    Shape shape;
    if constexpr (requires { it.shape(place); })
      shape = it.shape(place);
    else
      shape = it.shape();
    return it.rounding > 0 ? collision::rounded(std::move(shape), it.rounding) : shape;
  };
  return info;
}

template <class T>
FieldList<T> mesh_place() {
  return FieldList<T>()
      .optional("file", &MeshPlace::file, "",
                "an OBJ, PLY or STL file, relative to the scene's folder")
      .optional("vertices", &MeshPlace::vertices, "m", "instead of a file: the points themselves")
      .optional("scale", &MeshPlace::scale, "", "metres per unit of length", Range::positive);
}

}  // namespace

const std::vector<ShapeInfo>& shape_types() {
  static const std::vector<ShapeInfo> all{
      describe_shape(FieldList<PlaneFields>()),
      describe_shape(FieldList<SphereFields>().required("radius", &SphereFields::radius, "m", "",
                                                        Range::positive)),
      describe_shape(
          FieldList<CapsuleFields>()
              .required("radius", &CapsuleFields::radius, "m", "", Range::positive)
              .required("length", &CapsuleFields::length, "m", "of the segment", Range::positive)),
      describe_shape(FieldList<BoxFields>().required("size", &BoxFields::size, "m", "of its edges",
                                                     Range::positive)),
      describe_shape(FieldList<CylinderFields>()
                         .required("radius", &CylinderFields::radius, "m", "", Range::positive)
                         .required("height", &CylinderFields::height, "m", "", Range::positive)),
      describe_shape(FieldList<ConeFields>()
                         .required("radius", &ConeFields::radius, "m", "", Range::positive)
                         .required("height", &ConeFields::height, "m", "", Range::positive)),
      describe_shape(FieldList<EllipsoidFields>().required("radii", &EllipsoidFields::radii, "m",
                                                           "its semi-axes", Range::positive)),
      describe_shape(mesh_place<HullFields>()),
      describe_shape(
          mesh_place<MeshFields>()
              .optional("faces", &MeshFields::faces, "",
                        "with vertices: three or four of their numbers, from 0, counter-clockwise "
                        "from outside",
                        Range::non_negative)
              .optional("pieces", &MeshFields::pieces, "",
                        "on a body: convex pieces at most, 32 if not given", Range::positive)
              .optional(
                  "concavity", &MeshFields::concavity, "",
                  "on a body: how far pieces may reach out of the mesh, relative to its size; "
                  "0.02 if not given",
                  Range::positive)),
      describe_shape(
          FieldList<HeightFieldFields>()
              .required("columns", &HeightFieldFields::columns, "", "points along x",
                        Range::positive)
              .required("spacing", &HeightFieldFields::spacing, "m", "of the grid", Range::positive)
              .required("heights", &HeightFieldFields::heights, "m",
                        "row by row, those along x first")),
  };
  return all;
}

}  // namespace taut::io::detail

namespace taut::io {

std::vector<TypeInfo> shape_infos() {
  const std::vector<detail::ShapeInfo>& all = detail::shape_types();
  return {all.begin(), all.end()};
}

}  // namespace taut::io
