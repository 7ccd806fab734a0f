#include "taut/model/contact_rows.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/small_dot.hpp"

namespace taut {
namespace {

constexpr double end_grain = 1e-6;    // sine of the angle below which a grain has no direction
constexpr double least_ratio = 1e-9;  // of the two coefficients of friction

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

/// Calls with<Size>() for a block of 3 or 6 columns.
template <class With>
void with_size(const ContactRows::Block& block, With&& with) {
  if (block.size == 6) [[likely]]
    with.template operator()<6>();
  else
    with.template operator()<3>();
}

}  // namespace

Vec3 turned(const Vec3& from, const Vec3& to, const Vec3& vector) {
  const Vec3 axis = from.cross(to);
  const double cosine = from.dot(to);
  if (!(cosine > -0.9)) return vector;  // it is another normal
  return vector + axis.cross(vector) + axis.cross(axis.cross(vector)) / (1 + cosine);
}

ContactRows::Frame ContactRows::frame_of(const Contact& contact) const {
  Frame frame;
  frame.axes = contact_axes(contact.normal);
  frame.friction = contact.friction;
  if (!contact.grain.isZero(0)) {
    const Vec3 along = contact.grain - contact.grain.dot(contact.normal) * contact.normal;
    const double size = along.norm();
    const double larger = std::max(contact.friction, contact.friction_across);
    if (!(size > end_grain * contact.grain.norm())) {
      frame.friction = contact.friction_across;  // the end of the grain is all across
    } else if (larger > 0) {
      frame.axes.row(1) = along / size;
      frame.axes.row(2) = frame.axes.row(0).cross(frame.axes.row(1));
      frame.friction = larger;
      frame.scale = {1, std::max(contact.friction / larger, least_ratio),
                     std::max(contact.friction_across / larger, least_ratio)};
    }
  }
  if (contact.resists_turning()) {
    for (const Point* point : {&contact.a, &contact.b})
      if (!point->body.is_world()) frame.lever = std::max(frame.lever, point->local.norm());
    if (!(frame.lever > 0)) frame.lever = 1;
  }
  return frame;
}

void ContactRows::find(const System& system, const State& state, double time, double margin,
                       std::span<const char> asleep, const Stillness& still) {
  constexpr double much_more = 2;  // than asked for: they would be in the way
  if (still.distance > 0 && asked_.time <= much_more * time &&
      asked_.margin <= much_more * margin &&
      covers(system, state, time, (1 - 1e-3) * margin, asleep, still))
    return;
  asked_.topology = asleep.empty() ? system.topology() : -1;
  asked_.q = state.q;
  asked_.v = state.v;
  asked_.time = time;
  asked_.margin = margin;
  pose_.set(system, state.q);
  contacts_.clear();
  frames_.clear();
  blocks_.clear();
  turning_.clear();
  contacts_.reserve(usual_count);
  frames_.reserve(usual_count);
  blocks_.reserve(2 * usual_count);
  first_block_.reserve(usual_count + 1);
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
  const auto any = [&](auto is) { return std::any_of(contacts_.begin(), contacts_.end(), is); };
  has_torques_ = any([](const Contact& contact) { return contact.resists_turning(); });
  has_compliant_ = any([](const Contact& contact) { return contact.is_compliant(); });
  for (const Contact& contact : contacts_) {
    const Frame& frame = frames_.emplace_back(frame_of(contact));
    add_block(system, contact.a, 1, frame);
    add_block(system, contact.b, -1, frame);
    first_block_.push_back(blocks_.size());
  }
}

bool ContactRows::covers(const System& system, const State& state, double time, double margin,
                         std::span<const char> asleep, const Stillness& still) const {
  return asked_.topology == system.topology() && asleep.empty() && asked_.time >= time &&
         asked_.margin >= margin && still.of_places(system, asked_.q, state.q) &&
         still.of_ways(system, asked_.v, state.v, asked_.time);
}

void ContactRows::keep(const std::vector<char>& marked) {
  asked_.topology = -1;
  std::size_t kept = 0, block = 0;
  for (std::size_t c = 0; c < marked.size(); ++c) {
    if (!marked[c]) continue;
    const std::size_t begin = first_block_[c], end = first_block_[c + 1];
    if (kept < c) {
      contacts_[kept] = contacts_[c];
      frames_[kept] = frames_[c];
      std::copy(blocks_.begin() + static_cast<std::ptrdiff_t>(begin),
                blocks_.begin() + static_cast<std::ptrdiff_t>(end),
                blocks_.begin() + static_cast<std::ptrdiff_t>(block));
      if (has_torques_)
        std::copy(turning_.begin() + static_cast<std::ptrdiff_t>(begin),
                  turning_.begin() + static_cast<std::ptrdiff_t>(end),
                  turning_.begin() + static_cast<std::ptrdiff_t>(block));
    }
    block += end - begin;
    first_block_[++kept] = block;
  }
  contacts_.resize(kept);
  frames_.resize(kept);
  blocks_.resize(block);
  if (has_torques_) turning_.resize(block);
  first_block_.resize(kept + 1);
}

// A velocity of the point along an axis d: d·(v + R(ω × l)); a turn about it: d·R ω.
void ContactRows::add_block(const System& system, const Point& point, double sign,
                            const Frame& frame) {
  if (point.body.is_world()) return;
  const BodySlot& slot = system.slot(point.body);
  Block& block = blocks_.emplace_back();
  block.body = point.body.index;
  block.dof = slot.v;
  block.size = slot.rigid < 0 ? 3 : 6;
  const std::size_t rigid = static_cast<std::size_t>(slot.rigid);
  Vec3 arm = Vec3::Zero();
  if (slot.rigid >= 0) arm = pose_.rotations[rigid] * point.local;
  for (int row = 0; row < 3; ++row) {
    double* values = block.values + row * block.size;
    const double factor = sign * frame.scale[row];
    const Vec3 axis(factor * frame.axes(row, 0), factor * frame.axes(row, 1),
                    factor * frame.axes(row, 2));
    Eigen::Map<Vec3>{values} = axis;
    if (slot.rigid < 0) continue;
    const Vec3 torque = arm.cross(axis);
    const double* inverse = pose_.inverses[rigid].data();  // by columns
    for (int i = 0; i < 3; ++i)
      values[3 + i] =
          inverse[i] * torque[0] + inverse[3 + i] * torque[1] + inverse[6 + i] * torque[2];
  }
  if (!has_torques_) return;
  std::array<double, 18>& turning = turning_.emplace_back();
  turning.fill(0);
  if (slot.rigid < 0 || frame.lever == 0) return;
  const Mat3& inverse = pose_.inverses[static_cast<std::size_t>(slot.rigid)];
  for (int row = 0; row < 3; ++row)
    Eigen::Map<Vec3>(turning.data() + 6 * row + 3) =
        sign * frame.lever * inverse * frame.axes.row(row).transpose();
}

ContactRows::Lowest ContactRows::lowest() const {
  Lowest found;
  for (int c = 0; c < count(); ++c) {
    const Contact& contact = contacts_[static_cast<std::size_t>(c)];
    if (contact.gap < found.gap && !contact.is_compliant()) found = {contact.gap, c};
  }
  return found;
}

void ContactRows::velocities(const VecX& v, KeptVec& u) const {
  u.reserve(3 * Eigen::Index{usual_count});
  u.setZero(size());
  const auto add = [&](const Block& block, const double* values, int first) {
    with_size(block, [&]<int Size>() {
      const double* x = v.data() + block.dof;
      for (int row = 0; row < 3; ++row) u[first + row] += small_dot<Size>(values + row * Size, x);
    });
  };
  for (int c = 0; c < count(); ++c)
    for (const Block& block : blocks(c)) {
      add(block, block.values, 3 * c);
      if (lever(c) > 0) add(block, turning(block), torque(c));
    }
}

void ContactRows::add_impulses(const KeptVec& r, double factor, VecX& out) const {
  const auto add = [&](const Block& block, const double* values, int first) {
    with_size(block, [&]<int Size>() {
      double* x = out.data() + block.dof;
      for (int row = 0; row < 3; ++row) {
        const double impulse = factor * r[first + row];
        for (int i = 0; i < Size; ++i) x[i] += impulse * values[row * Size + i];
      }
    });
  };
  for (int c = 0; c < count(); ++c)
    for (const Block& block : blocks(c)) {
      add(block, block.values, 3 * c);
      if (lever(c) > 0) add(block, turning(block), torque(c));
    }
}

void ContactRows::set_impulse(int contact, const Vec3& force, const Vec3& of_turning,
                              KeptVec& r) const {
  const Frame& frame = frames_[static_cast<std::size_t>(contact)];
  r.segment<3>(3 * contact) = (frame.axes * force).cwiseQuotient(frame.scale);
  if (frame.lever > 0) r.segment<3>(torque(contact)) = frame.axes * of_turning / frame.lever;
}

Vec3 ContactRows::force(int contact, const KeptVec& r) const {
  const Frame& frame = frames_[static_cast<std::size_t>(contact)];
  return frame.axes.transpose() * r.segment<3>(3 * contact).cwiseProduct(frame.scale);
}

Vec3 ContactRows::torque(int contact, const KeptVec& r) const {
  const Frame& frame = frames_[static_cast<std::size_t>(contact)];
  if (frame.lever == 0) return Vec3::Zero();
  return frame.lever * frame.axes.transpose() * r.segment<3>(torque(contact));
}

Vec3 ContactRows::slip(int contact, const KeptVec& u) const {
  const Frame& frame = frames_[static_cast<std::size_t>(contact)];
  const Vec3 along(0, u[3 * contact + 1] / frame.scale[1], u[3 * contact + 2] / frame.scale[2]);
  return frame.axes.transpose() * along;
}

Vec3 ContactRows::along(int contact, const Vec3& slip) const {
  const Frame& frame = frames_[static_cast<std::size_t>(contact)];
  Vec3 u = (frame.axes * slip).cwiseProduct(frame.scale);
  u[0] = 0;
  return u;
}

Vec3 ContactRows::spin(int contact, const KeptVec& u) const {
  const Frame& frame = frames_[static_cast<std::size_t>(contact)];
  if (frame.lever == 0) return Vec3::Zero();
  return frame.axes.transpose() * u.segment<3>(torque(contact)) / frame.lever;
}

}  // namespace taut
