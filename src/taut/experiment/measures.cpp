// From runs to numbers, and from numbers to claims that hold or fail.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "taut/base/error.hpp"
#include "taut/experiment/experiment_internal.hpp"
#include "taut/reference/planar_pendulum.hpp"
#include "taut/report/number_text.hpp"
#include "taut/text/expression.hpp"

namespace taut::experiment::detail {
namespace {

using Values = std::map<std::string, double>;

double metric(const RunData& run, const std::string& name) {
  const auto found = run.metrics.find(name);
  if (found == run.metrics.end())
    throw Error("run \"" + run.spec.id + "\" has no metric \"" + name + "\"");
  return found->second;
}

/// The slope of log y over log x by least squares: the order of an error, the growth of a cost.
double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> u, w;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0) || !(y[i] > 0) || !std::isfinite(y[i])) continue;
    u.push_back(std::log(x[i]));
    w.push_back(std::log(y[i]));
  }
  if (u.size() < 2) return nan;
  const double n = static_cast<double>(u.size());
  const double mu = std::accumulate(u.begin(), u.end(), 0.0) / n;
  const double mw = std::accumulate(w.begin(), w.end(), 0.0) / n;
  double top = 0, bottom = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    top += (u[i] - mu) * (w[i] - mw);
    bottom += (u[i] - mu) * (u[i] - mu);
  }
  return top / bottom;
}

double condense(const Quantity& quantity, const RunData& run, double from, double until) {
  const std::vector<double>& time = run.series.at("time");
  const std::vector<double>& all = run.series.at(quantity.series);
  std::vector<double> t, y;
  for (std::size_t i = static_cast<std::size_t>(quantity.skip); i < time.size(); ++i)
    if (time[i] >= from - 1e-12 && time[i] <= until + 1e-12) {
      t.push_back(time[i]);
      y.push_back(quantity.minus.empty() ? all[i]
                                         : all[i] - evaluate(quantity.minus, {{"t", time[i]}}));
    }
  if (y.empty()) return nan;
  if (quantity.take == "max") return *std::max_element(y.begin(), y.end());
  if (quantity.take == "min") return *std::min_element(y.begin(), y.end());
  if (quantity.take == "last") return y.back();
  if (quantity.take == "max_abs") {
    double most = 0;
    for (const double value : y) most = std::max(most, std::abs(value));
    return most;
  }
  if (quantity.take == "leaves") {  // the first time at which |y| exceeds the level, or the end
    for (std::size_t i = 0; i < y.size(); ++i)
      if (std::abs(y[i]) > quantity.level.value_or(0)) return t[i];
    return t.back();
  }
  if (quantity.take == "spread")  // of values that should be constant
    return *std::max_element(y.begin(), y.end()) - *std::min_element(y.begin(), y.end());
  if (quantity.take == "mean")
    return std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  if (quantity.take == "settles") {  // the first time from which on |y| stays within the level
    double settled = t.front();
    for (std::size_t i = 0; i < y.size(); ++i)
      if (!(std::abs(y[i]) <= quantity.level.value_or(0)))
        settled = i + 1 < t.size() ? t[i + 1] : INFINITY;
    return settled;
  }
  throw Error("quantity \"" + quantity.name + "\": there is no way to take \"" + quantity.take +
              "\" of a series");
}

double over_runs(const Quantity& quantity, const std::vector<const RunData*>& runs) {
  std::vector<double> x, y;
  for (const RunData* run : runs) {
    x.push_back(quantity.against.empty() ? 0 : metric(*run, quantity.against));
    y.push_back(metric(*run, quantity.metric));
  }
  if (quantity.take == "slope") return log_slope(x, y);
  if (quantity.take == "max") return *std::max_element(y.begin(), y.end());
  if (quantity.take == "min" || quantity.take == "least_where") {
    // Among the runs that finished and are accurate enough: the cheapest, say.
    double least = nan;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool counts = quantity.take == "min" || x[i] <= quantity.level.value_or(0);
      if (counts && !(y[i] >= least)) least = std::isfinite(y[i]) ? y[i] : least;
    }
    return least;
  }
  if (quantity.take == "largest_while") {  // the largest x up to which y stays positive
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    double largest = 0;
    for (const std::size_t i : order) {
      if (!(y[i] > 0)) break;
      largest = x[i];
    }
    return largest;
  }
  if (!quantity.take.empty() || runs.size() != 1)
    throw Error("quantity \"" + quantity.name + "\": found " + std::to_string(runs.size()) +
                " runs and take \"" + quantity.take + "\"");
  return y.front();
}

