#include "taut/methods/contact_sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/small_dot.hpp"

namespace taut {
namespace {

/// Calls with<Size>(body) for the bodies that there are.
template <class With>
[[gnu::always_inline]] inline void each_body(const int (&size)[2], With&& with) {
  for (int k = 0; k < 2; ++k) {
    if (size[k] == 6) [[likely]]
      with.template operator()<6>(k);
    else if (size[k] == 3)
      with.template operator()<3>(k);
  }
}

/// W Hᵀ of one body.
void weigh(const System& system, int body, int size, const double* H, double* WH) {
  for (int row = 0; row < 3; ++row)
    system.apply_inverse_mass({body}, H + size * row, WH + size * row);
}

/// A_ij = H_i W H_jᵀ
double response(const int (&size)[2], const double (&H)[2][18], const double (&WH)[2][18], int i,
                int j) {
  double A = 0;
  each_body(size,
            [&]<int Size>(int k) { A += small_dot<Size>(H[k] + Size * i, WH[k] + Size * j); });
  return A;
}

}  // namespace

void ContactSweeps::take(const System& system, double h, ContactTask* task) {
  task_ = task;
  h_ = h;
  swept_.clear();
  turning_.clear();
  if (!task || task->rows.empty()) return;
  const ContactRows& rows = task->rows;
  swept_.reserve(ContactRows::usual_count);
  swept_.resize(static_cast<std::size_t>(rows.count()));
  sort();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const int c = order_[i].contact;
    Swept& at = swept_[i];
    place(system, c, at);
    if (!(rows.lever(c) > 0)) continue;
    Turning& turning = turning_.emplace_back();
    turning.swept = i;
    turning.spinning = rows.contact(c).spinning_friction / rows.lever(c);
    turning.rolling = rows.contact(c).rolling_friction / rows.lever(c);
    turning.r = h * task->force.segment<3>(rows.torque(c));
    const auto blocks = rows.blocks(c);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      std::copy_n(rows.turning(blocks[k]), 3 * blocks[k].size, turning.H[k]);
      weigh(system, blocks[k].body, blocks[k].size, turning.H[k], turning.WH[k]);
    }
    const auto A = [&](int row) { return response(at.size, turning.H, turning.WH, row, row); };
    turning.spin = A(0);
    turning.roll = A(1) + A(2);
  }
}

// Loads are handed on in the direction of the forces: a sweep that goes the same way carries them
// as far as they go, to the ground.
void ContactSweeps::sort() {
  constexpr double level = 1e-3;  // of the depth of all: what is as deep is in the order found
  const ContactRows& rows = task_->rows;
  order_.reserve(ContactRows::usual_count);
  order_.clear();
  double highest = INFINITY, lowest = -INFINITY;
  for (int c = 0; c < rows.count(); ++c) {
    order_.push_back({task_->depth[c], c});
    highest = std::min(highest, task_->depth[c]);
    lowest = std::max(lowest, task_->depth[c]);
  }
  if (!(lowest > highest)) return;
  for (Place& place : order_)
    place.depth = std::round((place.depth - highest) / (level * (lowest - highest)));
  std::sort(order_.begin(), order_.end(), [](const Place& x, const Place& y) {
    return x.depth != y.depth ? x.depth < y.depth : x.contact < y.contact;
  });
}

void ContactSweeps::place(const System& system, int contact, Swept& at) const {
  const ContactRows& rows = task_->rows;
  const auto blocks = rows.blocks(contact);
  at.contact = contact;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    at.dof[k] = blocks[k].dof;
    at.size[k] = blocks[k].size;
    std::copy_n(blocks[k].values, 3 * blocks[k].size, at.H[k]);
    weigh(system, blocks[k].body, blocks[k].size, at.H[k], at.WH[k]);
  }
  at.is_ground = blocks.size() == 1;
  at.friction = rows.friction(contact);
  at.r = h_ * task_->force.segment<3>(3 * contact);
  at.is_new = at.r[0] == 0;
  const auto A = [&](int i, int j) { return response(at.size, at.H, at.WH, i, j); };
  for (int i = 0; i < 3; ++i) at.normal[i] = A(i, 0);
  const double a = A(1, 1), b = A(1, 2), c = A(2, 2), determinant = a * c - b * b;
  at.inverse[0] = c / determinant;
  at.inverse[1] = -b / determinant;
  at.inverse[2] = a / determinant;
  at.largest = 0.5 * (a + c + std::sqrt((a - c) * (a - c) + 4 * b * b));
}

