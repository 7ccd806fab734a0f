// What contacts do to the energy is known: friction takes what it takes, and all else that goes on
// touching takes and gives nothing. What a part did beyond that is an error of its order; it goes
// out of the speeds of the bodies of an island, all in proportion. What sticks, rolls or hangs on
// constraints does so after it as well.
#include <algorithm>
#include <cmath>

#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr double most_gained = 1e-3;  // of the kinetic energy, in a part that is left as it is
constexpr double most_given = 0.1;    // of the kinetic energy, in a part; the rest is left

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

void ContactStep::look_at_islands(const System& system, const ContactRows& rows, const VecX& v) {
  islands_.assign(static_cast<std::size_t>(system.body_count()), {});
  for (int c = 0; c < rows.count(); ++c) {
    if (!(problem_.impulse[3 * c] > 0)) continue;
    const auto blocks = rows.blocks(c);
    IslandEnergy& island = island_of(blocks.front().body);
    island.touches = true;
    if (blocks.size() == 1) island.is_held = true;
  }
  for (int i = 0; i < system.body_count(); ++i) {
    IslandEnergy& island = island_of(i);
    const double mass = system.mass({i});
    const int at = system.slot({i}).v;
    island.kinetic += 0.5 * mass * v.segment<3>(at).squaredNorm();
    island.mass += mass;
    island.momentum += mass * v.segment<3>(at);
    if (system.is_rigid({i}))
      island.kinetic += 0.5 * v.segment<3>(at + 3).dot(system.inertia({i}) * v.segment<3>(at + 3));
  }
}

void ContactStep::take_surplus(const System& system, const Workspace& w, bool gives_back,
                               State& state) const {
  const bool has_rows = w.pattern.rows() > 0;
  for (int i = 0; i < system.body_count(); ++i) {
    const IslandEnergy& island = islands_[static_cast<std::size_t>(problem_.island_of(i))];
    const double size = gives_back ? std::abs(island.surplus) : island.surplus;
    if (!island.touches || !(size > roundoff * island.kinetic)) continue;
    // What nothing holds keeps its momentum.
    Vec3 common = Vec3::Zero();
    double kinetic = island.kinetic;
    if (!island.is_held && !has_rows) {
      common = island.momentum / island.mass;
      kinetic -= 0.5 * island.momentum.dot(common);
    }
    if (island.surplus < -most_given * kinetic) continue;
    const double left = kinetic > island.surplus ? std::sqrt(1 - island.surplus / kinetic) : 0;
    const int at = system.slot({i}).v;
    state.v.segment<3>(at) = common + left * (state.v.segment<3>(at) - common);
    if (system.is_rigid({i})) state.v.segment<3>(at + 3) *= left;
  }
}

/// What the kinetic energy grew from velocities `before` on.
void ContactStep::take_back_gain(const System& system, const VecX& before, const Workspace& w,
                                 State& state) {
  look_at_islands(system, at_end_, state.v);
  for (int i = 0; i < system.body_count(); ++i)
    island_of(i).surplus += kinetic_change(system, i, before, state.v);
  take_surplus(system, w, false, state);
}

// A contact that closes at the end of turmoil pushes along the normal there, but what moves on a
// curve got there along a chord: u_N may be above 0 while r_N is, and such a push does work. With
// M (v⁺ − v) = h (F + G) + Hᵀ r − Jᵀ Λ, where G are the gyroscopic torques, the energy grows by
//   r·u − ½ |v⁺ − v|²_M + h G·v⁺,
// apart from the work of forces. Only what is above 0 is taken.
void ContactStep::take_back_push(const System& system, double length, const ContactRows& rows,
                                 const Workspace& w, State& state) {
  if (!raw_.C_t.isZero(0)) return;  // what is driven may gain
  look_at_islands(system, rows, state.v);
  for (int c = 0; c < rows.count(); ++c) {
    double work = problem_.impulse.segment<3>(3 * c).dot(u_end_.segment<3>(3 * c));
    if (rows.lever(c) > 0)
      work += problem_.impulse.segment<3>(rows.torque(c)).dot(u_end_.segment<3>(rows.torque(c)));
    // A spring gives back what it has.
    if (rows.contacts()[static_cast<std::size_t>(c)].is_compliant())
      work -= problem_.impulse[3 * c] * u_end_[3 * c];
    island_of(rows.blocks(c).front().body).surplus += work;
  }
  const VecX &v = state.v, &before = at_start_.v;
  for (int i = 0; i < system.body_count(); ++i) {
    IslandEnergy& island = island_of(i);
    const int at = system.slot({i}).v;
    island.surplus -= 0.5 * system.mass({i}) * (v - before).segment<3>(at).squaredNorm();
    if (!system.is_rigid({i})) continue;
    const Mat3& inertia = system.inertia({i});
    const Vec3 turn = v.segment<3>(at + 3), start = before.segment<3>(at + 3);
    const Vec3 gyroscopic = inertia * (v_free_.segment<3>(at + 3) - start) -
                            length * (F_.segment<3>(at + 3) + start.cross(inertia * start));
    island.surplus += gyroscopic.dot(turn) - 0.5 * (turn - start).dot(inertia * (turn - start));
  }
  take_surplus(system, w, false, state);
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
  look_at_islands(system, at_end_, state.v);
  for (int i = 0; i < system.body_count(); ++i) {
    const Vec3 way = (state.q - from_.q).segment<3>(system.slot({i}).q);
    island_of(i).surplus +=
        kinetic_change(system, i, from_.v, state.v) - system.mass({i}) * way.dot(acceleration);
  }
  for (int c = 0; c < at_end_.count(); ++c)
    island_of(at_end_.blocks(c).front().body).surplus -= held_friction_work(c);
  using Energy = Promises::Energy;
  const Energy promise = method.promises.energy;
  if (method.has_memory() || (promise == Energy::follows && method.order() < 2))
    return std::none_of(islands_.begin(), islands_.end(), [](const IslandEnergy& island) {
      return island.touches && island.surplus > most_gained * island.kinetic;
    });
  // What has come to touch may have lost some.
  const bool has_come = std::any_of(touches_.begin(), touches_.end(), [&](const Touch& touch) {
    return !std::binary_search(remembered_.begin(), remembered_.end(), touch, Touch::before);
  });
  const bool conserves = promise == Energy::conserves || method.order() >= 4;
  take_surplus(system, w, conserves && !has_come, state);
  return true;
}

}  // namespace taut
