#include "taut/derivatives/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "taut/base/dense_solve.hpp"
#include "taut/base/error.hpp"

namespace taut {

std::string_view status_text(FitResult::Status status) {
  switch (status) {
    case FitResult::Status::converged:
      return "converged";
    case FitResult::Status::most_iterations:
      return "not converged: as many iterations as are allowed";
    case FitResult::Status::stalled:
      return "not converged: no step makes it better";
    case FitResult::Status::interrupted:
      return "interrupted";
  }
  return "";
}

namespace {

constexpr double damping_at_first = 1e-3, most_damping = 1e12;
// Of a parameter that becomes another one altogether, relative to the one that counts most.
constexpr double no_influence = 1e-7;
constexpr double indistinct = 1e-10;  // eigenvalues of JᵀJ, scaled, relative to the largest

/// Weights of recorded times for a measured one: a cubic through the four next to it.
struct Between {
  std::size_t first = 0;
  std::array<double, 4> weights{};
  std::size_t count = 0;
};

Between between(const std::vector<double>& times, double t) {
  Between out;
  const std::size_t n = times.size();
  const auto after = std::lower_bound(times.begin(), times.end(), t);
  const std::size_t right =
      std::min<std::size_t>(static_cast<std::size_t>(after - times.begin()), n - 1);
  for (const std::size_t near : {right, right > 0 ? right - 1 : 0})
    if (std::abs(times[near] - t) <= 1e-9 * std::max(1.0, std::abs(t))) {
      out.first = near;
      out.count = 1;
      out.weights[0] = 1;
      return out;
    }
  out.count = std::min<std::size_t>(4, n);
  out.first = right >= 2 ? right - 2 : 0;
  out.first = std::min(out.first, n - out.count);
  for (std::size_t i = 0; i < out.count; ++i) {
    double weight = 1;
    for (std::size_t j = 0; j < out.count; ++j)
      if (j != i)
        weight *= (t - times[out.first + j]) / (times[out.first + i] - times[out.first + j]);
    out.weights[i] = weight;
  }
  return out;
}

class Fit {
 public:
  Fit(const ModelFamily& family, const DerivedMethod& method, RunOptions options,
      const MeasuredTable& table, const FitOptions& wanted)
      : family_(family),
        method_(method),
        options_(std::move(options)),
        table_(table),
        wanted_(wanted) {
    if (family.parameters.empty()) throw Error("no parameters are to be fitted");
    const Model model = family.make(family.values());
    for (const std::string& column : table.columns) sensors_.push_back(model.sensors.find(column));
    if (table.times.front() < model.start.time)
      throw Error(
          fmt::format("found measured values at t = {} s, before the start", table.times.front()));
    options_.record_every = 1;
    // The last step ends there, or just behind it.
    const double until = table.times.back() - model.start.time;
    options_.duration = std::max(until, options_.step);
    find_deviations();
    if (residuals_ <= static_cast<long>(family.parameters.size()) - 1)
      throw Error(fmt::format("found {} measured values for {} parameters", residuals_,
                              family.parameters.size()));
  }

