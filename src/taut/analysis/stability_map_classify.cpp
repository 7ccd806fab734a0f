// What the error of the rows does in one run, put into one word.
#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/analysis/stability_map.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {
namespace {

// Below this part of the scene's extent an error is the tolerance of an iteration, or round-off.
constexpr double held = 1e-9;
// A violation at the start beyond this part of the scene's extent is meant, not round-off.
constexpr double meant = 1e-6;
// A swing to the other side counts when it is larger than this part of the largest error so far.
constexpr double visible = 0.01;
// More than this part of the largest error left at the end has not settled.
constexpr double left_over = 0.05;
// The last quarter against the first half: more than this factor is growth. A mode that grows by
// 1.4 % per step passes it in 200 steps, one of 0.3 % in 1000; the ups and downs of a moving scene
// do not.
constexpr double growth = 4;
// A sign change in this part of the steps is faster than any motion that is resolved at all.
constexpr double zigzag = 0.25;

/// Counts the sign changes of signals, one per row, that exceed `visible`.
class Swings {
 public:
  explicit Swings(int rows) : sign_(static_cast<std::size_t>(rows), 0), all_(sign_), late_(sign_) {}

  void see(const VecX& signal, double floor, bool late) {
    peak_ = std::max(peak_, signal.size() ? signal.lpNorm<Eigen::Infinity>() : 0);
    const double least = std::max(floor, visible * peak_);
    for (std::size_t i = 0; i < sign_.size(); ++i) {
      const double x = signal[static_cast<Eigen::Index>(i)];
      if (!(std::abs(x) > least)) continue;
      const int sign = x > 0 ? 1 : -1;
      if (sign_[i] == -sign) {
        ++all_[i];
        if (late) ++late_[i];
      }
      sign_[i] = sign;
    }
  }
  int most() const { return all_.empty() ? 0 : *std::max_element(all_.begin(), all_.end()); }
  int most_late() const {
    return late_.empty() ? 0 : *std::max_element(late_.begin(), late_.end());
  }

 private:
  std::vector<int> sign_, all_, late_;  // all, and those in the second half of the run
  double peak_ = 0;
};

}  // namespace

StabilityCell classify_run(const System& system, Method& method, double step, double duration,
                           long least_steps, const std::function<bool()>& keep_going) {
  const State start = system.initial_state();
  const long steps =
      std::max(least_steps, static_cast<long>(std::ceil(duration / step * (1 - 1e-12))));

  const RowPattern pattern(system);
  Rows rows;
  rows.resize(pattern);
  Pose pose;
  const double size = extent(system, start);
  const double floor = held * size;
  VecX rate;
  Swings position(pattern.rows()), velocity(pattern.rows());
  double first_half = 0, last_quarter = 0, largest = 0;
  bool violated = false;
  long n = 0;

  RunOptions options;
  options.step = step;
  options.duration = static_cast<double>(steps) * step;
  options.start = Start::as_is;  // what the method itself does about it is the question
  options.max_halvings = 0;
  options.record_states = [&](const State& state) {
    pose.set(system, state.q);
    rows.linearize(system, pattern, pose, state.time);
    multiply(pattern, rows.J, state.v, rate);
    rate += rows.C_t;
    if (pattern.rows() == 0) return;
    const double error = rows.C.lpNorm<Eigen::Infinity>();
    if (n == 0)
      violated = error > meant * size || rate.lpNorm<Eigen::Infinity>() * duration > meant * size;
    largest = std::max(largest, error);
    if (2 * n <= steps) first_half = std::max(first_half, error);
    if (4 * n >= 3 * steps) last_quarter = std::max(last_quarter, error);
    position.see(rows.C, floor, 2 * n > steps);
    velocity.see(rate, floor / step, 2 * n > steps);
    ++n;
  };
  if (keep_going) options.keep_going = [&](const RunProgress&) { return keep_going(); };
  const RunReport report = simulate(system, start, method, options);

  StabilityCell cell;
  cell.step = step;
  cell.steps = report.steps;
  cell.largest_error = largest;
  cell.final_error = last_quarter;
  cell.sign_changes = position.most();
  const double many = zigzag * 0.5 * static_cast<double>(steps);
  if (report.status == RunStatus::interrupted) {
    cell.behaviour = Behaviour::not_run;
  } else if (report.status == RunStatus::diverged) {
    cell.behaviour = Behaviour::divergent;
    cell.final_error = largest;
  } else if (last_quarter > growth * first_half && last_quarter > floor) {
    cell.behaviour = Behaviour::divergent;
  } else if ((violated && position.most() >= 2) || position.most_late() > many ||
             velocity.most_late() > many) {
    cell.behaviour = Behaviour::oscillating;
  } else if (violated && last_quarter > left_over * largest) {
    cell.behaviour = Behaviour::unsettled;
  } else {
    cell.behaviour = Behaviour::stable;
  }
  return cell;
}

}  // namespace taut
