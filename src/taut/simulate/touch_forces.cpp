#include "taut/simulate/touch_forces.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"

namespace taut {
namespace {

// ρ, relative to what resists the motion of a touch: the larger it is, the fewer guesses, and the
// harder the linear systems. (On a ball, four times as much takes twice as long.)
constexpr double firmness = 8, most_firmness = 1e5;
// What bears a load is firmer: its force gives way by this, in thicknesses. So light cloth under
// something heavy is pressed as firmly as that needs.
constexpr double given_way = 0.5;
constexpr double opened_at_once = 0.25, deepest = 0.9;  // in thicknesses
// A touch whose error, in thicknesses, falls more slowly than this gets a larger ρ.
constexpr double slow = 0.5, firmer = 2, negligible = 1e-3;

Vec3 cut_to_cone(const Vec3& p, const Vec3& normal, double friction) {
  const double along = normal.dot(p);
  if (!(along > 0)) return Vec3::Zero();
  const Vec3 across = p - along * normal;
  const double length = across.norm(), most = friction * along;
  return along * normal + (length > most ? Vec3((most / length) * across) : across);
}

}  // namespace

void TouchForces::clear() {
  touches_.clear();
  pushing_.clear();
  coupling_.clear();
}

void TouchForces::set(const Setting& setting, std::span<const SheetTouch> touches) {
  clear();
  blocks_.clear();
  turns_.clear();
  const System& system = setting.system;
  int number = 0;
  for (const SheetTouch& from : touches) {
    Touch touch;
    touch.number = number++;
    touch.stiffness.setZero();
    touch.state = State::open;
    touch.first_block = static_cast<int>(blocks_.size());
    touch.feature = from.feature;
    touch.normal = from.normal;
    touch.thickness = from.thickness;
    touch.friction = setting.has_friction ? from.friction : 0;
    double mobility = 0;
    Vec3 moved = Vec3::Zero();
    for (const Share& share : from.all()) {
      const BodyId body = share.point.body;
      if (body.is_world()) continue;
      const BodySlot& slot = system.slot(body);
      Block block{body.index, slot.v, share.weight, -1};
      const double yields = 1 / setting.stiffness[body.index];
      mobility += share.weight * share.weight * yields;
      if (slot.rigid >= 0) {
        const Mat3& R = setting.here.rotations[static_cast<std::size_t>(slot.rigid)];
        block.turn = static_cast<int>(turns_.size());
        turns_.push_back(Mat3((-share.weight) * (R * cross_matrix(share.point.local))));
        const Vec3 torque = turns_.back().transpose() * from.normal;
        mobility +=
            yields * system.mass(body) * torque.dot(Vec3(system.inertia(body).inverse() * torque));
      }
      moved += share.weight * (setting.here.at(share.point) - setting.start.at(share.point));
      blocks_.push_back(block);
    }
    touch.end_block = static_cast<int>(blocks_.size());
    if (!(mobility > 0)) {  // nothing of it can move
      blocks_.resize(static_cast<std::size_t>(touch.first_block));
      continue;
    }
    touch.mobility = mobility;
    // What was too near at the start of the step only gets no nearer than that, unless it might get
    // stuck. What is moved apart goes a little at a time: all at once is hard to find room for
    // where layers lie close.
    const double gap_at_start = from.gap - from.normal.dot(moved);
    touch.gap = setting.opens ? std::max(from.gap, -opened_at_once * from.thickness)
                              : from.gap - std::clamp(gap_at_start, -deepest * from.thickness, 0.0);
    touch.moved = moved - from.normal * from.normal.dot(moved);
    const Known* known = find_known(touch.feature);
    touch.holds = known && holds(setting, from, *known);
    touch.guess = Vec3::Zero();
    if (known)
      touch.guess =
          touch.holds ? known->force : cut_to_cone(known->force, touch.normal, touch.friction);
    touch.force = touch.guess;
    touch.rho = std::max(firmness / mobility, touch.guess.norm() / (given_way * touch.thickness));
    touch.error = Vec3::Constant(1e9);
    touch.most_friction = touch.friction * std::max(0.0, touch.normal.dot(touch.guess));
    touches_.push_back(touch);
  }
}

const TouchForces::Known* TouchForces::find_known(std::uint64_t feature) const {
  const auto at = std::lower_bound(
      known_.begin(), known_.end(), feature,
      [](const Known& known, std::uint64_t wanted) { return known.feature < wanted; });
  return at == known_.end() || at->feature != feature ? nullptr : &*at;
}

// What has pressed goes on as an equation, until it pulls or separates. The feature is the same:
// what is nearest has not left its Voronoi region.
bool TouchForces::holds(const Setting& setting, const SheetTouch& touch, const Known& known) const {
  if (touch.release == Release::complementarity || !setting.velocity) return false;
  if (!setting.is_first) return known.holds;
  double opening = 0;
  for (const Share& share : touch.all())
    opening +=
        share.weight * touch.normal.dot(setting.start.velocity(share.point, *setting.velocity));
  return touch.normal.dot(known.force) > 0 && opening <= setting.separating;
}

void TouchForces::remember() {
  known_.clear();
  for (const Touch& touch : touches_)
    if (!touch.force.isZero(0)) known_.push_back({touch.feature, touch.force, touch.holds});
  std::sort(known_.begin(), known_.end(),
            [](const Known& a, const Known& b) { return a.feature < b.feature; });
}

void TouchForces::loads(std::span<const SheetTouch> touches, std::vector<SheetLoad>& out) const {
  out.clear();
  for (const Touch& touch : touches_)
    if (touch.state != State::open)
      out.push_back({touches[static_cast<std::size_t>(touch.number)], touch.force});
}

Vec3 TouchForces::part(const Block& block, const VecX& x) const {
  Vec3 u = block.weight * x.segment<3>(block.dof);
  if (block.turn >= 0)
    u += turns_[static_cast<std::size_t>(block.turn)] * x.segment<3>(block.dof + 3);
  return u;
}

void TouchForces::add_part(const Block& block, const Vec3& f, VecX& out) const {
  out.segment<3>(block.dof) += block.weight * f;
  if (block.turn >= 0)
    out.segment<3>(block.dof + 3) += turns_[static_cast<std::size_t>(block.turn)].transpose() * f;
}

Vec3 TouchForces::displacement_of(const Touch& touch, const VecX& x) const {
  Vec3 u = Vec3::Zero();
  for (int b = touch.first_block; b < touch.end_block; ++b)
    u += part(blocks_[static_cast<std::size_t>(b)], x);
  return u;
}

void TouchForces::apply_law(Touch& touch, const Vec3& u) {
  const Vec3& n = touch.normal;
  const double closing = n.dot(u);
  const Vec3 slid = touch.moved + u - n * closing;
  const Vec3 p = touch.guess - touch.rho * ((touch.gap + closing) * n + slid);
  const double along = n.dot(p);
  State state = State::open;
  touch.stiffness.setZero();
  touch.force.setZero();
  if (along > 0 || touch.holds) {
    const Vec3 across = p - along * n;
    const double length = across.norm(), most = touch.most_friction;
    if (length <= most) {
      state = State::stick;
      touch.force = p;
      touch.stiffness = touch.rho * Mat3::Identity();
    } else {
      state = State::slip;
      const Vec3 way = across / length;
      touch.force = along * n + most * way;
      const Mat3 normal = n * n.transpose();
      touch.stiffness =
          touch.rho *
          (normal + (most / length) * (Mat3::Identity() - normal - way * way.transpose()));
    }
    ++loaded_;
    const double size = touch.force.norm();
    largest_ = std::max(largest_, size);
    const double normal_force = n.dot(touch.force);
    friction_work_ += (touch.force - normal_force * n).dot(slid);
  }
  touch.state = state;
  // Where a touch has just begun to press, there is no friction before the first update.
  const double lacking = touch.most_friction == 0 ? touch.friction * n.dot(touch.force) : 0;
  const double error =
      std::max((touch.force - touch.guess).norm() / touch.rho, lacking * touch.mobility) /
      touch.thickness;
  error_ = std::max(error_, error);
  const double weight = std::max(touch.force.norm(), touch.guess.norm());
  squares_ += error * error;
  weighed_ += weight * error * error;
  weight_ += weight;
}

void TouchForces::evaluate(const VecX& displacement, VecX& r) {
  error_ = squares_ = weighed_ = weight_ = largest_ = friction_work_ = 0;
  loaded_ = 0;
  pushing_.clear();
  coupling_.clear();
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    Touch& touch = touches_[i];
    apply_law(touch, displacement_of(touch, displacement));
    if (touch.state == State::open) continue;
    pushing_.push_back(static_cast<int>(i));
    if (touch.end_block > touch.first_block + 1) coupling_.push_back(static_cast<int>(i));
    for (int b = touch.first_block; b < touch.end_block; ++b)
      add_part(blocks_[static_cast<std::size_t>(b)], -touch.force, r);
  }
}

