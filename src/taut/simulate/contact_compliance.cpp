// Contacts that give way: springs with dampers, k and d, that only push.
//
// Over a part of length h the spring is that of its end, with the gap g⁺ = g + h u:
//   r = −h (k g⁺ + d u)   or   u + w + R r = 0,   R = 1 / (h s),  w = k g / s,  s = h k + d.
// What other engines call ERP is h k / s, and CFM is 1 / s. A contact that closes within the part
// has w = g / h, so that it does nothing before. This damps as every step of first order does.
//
// Where a part is held, the method does it with constant forces from the gap g₀ to g₁, and the
// spring's force is that of a gap between, (1 − θ) g₀ + θ g₁:
//   r = −h k ((1 − θ) g₀ + θ g₁) − d (g₁ − g₀).
// With θ = ½ its work, r (g₁ − g₀) / h, is just what ½ k g² loses, and what the damper takes.
// Methods of first order and those of more than one step would gain energy with it: theirs is θ
// = 1. The solver changes the velocity u₁ at the end to u, which changes g₁ by c (u − u₁); c is h/2
// where the force acts throughout:
//   u + w + R r = 0,   R = 1 / (c (θ h k + d)),
//   w = −u₁ + R (h k ((1 − θ) g₀ + θ g₁) + d (g₁ − g₀)).
#include <algorithm>
#include <tuple>

#include "taut/simulate/contact_step.hpp"

namespace taut {

ContactStep::Spring ContactStep::at_end_of(double length, const Compliance& law, double gap) {
  const double s = length * law.stiffness + law.damping;
  return {gap < 0 ? law.stiffness * gap / s : gap / length, 1 / (length * s)};
}

// `is_first`: the contacts are those at the beginning; else those near the end of the last round,
// from which the gap at the beginning follows with their velocities, u_end_.
void ContactStep::set_springs(const ContactRows& rows, double length, bool is_first) {
  problem_.compliance.resize(0);
  if (!rows.has_compliant()) return;
  problem_.compliance.setZero(rows.count());
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contacts()[static_cast<std::size_t>(c)];
    if (!contact.is_compliant()) continue;
    const double gap = is_first ? contact.gap : contact.gap - length * u_end_[3 * c];
    const Spring spring = at_end_of(length, contact.compliance, gap);
    problem_.bias[3 * c] = spring.bias;
    problem_.compliance[c] = spring.compliance;
  }
}

/// J, below 0, of a part that ends with u_end_.
double ContactStep::damping_work(const ContactRows& rows, double length) const {
  if (!rows.has_compliant()) return 0;
  double work = 0;
  for (int c = 0; c < rows.count(); ++c)
    if (problem_.impulse[3 * c] > 0)
      work -= rows.contacts()[static_cast<std::size_t>(c)].compliance.damping * length *
              u_end_[3 * c] * u_end_[3 * c];
  return work;
}

void ContactStep::note_start_gaps() {
  start_gaps_.clear();
  if (!rows_.has_compliant()) return;
  for (const Contact& contact : rows_.contacts())
    if (contact.is_compliant())
      start_gaps_.push_back({contact.source, contact.feature, contact.gap});
  std::sort(start_gaps_.begin(), start_gaps_.end(), [](const StartGap& x, const StartGap& y) {
    return std::tie(x.source, x.feature) < std::tie(y.source, y.feature);
  });
}

const double* ContactStep::gap_at_start(const Contact& contact) const {
  const auto found = std::lower_bound(
      start_gaps_.begin(), start_gaps_.end(), contact, [](const StartGap& gap, const Contact& key) {
        return std::tie(gap.source, gap.feature) < std::tie(key.source, key.feature);
      });
  const bool is_found = found != start_gaps_.end() && found->source == contact.source &&
                        found->feature == contact.feature;
  return is_found ? &found->gap : nullptr;
}

// Of at_end_, whose velocities are u_end_.
void ContactStep::set_held_springs(double length, const Method& method) {
  problem_.compliance.resize(0);
  damping_ = 0;
  if (!at_end_.has_compliant()) return;
  problem_.compliance.setZero(at_end_.count());
  const double reach = method.force_response().way * length;
  const double share_of_end = method.order() >= 2 && !method.has_memory() ? 0.5 : 1;
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contacts()[static_cast<std::size_t>(c)];
    if (!contact.is_compliant()) continue;
    const auto [stiffness, damping] = contact.compliance;
    const double* start = gap_at_start(contact);
    if (!start || !find(contact)) {
      const Spring spring = at_end_of(length, contact.compliance, contact.gap);
      problem_.bias[3 * c] = spring.bias;
      problem_.compliance[c] = spring.compliance;
      continue;
    }
    const double change = contact.gap - *start;
    const double between = *start + share_of_end * change;
    const double R = 1 / (reach * (share_of_end * length * stiffness + damping));
    problem_.compliance[c] = R;
    problem_.bias[3 * c] = -u_end_[3 * c] + R * (length * stiffness * between + damping * change);
    damping_ -= damping * change * change / length;
  }
}

}  // namespace taut