  FitResult run() {
    VecX values = family_.values();
    for (Eigen::Index i = 0; i < values.size(); ++i)
      values[i] = std::clamp(values[i], parameter(i).min, parameter(i).max);
    Point at = *look(values, true);
    result_.rms_at_start = rms(at.cost);
    double damping = damping_at_first, growth = 2;
    result_.status = FitResult::Status::most_iterations;
    while (result_.iterations < wanted_.max_iterations) {
      if (wanted_.keep_going && !wanted_.keep_going(result_.iterations, rms(at.cost), values)) {
        result_.status = FitResult::Status::interrupted;
        break;
      }
      ++result_.iterations;
      const VecX step = bounded_step(at, values, damping);
      if (is_small(step, values) || at.cost == 0) {
        result_.status = FitResult::Status::converged;
        break;
      }
      VecX next = values + step;
      for (Eigen::Index i = 0; i < next.size(); ++i)
        next[i] = std::clamp(next[i], parameter(i).min, parameter(i).max);
      std::optional<Point> there = look(next, false);
      const double expected = -(at.gradient.dot(next - values) +
                                0.5 * (next - values).dot(at.normal * (next - values)));
      const double gained = there ? at.cost - there->cost : -INFINITY;
      // No more to be had than round-off.
      const bool is_flat =
          there && std::abs(gained) <= 1e-12 * at.cost && std::abs(expected) <= 1e-10 * at.cost;
      if (gained > 0 || is_flat) {
        // Nielsen (1999): the better the prediction was, the more the next step trusts it.
        const double ratio = expected > 0 ? gained / expected : 1;
        damping *= std::max(1.0 / 3, 1 - std::pow(2 * std::min(ratio, 1.0) - 1, 3));
        growth = 2;
        values = next;
        at = std::move(*there);
        if (is_flat) {
          result_.status = FitResult::Status::converged;
          break;
        }
      } else {
        damping *= growth;
        growth *= 2;
        if (damping > most_damping) {
          result_.status = FitResult::Status::stalled;
          break;
        }
      }
    }
    finish(values, at);
    return std::move(result_);
  }

 private:
  struct Point {
    double cost = 0;  // ½ Σ r²
    VecX gradient;
    MatX normal;  // JᵀJ
    Sensitivities found;
    std::vector<std::vector<double>> model;
  };

  const FamilyParameter& parameter(Eigen::Index i) const {
    return family_.parameters[static_cast<std::size_t>(i)];
  }
  double rms(double cost) const { return std::sqrt(2 * cost / static_cast<double>(residuals_)); }

  void find_deviations() {
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      FitColumn column{table_.columns[c]};
      double sum = 0, squares = 0;
      for (const auto& row : table_.values)
        if (std::isfinite(row[c])) {
          ++column.count;
          sum += row[c];
        }
      const double mean = sum / static_cast<double>(std::max(1L, column.count));
      for (const auto& row : table_.values)
        if (std::isfinite(row[c])) squares += (row[c] - mean) * (row[c] - mean);
      const double given = c < wanted_.deviations.size() ? wanted_.deviations[c] : 0;
      column.deviation = given;
      is_weighted_ = is_weighted_ || given > 0;
      if (!(given > 0)) {
        column.deviation = std::sqrt(squares / static_cast<double>(std::max(1L, column.count)));
        if (!(column.deviation > 0)) column.deviation = std::max(std::abs(mean), 1e-300);
        if (!(column.deviation > 1e-299)) column.deviation = 1;
      }
      residuals_ += column.count;
      result_.columns.push_back(std::move(column));
    }
    if (residuals_ == 0) throw Error("the table has no measured values");
  }

  std::optional<Point> look(const VecX& values, bool must) {
    ModelFamily family = family_;
    for (Eigen::Index i = 0; i < values.size(); ++i)
      family.parameters[static_cast<std::size_t>(i)].value = values[i];
    Point point;
    try {
      ++result_.runs;
      point.found = sensitivities(family, method_, options_);
    } catch (const Error&) {
      if (must) throw;
      return std::nullopt;
    }
    const Eigen::Index count = values.size();
    point.gradient.setZero(count);
    point.normal.setZero(count, count);
    for (std::size_t k = 0; k < table_.times.size(); ++k) {
      const Between at = between(point.found.times, table_.times[k]);
      std::vector<double> row;
      for (std::size_t c = 0; c < sensors_.size(); ++c) {
        const std::size_t sensor = static_cast<std::size_t>(sensors_[c]);
        double value = 0;
        VecX slope = VecX::Zero(count);
        for (std::size_t i = 0; i < at.count; ++i) {
          value += at.weights[i] * point.found.values[at.first + i][sensor];
          slope += at.weights[i] * point.found.slopes[at.first + i].row(sensors_[c]).transpose();
        }
        row.push_back(value);
        const double measured = table_.values[k][c];
        if (!std::isfinite(measured)) continue;
        const double weight = 1 / result_.columns[c].deviation;
        const double r = weight * (value - measured);
        slope *= weight;
        point.cost += 0.5 * r * r;
        point.gradient += r * slope;
        point.normal += slope * slope.transpose();
      }
      point.model.push_back(std::move(row));
    }
    if (!std::isfinite(point.cost) || !point.gradient.allFinite() || !point.normal.allFinite()) {
      if (must)
        throw Error(point.found.report.doubts.empty()
                        ? "what is to be compared, or its derivative, is not finite at the start"
                        : point.found.report.doubts.front());
      return std::nullopt;
    }
    return point;
  }

