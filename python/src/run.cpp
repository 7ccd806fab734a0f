// A whole run, as the command line does it.
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "failures.hpp"
#include "simulation.hpp"
#include "taut/analysis/explanation.hpp"
#include "taut/analysis/verify.hpp"
#include "taut/record/output.hpp"
#include "taut/record/run_output.hpp"

namespace taut::python {
namespace {

constexpr double most_steps = 1e12;

/// What was recorded, row by row.
struct Tracks {
  std::vector<double> times, q, v, forces, sensors;

  static void add(std::vector<double>& track, const VecX& row) {
    track.insert(track.end(), row.data(), row.data() + row.size());
  }
};

struct Wanted {
  std::string method;
  std::map<std::string, std::string> method_options;
  std::optional<double> step, duration, tolerance, record_interval;
  std::optional<long> record_every;
  std::string start, solver, contact_solver;
  bool forces = false, compares = true;
  std::optional<double> verify;
};

RunOptions options_of(const Wanted& wanted, const io::Scene& scene) {
  RunOptions options;
  options.duration = positive(wanted.duration.value_or(scene.duration), "duration");
  options.record_every = wanted.record_every.value_or(scene.record_every);
  if (options.record_every < 1) throw Error("record_every: expected a whole number ≥ 1");
  options.step = wanted.tolerance ? 0 : positive(wanted.step.value_or(scene.step), "step");
  if (wanted.tolerance) {
    if (wanted.step) throw Error("tolerance: found a step as well, expected only one of the two");
    options.tolerance = positive(*wanted.tolerance, "tolerance");
    options.record_interval = positive(
        wanted.record_interval.value_or(scene.step * static_cast<double>(options.record_every)),
        "record_interval");
  } else if (wanted.record_interval) {
    throw Error("record_interval: only with a tolerance; otherwise use record_every");
  }
  const double shortest = wanted.tolerance ? options.record_interval : options.step;
  if (options.duration / shortest > most_steps)
    throw Error(fmt::format("{} s in steps of {} s would take more than {:g} steps",
                            options.duration, shortest, most_steps));
  set_common(options, scene, wanted.start, wanted.solver, wanted.contact_solver);
  return options;
}

/// Calls `progress` (or nothing, where that is None) and looks for Ctrl-C.
class Watch {
 public:
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}

  bool go_on(const RunProgress& at, const Callbacks& callbacks) {
    if (callbacks.error) return false;
    const py::gil_scoped_acquire python;
    try {
      if (!progress_.is_none()) progress_(at.fraction, at.time);
      if (PyErr_CheckSignals() == 0) return true;
      throw py::error_already_set();
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) error_ = std::current_exception();
      return false;
    }
  }
  void finish(const RunReport& report) const {
    if (error_) std::rethrow_exception(error_);
    if (report.status == RunStatus::ok && !progress_.is_none()) progress_(1.0, report.time);
  }

 private:
  py::object progress_;
  std::exception_ptr error_;
};

py::dict run(ReadScene& read, const Wanted& wanted, const py::object& progress) {
  const io::Scene scene = read.take();
  const std::shared_ptr<Callbacks> callbacks = read.callbacks;
  RunOptions options = options_of(wanted, scene);
  const double step = options.step > 0 ? options.step : scene.step;
  const io::MethodPlan plan =
      python::plan(scene, wanted.method, step, options.duration, wanted.method_options);

  Tracks tracks;
  io::RunOutput sensors(scene, std::string(plan.info->name), {}, 0, options);
  sensors.show([&](const io::RunSample& sample) {
    tracks.sensors.insert(tracks.sensors.end(), sample.sensors.begin(), sample.sensors.end());
  });
  options.record_states = [&, also = options.record_states](const State& state) {
    tracks.times.push_back(state.time);
    Tracks::add(tracks.q, state.q);
    Tracks::add(tracks.v, state.v);
    if (also) also(state);
  };
  if (wanted.forces)
    options.record = [&, also = options.record](const State& state, const VecX& lambda) {
      Tracks::add(tracks.forces, lambda);
      if (also) also(state, lambda);
    };
  Watch watch(progress);
  options.keep_going = [&](const RunProgress& at) { return watch.go_on(at, *callbacks); };

  RunReport report;
  std::exception_ptr thrown;  // passed on with the GIL
  {
    const py::gil_scoped_release others_may_run;
    try {
      const State start = scene.system.initial_state();
      if (wanted.compares)
        report = simulate_verified(
            scene.system, start, [&] { return plan.make(); }, options,
            wanted.verify.value_or(trusted_error),
            wanted.verify ? VerifyWhat::all : VerifyWhat::unasked);
      else
        report = simulate(scene.system, start, *plan.make(), options);
      if (!callbacks->error) explain(scene.system, plan.info->promises, report);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (callbacks->error) std::rethrow_exception(std::exchange(callbacks->error, nullptr));
  if (thrown) std::rethrow_exception(thrown);
  watch.finish(report);
  report.sensors = sensors.sensors();

  py::list slots, rows;
  for (int i = 0; i < scene.system.body_count(); ++i)
    slots.append(py::make_tuple(scene.system.body_name({i}), scene.system.slot({i}).q,
                                scene.system.slot({i}).v, scene.system.is_rigid({i})));
  int row = 0;
  for (const auto& batch : scene.system.constraints())
    for (int i = 0; i < batch->size(); ++i, row += batch->rows_per_constraint())
      rows.append(py::make_tuple(batch->name(i), row, batch->rows_per_constraint(),
                                 std::string(batch->force_unit(i, 0))));
  py::dict result;
  result["report"] = io::report_json(scene, plan.info->name, report);
  result["reason"] = plan.reason;
  result["slots"] = slots;
  result["rows"] = rows;
  py::list names;
  for (const Sensor& sensor : scene.sensors.sensors())
    names.append(py::make_tuple(sensor.name, sensor.unit));
  result["sensor_names"] = names;
  if (!scene.sensors.empty())
    result["sensors"] = table(std::move(tracks.sensors), scene.sensors.size());
  result["times"] = table(std::move(tracks.times), 1).attr("ravel")();
  result["q"] = table(std::move(tracks.q), scene.system.position_size());
  result["v"] = table(std::move(tracks.v), scene.system.velocity_size());
  if (wanted.forces) result["forces"] = table(std::move(tracks.forces), scene.system.row_count());
  return result;
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<Wanted>(module, "Wanted")
      .def(py::init<>())
      .def_readwrite("method", &Wanted::method)
      .def_readwrite("method_options", &Wanted::method_options)
      .def_readwrite("step", &Wanted::step)
      .def_readwrite("duration", &Wanted::duration)
      .def_readwrite("tolerance", &Wanted::tolerance)
      .def_readwrite("record_interval", &Wanted::record_interval)
      .def_readwrite("record_every", &Wanted::record_every)
      .def_readwrite("start", &Wanted::start)
      .def_readwrite("solver", &Wanted::solver)
      .def_readwrite("contact_solver", &Wanted::contact_solver)
      .def_readwrite("forces", &Wanted::forces)
      .def_readwrite("compares", &Wanted::compares)
      .def_readwrite("verify", &Wanted::verify);
  module.def("run", &run);
}

}  // namespace taut::python
