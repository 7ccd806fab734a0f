#include "taut/simulate/stepping.hpp"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "taut/base/error.hpp"
#include "taut/methods/archive.hpp"
#include "taut/simulate/checkpointed_run_internal.hpp"
#include "taut/simulate/run_loop_internal.hpp"

namespace taut {
namespace {

void require_step(double h) {
  if (!(h > 0) || !std::isfinite(h))
    throw Error(fmt::format("the step must be a number > 0, found {}", h));
}

RunOptions for_steps(RunOptions options) {
  require_step(options.step);
  options.tolerance = 0;
  options.reactions = true;
  return options;
}

}  // namespace

struct Stepping::Impl {
  Impl(const System& of, State from, Method& by, RunOptions given)
      : system(of), method(by), start(std::move(from)), options(for_steps(std::move(given))) {
    run.emplace(of, start, method, options);
    run->begin_fixed_steps();
    // What bears a load later on is known from the steps; at the start it has to be found.
    if (of.may_touch()) run->recording().add(run->state());
  }

  const System& system;
  Method& method;
  const State start;
  const RunOptions options;
  std::optional<detail::Run> run;
  long input_changes = system.inputs().changes();
};

Stepping::Stepping(const System& system, State start, Method& method, RunOptions options)
    : impl_(std::make_unique<Impl>(system, std::move(start), method, std::move(options))) {}
Stepping::~Stepping() = default;

bool Stepping::step() { return step(impl_->options.step); }

bool Stepping::step(double h) {
  require_step(h);
  if (!impl_->run->may_go_on()) return false;
  if (const long changes = impl_->system.inputs().changes(); changes != impl_->input_changes) {
    impl_->input_changes = changes;
    impl_->run->settle_if_illegal();
  }
  impl_->run->next_fixed_step(h);
  return true;
}

std::string Stepping::save() {
  Archive a;
  std::vector<double> inputs = impl_->system.inputs().values();
  a(inputs);
  impl_->run->archive(a);
  const std::string saved = a.take();
  restore(saved);
  return saved;
}

void Stepping::restore(std::string_view saved) {
  Impl& to = *impl_;
  Archive a(saved);
  std::vector<double> inputs;
  a(inputs);
  if (inputs.size() != to.system.inputs().values().size())
    throw Error("the saved run is of another system: it has other inputs");
  if (inputs != to.system.inputs().values()) to.system.inputs().set_all(inputs);
  to.input_changes = to.system.inputs().changes();
  // Whoever shows the state goes on to look at the same memory.
  State memory = to.run->take_state();
  to.run.emplace(to.system, to.start, to.method, to.options);
  detail::forget_contacts(to.system);
  to.run->archive(a);
  if (!a.at_end() || to.run->state().q.size() != memory.q.size())
    throw Error("the saved run is of another system");
  to.run->show_in(std::move(memory));
}

const State& Stepping::state() const { return impl_->run->state(); }
const System& Stepping::system() const { return impl_->system; }
Inputs Stepping::inputs() const { return impl_->system.inputs(); }
void Stepping::put(const VecX& q) { impl_->run->put(q); }
const RunReport& Stepping::report() const { return impl_->run->report(); }
RunReport Stepping::judged() { return impl_->run->judged(); }
double Stepping::step_seconds() const { return impl_->run->step_seconds(); }

Stepping::Measured Stepping::measure() {
  detail::Recording& recording = impl_->run->recording();
  recording.add(impl_->run->state());
  return {recording.lambda(), recording.joint_samples(), recording.contact_samples(),
          recording.exerted()};
}

bool Stepping::laws_tell() const { return impl_->run->recording().laws_tell(); }

const std::vector<JointSample>& Stepping::joints() {
  return impl_->run->recording().look_at_joints(impl_->run->state());
}

// A row's force on a body is −λ J, of which the first three numbers are the force itself.
std::vector<ConstraintForce> Stepping::constraint_forces() const {
  detail::Recording& recording = impl_->run->recording();
  const VecX& lambda = recording.lambda();
  const Workspace& w = recording.workspace();
  std::vector<ConstraintForce> forces;
  std::vector<Anchor> anchors;
  int constraint = 0, row = 0;
  for (const auto& batch : impl_->system.constraints()) {
    const int rows = batch->rows_per_constraint();
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int i = 0; i < batch->size(); ++i, ++constraint, row += rows) {
      batch->anchors(i, anchors);
      for (std::size_t k = 0; k < anchors.size(); ++k) {
        const Anchor& anchor = anchors[k];
        if (anchor.body.is_world() || anchor.is_direction) continue;
        bool was_there = false;  // two anchors of one body share a block
        for (std::size_t other = 0; other < k; ++other)
          was_there |= !anchors[other].is_direction && anchors[other].body == anchor.body;
        if (was_there) continue;
        const int dof = impl_->system.slot(anchor.body).v;
        ConstraintForce force{constraint, anchor.body, w.start.pose.at(anchor), Vec3::Zero()};
        for (int r = row; r < row + rows; ++r)
          for (int b = w.pattern.first_block[r]; b < w.pattern.first_block[r + 1]; ++b)
            if (w.pattern.blocks[b].dof == dof)
              force.force -= lambda[r] * w.start.J.segment<3>(w.pattern.blocks[b].value);
        forces.push_back(force);
      }
    }
  }
  return forces;
}

}  // namespace taut
