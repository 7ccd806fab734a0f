#include "taut/simulate/contact_sleep.hpp"

#include <algorithm>

namespace taut {
namespace {

std::size_t number_of(int i) { return static_cast<std::size_t>(i); }

int velocities_of(const System& system, int body) { return system.is_rigid({body}) ? 6 : 3; }
int coordinates_of(const System& system, int body) { return system.is_rigid({body}) ? 7 : 3; }

}  // namespace

const Touch* find_touch(const std::vector<Touch>& touches, const Contact& contact) {
  const auto found = std::lower_bound(
      touches.begin(), touches.end(), contact, [](const Touch& touch, const Contact& key) {
        return touch.source != key.source ? touch.source < key.source : touch.feature < key.feature;
      });
  const bool is_found = found != touches.end() && found->source == contact.source &&
                        found->feature == contact.feature;
  return is_found ? &*found : nullptr;
}

void ContactSleep::adapt(const System& system) {
  if (topology_ == system.topology()) return;
  topology_ = system.topology();
  const std::size_t bodies = number_of(system.body_count());
  asleep_.assign(bodies, 0);
  at_rest_.assign(bodies, 0);
  island_.assign(bodies, -1);
  count_ = 0;
  touches_.clear();
  q_.setZero(system.initial_state().q.size());
  F_.setZero(system.velocity_size());
  held_.setZero(system.velocity_size());
  forces_.reserve(3 * ContactRows::usual_count);
}

template <class IsAwake>
bool ContactSleep::wake_if(IsAwake is_awake, std::vector<Touch>& touches) {
  const int before = count_;
  for (int i = 0; count_ > 0 && i < static_cast<int>(asleep_.size()); ++i)
    if (asleep_[number_of(i)] && is_awake(i)) wake(island_[number_of(i)], touches);
  return count_ < before;
}

void ContactSleep::wake(int island, std::vector<Touch>& touches) {
  for (std::size_t i = 0; i < asleep_.size(); ++i)
    if (asleep_[i] && island_[i] == island) {
      asleep_[i] = 0;
      at_rest_[i] = 0;
      --count_;
    }
  const auto wakes = [&](const Touch& touch) { return !asleep_[number_of(touch.body)]; };
  std::copy_if(touches_.begin(), touches_.end(), std::back_inserter(touches), wakes);
  touches_.erase(std::remove_if(touches_.begin(), touches_.end(), wakes), touches_.end());
  std::sort(touches.begin(), touches.end(), Touch::before);
}

bool ContactSleep::wake_moved(const System& system, const State& state, double length, double speed,
                              std::vector<Touch>& touches) {
  return wake_if(
      [&](int i) {
        const BodySlot& slot = system.slot({i});
        const int n = coordinates_of(system, i);
        return !((state.q - q_).segment(slot.q, n).lpNorm<Eigen::Infinity>() <= length) ||
               !(state.v.segment(slot.v, velocities_of(system, i)).lpNorm<Eigen::Infinity>() <=
                 speed);
      },
      touches);
}

bool ContactSleep::wake_pushed(const System& system, const VecX& F, std::vector<Touch>& touches) {
  return wake_if(
      [&](int i) {
        const int at = system.slot({i}).v, n = velocities_of(system, i);
        return !((F - F_).segment(at, n).norm() <= 1e-13 * F_.segment(at, n).norm());
      },
      touches);
}

bool ContactSleep::wake_all(std::vector<Touch>& touches) {
  return wake_if([](int) { return true; }, touches);
}

bool ContactSleep::wake_touched(const ContactRows& rows, std::vector<Touch>& touches) {
  const int before = count_;
  for (int c = 0; count_ > 0 && c < rows.count(); ++c)
    for (const ContactRows::Block& block : rows.blocks(c))
      if (asleep_[number_of(block.body)]) wake(island_[number_of(block.body)], touches);
  return count_ < before;
}

void ContactSleep::restore(const System& system, State& state) const {
  if (count_ == 0) return;
  for (int i = 0; i < system.body_count(); ++i)
    if (asleep_[number_of(i)]) {
      const int at = system.slot({i}).q, n = coordinates_of(system, i);
      state.q.segment(at, n) = q_.segment(at, n);
    }
  stop(system, state.v);
}

void ContactSleep::stop(const System& system, VecX& v) const {
  if (count_ == 0) return;
  for (int i = 0; i < system.body_count(); ++i)
    if (asleep_[number_of(i)]) v.segment(system.slot({i}).v, velocities_of(system, i)).setZero();
}

void ContactSleep::add_forces(const System& system, VecX& out) const {
  for (int i = 0; count_ > 0 && i < system.body_count(); ++i)
    if (asleep_[number_of(i)]) {
      const int at = system.slot({i}).v, n = velocities_of(system, i);
      out.segment(at, n) += held_.segment(at, n);
    }
}

bool ContactSleep::watch(const System& system, const State& state, double speed, double length) {
  bool may_any = false;
  for (int i = 0; i < system.body_count(); ++i) {
    if (asleep_[number_of(i)]) continue;
    const int at = system.slot({i}).v;
    double fastest = state.v.segment<3>(at).norm();
    if (system.is_rigid({i})) fastest += length * state.v.segment<3>(at + 3).norm();
    int& count = at_rest_[number_of(i)];
    count = fastest <= speed ? count + 1 : 0;
    may_any = may_any || (count > 0 && count % steps_at_rest == 0);
  }
  return may_any;
}

int ContactSleep::root(int body) {
  while (parent_[number_of(body)] != body) body = parent_[number_of(body)];
  return body;
}

void ContactSleep::join(int a, int b) {
  a = root(a);
  b = root(b);
  parent_[number_of(std::max(a, b))] = std::min(a, b);
}

void ContactSleep::find_islands(const System& system, const RowPattern& pattern,
                                const ContactRows& rows) {
  const int bodies = system.body_count();
  parent_.resize(number_of(bodies));
  body_at_.assign(number_of(system.velocity_size()), -1);
  for (int i = 0; i < bodies; ++i) {
    parent_[number_of(i)] = i;
    body_at_[number_of(system.slot({i}).v)] = i;
  }
  for (int c = 0; c < rows.count(); ++c)
    for (const ContactRows::Block& block : rows.blocks(c))
      join(rows.blocks(c).front().body, block.body);
  for (int row = 0; row < pattern.rows(); ++row)
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b)
      join(body_at_[number_of(pattern.blocks[pattern.first_block[row]].dof)],
           body_at_[number_of(pattern.blocks[b].dof)]);
  for (const StiffnessBlock& block : pattern.coupling_blocks)
    join(body_at_[number_of(block.row_dof)], body_at_[number_of(block.col_dof)]);
}

