#include "taut/simulate/contact_rows.hpp"

namespace taut {
namespace {

/// Rows: the normal, and two directions across it that depend on nothing else.
Mat3 contact_axes(const Vec3& normal) {
  int least = 0;
  normal.cwiseAbs().minCoeff(&least);
  Mat3 axes;
  axes.row(0) = normal;
  axes.row(1) = normal.cross(Vec3::Unit(least)).normalized();
  axes.row(2) = axes.row(0).cross(axes.row(1));
  return axes;
}

}  // namespace

Vec3 turned(const Vec3& from, const Vec3& to, const Vec3& vector) {
  const Vec3 axis = from.cross(to);
  const double cosine = from.dot(to);
  if (!(cosine > -0.9)) return vector;  // it is another normal
  return vector + axis.cross(vector) + axis.cross(axis.cross(vector)) / (1 + cosine);
}

void ContactRows::find(const System& system, const State& state, double time, double margin,
                       std::span<const char> asleep) {
  pose_.set(system, state.q);
  contacts_.clear();
  axes_.clear();
  blocks_.clear();
  first_block_.assign(1, 0);
  int number = 0;
  for (const auto& source : system.contact_sources()) {
    const std::size_t begin = contacts_.size();
    if (asleep.empty())
      source->find(pose_, state.v, time, margin, contacts_);
    else
      source->find_awake(pose_, state.v, time, margin, asleep, contacts_);
    for (std::size_t i = begin; i < contacts_.size(); ++i) contacts_[i].source = number;
    ++number;
  }
  for (const Contact& contact : contacts_) {
    const Mat3& axes = axes_.emplace_back(contact_axes(contact.normal));
    add_block(system, contact.a, 1, axes);
    add_block(system, contact.b, -1, axes);
    first_block_.push_back(blocks_.size());
  }
}

// A velocity of the point along an axis d: d·(v + R(ω × l)).
void ContactRows::add_block(const System& system, const Point& point, double sign,
                            const Mat3& axes) {
  if (point.body.is_world()) return;
  const BodySlot& slot = system.slot(point.body);
  Block& block = blocks_.emplace_back();
  block.body = point.body.index;
  block.dof = slot.v;
  block.size = slot.rigid < 0 ? 3 : 6;
  for (int row = 0; row < 3; ++row) {
    double* values = block.values + row * block.size;
    const Vec3 axis = sign * axes.row(row).transpose();
    Eigen::Map<Vec3>{values} = axis;
    if (slot.rigid >= 0) Eigen::Map<Vec3>(values + 3) = pose_.torque(slot.rigid, point.local, axis);
  }
}

ContactRows::Lowest ContactRows::lowest() const {
  Lowest found;
  for (int c = 0; c < count(); ++c) {
    const double gap = contacts_[static_cast<std::size_t>(c)].gap;
    if (gap < found.gap) found = {gap, c};
  }
  return found;
}

void ContactRows::velocities(const VecX& v, VecX& u) const {
  u.setZero(3 * count());
  for (int c = 0; c < count(); ++c)
    for (const Block& block : blocks(c))
      for (int row = 0; row < 3; ++row)
        u[3 * c + row] += Eigen::Map<const VecX>(block.values + row * block.size, block.size)
                              .dot(v.segment(block.dof, block.size));
}

void ContactRows::add_impulses(const VecX& r, double factor, VecX& out) const {
  for (int c = 0; c < count(); ++c)
    for (const Block& block : blocks(c))
      for (int row = 0; row < 3; ++row)
        out.segment(block.dof, block.size) +=
            factor * r[3 * c + row] *
            Eigen::Map<const VecX>(block.values + row * block.size, block.size);
}

}  // namespace taut
