// The end of a part that is held: what the laws ask for there, whether it is held, and its energy.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/contact_hold.hpp"

namespace taut {
namespace {

constexpr double no_slip = 1e-6;      // of speeds: it rests
constexpr double out_of_reach = 1e3;  // of speeds
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

}  // namespace

/// Whether nothing touches there in the part, and something will be hit in the next: the method
/// took it there, and not inside.
bool ContactHold::flies(int contact) const {
  const Contact& at_end = at_end_.contact(contact);
  return locates_ && !at_end.is_compliant() &&
         positions_.entry().depth <= scale_.deepest_overlap() &&
         u_end_[3 * contact] < -scale_.slow && !loads_.find(at_end);
}

/// What each contact's velocity is to be 0 with at the end: the bias of its law.
void ContactHold::set_aims(double length, double reach, Aim aim) {
  const double rest = no_slip * scale_.loaded_speed;
  const auto way_back = [&](int c) {
    Vec3 along = at_end_.along(c, touches_.way(c));
    along[0] = touches_.way(c).dot(at_end_.contact(c).normal);
    return along;
  };
  problem_.bias.setZero(3 * at_end_.count());
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contact(c);
    const int touch = touches_.find(contact);
    if (touch < 0) {
      problem_.bias[3 * c] =
          flies(c) ? out_of_reach * scale_.fastest : scale_.to_close(contact.gap) / length;
      continue;
    }
    const Vec3 slip = touches_.slip_before(at_end_, c);
    // At rest friction may be as large as it can be. Such a contact is to go nowhere just like the
    // others of its body: else they contradict each other.
    const bool rests = touches_[touch].how == Touch::How::sticks || slip.norm() <= rest;
    if (!rests && !touches_.stopping(touch))
      problem_.bias.segment<3>(3 * c) = slip;
    else if (aim == Aim::places && rests && !touches_.turns(c))
      problem_.bias.segment<3>(3 * c) = way_back(c) / reach - u_end_.segment<3>(3 * c);
  }
}

/// The same contacts at the end, with the forces that would make the laws hold there. With `aim`
/// at places, what sticks is to have gone nowhere; else it is to be at rest.
ConeReport ContactHold::solve_at_end(const System& system, const Method& method, double length,
                                     Aim aim, const State& state, Workspace& w) {
  const ForceResponse response = method.force_response();
  const double reach = response.way * length;
  loads_.recall(at_end_, length, problem_.impulse);
  set_aims(length, reach, aim);
  springs_.set(at_end_, loads_, length, method, u_end_, problem_);
  w.evaluate(system, state.q, state.time, w.end);
  system.apply_mass(state.v, problem_.momentum);
  problem_.momentum *= response.mass;
  if (response.stiffness == 0 || w.pattern.coupling_blocks.empty()) {
    problem_.set_mass(response.mass);
  } else {
    ContactEquations& equations = work_.equations;
    equations.take_stiffness(system, state, response.damping / (response.stiffness * length), w);
    const double factor = response.stiffness * length * length;
    problem_.set_mass(w.pattern, response.mass, equations.rows.K, factor);
    stiff_ = factor * state.v;
    add_product(w.pattern.coupling_blocks, equations.rows.K, stiff_, problem_.momentum);
  }
  law_rows_.clear();
  left_out_.clear();
  if (!laws_.empty()) laws_.set_laws(reach, aim, w, law_rows_, left_out_, problem_.momentum);
  const Rows& rows = laws_.empty() ? w.end : laws_.rows();
  problem_.set_rows(w.pattern, rows, law_rows_, left_out_);
  problem_.set_contacts(at_end_, ContactProblem::Friction::as_it_is, ContactProblem::Which::all);
  multiply(w.pattern, rows.J, state.v, problem_.right_side);
  at_end_.add_impulses(problem_.impulse, -1, problem_.momentum);
  ConeOptions options = scale_.as_asked();
  // Where that is hard, the part is not held; joints are worth more.
  options.stages = laws_.empty() ? 1 : 3;
  return problem_.solve(options);
}

