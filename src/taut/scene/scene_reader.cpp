#include "taut/constraints/constraint_info.hpp"
#include "taut/forces/force_info.hpp"
#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {

Scene SceneReader::read(const At& root) {
  read_header(root);
  if (sharing_) require_divisible(root);
  read_parameters(root);
  scene_.method_settings = settings_.method_options(scope_);
  if (root.has("simulation")) read_simulation(root.member("simulation"));
  reader_.set_duration(scene_.duration);
  scope_.set_inputs(scene_.system.inputs());
  if (root.has("inputs")) each_item(root.member("inputs"), [&](const At& at) { read_input(at); });
  if (!root.has("bodies") && !root.has("robots") && !root.has("cloths") && !root.has("hands") &&
      !root.has("styluses"))
    fail(root, "found no \"bodies\", expected an array of bodies");
  read_materials(root);
  // Robots first: constraints may name their links and joints.
  if (root.has("robots")) each_item(root.member("robots"), [&](const At& at) { read_robot(at); });
  if (root.has("bodies")) each_item(root.member("bodies"), [&](const At& at) { read_body(at); });
  if (root.has("cloths")) each_item(root.member("cloths"), [&](const At& at) { read_cloth(at); });
  if (root.has("hands")) each_item(root.member("hands"), [&](const At& at) { read_hand(at); });
  if (root.has("styluses"))
    each_item(root.member("styluses"), [&](const At& at) { read_stylus(at); });
  if (scene_.system.body_count() == 0 && !sharing_)
    fail(root.member(root.has("bodies")   ? "bodies"
                     : root.has("robots") ? "robots"
                     : root.has("cloths") ? "cloths"
                     : root.has("hands")  ? "hands"
                                          : "styluses"),
         "found no body, expected at least one");
  if (root.has("constraints"))
    each_item(root.member("constraints"), [&](const At& at) { read_constraint(at); });
  // After the constraints: some act in joints.
  if (root.has("forces")) each_item(root.member("forces"), [&](const At& at) { read_force(at); });
  if (root.has("shapes"))
    add_shapes(root.member("shapes"), world_body, read_shapes(root.member("shapes"), false));
  finish_contacts();
  if (root.has("sensors"))
    each_item(root.member("sensors"), [&](const At& at) { read_sensor(at); });
  if (root.has("reference")) read_reference(root.member("reference"));
  return std::move(scene_);
}

Scene SceneReader::read_summary(const At& root) {
  read_header(root);
  read_parameters(root);
  return std::move(scene_);
}

void SceneReader::read_header(const At& root) {
  // The version first: another one may have other keys.
  if (root->members() && root.has("taut")) {
    const At at = root.member("taut");
    long version = 0;
    reader_.read(at, Range::any, version);
    if (version != format_version)
      fail(at, fmt::format("found version {}, expected {} (of the format of scenes)", version,
                           format_version));
  }
  const auto header = reader_.read_object<HeaderFields>(
      root, {"$schema", "parameters", "robots", "bodies", "cloths", "hands", "styluses", "shapes",
             "materials", "material_pairs", "forces", "constraints", "inputs", "sensors",
             "simulation", "reference"});
  scene_.name = header.name;
  scene_.title = header.title;
  scene_.description = header.description;
}

void SceneReader::each_item(const At& list, const FieldReader::Visit& visit) {
  reader_.each_item(list, [&](const At& item) {
    reader_.require_object(item);
    visit(item);
  });
}

void SceneReader::read_body(const At& at) {
  std::string name;
  if (at.has("name")) name = scope_.name_text(at.member("name"));
  const TypeInfo& type = reader_.chosen_type(at, "body", body_types());
  const auto add = [&](const auto& body) {
    if (!name.empty() && scene_.system.find_body(name))
      fail(at.member("name"),
           fmt::format("found {} again, expected a name that no other body has", in_quotes(name)));
    return with_place(at, [&] { return scene_.system.add(body, name); });
  };
  std::vector<PlacedShape> shapes;
  if (at.has("shapes")) shapes = read_shapes(at.member("shapes"), true);
  BodyId id;
  if (type.type == ParticleFields::type) {
    const auto body = reader_.read_object<ParticleFields>(at, {"type", "name", "shapes"});
    id = add(Particle{body.mass, body.position, body.velocity});
  } else {
    const auto body = reader_.read_object<RigidFields>(at, {"type", "name", "shapes"});
    const BodyMass mass = rigid_mass(at, body, shapes);
    const Quat& rotation = body.orientation.rotation;
    id = add(RigidBody{mass.mass, mass.inertia, body.position, rotation, body.velocity,
                       rotation.conjugate() * body.angular_velocity});
  }
  if (!shapes.empty()) add_shapes(at.member("shapes"), id, std::move(shapes));
}

