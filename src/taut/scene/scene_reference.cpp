// The reference of a scene: what its motion is compared with.
#include <cmath>

#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {

void SceneReader::read_reference(const At& at) {
  const TypeInfo& type = reader_.chosen_type(at, "reference", reference_types());
  if (type.type == PendulumFields::type)
    set_reference(at, reader_.read_object<PendulumFields>(at, {"type"}));
  else
    set_reference(at, reader_.read_object<FinalValuesFields>(at, {"type"}));
}

void SceneReader::set_reference(const At& at, const PendulumFields& fields) {
  const std::size_t links = fields.masses.size();
  if (links == 0 || fields.lengths.size() != links || fields.angles.size() != links)
    fail(at, fmt::format("found {} masses, {} lengths and {} angles, expected as many of each, at "
                         "least one",
                         links, fields.lengths.size(), fields.angles.size()));
  if (static_cast<std::size_t>(fields.link) >= links)
    fail(at.member("link"),
         fmt::format("found {}, expected a number from 0 to {}", fields.link, links - 1));
  // A reference that starts elsewhere would be compared in vain.
  Vec3 start = fields.pivot;
  double reach = 0;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(fields.link); ++i) {
    start += fields.lengths[i] * Vec3(std::sin(fields.angles[i]), -std::cos(fields.angles[i]), 0);
    reach += fields.lengths[i];
  }
  const BodyId body = *scene_.system.find_body(fields.point.text);
  const Vec3 place = scene_.system.initial_place(Point(body));
  if ((place - start).norm() > 1e-9 * reach)
    fail(at, fmt::format("found a reference that starts at [{:.6g}, {:.6g}, {:.6g}], expected it "
                         "where {} starts, [{:.6g}, {:.6g}, {:.6g}]",
                         start.x(), start.y(), start.z(), in_quotes(fields.point.text), place.x(),
                         place.y(), place.z()));
  scene_.reference =
      SceneReference{fields.masses, fields.lengths,    fields.angles, fields.gravity,
                     fields.pivot,  fields.point.text, fields.link,   static_cast<int>(fields.axis),
                     fields.until};
}

void SceneReader::set_reference(const At& at, const FinalValuesFields& fields) {
  using Quantity = FinalValues::Quantity;
  FinalValues known;
  known.time = fields.time;
  if (fields.values.empty()) fail(at.member("values"), "found no value, expected at least one");
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    const FinalValueFields& value = fields.values[i];
    const BodyId body = value.point.body;
    const bool turns =
        value.quantity == Quantity::angle || value.quantity == Quantity::angular_velocity;
    if (body.is_world())
      fail(at.member("values").item(i).member("point"),
           "found a place in the world, expected a body or a place in one");
    if (turns && !scene_.system.is_rigid(body))
      fail(at.member("values").item(i).member("point"),
           fmt::format("found the particle {}, expected a rigid body: a particle does not turn",
                       in_quotes(scene_.system.body_name(body))));
    known.values.push_back(
        {value.point, value.quantity, static_cast<int>(value.axis), value.value});
  }
  scene_.final_values = std::move(known);
}

}  // namespace taut::io::detail
