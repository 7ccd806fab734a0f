#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/collision/contacts.hpp"

namespace peers {
namespace {

constexpr double nearly = 1e-3;  // of the size of a body: points so near touch

}  // namespace

double Errors::worst(const Scene& scene, const Window& window) const {
  double sum = 0;  // of what is no number: a maximum could lose it
  for (const double error : {drift, overlap, joints, gain, loss, momentum, deviation}) sum += error;
  if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
  // Where the motion is known, that tells more than the energy.
  const double wrong = scene.keeps_energy ? std::max(gain, loss) : gain;
  const double created = scene.reference && !scene.has_contacts() ? 0 : scene.size * wrong;
  return std::max(
      {window.rests ? drift : 0, overlap, joints, created, scene.size * momentum, deviation});
}

Measure::Measure(const Scene& scene) : scene_(scene) {
  for (const Body& body : scene.bodies) reach_.push_back(taut::collision::reach(body.shape));
}

double Measure::energy(const std::vector<BodyState>& states) const {
  double sum = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Body& body = scene_.bodies[i];
    const Vec3 turn = states[i].orientation.conjugate() * states[i].turn;
    sum += 0.5 * body.mass * states[i].velocity.squaredNorm() +
           0.5 * turn.dot(body.inertia.cwiseProduct(turn)) -
           body.mass * scene_.gravity.dot(states[i].position);
  }
  return sum;
}

void Measure::momenta(const std::vector<BodyState>& states, Vec3& linear, Vec3& angular) const {
  linear.setZero();
  angular.setZero();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const BodyState& state = states[i];
    const Body& body = scene_.bodies[i];
    const Vec3 turn = state.orientation.conjugate() * state.turn;
    const Vec3 momentum = body.mass * state.velocity;
    linear += momentum;
    angular +=
        state.position.cross(momentum) + state.orientation * Vec3(body.inertia.cwiseProduct(turn));
  }
}

void Measure::begin(const std::vector<BodyState>& states) {
  errors_ = {};
  looks_ = 0;
  start_ = states;
  lowest_ = energy(states);
  momenta(states, linear_, angular_);
  linear_scale_ = angular_scale_ = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const double momentum = scene_.bodies[i].mass * states[i].velocity.norm();
    linear_scale_ += momentum;
    angular_scale_ += momentum * states[i].position.norm();
  }
}

void Measure::overlaps(const std::vector<BodyState>& states) {
  using namespace taut::collision;
  const double margin = nearly * scene_.size;
  std::vector<ContactPoint> points;
  const auto meet = [&](const Shape& a, const Pose3& at, const Shape& b, const Pose3& there) {
    points.clear();
    contacts(a, at, b, there, margin, points);
    for (const ContactPoint& point : points)
      errors_.overlap = std::max(errors_.overlap, -point.gap);
    errors_.contacts += static_cast<double>(points.size());
  };
  std::vector<std::size_t> along_x(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) along_x[i] = i;
  const auto low = [&](std::size_t i) { return states[i].position.x() - reach_[i]; };
  std::sort(along_x.begin(), along_x.end(),
            [&](std::size_t i, std::size_t j) { return low(i) < low(j); });
  for (std::size_t a = 0; a < along_x.size(); ++a) {
    const std::size_t i = along_x[a];
    const Pose3 pose(states[i].position, states[i].orientation);
    for (const Plane& plane : scene_.planes) {
      if (plane.normal.dot(pose.position) - plane.offset > reach_[i] + margin) continue;
      const Pose3 of_plane(Vec3(plane.offset * plane.normal),
                           Quat::FromTwoVectors(Vec3::UnitZ(), plane.normal));
      meet(scene_.bodies[i].shape, pose, taut::collision::plane(), of_plane);
    }
    for (std::size_t b = a + 1; b < along_x.size(); ++b) {
      const std::size_t j = along_x[b];
      const double reach = reach_[i] + reach_[j] + margin;
      if (low(j) > states[i].position.x() + reach_[i] + margin) break;
      if ((states[i].position - states[j].position).squaredNorm() > reach * reach) continue;
      meet(scene_.bodies[i].shape, pose, scene_.bodies[j].shape,
           Pose3(states[j].position, states[j].orientation));
    }
  }
}

void Measure::look(double time, const std::vector<BodyState>& states) {
  ++looks_;
  for (const BodyState& state : states)
    if (!state.position.allFinite() || !state.orientation.coeffs().allFinite()) {
      errors_.drift = errors_.overlap = std::numeric_limits<double>::infinity();
      return;
    }
  if (scene_.reference) {
    scene_.reference(time, known_);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const double off = (states[i].position - known_[i]).norm();
      errors_.deviation = off <= errors_.deviation ? errors_.deviation : off;
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const double way = (states[i].position - start_[i].position).norm();
    // What is no number must not pass for no drift.
    errors_.drift = way <= errors_.drift ? errors_.drift : way;
  }
  const double now = energy(states);
  const double rise = (now - lowest_) / scene_.energy_scale();
  errors_.gain = rise <= errors_.gain ? errors_.gain : rise;
  // Contacts dissipate, mechanisms swing: their energy may rise again to what it was.
  if (scene_.has_contacts())
    lowest_ = std::min(lowest_, now);
  else
    errors_.loss = -rise <= errors_.loss ? errors_.loss : -rise;
  if (scene_.joints.empty() && scene_.planes.empty() && scene_.gravity.isZero()) {
    Vec3 linear, angular;
    momenta(states, linear, angular);
    errors_.momentum = std::max({errors_.momentum, (linear - linear_).norm() / linear_scale_,
                                 (angular - angular_).norm() / angular_scale_});
  }
  if (scene_.has_contacts())
    overlaps(states);
  else
    joints(states);
}

void Measure::joints(const std::vector<BodyState>& states) {
  const auto moved = [&](const Joint& joint, int body) -> Vec3 {
    const Vec3 end = scene_.end_of(joint, body);
    if (body < 0) return end;
    const Body& from = scene_.bodies[static_cast<std::size_t>(body)];
    const BodyState& to = states[static_cast<std::size_t>(body)];
    return to.position + to.orientation * (from.orientation.conjugate() * (end - from.position));
  };
  const auto turned = [&](const Joint& joint, int body) -> Vec3 {
    if (body < 0) return joint.axis;
    const Body& from = scene_.bodies[static_cast<std::size_t>(body)];
    return states[static_cast<std::size_t>(body)].orientation *
           (from.orientation.conjugate() * joint.axis);
  };
  for (const Joint& joint : scene_.joints) {
    const Vec3 apart = moved(joint, joint.b) - moved(joint, joint.a);
    double error = apart.norm();
    if (joint.type == JointType::rod)
      error =
          std::abs(error - (scene_.end_of(joint, joint.b) - scene_.end_of(joint, joint.a)).norm());
    if (joint.type == JointType::hinge)
      error = std::max(error,
                       scene_.size * turned(joint, joint.a).cross(turned(joint, joint.b)).norm());
    errors_.joints = error <= errors_.joints ? errors_.joints : error;
  }
}

Errors Measure::errors() const {
  Errors errors = errors_;
  if (looks_ > 0) errors.contacts /= looks_;
  return errors;
}

}  // namespace peers
