#include "taut/simulate/contact_springs.hpp"

#include <algorithm>
#include <tuple>

namespace taut {
namespace {

/// How a compliant contact enters the problem of a part: bias and compliance of its normal.
struct Spring {
  double bias, compliance;
};

Spring spring_at_end(double length, const Compliance& law, double gap) {
  const double s = length * law.stiffness + law.damping;
  return {gap < 0 ? law.stiffness * gap / s : gap / length, 1 / (length * s)};
}

}  // namespace

void set_springs(const ContactRows& rows, double length, const KeptVec* u_end,
                 ContactProblem& problem) {
  problem.compliance.resize(0);
  if (!rows.has_compliant()) return;
  problem.compliance.setZero(rows.count());
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    if (!contact.is_compliant()) continue;
    const double gap = u_end ? contact.gap - length * (*u_end)[3 * c] : contact.gap;
    const Spring spring = spring_at_end(length, contact.compliance, gap);
    problem.bias[3 * c] = spring.bias;
    problem.compliance[c] = spring.compliance;
  }
}

double damping_work(const ContactRows& rows, const ContactProblem& problem, double length,
                    const KeptVec& u_end) {
  if (!rows.has_compliant()) return 0;
  double work = 0;
  for (int c = 0; c < rows.count(); ++c)
    if (problem.impulse[3 * c] > 0)
      work -= rows.contact(c).compliance.damping * length * u_end[3 * c] * u_end[3 * c];
  return work;
}

void HeldSprings::start(const ContactRows& rows) {
  gaps_.clear();
  if (!rows.has_compliant()) return;
  for (const Contact& contact : rows.contacts())
    if (contact.is_compliant()) gaps_.push_back({contact.source, contact.feature, contact.gap});
  std::sort(gaps_.begin(), gaps_.end(), [](const Gap& x, const Gap& y) {
    return std::tie(x.source, x.feature) < std::tie(y.source, y.feature);
  });
}

const double* HeldSprings::gap_at_start(const Contact& contact) const {
  const auto found =
      std::lower_bound(gaps_.begin(), gaps_.end(), contact, [](const Gap& gap, const Contact& key) {
        return std::tie(gap.source, gap.feature) < std::tie(key.source, key.feature);
      });
  const bool is_found =
      found != gaps_.end() && found->source == contact.source && found->feature == contact.feature;
  return is_found ? &found->gap : nullptr;
}

void HeldSprings::set(const ContactRows& at_end, const ContactLoads& loads, double length,
                      const Method& method, const KeptVec& u_end, ContactProblem& problem) {
  problem.compliance.resize(0);
  damping_ = 0;
  if (!at_end.has_compliant()) return;
  problem.compliance.setZero(at_end.count());
  const double reach = method.force_response().way * length;
  const double share_of_end = method.order() >= 2 && !method.has_memory() ? 0.5 : 1;
  for (int c = 0; c < at_end.count(); ++c) {
    const Contact& contact = at_end.contact(c);
    if (!contact.is_compliant()) continue;
    const auto [stiffness, damping] = contact.compliance;
    const double* start = gap_at_start(contact);
    if (!start || !loads.find(contact)) {
      const Spring spring = spring_at_end(length, contact.compliance, contact.gap);
      problem.bias[3 * c] = spring.bias;
      problem.compliance[c] = spring.compliance;
      continue;
    }
    const double change = contact.gap - *start;
    const double between = *start + share_of_end * change;
    const double R = 1 / (reach * (share_of_end * length * stiffness + damping));
    problem.compliance[c] = R;
    problem.bias[3 * c] = -u_end[3 * c] + R * (length * stiffness * between + damping * change);
    damping_ -= damping * change * change / length;
  }
}

}  // namespace taut
