// Derivatives of runs, and fits.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "failures.hpp"
#include "simulation.hpp"
#include "taut/derivatives/fit.hpp"
#include "taut/derivatives/gradient.hpp"
#include "taut/derivatives/scene_family.hpp"

namespace taut::python {
namespace {

/// What is differentiated, with respect to what.
struct Derived {
  py::function read;  ///< of settings: a fresh ReadScene
  std::string method;
  std::map<std::string, std::string> method_options;
  std::optional<double> step, duration;
  std::optional<long> record_every;
  std::string start, solver = "auto";
  std::vector<std::pair<std::string, std::string>> sensors;  ///< more of them: name and formula
  std::vector<std::string> parameters;
  std::vector<double> values;  ///< of them; empty: those of the scene
  bool initial_state = false, forces = false;
};

/// Everything that a derivative needs, kept while it is computed.
class Problem {
 public:
  explicit Problem(const Derived& wanted) : wanted_(wanted) {
    const io::Scene scene = load({});
    options_.duration = positive(wanted.duration.value_or(scene.duration), "duration");
    options_.step = positive(wanted.step.value_or(scene.step), "step");
    options_.record_every = wanted.record_every.value_or(scene.record_every);
    if (options_.record_every < 1) throw Error("record_every: expected a whole number ≥ 1");
    set_common(options_, scene, wanted.start, wanted.solver, "exact");
    const io::MethodPlan plan =
        python::plan(scene, wanted.method, options_.step, options_.duration, wanted.method_options);
    method_ = {plan.info, plan.options};
    family_ =
        io::scene_family([this](std::span<const io::Setting> settings) { return load(settings); },
                         wanted.parameters);
    if (wanted.values.empty()) return;
    if (wanted.values.size() != family_.parameters.size())
      throw Error(fmt::format("found {} values, expected {}: one for each parameter",
                              wanted.values.size(), family_.parameters.size()));
    for (std::size_t i = 0; i < wanted.values.size(); ++i)
      family_.parameters[i].value = wanted.values[i];
  }

  ModelFamily& family() { return family_; }
  const DerivedMethod& method() const { return method_; }
  const RunOptions& options() const { return options_; }

 private:
  io::Scene load(std::span<const io::Setting> settings) const {
    std::map<std::string, std::string> texts;
    for (const io::Setting& setting : settings) texts[setting.key] = setting.value;
    const py::object read = wanted_.read(texts);
    io::Scene scene = read.cast<ReadScene&>().take();
    callbacks_.push_back(read.cast<ReadScene&>().callbacks);
    for (const auto& [name, formula] : wanted_.sensors)
      scene.sensors.add(scene.system, {name, formula}, io::constants_of(scene));
    return scene;
  }