  /// Whether a parameter has any influence beyond round-off.
  bool counts(const Point& at, Eigen::Index i) const {
    const auto influence = [&](Eigen::Index k) {
      const double value = parameter(k).value;
      return std::sqrt(at.normal(k, k)) * (value != 0 ? std::abs(value) : 1);
    };
    double most = 0;
    for (Eigen::Index k = 0; k < at.gradient.size(); ++k) most = std::max(most, influence(k));
    return influence(i) > no_influence * most;
  }

  /// Of the free parameters: one at a bound that would leave it stays there.
  VecX bounded_step(const Point& at, const VecX& values, double damping) const {
    const Eigen::Index count = values.size();
    std::vector<char> held(static_cast<std::size_t>(count), 0);
    for (;;) {
      std::vector<Eigen::Index> free;
      for (Eigen::Index i = 0; i < count; ++i) {
        char& is_held = held[static_cast<std::size_t>(i)];
        if ((values[i] <= parameter(i).min && at.gradient[i] > 0) ||
            (values[i] >= parameter(i).max && at.gradient[i] < 0) || !counts(at, i))
          is_held = 1;
        if (!is_held) free.push_back(i);
      }
      const int size = static_cast<int>(free.size());
      VecX step = VecX::Zero(count);
      if (size == 0) return step;
      MatX matrix(size, size);
      VecX x(size);
      for (int i = 0; i < size; ++i) {
        const double si = std::sqrt(at.normal(free[i], free[i]));
        x[i] = -at.gradient[free[i]] / si;
        for (int j = 0; j < size; ++j)
          matrix(i, j) =
              at.normal(free[i], free[j]) / (si * std::sqrt(at.normal(free[j], free[j])));
        matrix(i, i) += damping;
      }
      if (!solve_positive_definite(matrix.data(), size, x.data())) return step;
      bool leaves = false;
      for (int i = 0; i < size; ++i) {
        step[free[i]] = x[i] / std::sqrt(at.normal(free[i], free[i]));
        const double next = values[free[i]] + step[free[i]];
        const bool at_low = values[free[i]] <= parameter(free[i]).min;
        const bool at_high = values[free[i]] >= parameter(free[i]).max;
        if ((at_low && next < values[free[i]]) || (at_high && next > values[free[i]])) {
          held[static_cast<std::size_t>(free[i])] = 1;
          leaves = true;
        }
      }
      if (!leaves) return step;
    }
  }

  bool is_small(const VecX& step, const VecX& values) const {
    for (Eigen::Index i = 0; i < step.size(); ++i) {
      const double scale = std::max(std::abs(values[i]), 1e-6 * std::abs(parameter(i).value));
      if (std::abs(step[i]) > wanted_.tolerance * std::max(scale, 1e-300) &&
          std::abs(step[i]) > 1e-14)
        return false;
    }
    return true;
  }