/// Whatever relates two points relates two different ones.
void SceneReader::refuse_equal_points(const At& at, const TypeInfo& type, const void* object) {
  for (const FieldInfo& field : type.fields) {
    if (field.type->kind != ValueKind::point) continue;
    const Point& point = *static_cast<const Point*>(field.in(object));
    for (const FieldInfo& other : type.fields) {
      if (&other == &field) break;
      if (other.type->kind != ValueKind::point) continue;
      const Point& seen = *static_cast<const Point*>(other.in(object));
      if (seen.body == point.body && seen.local == point.local)
        fail(at.member(field.name), fmt::format("found the same point as {}, expected another one",
                                                in_quotes(other.name)));
    }
  }
}

void SceneReader::read_force(const At& at) {
  if (sharing_) require_divisible_force(at);
  const ForceInfo& type = reader_.chosen_type(at, "force", force_types());
  const std::shared_ptr<void> force = type.make();
  reader_.read_fields(at, type, force.get(), {"type", "name"});
  refuse_equal_points(at, type, force.get());
  with_place(at, [&] { type.add(scene_.system, force.get()); });
  if (!at.has("name")) return;
  const At name_at = at.member("name");
  std::string name = scope_.name_text(name_at);
  if (constraint_names_.contains(name))
    fail(name_at, fmt::format("found {}, expected a name that no constraint has", in_quotes(name)));
  with_place(name_at, [&] { scene_.system.name_force(std::move(name)); });
}

void SceneReader::read_input(const At& at) {
  const auto fields = reader_.read_object<InputFields>(at, {"name"});
  if (!at.has("name")) fail(at, "found no \"name\", expected the name that formulas use");
  const At name_at = at.member("name");
  Input input{scope_.name_text(name_at), fields.unit, fields.description, fields.value};
  scope_.require_free(name_at, input.name);
  if (fields.min) input.min = *fields.min;
  if (fields.max) input.max = *fields.max;
  with_place(at, [&] { scene_.system.inputs().add(std::move(input)); });
}

// Holes {…} in a formula are filled in first: "={i+1}" is an index of a repeat in a body's name.
void SceneReader::read_sensor(const At& at) {
  const auto fields = reader_.read_object<SensorFields>(at, {"name", "value"});
  for (const char* key : {"name", "value"})
    if (!at.has(key)) fail(at, fmt::format("found no \"{}\", expected one", key));
  const At value = at.member("value");
  if (!value->text() || !value->text()->starts_with('='))
    fail_found(value, "a formula \"=…\" over what can be known of the run (taut list sensors)");
  Sensor sensor{scope_.name_text(at.member("name")), scope_.name_text(value), fields.unit,
                fields.description};
  const Constants constants{scope_.names(), scope_.values()};
  with_place(value, [&] { scene_.sensors.add(scene_.system, std::move(sensor), constants); });
}

void SceneReader::read_constraint(const At& at) {
  const ConstraintInfo& type = reader_.chosen_type(at, "constraint", constraint_types());
  const std::shared_ptr<void> constraint = type.make();
  reader_.read_fields(at, type, constraint.get(), {"type", "name"});
  refuse_equal_points(at, type, constraint.get());
  std::string name = constraint_name(at, type.type);
  with_place(at, [&] { type.add(scene_.system, constraint.get(), std::move(name)); });
}

std::string SceneReader::constraint_name(const At& at, std::string_view type) {
  int& count = constraint_counts_[type];
  if (at.has("name")) {
    ++count;
    std::string name = scope_.name_text(at.member("name"));
    const std::size_t slash = name.find('/');
    const bool is_of_cloth =
        slash != std::string::npos && cloth_names_.contains(name.substr(0, slash));
    if (is_of_cloth || !constraint_names_.insert(name).second)
      fail(at.member("name"),
           fmt::format("found {} again, expected a name that no other constraint has",
                       in_quotes(name)));
    return name;
  }
  for (;;) {
    std::string name = fmt::format("{}{}", type, count++);
    if (constraint_names_.insert(name).second) return name;
  }
}

}  // namespace taut::io::detail
