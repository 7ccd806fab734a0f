#include "taut/simulate/contact_names.hpp"

#include <fmt/core.h>

namespace taut {
namespace {

std::string shape_name(const System& system, int source, int shape) {
  if (source < 0) return system.sheets()->shape_name(shape);
  return system.contact_sources()[static_cast<std::size_t>(source)]->shape_name(shape);
}

std::string touching_name(const System& system, int source, int shape, BodyId body) {
  const std::string owner = body.is_world() ? "" : system.body_name(body);
  if (shape < 0) return owner.empty() ? "world" : owner;
  const std::string name = shape_name(system, source, shape);
  if (!owner.empty()) return name.empty() || name == owner ? owner : owner + "/" + name;
  return name.empty() ? fmt::format("world/shape{}", shape) : name;
}

}  // namespace

std::string name_of_a(const System& system, const Contact& contact) {
  return touching_name(system, contact.source, contact.shape_a, contact.a.body);
}
std::string name_of_b(const System& system, const Contact& contact) {
  return touching_name(system, contact.source, contact.shape_b, contact.b.body);
}
std::string name_of_side(const System& system, const SheetTouch& touch, std::size_t side) {
  const auto [cloth, shape] = touch.sides[side];
  if (cloth >= 0) return system.sheets()->cloth_name(cloth);
  BodyId body = world_body;
  for (const Share& share : touch.all())
    if ((share.weight < 0) == (side == 1)) body = share.point.body;
  return touching_name(system, touch.source, shape, body);
}

}  // namespace taut
