#include "taut/simulate/contact_names.hpp"

#include <fmt/core.h>

namespace taut {
namespace {

std::string touching_name(const System& system, int source, int shape, BodyId body) {
  const std::string owner = body.is_world() ? "" : system.body_name(body);
  if (shape < 0) return owner.empty() ? "world" : owner;
  const std::string name =
      system.contact_sources()[static_cast<std::size_t>(source)]->shape_name(shape);
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

}  // namespace taut