  const Derived& wanted_;
  mutable std::vector<std::shared_ptr<Callbacks>> callbacks_;
  RunOptions options_;
  DerivedMethod method_;
  ModelFamily family_;
};

py::dict report_of(const DerivativeReport& report, const RunReport& run) {
  py::list changes;
  for (const ActiveChange& change : report.changes)
    changes.append(py::dict(py::arg("time") = change.time, py::arg("what") = change.what,
                            py::arg("of") = change.of, py::arg("is_edge") = change.is_edge));
  std::vector<std::string> doubts = report.doubts;
  py::dict out;
  out["doubts"] = doubts;
  out["run_doubts"] = run.doubts;
  out["changes"] = changes;
  out["steps"] = report.steps;
  out["by_theorem"] = report.by_theorem;
  out["by_steps"] = report.by_steps;
  out["by_stretches"] = report.by_stretches;
  return out;
}

py::array array_of(const VecX& x) {
  py::array_t<double> out(x.size());
  std::copy(x.data(), x.data() + x.size(), out.mutable_data());
  return out;
}

py::array array_of(const MatX& x) {
  py::array_t<double> out({x.rows(), x.cols()});
  auto to = out.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < x.rows(); ++i)
    for (py::ssize_t j = 0; j < x.cols(); ++j) to(i, j) = x(i, j);
  return out;
}

py::array array_of(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return table(std::move(all), static_cast<py::ssize_t>(columns));
}

py::dict find_sensitivities(const Derived& wanted) {
  Problem problem(wanted);
  const Sensitivities found =
      sensitivities(problem.family(), problem.method(), problem.options(),
                    {.initial_state = wanted.initial_state, .forces = wanted.forces});
  py::dict out = report_of(found.report, found.run);
  const py::ssize_t times = static_cast<py::ssize_t>(found.times.size()),
                    sensors = static_cast<py::ssize_t>(found.sensors.size()),
                    columns = static_cast<py::ssize_t>(found.columns.size());
  py::array_t<double> slopes({times, sensors, columns});
  auto to = slopes.mutable_unchecked<3>();
  for (py::ssize_t t = 0; t < times; ++t)
    for (py::ssize_t s = 0; s < sensors; ++s)
      for (py::ssize_t c = 0; c < columns; ++c)
        to(t, s, c) = found.slopes[static_cast<std::size_t>(t)](s, c);
  const py::ssize_t size = found.end.v.size();
  py::array_t<double> end_q({size, columns}), end_v({size, columns});
  auto q = end_q.mutable_unchecked<2>();
  auto v = end_v.mutable_unchecked<2>();
  for (py::ssize_t c = 0; c < columns; ++c)
    for (py::ssize_t i = 0; i < size; ++i) {
      q(i, c) = found.end_slopes[static_cast<std::size_t>(c)].q[i];
      v(i, c) = found.end_slopes[static_cast<std::size_t>(c)].v[i];
    }
  out["columns"] = found.columns;
  out["sensors"] = found.sensors;
  out["times"] = py::array(py::cast(found.times));
  out["values"] = array_of(found.values, found.sensors.size());
  out["slopes"] = slopes;
  out["end_q"] = array_of(found.end.q);
  out["end_v"] = array_of(found.end.v);
  out["end_q_slopes"] = end_q;
  out["end_v_slopes"] = end_v;
  if (wanted.forces) {
    out["forces"] = array_of(found.lambda);
    out["force_slopes"] = array_of(found.lambda_slopes);
  }
  return out;
}

/// `objective`: of times and values, an array each; returns the number and its derivatives with
/// respect to the values. None: the last sensor at the end.
py::dict find_gradient(const Derived& wanted, const py::object& objective) {
  Problem problem(wanted);
  Objective of;
  if (objective.is_none()) {
    const int sensors = problem.family().make(problem.family().values()).sensors.size();
    of = final_value(sensors - 1);
  } else {
    of = [&](const Measured& measured, std::vector<std::vector<double>>& slopes) {
      const std::size_t sensors = slopes.empty() ? 0 : slopes[0].size();
      const py::tuple answer =
          objective(py::array(py::cast(measured.times)), array_of(measured.values, sensors));
      const auto given =
          answer[1].cast<py::array_t<double, py::array::c_style | py::array::forcecast>>();
      if (given.ndim() != 2 || given.shape(0) != static_cast<py::ssize_t>(slopes.size()) ||
          given.shape(1) != static_cast<py::ssize_t>(sensors))
        throw Error(fmt::format("the objective's derivatives must be an array of {} × {}",
                                slopes.size(), sensors));
      for (std::size_t k = 0; k < slopes.size(); ++k)
        for (std::size_t s = 0; s < sensors; ++s)
          slopes[k][s] = given.at(static_cast<py::ssize_t>(k), static_cast<py::ssize_t>(s));
      return answer[0].cast<double>();
    };
  }
  const Gradient found = gradient(problem.family(), problem.method(), problem.options(), of,
                                  {.initial_state = wanted.initial_state});
  py::dict out = report_of(found.report, found.run);
  out["value"] = found.value;
  out["parameters"] = array_of(found.parameters);
  out["start_q"] = array_of(found.start.q);
  out["start_v"] = array_of(found.start.v);
  out["is_adjoint"] = found.is_adjoint;
  out["states"] = found.most_states;
  return out;
}

py::dict find_fit(const Derived& wanted, const MeasuredTable& table,
                  const std::vector<std::pair<double, double>>& bounds,
                  const std::vector<double>& deviations, int max_iterations,
                  const py::object& progress) {
  Problem problem(wanted);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    FamilyParameter& one = problem.family().parameters[i];
    one.min = std::max(one.min, bounds[i].first);
    one.max = std::min(one.max, bounds[i].second);
  }
  FitOptions options;
  options.max_iterations = max_iterations;
  options.deviations = deviations;
  options.keep_going = [&](int iteration, double rms, const VecX& values) {
    if (!progress.is_none()) progress(iteration, rms, array_of(values));
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return true;
  };
  const FitResult found =
      fit(problem.family(), problem.method(), problem.options(), table, options);
  py::list parameters;
  for (const FitParameter& one : found.parameters)
    parameters.append(py::dict(py::arg("name") = one.name, py::arg("start") = one.start,
                               py::arg("value") = one.value, py::arg("error") = one.error,
                               py::arg("is_at_bound") = one.is_at_bound));
  py::dict out;
  out["converged"] = found.status == FitResult::Status::converged;
  out["status"] = std::string(status_text(found.status));
  out["parameters"] = parameters;
  out["covariance"] = array_of(found.covariance);
  out["rms"] = found.rms;
  out["iterations"] = found.iterations;
  out["doubts"] = found.doubts;
  out["times"] = py::array(py::cast(table.times));
  out["model"] = array_of(found.model, table.columns.size());
  out["columns"] = table.columns;
  return out;
}

}  // namespace

void bind_derivatives(py::module_& module) {
  py::class_<Derived>(module, "Derived")
      .def(py::init<>())
      .def_readwrite("read", &Derived::read)
      .def_readwrite("method", &Derived::method)
      .def_readwrite("method_options", &Derived::method_options)
      .def_readwrite("step", &Derived::step)
      .def_readwrite("duration", &Derived::duration)
      .def_readwrite("record_every", &Derived::record_every)
      .def_readwrite("start", &Derived::start)
      .def_readwrite("sensors", &Derived::sensors)
      .def_readwrite("parameters", &Derived::parameters)
      .def_readwrite("values", &Derived::values)
      .def_readwrite("initial_state", &Derived::initial_state)
      .def_readwrite("forces", &Derived::forces);
  py::class_<MeasuredTable>(module, "MeasuredTable")
      .def(py::init<>())
      .def_readwrite("columns", &MeasuredTable::columns)
      .def_readwrite("times", &MeasuredTable::times)
      .def_readwrite("values", &MeasuredTable::values);
  module.def("read_measured", &read_measured);
  module.def("sensitivities", &find_sensitivities);
  module.def("gradient", &find_gradient);
  module.def("fit", &find_fit);
}

}  // namespace taut::python