  void finish(const VecX& values, Point& at) {
    const Eigen::Index count = values.size();
    result_.rms = rms(at.cost);
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < count; ++i) {
      FitParameter out{parameter(i).name, parameter(i).value, values[i],
                       INFINITY,          parameter(i).min,   parameter(i).max};
      out.is_at_bound = values[i] <= out.min || values[i] >= out.max;
      if (out.is_at_bound)
        result_.doubts.push_back(
            fmt::format("{} is at its bound {:.6g}: it wants to be beyond", out.name, values[i]));
      else
        free.push_back(i);
      result_.parameters.push_back(std::move(out));
    }
    const long freedoms = residuals_ - static_cast<long>(free.size());
    result_.scale = freedoms > 0 ? std::sqrt(2 * at.cost / static_cast<double>(freedoms)) : 1;
    find_covariance(at, free);
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      double squares = 0;
      for (std::size_t k = 0; k < table_.times.size(); ++k)
        if (std::isfinite(table_.values[k][c]))
          squares += std::pow(at.model[k][c] - table_.values[k][c], 2);
      FitColumn& column = result_.columns[c];
      column.rms = std::sqrt(squares / static_cast<double>(std::max(1L, column.count)));
    }
    result_.model = std::move(at.model);
    result_.derivatives = at.found.report;
    for (const std::string& doubt : at.found.report.doubts) result_.doubts.push_back(doubt);
    result_.run = std::move(at.found.run);
    if (!result_.run.is_trusted())
      result_.doubts.push_back("the run is suspect: " + result_.run.doubts.front());
  }

  // s² (JᵀJ)⁻¹, with s what the scatter says the deviations should have been. Directions in which
  // nothing changes have no finite error.
  void find_covariance(const Point& at, const std::vector<Eigen::Index>& free) {
    const Eigen::Index count = at.gradient.size();
    result_.covariance.setZero(count, count);
    std::vector<Eigen::Index> told;
    for (const Eigen::Index i : free) {
      if (counts(at, i))
        told.push_back(i);
      else
        result_.doubts.push_back(parameter(i).name + " has no influence on what was measured");
    }
    const int n = static_cast<int>(told.size());
    if (n == 0) return;
    MatX matrix(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        matrix(i, j) = at.normal(told[i], told[j]) /
                       std::sqrt(at.normal(told[i], told[i]) * at.normal(told[j], told[j]));
    MatX inverse = MatX::Identity(n, n), work = matrix;
    work.diagonal().array() += indistinct;
    const bool ok = solve_positive_definite(work.data(), n, inverse.data(), n);
    std::string alike;
    for (int i = 0; i < n; ++i) {
      // 1 − R² of the parameter given all others is the reciprocal of the inverse's diagonal.
      const bool is_indistinct = !ok || inverse(i, i) > 1e-2 / indistinct;
      FitParameter& out = result_.parameters[static_cast<std::size_t>(told[i])];
      if (is_indistinct) {
        alike += (alike.empty() ? "" : ", ") + out.name;
        continue;
      }
      const double s2 = is_weighted_ && result_.scale < 1 ? 1 : result_.scale * result_.scale;
      for (int j = 0; j < n; ++j)
        result_.covariance(told[i], told[j]) =
            s2 * inverse(i, j) /
            std::sqrt(at.normal(told[i], told[i]) * at.normal(told[j], told[j]));
      out.error = std::sqrt(std::max(0.0, result_.covariance(told[i], told[i])));
    }
    if (!alike.empty())
      result_.doubts.push_back("what was measured does not tell these apart: " + alike);
  }

  const ModelFamily& family_;
  const DerivedMethod& method_;
  RunOptions options_;
  const MeasuredTable& table_;
  const FitOptions& wanted_;
  std::vector<int> sensors_;  // per column
  long residuals_ = 0;
  bool is_weighted_ = false;
  FitResult result_;
};

}  // namespace

FitResult fit(const ModelFamily& family, const DerivedMethod& method, const RunOptions& options,
              const MeasuredTable& table, const FitOptions& wanted) {
  return Fit(family, method, options, table, wanted).run();
}

}  // namespace taut
