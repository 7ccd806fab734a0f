#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "taut/base/error.hpp"
#include "taut/collision/cloth_contacts.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/sensor/quantity_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::detail {
namespace {

/// One side of a contact: a body with all its shapes, or what is called so.
struct Side {
  std::optional<BodyId> body;
  std::string name;

  bool is(const std::string& other, BodyId of) const {
    return other == name || (body && !of.is_world() && *body == of);
  }
};

/// What ContactSamples may be called.
std::vector<std::string> touching_names(const System& system) {
  std::set<std::string> names;
  for (const auto& source : system.contact_sources()) {
    const auto* shapes = dynamic_cast<const collision::ShapeContacts*>(source.get());
    if (!shapes) continue;
    for (std::size_t i = 0; i < shapes->shapes().size(); ++i) {
      const collision::BodyShape& shape = shapes->shapes()[i];
      if (shape.body.is_world()) {
        names.insert(shape.name.empty() ? fmt::format("world/shape{}", i) : shape.name);
        continue;
      }
      const std::string& body = system.body_name(shape.body);
      names.insert(body);
      if (!shape.name.empty() && shape.name != body) names.insert(body + "/" + shape.name);
    }
  }
  if (const auto* cloths = dynamic_cast<const collision::ClothContacts*>(system.sheets()))
    for (const collision::Sheet::Part& part : cloths->sheet().parts()) names.insert(part.name);
  return {names.begin(), names.end()};
}

/// The sums over the points at which two sides touch.
struct Sum {
  Vec3 force = Vec3::Zero();
  double normal = 0, slip = 0, count = 0;
};

Sum sum_of(const Moment& at, const Side& a, const std::optional<Side>& b) {
  Sum sum;
  for (const ContactSample& contact : at.contacts) {
    const bool a_first = a.is(contact.a, contact.body_a),
               a_second = a.is(contact.b, contact.body_b);
    const bool b_first = !b || b->is(contact.a, contact.body_a);
    const bool b_second = !b || b->is(contact.b, contact.body_b);
    const bool is_on_a = a_first && b_second, is_on_b = a_second && b_first;
    if (!is_on_a && !is_on_b) continue;
    if (!(is_on_a && is_on_b)) sum.force += is_on_a ? contact.force : Vec3(-contact.force);
    sum.normal += contact.normal.dot(contact.force);
    sum.slip = std::max(sum.slip, contact.slip.norm());
    sum.count += 1;
  }
  return sum;
}

struct ContactPart {
  std::string_view name, unit;
  double (*value)(const Sum&);
};
constexpr ContactPart contact_parts[] = {
    {"fx", "N", [](const Sum& sum) { return sum.force.x(); }},
    {"fy", "N", [](const Sum& sum) { return sum.force.y(); }},
    {"fz", "N", [](const Sum& sum) { return sum.force.z(); }},
    {"force", "N", [](const Sum& sum) { return sum.force.norm(); }},
    {"normal", "N", [](const Sum& sum) { return sum.normal; }},
    {"slip", "m/s", [](const Sum& sum) { return sum.slip; }},
    {"count", "", [](const Sum& sum) { return sum.count; }},
};

}  // namespace

void list_contacts(const System& system, std::vector<QuantityGroup>& groups) {
  for (const std::string& name : touching_names(system)) {
    QuantityGroup& group = groups.emplace_back();
    group.name = fmt::format("contact({})", as_written(name));
    group.kind = "contact";
    for (const ContactPart& part : contact_parts)
      group.parts.push_back({std::string(part.name), std::string(part.unit)});
  }
}

Quantity contact_quantity(const System& system, std::string_view name,
                          const std::vector<std::string_view>& arguments, const std::string& part) {
  if (arguments.empty() || arguments.size() > 2)
    throw Error(fmt::format("found {}, expected one or two names: contact(box, ground)",
                            io::in_quotes(name)));
  const std::vector<std::string> names = touching_names(system);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::array<std::optional<Side>, 2> sides;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<NamePart> parts = parts_of(arguments[i]);
    const std::string side = joined(parts, 0, parts.size());
    if (std::find(names.begin(), names.end(), side) == names.end())
      throw Error(fmt::format("found {} in {}, expected the name of something with a shape{}",
                              io::in_quotes(side), io::in_quotes(name), suggestion(side, known)));
    sides[i] = Side{system.find_body(side), side};
  }
  if (sides[1] && sides[0]->name == sides[1]->name)
    throw Error(fmt::format("found {}, expected two different names", io::in_quotes(name)));
  std::vector<std::string_view> parts;
  for (const ContactPart& each : contact_parts) {
    parts.push_back(each.name);
    if (each.name == part)
      return {std::string(each.unit),
              {.contacts = true},
              [a = *sides[0], b = sides[1], value = each.value](const Moment& at) {
                return value(sum_of(at, a, b));
              }};
  }
  throw Error(fmt::format("found {}, expected what can be known of a contact{}",
                          io::in_quotes(name), suggestion(part, parts)));
}

}  // namespace taut::detail
