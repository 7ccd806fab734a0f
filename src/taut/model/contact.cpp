#include "taut/model/contact.hpp"

#include <algorithm>

namespace taut {

Compliance compliance_of(double erp, double cfm, double h) {
  return {erp / (h * cfm), (1 - erp) / cfm};
}

void ContactSource::find_awake(const Pose& pose, const VecX& v, double time, double margin,
                               std::span<const char> asleep, std::vector<Contact>& out) const {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  find(pose, v, time, margin, out);
  const auto is_still = [&](BodyId body) {
    return body.is_world() || asleep[static_cast<std::size_t>(body.index)];
  };
  out.erase(std::remove_if(out.begin() + first, out.end(),
                           [&](const Contact& contact) {
                             return is_still(contact.a.body) && is_still(contact.b.body);
                           }),
            out.end());
}

}  // namespace taut