double TouchForces::mean_error() const {
  if (loaded_ == 0 || !(weight_ > 0)) return error_;
  return std::sqrt(std::max(squares_ / loaded_, weighed_ / weight_));
}

void TouchForces::update() {
  for (Touch& touch : touches_) {
    // Where cloth has become taut in this step, it resists more than ρ was made for: errors go on
    // in the same direction.
    const Vec3 error = (touch.force - touch.guess) / (touch.rho * touch.thickness);
    if (error.norm() > negligible && error.dot(touch.error) > slow * touch.error.squaredNorm())
      touch.rho *= firmer;
    touch.rho = std::clamp(touch.force.norm() / (given_way * touch.thickness), touch.rho,
                           std::max(touch.rho, most_firmness / touch.mobility));
    touch.error = error;
    touch.guess = touch.force;
    touch.most_friction = touch.friction * std::max(0.0, touch.normal.dot(touch.force));
  }
}

void TouchForces::join(FreeZones& zones) const {
  constexpr double nothing = 1e-9;  // weights add up to that where the world has no part
  for (const int i : pushing_) {
    const Touch& touch = touches_[static_cast<std::size_t>(i)];
    const int first = blocks_[static_cast<std::size_t>(touch.first_block)].body;
    double sum = 0;
    for (int b = touch.first_block; b < touch.end_block; ++b) {
      const Block& block = blocks_[static_cast<std::size_t>(b)];
      zones.join(first, block.body);
      sum += block.weight;
    }
    if (std::abs(sum) > nothing) zones.hold(first);
  }
}