void ContactSweeps::look(const Pose& pose, const Softnesses& softnesses) {
  for (Swept& at : swept_) {
    const Contact& contact = task_->rows.contact(at.contact);
    at.gap = contact.normal.dot(pose.at(contact.a) - pose.at(contact.b));
    if (at.has_acted) at.sum += at.r[0];
    at.has_acted = true;
    set_target(contact, softnesses, at);
  }
}

// A spring k and a damper d: r = −h (k (gap + h u) + d u), as far as that pushes.
void ContactSweeps::set_target(const Contact& contact, const Softnesses& softnesses,
                               Swept& at) const {
  if (contact.is_compliant()) {
    const double k = h_ * contact.compliance.stiffness, d = contact.compliance.damping;
    const double give = 1 / (h_ * (k + d)), s = give / (at.normal[0] + give);
    at.on = at.off = {at.gap * contact.compliance.stiffness / (k + d), 1 - s, s};
  } else if (at.gap > 0) {
    at.on = at.off = {at.gap / h_, 1, 0};
  } else {
    const Softness& softness = at.is_ground ? softnesses.ground : softnesses.bodies;
    at.on = {std::max(softness.rate * at.gap, -softnesses.push_speed), softness.mass,
             softness.impulse};
    at.off = {};
  }
}

[[gnu::always_inline]] inline Vec3 ContactSweeps::velocity(const Swept& at, const Triple& H,
                                                           const VecX& v) {
  Vec3 u = Vec3::Zero();
  each_body(at.size, [&]<int Size>(int k) [[gnu::always_inline]] {
    const double* x = v.data() + at.dof[k];
    for (int row = 0; row < 3; ++row) u[row] += small_dot<Size>(H[k] + Size * row, x);
  });
  return u;
}

[[gnu::always_inline]] inline void ContactSweeps::push(const Swept& at, const Triple& WH,
                                                       const Vec3& r, VecX& v) {
  each_body(at.size, [&]<int Size>(int k) [[gnu::always_inline]] {
    using Part = Eigen::Matrix<double, Size, 1>;
    const auto row = [&](int i) { return Eigen::Map<const Part>(WH[k] + Size * i); };
    Eigen::Map<Part> x(v.data() + at.dof[k]);
    x += r[0] * row(0) + r[1] * row(1) + r[2] * row(2);
  });
}

void ContactSweeps::warm_start(VecX& v) const {
  for (const Swept& at : swept_)
    if (at.r[0] != 0) push(at, at.WH, at.r, v);
  for (const Turning& turning : turning_) push(swept_[turning.swept], turning.WH, turning.r, v);
}

inline Vec3 ContactSweeps::change(const Swept& at, const Vec3& u, Bias bias) {
  const RowTarget& target = bias == Bias::on ? at.on : at.off;
  const double r_N =
      at.r[0] - target.mass * (u[0] + target.bias) / at.normal[0] - target.impulse * at.r[0];
  const double normal = std::max(0.0, r_N) - at.r[0];
  if (at.friction == 0 || at.r[0] + normal == 0) return {normal, -at.r[1], -at.r[2]};
  const double u1 = u[1] + at.normal[1] * normal, u2 = u[2] + at.normal[2] * normal;
  double r1 = at.r[1] - at.inverse[0] * u1 - at.inverse[1] * u2;
  double r2 = at.r[2] - at.inverse[1] * u1 - at.inverse[2] * u2;
  const double rim = at.friction * (at.r[0] + normal), squared = r1 * r1 + r2 * r2;
  if (squared > rim * rim) {
    r1 = at.r[1] - u1 / at.largest;
    r2 = at.r[2] - u2 / at.largest;
    const double size = std::sqrt(r1 * r1 + r2 * r2);
    if (size > rim) {
      r1 *= rim / size;
      r2 *= rim / size;
    }
  }
  return {normal, r1 - at.r[1], r2 - at.r[2]};
}