/// How long the scene's reference can be predicted: until two copies of it, started a hair apart,
/// are `level` apart.
double horizon(const Quantity::Horizon& spec) {
  const io::Scene scene = io::load_scene(spec.scene);
  if (!scene.reference) throw Error("the scene \"" + spec.scene + "\" has no reference");
  const io::SceneReference& r = *scene.reference;
  reference::PlanarPendulum::Setup setup{r.masses, r.lengths, r.angles, {}, r.gravity, r.pivot};
  reference::PlanarPendulum one(setup);
  for (double& angle : setup.angles) angle += spec.perturbation;
  reference::PlanarPendulum other(setup);
  for (double t = 0; t < 1000; t += 0.05) {
    one.advance_to(t);
    other.advance_to(t);
    if ((one.position(r.link) - other.position(r.link)).norm() > spec.level) return t;
  }
  return 1000;
}

/// "at least 2 m", "1.9 to 2.1", "exactly 1"; or, of values that have words, the word.
std::string requirement(const ClaimSpec& spec, const std::string& unit) {
  const auto text = [&](double bound) { return report::number_text(bound) + unit; };
  if (!spec.words.empty()) return spec.words[spec.at_least ? 1 : 0];
  if (!spec.at_most) return "at least " + text(*spec.at_least);
  if (!spec.at_least) return (*spec.at_most == 0 ? "" : "at most ") + text(*spec.at_most);
  if (*spec.at_least == *spec.at_most) return "exactly " + text(*spec.at_least);
  return report::number_text(*spec.at_least) + " to " + text(*spec.at_most);
}

}  // namespace

double evaluate(const std::string& expression, const Values& values) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& [name, value] : values) {
    names.push_back(name);
    numbers.push_back(value);
  }
  std::string_view text = expression;
  if (text.starts_with('=')) text.remove_prefix(1);
  return io::Expression(text, names).evaluate(numbers);
}

Values measure(const Experiment& experiment, const std::vector<RunData>& runs) {
  Values values;
  for (const Quantity& quantity : experiment.quantities) {
    double& value = values[quantity.name];
    if (quantity.horizon) {
      value = horizon(*quantity.horizon);
      continue;
    }
    std::vector<const RunData*> named;
    for (const RunData& run : runs)
      if (matches(quantity.run, run.spec.id)) named.push_back(&run);
    if (named.empty())
      throw Error("quantity \"" + quantity.name + "\": there is no run \"" + quantity.run + "\"");
    if (quantity.series.empty()) {
      value = over_runs(quantity, named);
    } else {
      const double from = quantity.from.empty() ? -INFINITY : evaluate(quantity.from, values);
      const double until = quantity.until.empty() ? INFINITY : evaluate(quantity.until, values);
      value = -INFINITY;  // of several runs the largest
      for (const RunData* run : named) {
        const double one = condense(quantity, *run, from, until);
        if (!(one <= value) && !std::isnan(value)) value = one;
      }
    }
  }
  return values;
}

std::vector<Claim> judge(const Experiment& experiment, const Values& values) {
  std::vector<Claim> claims;
  for (const ClaimSpec& spec : experiment.claims) {
    const std::string unit = spec.unit.empty() ? "" : " " + spec.unit;
    Claim claim;
    claim.text = spec.text;
    claim.number = spec.number;
    claim.remark = spec.remark;
    claim.expected = spec.expected;
    claim.required = requirement(spec, unit);
    claim.value = evaluate(spec.measure, values);
    claim.measured = !std::isfinite(claim.value) ? "not measurable"
                     : spec.words.empty()        ? report::number_text(claim.value) + unit
                                                 : spec.words[claim.value > 0 ? 1 : 0];
    const bool holds = (!spec.at_least || claim.value >= *spec.at_least) &&
                       (!spec.at_most || claim.value <= *spec.at_most);
    claim.status = holds ? Claim::Status::holds : Claim::Status::fails;
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace taut::experiment::detail