/// Whether what has not touched before approaches so slowly that a force stops it in the part.
bool ContactHold::comes_softly(const Touch& touch) const {
  const auto is_of = [&](const Contact& contact) {
    return contact.source == touch.source && contact.feature == touch.feature;
  };
  const auto number = [&](const ContactRows& rows) {
    int c = 0;
    while (c < rows.count() && !is_of(rows.contact(c))) ++c;
    return c;
  };
  const auto is_soft = [&](const ContactRows& rows, int c, const KeptVec& u) {
    return !rows.contact(c).is_compliant() && u[3 * c] >= -scale_.slow;
  };
  if (const int c = number(start_.rows); c < start_.rows.count())
    return is_soft(start_.rows, c, start_.u);
  const int c = number(at_end_);
  return c < at_end_.count() && is_soft(at_end_, c, u_end_);
}

// What opens, begins to slide or comes to rest does so without a jump of velocities: a part with a
// constant force goes through it. What closes fast does not.
ContactHold::Held ContactHold::judge() {
  for (const Touch& touch : loads_.touches)
    if (touches_.has_come(touch) && !comes_softly(touch)) return Held::no;
  // What pushed, but is out of reach at the end, pushed too much.
  std::size_t pushed = 0;
  for (const Contact& contact : at_end_.contacts())
    pushed += find_touch(applied_, contact) != nullptr;
  Held result = pushed < applied_.size() ? Held::not_yet : Held::yes;
  turns_back_ = 1;
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contact(c);
    const int touch = touches_.find(contact);
    if (touch < 0) continue;
    const Touch& at_start = touches_[touch];
    if (at_start.how == Touch::How::sticks) continue;
    const Vec3 before = touches_.slip_before(at_end_, c);
    const double speed = before.norm();
    if (speed <= no_slip * scale_.loaded_speed) continue;  // it rests
    const Stopping* stopping = touches_.stopping(touch);
    if (const Touch* now = loads_.find(contact); stopping && now) {
      const double friction = at_end_.along(c, now->force).dot(before) / speed;
      if (std::abs(stopping->to_hold(friction)) >=
          at_end_.friction(c) * now->force.dot(contact.normal))
        turns_back_ = std::min(turns_back_, stopping->at());
    }
    const double onwards = u_law_.segment<3>(3 * c).dot(before) / speed;
    if (stopping || onwards > 0) continue;
    touches_.stop(touch, {speed, std::min(u_end_.segment<3>(3 * c).dot(before) / speed, onwards),
                          -at_end_.friction(c) * at_start.force.dot(at_start.normal)});
    result = Held::not_yet;
  }
  return result;
}

// After a part that was held, from from_ to `state`, with the slips start_.u and u_law_. Methods
// that lose energy do so here as well, and do not gain. Those that gain in all they do, and those
// with a memory, which must find the state that they left, are left alone; but where they gain much
// the part is not held: false.
bool ContactHold::keep_energy(const System& system, const Method& method, const Workspace& w,
                              State& state) {
  Vec3 acceleration;
  if (!w.modes.empty() || system.constraints_depend_on_time() || at_end_.has_compliant() ||
      !is_uniform(system, acceleration))
    return true;
  energies_.look(system, problem_, at_end_, state.v);
  // What opened was pushed before it did.
  for (const ContactRows* rows : std::initializer_list<const ContactRows*>{&start_.rows, &at_end_})
    for (int c = 0; c < rows->count(); ++c)
      if (const Contact& contact = rows->contact(c);
          contact.gap <= scale_.no_gap || find_touch(applied_, contact))
        energies_.note_touch(*rows, c);
  for (int i = 0; i < system.body_count(); ++i) {
    const Vec3 way = (state.q - from_.q).segment<3>(system.slot({i}).q);
    energies_.surplus(i) +=
        kinetic_change(system, i, from_.v, state.v) - system.mass({i}) * way.dot(acceleration);
  }
  for (int c = 0; c < at_end_.count(); ++c)
    energies_.surplus(at_end_.blocks(c).front().body) -= friction_work(c);
  using Energy = Promises::Energy;
  const Energy promise = method.promises.energy;
  if (method.has_memory() || (promise == Energy::follows && method.order() < 2))
    return !energies_.has_gained(most_gained);
  // What has come to touch may have lost some.
  const bool has_come = std::any_of(loads_.touches.begin(), loads_.touches.end(),
                                    [&](const Touch& touch) { return touches_.has_come(touch); });
  const bool conserves = promise == Energy::conserves || method.order() >= 4;
  energies_.take(system, w.pattern.rows() == 0, conserves && !has_come, state);
  return true;
}

}  // namespace taut