void ContactSleep::fall_asleep(const System& system, const Workspace& w, const ContactRows& rows,
                               const VecX& F, State& state, std::vector<Touch>& touches) {
  const int bodies = system.body_count();
  const RowPattern& pattern = w.pattern;
  find_islands(system, pattern, rows);
  may_sleep_.assign(number_of(bodies), 1);  // at the first of an island
  for (int i = 0; i < bodies; ++i)
    if (asleep_[number_of(i)] || at_rest_[number_of(i)] < steps_at_rest)
      may_sleep_[number_of(root(i))] = 0;
  // Motors and drives may begin to move at any time.
  if (!w.modes.empty() || system.constraints_depend_on_time())
    for (const JacobianBlock& block : pattern.blocks)
      may_sleep_[number_of(root(body_at_[number_of(block.dof)]))] = 0;
  bool has_new = false;
  for (int i = 0; i < bodies; ++i) {
    if (asleep_[number_of(i)] || !may_sleep_[number_of(root(i))]) continue;
    const BodySlot& slot = system.slot({i});
    const int n = velocities_of(system, i), m = coordinates_of(system, i);
    asleep_[number_of(i)] = 1;
    island_[number_of(i)] = root(i);
    ++count_;
    has_new = true;
    state.v.segment(slot.v, n).setZero();
    q_.segment(slot.q, m) = state.q.segment(slot.q, m);
    F_.segment(slot.v, n) = F.segment(slot.v, n);
    held_.segment(slot.v, n).setZero();
  }
  if (!has_new) return;
  // The forces of the contacts among those that fell asleep.
  of_contacts_.setZero(system.velocity_size());
  forces_.setZero(rows.size());
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contacts()[number_of(c)];
    if (const Touch* touch = find_touch(touches, contact))
      rows.set_impulse(c, touch->force, touch->torque, forces_);
  }
  rows.add_impulses(forces_, 1, of_contacts_);
  for (int i = 0; i < bodies; ++i)
    if (asleep_[number_of(i)]) {
      const int at = system.slot({i}).v, n = velocities_of(system, i);
      if (held_.segment(at, n).isZero(0)) held_.segment(at, n) = of_contacts_.segment(at, n);
    }
  const auto sleeps = [&](const Touch& touch) { return asleep_[number_of(touch.body)] != 0; };
  std::copy_if(touches.begin(), touches.end(), std::back_inserter(touches_), sleeps);
  std::sort(touches_.begin(), touches_.end(), Touch::before);
  touches.erase(std::remove_if(touches.begin(), touches.end(), sleeps), touches.end());
}

}  // namespace taut
