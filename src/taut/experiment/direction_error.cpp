#include <cmath>
#include <limits>

#include "taut/experiment/direction_error_internal.hpp"

namespace taut::experiment::detail {

DirectionError::DirectionError(std::unique_ptr<Method> method, std::unique_ptr<Method> beside,
                               const System& system)
    : method_(std::move(method)),
      other_(std::move(beside)),
      probe_(system),
      other_workspace_(system),
      beside_(std::numeric_limits<double>::quiet_NaN()) {}

StepReport DirectionError::step(const System& system, double h, State& state, Workspace& w) {
  start_ = state;
  const StepReport report = method_->step(system, h, state, w);
  const Size size = measure(system, h, state, w.lambda);
  last_ = size.F;
  moved_ = size.moved;
  if (other_) {
    end_ = start_;
    other_->step(system, h, end_, other_workspace_);
    beside_ = measure(system, h, end_, other_workspace_.lambda).F;
  }
  return report;
}

DirectionError::Size DirectionError::measure(const System& system, double h, const State& end,
                                             const VecX& lambda) {
  probe_.adapt(system);
  probe_.evaluate(system, start_.q, start_.time, probe_.start);
  probe_.forces(system, probe_.start, start_.v, start_.time);
  probe_.evaluate(system, end.q, start_.time + h, probe_.end, RowForm::smooth);
  system.apply_inverse_mass(probe_.pattern.blocks, probe_.end.J, probe_.end.WJ);
  probe_.WJt(probe_.end, lambda, probe_.correction);
  system.difference(start_.q, end.q, Chart::rotation_vector, F_);
  F_ -= h * (start_.v + h * probe_.WF);
  const double bodies = std::sqrt(static_cast<double>(system.body_count()));
  const double moved = F_.norm() / bodies;
  F_ += (h * h) * probe_.correction;
  return {F_.norm() / bodies, moved};
}

}  // namespace taut::experiment::detail
