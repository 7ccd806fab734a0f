#include "simulation.hpp"

#include <algorithm>

#include "failures.hpp"
#include "taut/base/checksum.hpp"
#include "taut/methods/archive.hpp"
#include "taut/record/checkpoint_file.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/solve/contact_solvers.hpp"
#include "taut/solve/linear_solver.hpp"

namespace taut::python {

void set_common(RunOptions& run, const io::Scene& scene, const std::string& start,
                const std::string& solver, const std::string& contact_solver) {
  run.start = scene.start;
  if (!start.empty()) {
    const std::span<const std::string_view> names(Choices<Start>::names);
    const auto found = std::find(names.begin(), names.end(), start);
    if (found == names.end())
      throw Error(fmt::format("start: found \"{}\"{}", start, suggestion(start, names)));
    run.start = static_cast<Start>(found - names.begin());
  }
  std::vector<std::string_view> solvers{"auto"};
  for (const SolverInfo& known : linear_solvers()) solvers.push_back(known.name);
  if (std::find(solvers.begin(), solvers.end(), solver) == solvers.end())
    throw Error(fmt::format("unknown solver \"{}\"{}", solver, suggestion(solver, solvers)));
  run.solver = solver;
  run.contact_solver = find_contact_solver(contact_solver).name;
  run.reference = io::reference_track(scene);
}

Simulation::Turn::Turn(Simulation& simulation) : simulation_(simulation) {
  if (simulation.is_busy_.exchange(true))
    throw Error(
        "the simulation is in the middle of a step: neither another thread nor a function that the "
        "step calls can use it now");
}

Simulation::Simulation(ReadScene& read, const SimulationOptions& options)
    : callbacks_(read.callbacks), scene_(read.take()) {
  step_ = positive(options.step.value_or(scene_.step), "step");
  plan_ = python::plan(scene_, options.method, step_, scene_.duration, options.method_options);
  method_ = plan_.make();
  apply_loads(scene_.system, loads_);
  RunOptions run;
  run.step = step_;
  run.duration = scene_.duration;
  set_common(run, scene_, options.start, options.solver, options.contact_solver);
  stepping_ = std::make_unique<Stepping>(scene_.system, scene_.system.initial_state(), *method_,
                                         std::move(run));
  if (callbacks_->error) std::rethrow_exception(std::exchange(callbacks_->error, nullptr));
}

void Simulation::step(double h) {
  acting_.reset();
  {
    const py::gil_scoped_release others_may_run;
    stepping_->step(h);
  }
  finish();
}

void Simulation::finish() {
  loads_->clear();
  if (callbacks_->error) std::rethrow_exception(std::exchange(callbacks_->error, nullptr));
  const RunReport& report = stepping_->report();
  if (report.status == RunStatus::ok) return;
  throw Diverged(fmt::format("{} diverged at step {} ({:.4g} s): {}", plan_.info->name,
                             report.diverged_at_step, report.time, report.reason));
}

void Simulation::repeat(long count) {
  acting_.reset();
  {
    const py::gil_scoped_release others_may_run;
    while (count-- > 0 && !callbacks_->error && stepping_->step()) {
    }
  }
  finish();
}

void Simulation::put(const VecX& q) {
  acting_.reset();
  loads_->was_used = true;  // the energy is another one now
  stepping_->put(q);
}

std::string Simulation::identity() const {
  Archive a;
  State start = scene_.system.initial_state();
  std::vector<std::string> names = scene_.system.body_names();
  for (const auto& batch : scene_.system.constraints())
    for (int i = 0; i < batch->size(); ++i)
      names.push_back(std::string(batch->type()) + batch->name(i));
  for (const OptionValue& option : plan_.options) names.push_back(option.name + option.value);
  double step = step_;
  a(start, names, step);
  return fmt::format("{} with {} {:016x}", scene_.name, plan_.info->name, checksum(a.take()));
}

void Simulation::save(const std::string& path) {
  io::write_saved_run(path, identity(), stepping_->save());
  acting_.reset();
}

void Simulation::restore(const std::string& path) {
  acting_.reset();
  stepping_->restore(io::read_saved_run(path, identity()));
}

RunReport Simulation::judged() {
  RunReport report = stepping_->judged();
  report.energy.conservative = report.energy.conservative && !loads_->was_used;
  report.final_state = state();
  return report;
}

std::shared_ptr<const Simulation::Acting> Simulation::measure() {
  if (!acting_) {
    auto found = std::make_shared<Acting>();
    {
      const py::gil_scoped_release others_may_run;
      const Stepping::Measured measured = stepping_->measure();
      *found = {measured.lambda, measured.joints, measured.contacts};
    }
    if (callbacks_->error) std::rethrow_exception(std::exchange(callbacks_->error, nullptr));
    acting_ = std::move(found);
  }
  return acting_;
}

std::vector<double> Simulation::read_sensors() {
  std::vector<double> values;
  {
    const py::gil_scoped_release others_may_run;
    scene_.sensors.read(*stepping_, values);
  }
  if (callbacks_->error) std::rethrow_exception(std::exchange(callbacks_->error, nullptr));
  return values;
}

}  // namespace taut::python