Vec3 ContactSweeps::change(const Turning& turning, double r_N, const Vec3& u) {
  Vec3 r = Vec3::Zero();
  if (turning.spin > 0 && turning.spinning > 0)
    r[0] = std::clamp(turning.r[0] - u[0] / turning.spin, -turning.spinning * r_N,
                      turning.spinning * r_N);
  if (turning.roll > 0 && turning.rolling > 0) {
    for (int i = 1; i < 3; ++i) r[i] = turning.r[i] - u[i] / turning.roll;
    const double size = std::hypot(r[1], r[2]), most = turning.rolling * r_N;
    if (size > most) r.tail<2>() *= most / size;
  }
  return r - turning.r;
}

void ContactSweeps::sweep(Bias bias, VecX& v) {
  for (Swept& at : swept_) {
    const Vec3 u = velocity(at, at.H, v);
    // What is open and stays so bears nothing.
    if (at.r[0] == 0 && u[0] + (bias == Bias::on ? at.on : at.off).bias >= 0) continue;
    const Vec3 more = change(at, u, bias);
    at.r += more;
    push(at, at.WH, more, v);
  }
  for (Turning& turning : turning_) {
    const Swept& at = swept_[turning.swept];
    const Vec3 more = change(turning, at.r[0], velocity(at, turning.H, v));
    turning.r += more;
    push(at, turning.WH, more, v);
  }
}

double ContactSweeps::unsolved(Bias bias, const VecX& v, double time) const {
  double most = 0;
  for (const Swept& at : swept_) {
    const Vec3 u = velocity(at, at.H, v);
    if (at.r[0] == 0 && u[0] + (bias == Bias::on ? at.on : at.off).bias >= 0) continue;
    const Vec3 more = change(at, u, bias);
    most = std::max(
        {most, std::abs(more[0]) * at.normal[0], at.largest * std::hypot(more[1], more[2])});
  }
  return time * most;
}

void ContactSweeps::tell_forces() {
  if (!task_) return;
  for (const Swept& at : swept_) task_->force.segment<3>(3 * at.contact) = at.r / h_;
  for (const Turning& turning : turning_)
    task_->force.segment<3>(task_->rows.torque(swept_[turning.swept].contact)) = turning.r / h_;
}

// At the end of a step, as Box2D has it: of what approached fast at the start and was stopped
// since. Sweeps, and not once for each: what holds a body that is hit, such as a drive, is part of
// the impact.
bool ContactSweeps::expect_rebounds() {
  bool any = false;
  for (Swept& at : swept_) {
    const Contact& contact = task_->rows.contact(at.contact);
    const double before = task_->rate[at.contact];
    if (contact.restitution == 0 || contact.is_compliant() || before > -task_->slow ||
        at.sum + at.r[0] == 0)
      continue;
    at.on = at.off = {contact.restitution * before, 1, 0};
    any = true;
  }
  return any;
}

// Friction is that of the last part, in all of them. An impulse takes r (u⁻ + u⁺)/2.
void ContactSweeps::tell_energies(double step, const VecX& v) {
  if (!task_) return;
  const ContactRows& rows = task_->rows;
  task_->impacts = 0;
  task_->impact_energy = task_->friction_energy = 0;
  for (const Swept& at : swept_) {
    const int c = at.contact;
    const double before = task_->rate[c], sum = at.sum + at.r[0];
    if (sum == 0) continue;
    const Vec3 u = velocity(at, at.H, v);
    task_->friction_energy +=
        std::min(0.0, step * task_->force.segment<2>(3 * c + 1).dot(u.tail<2>()));
    if (!at.is_new || rows.contact(c).is_compliant() || before > -task_->slow) continue;
    ++task_->impacts;
    task_->impact_energy += std::min(0.0, 0.5 * sum * (before + u[0]));
  }
  for (const Turning& turning : turning_) {
    const Swept& at = swept_[turning.swept];
    task_->friction_energy +=
        std::min(0.0, step * task_->force.segment<3>(rows.torque(at.contact))
                                 .dot(velocity(at, turning.H, v)));
  }
}

}  // namespace taut
