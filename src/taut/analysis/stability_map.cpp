#include "taut/analysis/stability_map.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "taut/analysis/feedback.hpp"
#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"
#include "taut/base/symmetric_eigenvalues.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

std::string option(const MethodInfo& info, const std::vector<OptionValue>& given,
                   std::string_view name) {
  std::string value;
  for (const FieldInfo& known : info.options)
    if (known.name == name) value = value_text(known, info.defaults);
  for (const OptionValue& one : given)
    if (one.name == name) value = one.value;
  return value;
}

double number(const MethodInfo& info, const std::vector<OptionValue>& given,
              std::string_view name) {
  double value = 0;
  set_from_text({name, &value_type<double>, 0, "", "", Range::non_negative}, &value,
                option(info, given, name));
  return value;
}

Base base_of(const MethodInfo& info, const std::vector<OptionValue>& given) {
  Base base{};
  set_from_text({"base", &value_type<Base>, 0, "", ""}, &base, option(info, given, "base"));
  return base;
}

/// Of A = J W Jᵀ at the start.
VecX eigenvalues_of_A(const System& system) {
  const State start = system.initial_state();
  const RowPattern pattern(system);
  Rows rows;
  rows.resize(pattern);
  rows.linearize(system, pattern, Pose(system, start.q), start.time);
  const MatX J = dense_jacobian(pattern, rows.J, system.velocity_size());
  MatX WJt(J.cols(), J.rows());
  VecX column;
  for (int r = 0; r < J.rows(); ++r) {
    system.apply_inverse_mass(VecX(J.row(r)), column);
    WJt.col(r) = column;
  }
  return symmetric_eigenvalues(J.lazyProduct(WJt));
}

StepLimits limits_of(const Feedback& feedback, Base base) {
  return {largest_stable_step(feedback, base), largest_monotone_step(feedback, base)};
}

}  // namespace

std::optional<StepLimits> predicted_limits(const System& system, std::string_view method,
                                           const std::vector<OptionValue>& options) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const MethodInfo& info = find_method(method);
  if (method == "implicit1") return StepLimits{infinity, infinity};
  if (method == "baumgarte") {
    const Feedback feedback{number(info, options, "alpha"), number(info, options, "beta")};
    if (feedback.alpha == 0 && feedback.beta == 0) return std::nullopt;
    return limits_of(feedback, base_of(info, options));
  }
  constexpr int most_rows = 300;  // a dense eigenvalue problem
  if (method == "penalty" && system.row_count() > 0 && system.row_count() <= most_rows) {
    // λ = kC + dĊ makes C̈ = −A(kC + dĊ) + …: along an eigenvector, 2α = dμ and β² = kμ.
    const double k = number(info, options, "stiffness"), d = number(info, options, "damping");
    StepLimits limits{infinity, infinity};
    const VecX mu = eigenvalues_of_A(system);
    for (int i = 0; i < mu.size(); ++i) {
      if (mu[i] <= 1e-12 * mu[mu.size() - 1]) continue;  // a redundant row
      const StepLimits one =
          limits_of({0.5 * d * mu[i], std::sqrt(k * mu[i])}, base_of(info, options));
      limits = {std::min(limits.stable, one.stable), std::min(limits.monotone, one.monotone)};
    }
    return limits;
  }
  return std::nullopt;
}

StabilityMap map_stability(const System& system, const StabilityRequest& request) {
  TAUT_CHECK(request.parameters.empty() == request.values.empty());
  const MethodInfo& info = find_method(request.method);
  StabilityMap map{request.steps, request.values, {}};
  const std::size_t rows = std::max<std::size_t>(1, request.values.size());
  map.cells.resize(request.steps.size() * rows);

  const auto make = [&](double value) {
    std::vector<OptionValue> options = request.options;
    for (const std::string& name : request.parameters) {
      std::erase_if(options, [&](const OptionValue& one) { return one.name == name; });
      options.push_back({name, number_text(value)});
    }
    return info.make(options);
  };
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    map.cells[i].step = request.steps[i % request.steps.size()];
    map.cells[i].value = request.values.empty() ? 0 : request.values[i / request.steps.size()];
  }
  // Complain about options here, not on a thread.
  make(request.values.empty() ? 0 : request.values.front());

  // Small steps take longest, so they come last in no row: begin with them. The number of steps
  // tells how far we are.
  std::vector<int> order(map.cells.size());
  double work = 0;
  const auto cost = [&](const StabilityCell& cell) {
    return std::max(request.duration / cell.step, static_cast<double>(request.least_steps));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int>(i);
    work += cost(map.cells[i]);
  }
  const auto cell_at = [&](int i) -> StabilityCell& {
    return map.cells[static_cast<std::size_t>(i)];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return cell_at(a).step < cell_at(b).step; });
  std::vector<double> done_work{0};
  for (const int i : order) done_work.push_back(done_work.back() + cost(cell_at(i)));

  std::atomic<bool> stop{false};
  ParallelOptions options;
  options.threads = request.threads;
  options.keep_going = [&](int done) {
    if (request.keep_going && !request.keep_going(done_work[static_cast<std::size_t>(done)] / work))
      stop = true;
    return !stop;
  };
  parallel_for(
      static_cast<int>(order.size()),
      [&](int n) {
        StabilityCell& cell = cell_at(order[static_cast<std::size_t>(n)]);
        const double value = cell.value;
        cell = classify_run(system, *make(value), cell.step, request.duration, request.least_steps,
                            [&] { return !stop; });
        cell.value = value;
      },
      options);
  return map;
}

std::string_view behaviour_text(Behaviour behaviour) {
  switch (behaviour) {
    case Behaviour::stable:
      return "stable";
    case Behaviour::unsettled:
      return "unsettled";
    case Behaviour::oscillating:
      return "oscillating";
    case Behaviour::divergent:
      return "divergent";
    case Behaviour::not_run:
      return "not run";
  }
  return "";
}

std::vector<double> spaced(double from, double to, int count) {
  TAUT_CHECK(count >= 1);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    values.push_back(spans_a_decade(from, to) ? from * std::pow(to / from, part)
                                              : from + part * (to - from));
  }
  if (count > 1) values.back() = to;
  return values;
}

}  // namespace taut
