// Builds a Scene from the tree of values of its file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/collision/cloth_contacts.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/robot/robot.hpp"
#include "taut/scene/field_reader_internal.hpp"
#include "taut/scene/materials_internal.hpp"
#include "taut/scene/scene.hpp"
#include "taut/scene/scene_share.hpp"
#include "taut/scene/settings_internal.hpp"

namespace taut::hand {
class HandMotion;
struct HandPose;
struct HandSizes;
}  // namespace taut::hand

namespace taut::io::detail {

struct RigidFields;
struct ShapeFields;
struct ClothFields;
enum class ClothTouches;
struct ClothPinFields;
struct PendulumFields;
struct FinalValuesFields;
struct HandFields;

/// A cloth before it is added: its mesh, and the grid it is, if it is one.
struct ClothShape {
  std::string name;
  Mesh mesh;
  std::optional<Grid> grid;

  int columns() const { return grid ? grid->columns : 0; }
  int vertex_count() const { return static_cast<int>(mesh.vertices.size()); }
};

/// The collision elements of a robot, before it is known whether there is anything to touch.
struct RobotShapes {
  std::string robot;  ///< its name, for people
  bool touch_each_other = false;
  std::vector<collision::BodyShape> shapes;
  std::vector<std::pair<BodyId, BodyId>> untouched;
};

class SceneReader {
 public:
  /// `folder`: where robots and meshes are looked for; without one only built-in robots are known.
  SceneReader(std::span<const Setting> settings, std::string_view origin,
              std::optional<std::string> folder = std::nullopt)
      : settings_(settings, origin), folder_(std::move(folder)) {}

  Scene read(const At& root);
  /// One part of several: only cloth can be divided. Throws Error for what cannot.
  SceneShare read_share(const At& root, int part, int parts);
  /// Name, title and parameters only.
  Scene read_summary(const At& root);

 private:
  void read_header(const At& root);
  void read_parameters(const At& root);
  void read_parameter(const At& at, const std::string& name);
  void read_simulation(const At& at);
  void read_input(const At& at);
  void read_sensor(const At& at);
  void read_options(const At& at);
  void read_robot(const At& at);
  const char* robot_key(const At& at) const;
  std::vector<double> read_joint_positions(const At& at, const Robot& robot);
  void read_body(const At& at);
  struct PlacedShape {
    collision::BodyShape shape;
    std::optional<double> density;
  };
  struct BodyMass {
    double mass = 0;
    Mat3 inertia = Mat3::Zero();
  };
  std::vector<PlacedShape> read_shapes(const At& list, bool is_moving);
  /// Its own, or that of its shapes; a mass of its own with their inertia, if it has no other.
  BodyMass rigid_mass(const At& at, const RigidFields& body,
                      const std::vector<PlacedShape>& shapes);
  std::optional<BodyMass> mass_of(const At& list, const std::vector<PlacedShape>& shapes);
  void add_shapes(const At& list, BodyId body, std::vector<PlacedShape> shapes);
  /// Of "material" and the other properties of a shape or a robot.
  collision::Surface surface(const At& at, const std::optional<double>& friction,
                             const std::optional<double>& restitution, const ContactFields& fields);
  void read_grain(const At& at, const ShapeFields& fields, collision::Surface& surface) const;
  Compliance compliance(const At& at, const ContactFields& fields) const;
  void add_robot_shapes();
  void finish_contacts();
  void finish_cloths();
  void read_materials(const At& root);
  /// The material that a shape or a pair names.
  int material(const At& at);
  void read_cloth(const At& at);
  std::string cloth_name(const At& at);
  ClothShape read_shape(const At& at, const ClothFields& fields);
  std::vector<Vec3> read_start(const At& at, const ClothFields& fields, const Mesh& mesh);
  std::vector<ClothPin> read_pins(const At& at, const ClothShape& shape);
  std::vector<int> pinned_vertices(const At& at, const ClothPinFields& pin,
                                   const ClothShape& shape);
  void require_divisible(const At& root);
  void require_divisible_force(const At& at);
  void require_divisible(const At& at, const ClothFields& fields, const ClothShape& shape);
  void add_share(const At& at, const ClothFields& fields, const ClothShape& shape,
                 std::span<const ClothPin> pins, std::span<const Vec3> places);
  void read_hand(const At& at);
  void read_stylus(const At& at);
  hand::HandSizes read_hand_sizes(const At& at, const HandFields& fields);
  hand::HandMotion read_hand_motion(const At& at, const HandFields& fields);
  hand::HandMotion read_keyframes(const At& list, const hand::HandPose& base, const Vec3& point);
  void read_angles(const At& at, hand::HandPose& pose);
  void read_force(const At& at);
  void read_constraint(const At& at);
  void read_reference(const At& at);
  void set_reference(const At& at, const PendulumFields& fields);
  void set_reference(const At& at, const FinalValuesFields& fields);

  /// Every object of a list, as often as the repeats around it say.
  void each_item(const At& list, const FieldReader::Visit& visit);
  void refuse_equal_points(const At& at, const TypeInfo& type, const void* object);
  std::string constraint_name(const At& at, std::string_view type);

  Settings settings_;
  std::optional<std::string> folder_;
  /// Where only a part is wanted.
  struct Sharing {
    int part, parts;
    std::vector<ClothShare> cloths;
    std::vector<double> releases;
  };
  std::optional<Sharing> sharing_;
  Scene scene_;
  std::unique_ptr<collision::ShapeContacts> contacts_;  // none: nothing has a shape
  /// A cloth, with what it is to those it touches.
  struct TouchingCloth {
    std::size_t surface;  // of the scene
    collision::ClothLayer layer;
    ClothTouches touches;
  };
  std::vector<TouchingCloth> touching_cloths_;
  std::vector<RobotShapes> robot_shapes_;  // of each robot that has some
  Materials materials_;
  Scope scope_;
  LinkPlaces links_;  // of the robots
  FieldReader reader_{scope_, scene_.system, links_};
  int hands_ = 0;  // so far
  std::unordered_set<std::string> constraint_names_;
  std::map<std::string_view, int> constraint_counts_;
  std::unordered_set<std::string> cloth_names_;  // "<cloth>/…" is the name of its constraints
};

}  // namespace taut::io::detail
