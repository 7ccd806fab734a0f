#include "taut/hand/stylus.hpp"

#include "taut/base/error.hpp"
#include "taut/collision/mass_properties.hpp"
#include "taut/hand/coupling_law_internal.hpp"
#include "taut/hand/hand.hpp"
#include "taut/model/rotation.hpp"

namespace taut::hand {

HandState HeldStylus::tip(double time) const {
  HandState tip = tip_;
  const double later = time - time_;
  tip.position += later * tip.velocity;
  if (later != 0)
    tip.orientation = exponential(Vec3(later * tip.angular_velocity)) * tip.orientation;
  return tip;
}

LimbState Stylus::body_at(const HandState& at) const {
  if (tip == Tip::point) return {at.position, Mat3::Identity(), at.velocity, Vec3::Zero()};
  const Mat3 rotation = at.orientation.toRotationMatrix();
  const Vec3 arm = rotation * centre;
  return {at.position + arm, rotation, at.velocity + at.angular_velocity.cross(arm),
          at.angular_velocity};
}

Stylus add_stylus(System& system, collision::ShapeContacts& contacts, const StylusOptions& options,
                  std::shared_ptr<const StylusGhost> ghost) {
  const auto require = [](double value, const char* what) {
    if (!(value > 0)) throw Error(std::string("found a ") + what + " that is no number > 0");
  };
  require(options.length, "length");
  require(options.radius, "radius");
  require(options.density, "density");
  require(options.settling, "settling time");
  require(options.most_force, "largest force");
  Stylus stylus;
  stylus.name = options.name;
  stylus.tip = options.tip;
  stylus.ghost = std::move(ghost);
  const bool is_pen = options.tip == Tip::pen;
  if (is_pen) stylus.centre = 0.5 * options.length * Vec3::UnitZ();
  const collision::Shape shape = is_pen ? collision::capsule(0.5 * options.length, options.radius)
                                        : collision::sphere(options.radius);
  const collision::MassProperties mass = collision::mass_properties(shape);
  const LimbState start = stylus.body_at(stylus.ghost->tip(0));
  const RigidBody body{options.density * mass.volume,
                       options.density * mass.inertia,
                       start.position,
                       Quat(start.rotation),
                       start.velocity,
                       start.rotation.transpose() * start.angular_velocity};
  stylus.coupling = quick_coupling(body.mass, body.inertia, options.settling, options.most_force);
  stylus.body = system.add(body, options.name);
  contacts.add({stylus.body, shape, {}, options.surface, 0, options.name});
  system.force_batch<StylusCouplings>().add(stylus);
  return stylus;
}

std::span<const Stylus> styluses_of(const System& system) {
  for (const auto& batch : system.all_forces())
    if (const auto* couplings = dynamic_cast<const StylusCouplings*>(batch.get()))
      return couplings->styluses();
  return {};
}

void set_ghost(System& system, int stylus, std::shared_ptr<const StylusGhost> ghost) {
  system.force_batch<StylusCouplings>().stylus(stylus).ghost = std::move(ghost);
}

void set_coupling(System& system, int stylus, const LimbCoupling& coupling) {
  system.force_batch<StylusCouplings>().stylus(stylus).coupling = coupling;
}

void StylusCouplings::add(const System& system, const Pose& pose, const VecX& v, double time,
                          VecX& F) const {
  const Vec3 gravity = detail::gravity_of(system);
  for (const Stylus& stylus : styluses_)
    detail::add_force(system, pose, v, stylus.body, stylus.coupling,
                      stylus.body_at(stylus.ghost->tip(time)), gravity, F);
}

void StylusCouplings::visit_couplings(
    const System&, const std::function<void(std::span<const Anchor>)>& visit) const {
  for (const Stylus& stylus : styluses_) {
    const Anchor anchor = Point(stylus.body);
    visit(std::span(&anchor, 1));
  }
}

void StylusCouplings::add_stiffness(const System&, const Pose&, const VecX&, double, double rate,
                                    const RowPattern& pattern, Start start, VecX& K) const {
  std::size_t number = static_cast<std::size_t>(start.coupling);
  for (const Stylus& stylus : styluses_)
    detail::add_stiffness(stylus.coupling, rate, pattern, number++, K);
}

}  // namespace taut::hand
