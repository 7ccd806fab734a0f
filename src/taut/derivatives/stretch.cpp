#include "taut/derivatives/stretch.hpp"

#include <algorithm>
#include <cmath>

namespace taut::detail {

StretchTrace pass(const Model& model, const State& from, const StretchPlan& plan,
                  const DerivedMethod& method) {
  StretchTrace trace;
  WatchedRun run(model, from, method.make(), plan.options);
  Observer observer(model);
  const bool needs_contacts = model.sensors.needs().contacts;
  for (std::size_t i = 0; i < plan.lengths.size(); ++i) {
    if (!run.step(plan.lengths[i])) {
      trace.has_ended = false;
      break;
    }
    trace.states.push_back(run.state());
    observer.follow(run.state());
    if (plan.recorded[i])
      trace.values.push_back(needs_contacts ? observer.look(run.recording(), run.state())
                                            : observer.look(run.state(), run.record().modes));
  }
  trace.events = run.events();
  return trace;
}

namespace {

double first_unlike(const StretchTrace& a, const StretchTrace& b) {
  const std::size_t most = std::min(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < most; ++i)
    if (a.events[i].kind != b.events[i].kind || a.events[i].row != b.events[i].row)
      return a.events[i].time;
  if (a.events.size() > most) return a.events[most].time;
  return b.events.size() > most ? b.events[most].time : 0;
}

struct Sample {
  const StretchTrace* trace;
  double weight;
};

void add_up(const System& system, const StretchTrace& nominal, double epsilon,
            const std::vector<Sample>& samples, StretchSlopes& out) {
  for (std::size_t i = 0; i < nominal.states.size(); ++i) {
    Perturbation sum = Perturbation::zero(system);
    for (const Sample& sample : samples) {
      const Perturbation apart = difference(system, nominal.states[i], sample.trace->states[i]);
      sum.q += (sample.weight / epsilon) * apart.q;
      sum.v += (sample.weight / epsilon) * apart.v;
    }
    out.states.push_back(std::move(sum));
  }
  for (std::size_t i = 0; i < nominal.values.size(); ++i) {
    std::vector<double> sum(nominal.values[i].size(), 0);
    for (const Sample& sample : samples)
      for (std::size_t k = 0; k < sum.size(); ++k)
        sum[k] += sample.weight / epsilon * sample.trace->values[i][k];
    out.values.push_back(std::move(sum));
  }
}

}  // namespace

StretchSlopes slopes(const System& system, const StretchTrace& nominal, double epsilon,
                     bool may_go_down, bool may_go_up,
                     const std::function<StretchTrace(double offset)>& pass_at) {
  StretchSlopes out;
  const auto is_like = [&](const StretchTrace& trace) {
    return trace.has_ended && trace.states.size() == nominal.states.size() &&
           trace.values.size() == nominal.values.size() && are_alike(trace.events, nominal.events);
  };
  StretchTrace up, down;
  const bool up_is_like = may_go_up && is_like(up = pass_at(1));
  const bool down_is_like = may_go_down && is_like(down = pass_at(-1));
  if (up_is_like && down_is_like) {
    add_up(system, nominal, epsilon, {{&up, 0.5}, {&down, -0.5}}, out);
    return out;
  }
  if (may_go_up && !up_is_like)
    out.first_difference = first_unlike(nominal, up);
  else if (may_go_down && !down_is_like)
    out.first_difference = first_unlike(nominal, down);
  const bool was_edge = (may_go_up && !up_is_like) || (may_go_down && !down_is_like);
  if (up_is_like || down_is_like) {
    if (was_edge) out.sides = StretchSlopes::Sides::one;
    const double sign = up_is_like ? 1 : -1;
    const StretchTrace& one = up_is_like ? up : down;
    const StretchTrace two = pass_at(2 * sign);
    if (is_like(two))
      add_up(system, nominal, epsilon,
             {{&nominal, -1.5 * sign}, {&one, 2 * sign}, {&two, -0.5 * sign}}, out);
    else
      add_up(system, nominal, epsilon, {{&nominal, -sign}, {&one, sign}}, out);
    return out;
  }
  out.sides = StretchSlopes::Sides::none;
  out.states.assign(nominal.states.size(), Perturbation::zero(system));
  for (const auto& values : nominal.values) out.values.emplace_back(values.size(), std::nan(""));
  for (Perturbation& state : out.states) {
    state.q.setConstant(std::nan(""));
    state.v.setConstant(std::nan(""));
  }
  return out;
}

}  // namespace taut::detail
