// MJCF while it is read. One pass for each part: what is included and the defaults
// (mjcf_source.cpp), composites
// (mjcf_composite.cpp), assets and geoms (mjcf_geoms.cpp), bodies and joints (mjcf_bodies.cpp),
// what relates bodies (mjcf_relations.cpp), actuators and the start (mjcf_actuators.cpp).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "taut/collision/mass_properties.hpp"
#include "taut/robot/model_file_internal.hpp"
#include "taut/robot/robot.hpp"

namespace taut::io::detail {

/// Attributes that elements of a class have where they do not say otherwise, by kind of element.
using MjcfClass = std::map<std::string, std::vector<XmlAttribute>, std::less<>>;

struct MjcfOptions {
  bool degrees = true, autolimits = true, strip_path = false;
  std::string euler = "xyz";
  enum class FromGeoms { no, yes, where_missing } from_geoms = FromGeoms::where_missing;
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  bool balance_inertia = false;
  int first_group = 0, last_group = 5;  ///< of geoms that have mass
  std::string mesh_folder;
  // Flags: what is switched off is not there.
  bool gravity = true, contact = true, limits = true, friction = true, passive = true,
       equality = true, actuation = true;
};

struct MjcfGeom {
  std::string name;
  int link = -1;
  Frame frame = Frame::Identity();  ///< in the link's
  bool is_plane = false;
  Visual visual;
  double mass = 0;
  Vec3 center = Vec3::Zero();  ///< in the link's frame
  Mat3 inertia = Mat3::Zero();
};

struct MjcfMesh {
  std::string path;  ///< empty: it is written in the model
  Vec3 scale = Vec3::Ones();
  bool is_drawn = true;            ///< as the file with that scale
  std::vector<Vec3> vertices;      ///< in its own frame
  collision::MassProperties mass;  ///< for density 1
};

class MjcfReader {
 public:
  MjcfReader(const std::string& origin, const std::string& folder) : file_(origin, folder) {}
  Robot read(std::string_view text);

 private:
  // mjcf_source.cpp
  void splice_includes(XmlElement& element, int depth);
  void read_options();
  void read_compiler(const XmlElement& element);
  void read_option(const XmlElement& element);
  void read_class(const XmlElement& element, const std::string& name, const MjcfClass& parent,
                  bool is_outermost);
  /// The element's own attributes, then those of its class. Without its children.
  XmlElement whole(const XmlElement& element, std::string_view kind,
                   const std::string& child_class) const;
  template <class Visit>
  void each(std::string_view section, Visit&& visit) const;

  // mjcf_composite.cpp
  void expand_composites();
  void expand_composites(XmlElement& element, const std::string& no_defaults,
                         std::vector<XmlElement>& relations);

  // mjcf_geoms.cpp
  void read_assets();
  void read_mesh_asset(const XmlElement& element);
  Frame pose(const XmlElement& at) const;
  Mat3 orientation(const XmlElement& at) const;
  /// Of size and fromto: half sizes as in MJCF, and where the geom is.
  Vec3 size(const XmlElement& at, std::string_view type, Frame& frame) const;
  MjcfGeom read_geom(const XmlElement& at, int link, const Frame& outer);
  void set_mass(const XmlElement& at, const collision::MassProperties& solid, MjcfGeom& geom) const;
  void add_shape(const XmlElement& at, const MjcfGeom& geom, const MjcfMesh* mesh);
  std::array<double, 4> color(const XmlElement& at) const;

  // mjcf_bodies.cpp
  struct BodyPlace {
    int link;
    Frame frame;  ///< of what is listed here, in the link's
    std::string child_class;
    bool may_be_free;
  };
  void read_world();
  void read_children(const XmlElement& element, const BodyPlace& place, bool is_body);
  void read_body(const XmlElement& element, const BodyPlace& outer);
  void read_joint(const XmlElement& element, const BodyPlace& body, const Frame& in_body);
  void read_inertial(const XmlElement& element, RobotLink& link);
  void finish_inertia(const XmlElement& element, int link, const std::vector<MjcfGeom>& geoms);
  void bound_masses();
  std::string unique_joint_name(const std::string& body);

  // mjcf_relations.cpp
  void read_contacts();
  void read_equalities();
  void read_equality(const XmlElement& element, const XmlElement& section);
  void read_couple(const XmlElement& at);
  void read_tendons();
  bool is_held(const XmlElement& at) const;
  void check_held_tendons();
  void read_spatial(const XmlElement& at, const XmlElement& element);
  void read_fixed(const XmlElement& at, const XmlElement& element);

  // mjcf_actuators.cpp
  void read_actuators();
  void read_actuator(const XmlElement& element);
  bool find_parts(const XmlElement& at, RobotActuator& drive);
  void read_start();

  bool is_limited(const XmlElement& at) const;
  /// Registers a name, which must be new among those of its kind.
  void name(const XmlElement& at, const std::string& name, int number,
            std::unordered_map<std::string, int>& names, std::string_view what);
  double angle(double value) const { return options_.degrees ? value * (M_PI / 180) : value; }
  RobotLink& link(int number) { return robot_.links[static_cast<std::size_t>(number)]; }

  struct Site {
    int link;
    Frame frame;
  };
  struct FixedTendon {
    std::vector<RobotActuator::Part> parts;
  };

  ModelFile file_;
  XmlElement root_;
  MjcfOptions options_;
  std::map<std::string, MjcfClass, std::less<>> classes_;
  Robot robot_;
  std::unordered_map<std::string, int> bodies_, joints_, geoms_, sites_, tendons_, meshes_,
      actuators_, materials_;
  std::vector<Site> site_places_;
  std::vector<int> dof_joints_;  ///< the joints in the order of MuJoCo's coordinates
  std::vector<MjcfGeom> all_geoms_;
  std::vector<MjcfMesh> mesh_data_;
  std::vector<std::array<double, 4>> material_colors_;
  std::vector<FixedTendon> fixed_tendons_;          ///< by number; empty of spatial ones
  std::map<std::string, XmlElement> held_tendons_;  ///< equalities, by the name of their first one
};

template <class Visit>
void MjcfReader::each(std::string_view section, Visit&& visit) const {
  for (const XmlElement& element : root_.children)
    if (element.name == section) visit(element);
}

}  // namespace taut::io::detail
