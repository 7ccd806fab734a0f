// The lists "materials" and "material_pairs" of a scene.
#include "taut/base/error.hpp"
#include "taut/scene/materials_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {

FieldList<ContactFields> ContactFields::list() {
  FieldList<ContactFields> fields;
  fields
      .optional("rolling_friction", &ContactFields::rolling_friction, "m",
                "largest torque against rolling, relative to the normal force; of two, the larger",
                Range::non_negative)
      .optional("spinning_friction", &ContactFields::spinning_friction, "m",
                "the same of spinning about the normal", Range::non_negative)
      .optional("stiffness", &ContactFields::stiffness, "N/m",
                "of each point of contact; without it, contact is rigid", Range::positive)
      .optional("damping", &ContactFields::damping, "N·s/m", "of the same, with stiffness",
                Range::non_negative)
      .optional("erp", &ContactFields::erp, "",
                "with cfm, instead of stiffness and damping: error reduction parameter at the "
                "scene's step, at most 1",
                Range::positive)
      .optional("cfm", &ContactFields::cfm, "s/kg",
                "with erp: constraint force mixing at the scene's step", Range::positive);
  return fields;
}

const TypeInfo& MaterialFields::info() {
  static const TypeInfo info = describe(
      FieldList<MaterialFields>()
          .optional("density", &MaterialFields::density, "kg/m³",
                    "of shapes that have none of their own", Range::positive)
          .optional("friction", &MaterialFields::friction, "",
                    "coefficient of friction on itself; on another one, if no pair gives it, the "
                    "geometric mean of both",
                    Range::non_negative)
          .optional("restitution", &MaterialFields::restitution, "",
                    "speed after an impact relative to that before, at most 1; of two, the larger",
                    Range::non_negative)
          .inherit(ContactFields::list()));
  return info;
}

const TypeInfo& MaterialPairFields::info() {
  static const TypeInfo info =
      describe(FieldList<MaterialPairFields>()
                   .required("materials", &MaterialPairFields::materials, "",
                             "the names of both; the same name twice for one on itself")
                   .optional("friction", &MaterialPairFields::friction, "",
                             "coefficient of friction", Range::non_negative)
                   .optional("restitution", &MaterialPairFields::restitution, "", "at most 1",
                             Range::non_negative)
                   .inherit(ContactFields::list()));
  return info;
}

Materials::Materials() {
  for (const collision::Material& material : collision::materials()) all_.push_back(material);
  for (const collision::MaterialPair& pair : collision::material_pairs())
    pairs.set(collision::SurfaceProperty::friction, find(pair.a), find(pair.b), pair.friction);
}

bool Materials::add(collision::Material material) {
  const int known = find(material.name);
  if (known >= static_cast<int>(collision::materials().size())) return false;
  all_.push_back(std::move(material));
  return true;
}

int Materials::find(std::string_view name) const {
  for (std::size_t i = all_.size(); i-- > 0;)  // the scene's own before built-in ones
    if (all_[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<std::string_view> Materials::names() const {
  std::vector<std::string_view> names;
  for (const collision::Material& material : all_) names.push_back(material.name);
  return names;
}

namespace {

void refuse_large_restitution(const At& at, double restitution) {
  if (restitution > 1)
    fail(at.member("restitution"), fmt::format("found {}, expected at most 1", restitution));
}

}  // namespace

/// Of stiffness and damping, or of erp and cfm.
Compliance SceneReader::compliance(const At& at, const ContactFields& fields) const {
  if (fields.erp || fields.cfm) {
    if (fields.stiffness || fields.damping)
      fail(at, "found \"erp\" or \"cfm\" beside \"stiffness\" or \"damping\", expected either");
    if (!fields.erp || !fields.cfm)
      fail(at, fmt::format("found \"{}\" alone, expected \"erp\" and \"cfm\"",
                           fields.erp ? "erp" : "cfm"));
    if (*fields.erp > 1)
      fail(at.member("erp"), fmt::format("found {}, expected at most 1", *fields.erp));
    return compliance_of(*fields.erp, *fields.cfm, scene_.step);
  }
  if (fields.damping && !fields.stiffness)
    fail(at.member("damping"), "found damping alone, expected \"stiffness\" as well");
  return {fields.stiffness.value_or(0), fields.damping.value_or(0)};
}

void SceneReader::read_materials(const At& root) {
  if (root.has("materials"))
    each_item(root.member("materials"), [&](const At& at) {
      const auto fields = reader_.read_object<MaterialFields>(at, {"name"});
      if (!at.has("name")) fail(at, "found no \"name\", expected one");
      refuse_large_restitution(at, fields.restitution);
      const std::string name = scope_.name_text(at.member("name"));
      if (!materials_.add({name, fields.density, fields.friction, fields.restitution,
                           fields.rolling_friction.value_or(0),
                           fields.spinning_friction.value_or(0), compliance(at, fields)}))
        fail(at.member("name"),
             fmt::format("found {} again, expected a name that no other material has",
                         in_quotes(name)));
    });
  if (root.has("material_pairs"))
    each_item(root.member("material_pairs"), [&](const At& at) {
      const auto fields = reader_.read_object<MaterialPairFields>(at);
      const At names = at.member("materials");
      if (fields.materials.size() != 2)
        fail(names, fmt::format("found {} names, expected two", fields.materials.size()));
      if (!fields.friction && !fields.restitution && !fields.any())
        fail(at, "found a pair without a law, expected \"friction\" or \"restitution\"");
      if (fields.restitution) refuse_large_restitution(at, *fields.restitution);
      using enum collision::SurfaceProperty;
      const int a = material(names.item(0)), b = material(names.item(1));
      const auto set = [&](collision::SurfaceProperty property, std::optional<double> value) {
        if (value) materials_.pairs.set(property, a, b, *value);
      };
      set(friction, fields.friction);
      set(restitution, fields.restitution);
      set(rolling_friction, fields.rolling_friction);
      set(spinning_friction, fields.spinning_friction);
      if (const Compliance pair = compliance(at, fields); pair.stiffness > 0) {
        set(stiffness, pair.stiffness);
        set(damping, pair.damping);
      }
    });
}

int SceneReader::material(const At& at) {
  const std::string name = scope_.name_text(at);
  const int found = materials_.find(name);
  if (found < 0)
    fail(at, fmt::format("found {}, expected a material{}", in_quotes(name),
                         suggestion(name, materials_.names())));
  return found;
}

}  // namespace taut::io::detail
