#include <fmt/core.h>

#include <algorithm>

#include "taut/experiment/reader_internal.hpp"

namespace taut::experiment::detail {

void allow(const At& at, std::initializer_list<std::string_view> keys) {
  if (!at->members()) io::fail_found(at, "an object {…}");
  for (const io::Node::Member& member : *at->members())
    if (std::find(keys.begin(), keys.end(), member.first) == keys.end())
      io::fail(at, fmt::format("found the unknown key \"{}\"{}", member.first,
                               suggestion(member.first, std::span(keys.begin(), keys.size()))));
}

std::string text(const At& at) {
  if (!at->text()) io::fail_found(at, "a string");
  return *at->text();
}
double number(const At& at) {
  if (!at->number()) io::fail_found(at, "a number");
  return *at->number();
}

std::string value_text(const At& at) {
  if (at->text()) return *at->text();
  return fmt::format("{}", number(at));
}

void read(const At& at, std::string_view key, std::string& out) {
  if (at.has(key)) out = text(at.member(key));
}
void read(const At& at, std::string_view key, double& out) {
  if (at.has(key)) out = number(at.member(key));
}
void read(const At& at, std::string_view key, std::optional<double>& out) {
  if (at.has(key)) out = number(at.member(key));
}
void read(const At& at, std::string_view key, bool& out) {
  if (!at.has(key)) return;
  const At member = at.member(key);
  if (!member->boolean()) io::fail_found(member, "true or false");
  out = *member->boolean();
}
void read(const At& at, std::string_view key, std::vector<std::string>& out) {
  if (!at.has(key)) return;
  const At member = at.member(key);
  if (!member->items()) {
    out = {text(member)};
    return;
  }
  for (std::size_t i = 0; i < member->items()->size(); ++i) out.push_back(text(member.item(i)));
}
void read(const At& at, std::string_view key, std::optional<std::pair<double, double>>& out) {
  if (!at.has(key)) return;
  const At member = at.member(key);
  if (!member->items() || member->items()->size() != 2) io::fail_found(member, "[from, to]");
  out = {number(member.item(0)), number(member.item(1))};
}

bool is_left_out(const At& at, Extent extent) {
  bool full = false;
  read(at, "full", full);
  return full && extent != Extent::full;
}

}  // namespace taut::experiment::detail
