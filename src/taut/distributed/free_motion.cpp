#include <cmath>

#include "taut/distributed/free_motion_internal.hpp"

namespace taut::distributed {
namespace {

// As in methods/free_step.cpp.
constexpr double force_tolerance = 1e-3;
constexpr int most_force_iterations = 200;
constexpr double resolved = 1;
constexpr int steps_until_looked = 64;
constexpr int power_iterations = 12, later_power_iterations = 4;
constexpr double anew = 0.3;
constexpr double power_margin = 1.15, later_power_margin = 1.1;

}  // namespace

FreeMotion::FreeMotion(Domain& domain, FreeBase base)
    : domain_(domain),
      base_(base),
      inverse_diagonal_(domain.system),
      product_(domain.workspace.pattern.coupling_blocks) {
  has_stiffness_ = domain.processes.any(!domain.workspace.pattern.coupling_blocks.empty());
  solver_ = std::make_unique<ConjugateGradients>(
      domain.processes, 3 * static_cast<int>(domain.owned_bodies().size()),
      [this](const double* in, double* out) { multiply(in, out); },
      [this](const double* in, double* out) { precondition(in, out); });
  in_.setZero(domain.system.velocity_size());
}

void FreeMotion::spread(const double* owned, VecX& all) const {
  for (const int body : domain_.owned_bodies()) {
    all.segment<3>(3 * body) = Eigen::Map<const Vec3>(owned);
    owned += 3;
  }
}

void FreeMotion::take(const VecX& all, double* owned) const {
  for (const int body : domain_.owned_bodies()) {
    Eigen::Map<Vec3> to(owned);
    to = all.segment<3>(3 * body);
    owned += 3;
  }
}

// What acts on a body that is not owned is known in part only.
void FreeMotion::forces(const VecX& q, const VecX& v, double time) {
  Workspace& w = domain_.workspace;
  w.end.pose.set(domain_.system, q);
  w.end.held.resize(0);
  w.forces(domain_.system, w.end, v, time);
  domain_.bodies().fill(w.WF.data());
}

void FreeMotion::predict(double h, const State& state, VecX& velocity, StepReport& report) {
  velocity = state.v;
  if (base_ != FreeBase::explicit_forces && has_stiffness_) {
    implicit_forces(h, state, velocity, report);
    return;
  }
  forces(state.q, state.v, state.time);
  velocity += h * domain_.workspace.WF;
}

void FreeMotion::implicit_forces(double h, const State& state, VecX& velocity, StepReport& report) {
  Workspace& w = domain_.workspace;
  const double end = state.time + h;
  q_ = state.q + h * velocity;
  forces(q_, velocity, end);
  if (resolves_forces(h, velocity, end)) {
    velocity += h * w.WF;
    return;
  }
  stiffness_.add_force_stiffness(domain_.system, w.pattern, w.end.pose, velocity, 1 / h, end);
  // (M/h² + K) y = −K h² W F, from the last step's y; the way is h² W F + y.
  const auto& blocks = w.pattern.coupling_blocks;
  way_ = (h * h) * w.WF;
  const double wanted = force_tolerance * domain_.norm(w.F);
  right_.setZero(way_.size());
  product_.add(blocks, stiffness_.K, way_, right_);
  right_ = -right_;
  const double size = domain_.norm(right_);
  if (size > wanted) {
    add_mass(h);
    owned_right_.resize(3 * static_cast<Eigen::Index>(domain_.owned_bodies().size()));
    take(right_, owned_right_.data());
    if (resistance_.size() != owned_right_.size()) resistance_.setZero(owned_right_.size());
    residual_.resize(resistance_.size());
    multiply(resistance_.data(), residual_.data());
    const double left = std::sqrt(domain_.processes.sum((owned_right_ - residual_).squaredNorm()));
    const ConjugateGradients::Result result =
        solver_->solve(owned_right_, resistance_, {0, wanted, most_force_iterations, left < size});
    ++report.linear_solves;
    report.linear_iterations += result.iterations;
    right_.setZero(way_.size());
    spread(resistance_.data(), right_);
    domain_.bodies().fill(right_.data());
    way_ += right_;
  }
  velocity += way_ / h;
}

// The power method. Its start depends on numbers in the whole, so that all processes together find
// what one does.
bool FreeMotion::resolves_forces(double h, const VecX& velocity, double end) {
  if (until_looked_-- > 0 && std::abs(h - looked_h_) <= 1e-9 * h) return resolves_;
  until_looked_ = steps_until_looked;
  looked_h_ = h;
  const System& system = domain_.system;
  const Workspace& w = domain_.workspace;
  stiffness_.add_force_stiffness(system, w.pattern, w.end.pose, velocity, 1 / h, end);
  const bool is_first = fastest_.size() != velocity.size();
  const double all = 3.0 * domain_.share.whole_bodies;
  const double share = is_first ? 1 : anew * domain_.norm(fastest_) / std::sqrt(14 * all);
  if (is_first) fastest_.setZero(velocity.size());
  for (int body = 0; body < system.body_count(); ++body)
    for (long k = 0; k < 3; ++k)
      fastest_[3 * body + k] +=
          share * static_cast<double>((3L * domain_.number(body) + k) * 7919 % 13 - 6);
  double largest = 0;
  for (int i = 0; i < (is_first ? power_iterations : later_power_iterations); ++i) {
    fastest_ /= domain_.norm(fastest_);
    right_.setZero(fastest_.size());
    product_.add(w.pattern.coupling_blocks, stiffness_.K, fastest_, right_);
    system.apply_inverse_mass(right_, fastest_);
    domain_.bodies().fill(fastest_.data());
    largest = domain_.norm(fastest_);
    if (!(largest > 0)) break;
  }
  if (!(largest > 0)) fastest_.resize(0);
  resolves_ = (is_first ? power_margin : later_power_margin) * h * h * largest < resolved;
  return resolves_;
}

// K ← M/h² + K, and D its diagonal blocks. Bodies without a block of K have M/h² alone.
void FreeMotion::add_mass(double h) {
  inverse_diagonal_.set_mass(domain_.system, 1 / (h * h));
  for (const StiffnessBlock& block : domain_.workspace.pattern.coupling_blocks) {
    if (block.row_dof != block.col_dof) continue;
    double* diagonal = inverse_diagonal_.block(inverse_diagonal_.body_at(block.row_dof));
    double* values = stiffness_.K.data() + block.value;
    if (block.is_scalar) {
      *values += *diagonal;
      for (int i = 0; i < 9; i += 4) diagonal[i] = *values;
    } else {
      for (int i = 0; i < block.value_count(); ++i) diagonal[i] = values[i] += diagonal[i];
    }
  }
  inverse_diagonal_.invert();
}

void FreeMotion::multiply(const double* in, double* out) {
  spread(in, in_);
  domain_.bodies().fill(in_.data());
  out_.setZero(in_.size());
  product_.add(domain_.workspace.pattern.coupling_blocks, stiffness_.K, in_, out_);
  take(out_, out);
}

void FreeMotion::precondition(const double* in, double* out) {
  for (const int body : domain_.owned_bodies()) {
    const Eigen::Map<const Mat3> block(inverse_diagonal_.block(body));
    Eigen::Map<Vec3> to(out);
    to = block * Eigen::Map<const Vec3>(in);
    in += 3;
    out += 3;
  }
}

}  // namespace taut::distributed
