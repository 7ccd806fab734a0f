#include "taut/simulate/overlaps.hpp"

#include <algorithm>
#include <tuple>

#include "taut/simulate/contact_names.hpp"
#include "taut/model/contact_rows.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut {

std::vector<Overlap> find_overlaps(const System& system, const State& state, double tolerance) {
  std::vector<Overlap> overlaps;
  if (system.contact_sources().empty()) return overlaps;
  ContactRows rows;
  rows.find(system, state, 0, 0, {});
  const double least = tolerance * scene_size(system, state);
  std::vector<Contact> contacts = rows.contacts();
  const auto comes_before = [](const Contact& x, const Contact& y) {
    return std::tie(x.source, x.shape_a, x.shape_b, x.a.body.index, x.b.body.index, x.gap) <
           std::tie(y.source, y.shape_a, y.shape_b, y.a.body.index, y.b.body.index, y.gap);
  };
  const auto is_same_pair = [](const Contact& x, const Contact& y) {
    return std::tie(x.source, x.shape_a, x.shape_b, x.a.body.index, x.b.body.index) ==
           std::tie(y.source, y.shape_a, y.shape_b, y.a.body.index, y.b.body.index);
  };
  std::erase_if(contacts, [](const Contact& contact) { return contact.is_compliant(); });
  std::sort(contacts.begin(), contacts.end(), comes_before);
  // Of each pair the deepest point.
  contacts.erase(std::unique(contacts.begin(), contacts.end(), is_same_pair), contacts.end());
  for (const Contact& contact : contacts)
    if (-contact.gap > least)
      overlaps.push_back({name_of_a(system, contact), name_of_b(system, contact), -contact.gap});
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return overlaps;
}

}  // namespace taut
