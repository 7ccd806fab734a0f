#include "taut/simulate/held_laws.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double resting = 1e3;    // in units of what is no slip: it rests at the start
constexpr double at_bound = 1e-9;  // of the bounds

bool is_at_bound(double torque, const RowLaw& law) {
  const double near = at_bound * (law.upper - law.lower);
  return torque >= law.upper - near || torque <= law.lower + near;
}

}  // namespace

void HeldLaws::start(const System& system, double length, const State& state, Workspace& w) {
  rates_.clear();
  length_ = length;
  is_empty_ = w.modes.empty();
  const std::vector<RowModes::Mode>& modes = w.modes.modes();
  const auto has_bounds = [](const RowModes::Mode& mode) {
    return LawRows::is_rate(mode) && std::isfinite(mode.law.upper);
  };
  if (std::none_of(modes.begin(), modes.end(), has_bounds)) return;
  laws_.look(system, state, w);
  laws_.measure(system, state, length, w);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!has_bounds(modes[i])) continue;
    Rate& rate = rates_.emplace_back();
    rate.mode = i;
    rate.no_slip = laws_.no_rate(i);
    rate.slip = laws_.slip(modes[i]);
    rate.drive = laws_.drive(modes[i]);
    rate.value = RowModes::continued(modes[i], laws_.value(modes[i]));
    rate.slides = std::abs(rate.slip) > resting * rate.no_slip;
    rate.is_equation = !rate.slides;
    rate.torque = !rate.slides ? 0 : rate.slip > 0 ? modes[i].law.upper : modes[i].law.lower;
  }
}

void HeldLaws::apply(Workspace& w) const {
  for (const Rate& rate : rates_)
    LawRows::set(w.modes.modes()[rate.mode], rate.is_equation, rate.torque, w);
}

void HeldLaws::look(const System& system, const State& state, Workspace& w) {
  if (is_empty_) return;
  laws_.look(system, state, w);
  for (Rate& rate : rates_) {
    const RowModes::Mode& its = mode(rate, w);
    rate.slip_at_end = laws_.slip(its);
    rate.way = RowModes::continued(its, laws_.value(its)) - rate.value +
               0.5 * length_ * (rate.drive + laws_.drive(its));
    if (rate.is_equation) rate.torque = w.lambda[its.row];
  }
}

// With r = −λ h along the row, u = J v + w; the problem's momentum is that without r.
void HeldLaws::set_laws(double reach, Aim aim, const Workspace& w,
                        std::vector<ContactProblem::LawRow>& laws, std::vector<int>& left_out,
                        VecX& momentum) const {
  laws.clear();
  left_out.clear();
  const std::vector<RowModes::Mode>& modes = w.modes.modes();
  auto next = rates_.begin();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const RowModes::Mode& mode = modes[i];
    const bool is_rate = next != rates_.end() && next->mode == i;
    const bool acts = is_rate || mode.is_equation;
    if (!acts) left_out.push_back(mode.row);
    if (!acts || !(is_rate || LawRows::is_limit(mode))) continue;
    ContactProblem::LawRow& law = laws.emplace_back();
    law.row = mode.row;
    law.law.unit = w.pattern.is_angle[static_cast<std::size_t>(mode.row)] ? ConeLaw::Unit::angle
                                                                          : ConeLaw::Unit::length;
    double lambda = w.lambda[mode.row];
    if (is_rate) {
      const Rate& rate = *next++;
      lambda = rate.torque;
      law.law.kind = ConeLaw::Kind::interval;
      law.law.lower = -mode.law.upper * length_;
      law.law.upper = -mode.law.lower * length_;
      law.w = laws_.drive(mode);
      if (!rate.rests())
        law.w += rate.slip;
      else if (aim == Aim::places && !rate.slides && !rate.is_equation)
        law.w += rate.way / reach - rate.slip_at_end;
    } else {
      law.sign = mode.target == mode.law.lower ? 1 : -1;
      law.w = law.sign * laws_.drive(mode);
    }
    law.impulse = -law.sign * lambda * length_;
    for (int b = w.pattern.first_block[mode.row]; b < w.pattern.first_block[mode.row + 1]; ++b) {
      const JacobianBlock& block = w.pattern.blocks[b];
      momentum.segment(block.dof, block.size) +=
          length_ * lambda * rows().J.segment(block.value, block.size);
    }
  }
}

HeldLaws::Change HeldLaws::take(const ContactProblem& problem, const Workspace& w) {
  Change change;
  if (rates_.empty()) return change;
  problem.row_impulses(impulses_);
  for (Rate& rate : rates_) {
    const RowModes::Mode& its = mode(rate, w);
    const double torque = impulses_[its.row] / length_;
    if (rate.is_equation) {
      if (!is_at_bound(torque, its.law)) continue;
      rate.is_equation = change.is_settled = false;
      rate.torque = torque;
      continue;
    }
    const double torque_before = rate.torque;
    rate.torque = torque;
    const double slip = laws_.along(its.row, problem.velocity(), w.pattern) + laws_.drive(its);
    change.slip = std::max(change.slip, std::abs(slip - rate.slip_at_end) / rate.no_slip);
    if (rate.stops) {
      const double hold = -rate.stopping.to_hold(-torque);
      if (!(hold > its.law.lower && hold < its.law.upper))
        change.turns_back = std::min(change.turns_back, rate.stopping.at());
    } else if (rate.slides && !(slip * rate.slip > 0)) {
      rate.stops = true;
      change.is_settled = false;
      const bool is_stopped = rate.slip_at_end * rate.slip < 0;  // with the torque that it had
      rate.stopping = {rate.slip, is_stopped ? rate.slip_at_end : slip,
                       is_stopped ? -torque_before : -torque};
    }
  }
  return change;
}

bool HeldLaws::creeps() const {
  return std::any_of(rates_.begin(), rates_.end(), [](const Rate& rate) {
    return rate.rests() && std::abs(rate.slip_at_end) > rate.no_slip;
  });
}

void HeldLaws::finish(Workspace& w) const {
  for (const Rate& rate : rates_) {
    RowModes::Mode& its = w.modes.modes()[rate.mode];
    its.acted = rate.is_equation || !is_at_bound(rate.torque, its.law);
    if (!rate.is_equation) w.lambda[its.row] = rate.torque;
  }
}

}  // namespace taut