void TouchForces::add_to(BodyDiagonal& diagonal) const {
  for (const int i : pushing_) {
    const Touch& touch = touches_[static_cast<std::size_t>(i)];
    for (int b = touch.first_block; b < touch.end_block; ++b) {
      const Block& block = blocks_[static_cast<std::size_t>(b)];
      double* values = diagonal.block(block.body);
      const Mat3 plain = (block.weight * block.weight) * touch.stiffness;
      if (block.turn < 0) {
        Eigen::Map<Mat3>(values) += plain;
        continue;
      }
      const Mat3& turn = turns_[static_cast<std::size_t>(block.turn)];
      const Mat3 mixed = block.weight * (touch.stiffness * turn);
      const Mat3 turned = turn.transpose() * (touch.stiffness * turn);
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
          values[6 * c + r] += plain(r, c);
          values[6 * (c + 3) + r] += mixed(r, c);
          values[6 * c + r + 3] += mixed(c, r);
          values[6 * (c + 3) + r + 3] += turned(r, c);
        }
    }
  }
}

void TouchForces::add_product(const VecX& x, VecX& out) const {
  for (const int i : pushing_) {
    const Touch& touch = touches_[static_cast<std::size_t>(i)];
    const Vec3 f = touch.stiffness * displacement_of(touch, x);
    for (int b = touch.first_block; b < touch.end_block; ++b)
      add_part(blocks_[static_cast<std::size_t>(b)], f, out);
  }
}

void TouchForces::add_beside_diagonal(const VecX& x, VecX& out) const {
  for (const int i : coupling_) {
    const Touch& touch = touches_[static_cast<std::size_t>(i)];
    const Vec3 f = touch.stiffness * displacement_of(touch, x);
    for (int b = touch.first_block; b < touch.end_block; ++b) {
      const Block& block = blocks_[static_cast<std::size_t>(b)];
      const Vec3 rest = f - touch.stiffness * part(block, x);
      add_part(block, rest, out);
    }
  }
}

}  // namespace taut
