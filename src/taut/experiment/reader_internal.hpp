// Reading the parts of an experiment's file. Every message says where in the file.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "taut/experiment/experiment_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::experiment::detail {

using io::At;

/// Throws for a member that is not among `keys`, with the nearest one.
void allow(const At& at, std::initializer_list<std::string_view> keys);

std::string text(const At& at);
double number(const At& at);
/// A number or a word, as text: values of options and settings.
std::string value_text(const At& at);

// A member that is missing leaves `out` as it is.
void read(const At& at, std::string_view key, std::string& out);
void read(const At& at, std::string_view key, double& out);
void read(const At& at, std::string_view key, std::optional<double>& out);
void read(const At& at, std::string_view key, bool& out);
void read(const At& at, std::string_view key, std::vector<std::string>& out);
void read(const At& at, std::string_view key, std::optional<std::pair<double, double>>& out);

/// Calls `visit` with every item of a list that may be missing.
template <class Visit>
void each(const At& at, std::string_view key, const Visit& visit) {
  if (!at.has(key)) return;
  const At list = at.member(key);
  if (!list->items()) io::fail_found(list, "an array […]");
  for (std::size_t i = 0; i < list->items()->size(); ++i) visit(list.item(i));
}

/// Calls `visit` with the name and the value of every member of an object that may be missing.
template <class Visit>
void each_member(const At& at, std::string_view key, std::string_view expected,
                 const Visit& visit) {
  if (!at.has(key)) return;
  const At object = at.member(key);
  if (!object->members()) io::fail_found(object, expected);
  for (const io::Node::Member& member : *object->members())
    visit(member.first, object.member(member.first));
}

/// Whether something is left out of a quick reproduction: it has "full": true.
bool is_left_out(const At& at, Extent extent);

/// Appends the runs of one entry of the list: one for each combination of values.
void read_runs(const At& at, std::vector<RunSpec>& out);

}  // namespace taut::experiment::detail
