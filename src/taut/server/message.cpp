#include "taut/server/message.hpp"

#include <fmt/core.h>

#include "taut/base/error.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::server {
namespace {

[[noreturn]] void refuse(std::string_view key, const io::Node* found, std::string_view expected) {
  throw Error(fmt::format("{}: found {}, expected {}", key,
                          found ? io::describe(*found) : "nothing", expected));
}

}  // namespace

Message::Message(std::string_view text) : root_(io::parse_json(text, "message")) {
  if (!root_.members()) throw Error("message: found no object, expected one with a \"type\"");
  if (root_.find("id")) id_ = static_cast<std::uint32_t>(whole("id", 1, 4294967295L));
  type_ = this->text("type");
}

const io::Node* Message::find(std::string_view key) const {
  const io::Node* found = root_.find(key);
  const bool is_null = found && !found->boolean() && !found->number() && !found->text() &&
                       !found->items() && !found->members();
  return is_null ? nullptr : found;
}
bool Message::has(std::string_view key) const { return find(key) != nullptr; }

std::string Message::text(std::string_view key) const {
  const io::Node* found = find(key);
  if (!found || !found->text()) refuse(key, found, "a text");
  return *found->text();
}
std::optional<std::string> Message::text_if(std::string_view key) const {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

double Message::number(std::string_view key, double least, double most) const {
  const io::Node* found = find(key);
  if (!found || !found->number()) refuse(key, found, "a number");
  const double value = *found->number();
  if (!std::isfinite(value) || value < least || value > most)
    refuse(key, found, fmt::format("a number from {} to {}", least, most));
  return value;
}
double Message::number_or(std::string_view key, double otherwise, double least, double most) const {
  return has(key) ? number(key, least, most) : otherwise;
}
std::optional<double> Message::number_if(std::string_view key, double least) const {
  return has(key) ? std::optional(number(key, least)) : std::nullopt;
}

long Message::whole(std::string_view key, long least, long most) const {
  const double value = number(key);
  if (value != std::floor(value) || value < static_cast<double>(least) ||
      value > static_cast<double>(most))
    refuse(key, find(key), fmt::format("a whole number from {} to {}", least, most));
  return static_cast<long>(value);
}
long Message::whole_or(std::string_view key, long otherwise, long least, long most) const {
  return has(key) ? whole(key, least, most) : otherwise;
}

bool Message::flag_or(std::string_view key, bool otherwise) const {
  const io::Node* found = find(key);
  if (!found) return otherwise;
  if (!found->boolean()) refuse(key, found, "true or false");
  return *found->boolean();
}

Vec3 Message::vector(std::string_view key) const {
  const io::Node* found = find(key);
  if (!found || !found->items() || found->items()->size() != 3) refuse(key, found, "three numbers");
  Vec3 v;
  for (int k = 0; k < 3; ++k) {
    const io::Node& item = (*found->items())[static_cast<std::size_t>(k)];
    if (!item.number() || !(std::abs(*item.number()) < 1e30)) refuse(key, &item, "a number");
    v[k] = *item.number();
  }
  return v;
}
std::optional<Vec3> Message::vector_if(std::string_view key) const {
  return has(key) ? std::optional(vector(key)) : std::nullopt;
}

std::map<std::string, double> Message::numbers(std::string_view key) const {
  std::map<std::string, double> values;
  const io::Node* found = find(key);
  if (!found) return values;
  if (!found->members()) refuse(key, found, "an object of numbers");
  for (const io::Node::Member& member : *found->members()) {
    if (!member.second.number() || !std::isfinite(*member.second.number()))
      refuse(member.first, &member.second, "a number");
    values[member.first] = *member.second.number();
  }
  return values;
}

}  // namespace taut::server
