#include "taut/simulate/contact_loads.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

bool is_same(const std::vector<Touch>& one, const std::vector<Touch>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Touch& a, const Touch& b) {
                      return a.source == b.source && a.feature == b.feature && a.how == b.how &&
                             a.turns == b.turns;
                    });
}

void ContactLoads::recall(const ContactRows& rows, double length, KeptVec& impulse) const {
  impulse.setZero(rows.size());
  for (int c = 0; c < rows.count(); ++c)
    if (const Touch* touch = find(rows.contact(c))) {
      const auto now = [&](const Vec3& then) {
        return Vec3(length * turned(touch->normal, rows.contact(c).normal, then));
      };
      rows.set_impulse(c, now(touch->force), rows.lever(c) > 0 ? now(touch->torque) : Vec3::Zero(),
                       impulse);
    }
}

void ContactLoads::add(const ContactRows& rows, int c, const KeptVec& impulse, double length) {
  const Vec3 r = impulse.segment<3>(3 * c);
  const Contact& contact = rows.contact(c);
  const double bound = r[0] * (1 - 1e-6);
  const bool slides = r.tail<2>().norm() >= rows.friction(c) * bound;
  bool turns = false;
  if (const double lever = rows.lever(c); lever > 0) {
    const Vec3 about = lever * impulse.segment<3>(rows.torque(c));
    turns =
        (contact.rolling_friction > 0 &&
         about.tail<2>().norm() >= contact.rolling_friction * bound) ||
        (contact.spinning_friction > 0 && std::abs(about[0]) >= contact.spinning_friction * bound);
  }
  touches.push_back({contact.source, contact.feature,
                     slides ? Touch::How::slides : Touch::How::sticks,
                     rows.force(c, impulse) / length, rows.torque(c, impulse) / length,
                     contact.normal, rows.blocks(c).front().body, turns});
}

void ContactLoads::remember(const ContactRows& rows, const ContactProblem& problem,
                            const KeptVec& u, double length, double opening) {
  const KeptVec& impulse = problem.impulse;
  touches.clear();
  for (int c = 0; c < rows.count(); ++c) {
    const bool is_open =
        !rows.contact(c).is_compliant() && u[3 * c] + problem.bias[3 * c] > opening;
    if (impulse[3 * c] > 0 && !is_open) add(rows, c, impulse, length);
  }
  std::sort(touches.begin(), touches.end(), Touch::before);
  forces.setZero(sums_forces ? problem.momentum.size() : 0);
  if (!sums_forces) return;
  rows.add_impulses(impulse, 1 / length, forces);
}

void ContactLoads::remember(const ContactRows& rows, const KeptVec& force) {
  touches.clear();
  for (int c = 0; c < rows.count(); ++c)
    if (force[3 * c] > 0) add(rows, c, force, 1);
  std::sort(touches.begin(), touches.end(), Touch::before);
  forces.resize(0);
}

double ContactLoads::widest_gap(const ContactRows& rows) const {
  double widest = 0;
  for (const Contact& contact : rows.contacts())
    if (contact.gap > widest && !contact.is_compliant() && find(contact)) widest = contact.gap;
  return widest;
}

}  // namespace taut
