// What contacts do to the energy is known: friction takes what it takes, and all else that goes on
// touching takes and gives nothing. What a part did beyond that is an error of its order
// (island_energies.hpp).
#include <algorithm>
#include <cmath>

#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr double most_gained = 1e-3;  // of the kinetic energy, in a part that is left as it is

/// The acceleration that all bodies have alike, if there are no other forces.
bool is_uniform(const System& system, Vec3& acceleration) {
  acceleration.setZero();
  for (const auto& batch : system.all_forces()) {
    const Vec3 common = batch->uniform_acceleration();
    if (common.isZero(0) || !batch->is_conservative()) return false;
    acceleration += common;
  }
  return true;
}

/// Of a body, ½ v·M v − ½ w·M w = ½ (v − w)·M (v + w), without cancellation.
double kinetic_change(const System& system, int body, const VecX& w, const VecX& v) {
  const int at = system.slot({body}).v;
  const auto change = [&](int i) { return Vec3(0.5 * (v - w).segment<3>(i)); };
  const auto sum = [&](int i) { return Vec3((v + w).segment<3>(i)); };
  double energy = system.mass({body}) * change(at).dot(sum(at));
  if (system.is_rigid({body})) energy += change(at + 3).dot(system.inertia({body}) * sum(at + 3));
  return energy;
}

}  // namespace

/// What the kinetic energy grew from velocities `before` on.
void ContactStep::take_back_gain(const System& system, const VecX& before, const Workspace& w,
                                 State& state) {
  energies_.look(system, problem_, at_end_, state.v);
  for (int i = 0; i < system.body_count(); ++i)
    energies_.surplus(i) += kinetic_change(system, i, before, state.v);
  energies_.take(system, w.pattern.rows() == 0, false, state);
}

// A contact that closes at the end of turmoil pushes along the normal there, but what moves on a
// curve got there along a chord: u_N may be above 0 while r_N is, and such a push does work. With
// M (v⁺ − v) = h (F + G) + Hᵀ r − Jᵀ Λ, where G are the gyroscopic torques, the energy grows by
//   r·u − ½ |v⁺ − v|²_M + h G·v⁺,
// apart from the work of forces. Only what is above 0 is taken.
void ContactStep::take_back_push(const System& system, double length, const ContactRows& rows,
                                 const Workspace& w, State& state) {
  if (!raw_.C_t.isZero(0)) return;  // what is driven may gain
  energies_.look(system, problem_, rows, state.v);
  for (int c = 0; c < rows.count(); ++c) {
    double work = problem_.impulse.segment<3>(3 * c).dot(u_end_.segment<3>(3 * c));
    if (rows.lever(c) > 0)
      work += problem_.impulse.segment<3>(rows.torque(c)).dot(u_end_.segment<3>(rows.torque(c)));
    // A spring gives back what it has.
    if (rows.contacts()[static_cast<std::size_t>(c)].is_compliant())
      work -= problem_.impulse[3 * c] * u_end_[3 * c];
    energies_.surplus(rows.blocks(c).front().body) += work;
  }
  const VecX &v = state.v, &before = at_start_.v;
  for (int i = 0; i < system.body_count(); ++i) {
    double& surplus = energies_.surplus(i);
    const int at = system.slot({i}).v;
    surplus -= 0.5 * system.mass({i}) * (v - before).segment<3>(at).squaredNorm();
    if (!system.is_rigid({i})) continue;
    const Mat3& inertia = system.inertia({i});
    const Vec3 turn = v.segment<3>(at + 3), start = before.segment<3>(at + 3);
    const Vec3 gyroscopic = inertia * (v_free_.segment<3>(at + 3) - start) -
                            length * (F_.segment<3>(at + 3) + start.cross(inertia * start));
    surplus += gyroscopic.dot(turn) - 0.5 * (turn - start).dot(inertia * (turn - start));
  }
  energies_.take(system, w.pattern.rows() == 0, false, state);
}

// After a part that was held, from from_ to `state`, with the slips u_ and u_law_. Methods that
// lose energy do so here as well, and do not gain. Those that gain in all they do, and those with a
// memory, which must find the state that they left, are left alone; but where they gain much the
// part is not held: false.
bool ContactStep::keep_energy(const System& system, const Method& method, const Workspace& w,
                              State& state) {
  Vec3 acceleration;
  if (!w.modes.empty() || system.constraints_depend_on_time() || at_end_.has_compliant() ||
      !is_uniform(system, acceleration))
    return true;
  energies_.look(system, problem_, at_end_, state.v);
  // What opened was pushed before it did.
  for (const ContactRows* rows : {&rows_, &at_end_})
    for (int c = 0; c < rows->count(); ++c)
      if (const Contact& contact = rows->contacts()[static_cast<std::size_t>(c)];
          contact.gap <= no_gap_ || find_touch(applied_, contact))
        energies_.note_touch(*rows, c);
  for (int i = 0; i < system.body_count(); ++i) {
    const Vec3 way = (state.q - from_.q).segment<3>(system.slot({i}).q);
    energies_.surplus(i) +=
        kinetic_change(system, i, from_.v, state.v) - system.mass({i}) * way.dot(acceleration);
  }
  for (int c = 0; c < at_end_.count(); ++c)
    energies_.surplus(at_end_.blocks(c).front().body) -= held_friction_work(c);
  using Energy = Promises::Energy;
  const Energy promise = method.promises.energy;
  if (method.has_memory() || (promise == Energy::follows && method.order() < 2))
    return !energies_.has_gained(most_gained);
  // What has come to touch may have lost some.
  const bool has_come = std::any_of(touches_.begin(), touches_.end(), [&](const Touch& touch) {
    return !std::binary_search(remembered_.begin(), remembered_.end(), touch, Touch::before);
  });
  const bool conserves = promise == Energy::conserves || method.order() >= 4;
  energies_.take(system, w.pattern.rows() == 0, conserves && !has_come, state);
  return true;
}

}  // namespace taut
