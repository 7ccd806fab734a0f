// Shapes in a scene: the list "shapes" of a body or of the scene.
#include <algorithm>

#include "taut/collision/mass_properties.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"
#include "taut/scene/shape_fields_internal.hpp"

namespace taut::io::detail {

std::vector<SceneReader::PlacedShape> SceneReader::read_shapes(const At& list, bool is_moving) {
  std::vector<PlacedShape> shapes;
  each_item(list, [&](const At& at) {
    const ShapeInfo& type = reader_.chosen_type(at, "shape", shape_types());
    const std::shared_ptr<void> object = type.make();
    reader_.read_fields(at, type, object.get(), {"type", "name"});
    const auto& fields = *static_cast<const ShapeFields*>(object.get());
    PlacedShape placed;
    placed.shape.surface = surface(at, fields.friction, fields.restitution, fields);
    read_grain(at, fields, placed.shape.surface);
    placed.density = fields.density;
    if (!placed.density && at.has("material"))
      placed.density = materials_[material(at.member("material"))].density;
    ShapePlace place{folder_, is_moving, scene_.remarks};
    placed.shape.shape = with_place(at, [&] { return type.shape(object.get(), place); });
    placed.shape.pose = {fields.at, fields.orientation.rotation};
    if (fields.centred)
      placed.shape.pose.position -= with_place(at, [&]() -> Vec3 {
        return placed.shape.pose.rotation * collision::mass_properties(placed.shape.shape).centre;
      });
    placed.shape.group = fields.group;
    if (at.has("name")) placed.shape.name = scope_.name_text(at.member("name"));
    shapes.push_back(std::move(placed));
  });
  return shapes;
}

collision::Surface SceneReader::surface(const At& at, const std::optional<double>& friction,
                                        const std::optional<double>& restitution,
                                        const ContactFields& fields) {
  collision::Surface surface;
  if (at.has("material")) {
    const int number = material(at.member("material"));
    for (int* of : {&surface.friction_of, &surface.restitution_of, &surface.rolling_of,
                    &surface.spinning_of, &surface.compliance_of})
      *of = number;
    const collision::Material& material = materials_[number];
    surface.friction = material.friction;
    surface.restitution = material.restitution.value_or(0);
    surface.rolling_friction = material.rolling_friction;
    surface.spinning_friction = material.spinning_friction;
    surface.compliance = material.compliance;
  }
  // What a shape says of itself is not a matter of its material.
  if (friction) {
    surface.friction = *friction;
    surface.friction_of = -1;
  }
  if (restitution) {
    if (*restitution > 1)
      fail(at.member("restitution"), fmt::format("found {}, expected at most 1", *restitution));
    surface.restitution = *restitution;
    surface.restitution_of = -1;
  }
  if (fields.rolling_friction) {
    surface.rolling_friction = *fields.rolling_friction;
    surface.rolling_of = -1;
  }
  if (fields.spinning_friction) {
    surface.spinning_friction = *fields.spinning_friction;
    surface.spinning_of = -1;
  }
  if (const Compliance own = compliance(at, fields); own.stiffness > 0) {
    surface.compliance = own;
    surface.compliance_of = -1;
  }
  return surface;
}

void SceneReader::read_grain(const At& at, const ShapeFields& fields,
                             collision::Surface& surface) const {
  if (!fields.grain && !fields.friction_across) return;
  if (!fields.grain || !fields.friction_across || !fields.friction)
    fail(at, "found a part of \"friction\", \"friction_across\" and \"grain\", expected all three");
  if (fields.grain->isZero(0))
    fail(at.member("grain"), "found a grain of length 0, expected a direction");
  surface.grain = fields.grain->normalized();
  surface.friction_across = *fields.friction_across;
}

void SceneReader::add_shapes(const At& list, BodyId body, std::vector<PlacedShape> shapes) {
  if (!contacts_) contacts_ = std::make_unique<collision::ShapeContacts>();
  for (PlacedShape& placed : shapes) {
    placed.shape.body = body;
    with_place(list, [&] { contacts_->add(std::move(placed.shape)); });
  }
}

/// Those of shapes that have a density. The body's frame is at its centre of mass, so theirs must
/// be there, too.
std::optional<SceneReader::BodyMass> SceneReader::mass_of(const At& list,
                                                          const std::vector<PlacedShape>& shapes) {
  BodyMass all;
  Vec3 moment = Vec3::Zero();
  double size = 0;
  for (const PlacedShape& placed : shapes) {
    if (!placed.density) continue;
    const collision::MassProperties of =
        with_place(list, [&] { return collision::mass_properties(placed.shape.shape); });
    const collision::Pose3& pose = placed.shape.pose;
    const Vec3 centre = pose * of.centre;
    const double mass = *placed.density * of.volume;
    all.mass += mass;
    moment += mass * centre;
    all.inertia += *placed.density * pose.rotation * of.inertia * pose.rotation.transpose() +
                   mass * (centre.squaredNorm() * Mat3::Identity() - centre * centre.transpose());
    size = std::max(size, pose.position.norm() + collision::reach(placed.shape.shape));
  }
  if (!(all.mass > 0)) return std::nullopt;
  const Vec3 centre = moment / all.mass;
  if (centre.norm() > 1e-9 * size)
    fail(list, fmt::format("found the shapes' centre of mass at [{:.9g}, {:.9g}, {:.9g}], expected "
                           "it at the origin of the body: shift the shapes by that",
                           centre.x(), centre.y(), centre.z()));
  return all;
}

SceneReader::BodyMass SceneReader::rigid_mass(const At& at, const RigidFields& body,
                                              const std::vector<PlacedShape>& shapes) {
  if (body.mass && body.inertia) return {*body.mass, body.inertia->matrix};
  if (body.inertia)
    fail(at, "found \"inertia\" without \"mass\", expected both, or shapes with a density");
  // Without a density, a mass of its own is spread evenly over all shapes.
  std::vector<PlacedShape> solid = shapes;
  const bool has_density = std::any_of(solid.begin(), solid.end(),
                                       [](const PlacedShape& shape) { return shape.density; });
  if (body.mass && !has_density)
    for (PlacedShape& shape : solid) shape.density = 1;
  std::optional<BodyMass> of_shapes;
  if (at.has("shapes")) of_shapes = mass_of(at.member("shapes"), solid);
  if (!of_shapes)
    fail(at, body.mass ? "found no \"inertia\", expected one, or \"shapes\" that it follows from"
                       : "found no \"mass\", expected \"mass\" and \"inertia\", or \"shapes\" with "
                         "a \"density\" that they follow from");
  if (body.mass) {
    of_shapes->inertia *= *body.mass / of_shapes->mass;
    of_shapes->mass = *body.mass;
  }
  return *of_shapes;
}

void SceneReader::finish_contacts() {
  add_robot_shapes();
  finish_cloths();
  if (!contacts_) return;
  contacts_->ignore_joined(scene_.system);
  contacts_->set_pairs(materials_.pairs);
  scene_.system.add_contacts(std::move(contacts_));
}

}  // namespace taut::io::detail
