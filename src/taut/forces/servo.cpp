#include "taut/forces/servo.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/forces/along_joint.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

constexpr double fading = 0.01;  // of the largest speed: where the drive gives less and less

bool is_always_zero(const Motion<double>& motion) {
  return !motion.is_given() || (motion.is_constant() && motion.value(0) == 0);
}

struct ServoTerms : Servo {
  void prepare(System& system) {
    if (!target.is_given()) target = joint.start;
    max = std::min(max, joint.largest_effort);
    min = std::isnan(min) ? -max : std::max(min, -joint.largest_effort);
    max_speed = std::min(max_speed, joint.largest_speed);
    check();
    if (joint.is_turn()) turns_ = system.count_turns(joint);
  }

  void add(const System&, const Pose& pose, const VecX& v, double time, VecX& F) const {
    const Coordinate::Places x = places_of(joint, pose), gradient = joint.gradient(x);
    const double rate = gradient.cwiseProduct(velocities_of(joint, pose, v)).sum();
    add_along(joint, pose, drive(wanted(value(pose, x), rate, time), rate).torque, gradient, F);
  }
  // The mean of the torque over the passage, along D with D·(x₁ − x₀) = c₁ − c₀: so a spring that
  // saturates in between does exactly the work that its potential loses.
  void add_between(const System&, const Passage& passage, const VecX& v_mean, VecX& F) const {
    const Coordinate::Places x0 = places_of(joint, passage.from), x1 = places_of(joint, passage.to);
    const Coordinate::Places D = joint.gradient_between(x0, x1, places_of(joint, passage.mean));
    const double rate = D.cwiseProduct(velocities_of(joint, passage.mean, v_mean)).sum();
    add_along(joint, passage.mean, drive_between(passage, x0, x1, rate).torque, D, F);
  }

  static constexpr int anchor_count = 3;
  int couplings(const System&) const { return 1; }
  std::array<Anchor, 3> anchors(const System&, int) const { return joint.anchors; }
  AnchorStiffness<3> derivatives(const Pose& pose, const Coordinate::Places& x,
                                 const Coordinate::Places& moving, double time,
                                 double per_rate) const {
    const Coordinate::Places gradient = joint.gradient(x);
    const double rate = gradient.cwiseProduct(moving).sum();
    return along(drive(wanted(value(pose, x), rate, time), rate), per_rate, gradient);
  }
  /// Of what add_between() adds.
  AnchorStiffness<3> derivatives_between(const Passage& passage, const Coordinate::Places& x,
                                         const Coordinate::Places& moving, double per_rate) const {
    const Coordinate::Places x0 = places_of(joint, passage.from), x1 = places_of(joint, passage.to);
    const Coordinate::Places D = joint.gradient_between(x0, x1, x);
    return along(drive_between(passage, x0, x1, D.cwiseProduct(moving).sum()), per_rate, D);
  }

  ForceBatch::Along along(const Pose& pose, const VecX& v, double time) const {
    return torque_along(joint, now(pose, v, time).torque);
  }
  std::optional<ForceBatch::Along> tell(int what, const Pose& pose, const VecX& v, double time,
                                        double exerted) const {
    const std::string_view unit = joint.is_turn() ? "rad" : "m";
    if (what == 0) return ForceBatch::Along{target.value(time), "target", unit};
    if (what == 1)
      return ForceBatch::Along{target.value(time) - value(pose, places_of(joint, pose)), "error",
                               unit};
    if (what == 2)
      return ForceBatch::Along{
          std::isnan(exerted) ? now(pose, v, time).saturation : saturation(exerted), "saturation",
          ""};
    return std::nullopt;
  }
  ForceBatch::Range range() const { return {min, max}; }

  bool may_saturate() const {
    return std::isfinite(max) || std::isfinite(min) || std::isfinite(max_speed);
  }
  static constexpr bool done_in_parts = true;
  /// As stiff as it may become within a step. Near the largest speed what drives falls steeply; far
  /// below, a step that crosses a quarter of it would pass it.
  StiffForce stiff(const Pose& pose, const VecX& v, double time, VecX& along) const {
    const Coordinate::Places x = places_of(joint, pose);
    add_along(joint, pose, 1, joint.gradient(x), along);
    if (!std::isfinite(max_speed)) return {stiffness, damping};
    const double rate = along.dot(v);
    const double full = std::clamp(wanted(value(pose, x), rate, time), min, max);
    const double way = std::abs(rate) > 0.5 * max_speed ? fading : 0.25;
    return {stiffness, damping + std::abs(full) / (way * max_speed)};
  }

  /// −∫ torque dc, where that depends on c alone: ∫ of the clamped u over u, by kp.
  double potential(const System&, const Pose& pose) const {
    if (!has_potential()) return 0;
    const double u = wanted(value(pose, places_of(joint, pose)), 0, 0);
    return integral(u) / stiffness;
  }
  bool is_conservative() const {
    return (has_potential() || (is_always_zero(feedforward) && stiffness == 0)) && damping == 0 &&
           !std::isfinite(max_speed);
  }
  bool is_passive() const { return has_potential() || (is_still() && is_always_zero(feedforward)); }
  bool depends_on_velocity() const { return damping > 0 || std::isfinite(max_speed); }

 private:
  struct Drive {
    double torque = 0;
    double share = 0;       ///< of a change of u that becomes torque
    double late = 0;        ///< twice that of one at the end alone, of a mean; else the same
    double resistance = 0;  ///< −∂torque/∂ċ, besides that through u
    double saturation = 0;  ///< −1 at min, 1 at max
  };

  void check() const {
    for (const auto& [name, value] : {std::pair{"stiffness", stiffness}, {"damping", damping}})
      if (!(value >= 0 && std::isfinite(value)))
        throw Error(fmt::format("{}: found {}, expected a number ≥ 0", name, value));
    if (!(max >= min)) throw Error(fmt::format("min: {} is above max: {}", min, max));
    if (!(max_speed > 0))
      throw Error(fmt::format("max_speed: found {}, expected a number > 0", max_speed));
  }

  double value(const Pose& pose, const Coordinate::Places& x) const {
    return turns_ < 0 ? joint.value(x) : joint.value_near(pose.q[turns_], x);
  }
  /// u
  double wanted(double c, double rate, double time) const {
    const MotionSample<double> to = target.at(time);
    const double w = speed.is_given() ? speed.value(time) : to.rate;
    return stiffness * (to.value - c) + damping * (w - rate) + feedforward.value(time);
  }
  Drive now(const Pose& pose, const VecX& v, double time) const {
    const Coordinate::Places x = places_of(joint, pose);
    const double rate = joint.gradient(x).cwiseProduct(velocities_of(joint, pose, v)).sum();
    return drive(wanted(value(pose, x), rate, time), rate);
  }

  Drive drive(double u, double rate) const {
    const double torque = std::clamp(u, min, max);
    const double share = u == torque ? 1 : 0;
    return faded({torque, share, share, 0, u > max ? 1.0 : u < min ? -1.0 : 0.0}, rate);
  }
  Drive drive_between(const Passage& passage, const Coordinate::Places& x0,
                      const Coordinate::Places& x1, double rate) const {
    return drive(wanted(value(passage.from, x0), rate, passage.time),
                 wanted(value(passage.to, x1), rate, passage.time), rate);
  }
  AnchorStiffness<3> along(const Drive& at, double per_rate,
                           const Coordinate::Places& gradient) const {
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> g(gradient.data());
    const double slope = at.late * stiffness + per_rate * (at.share * damping + at.resistance);
    return {slope * g * g.transpose(), -at.torque * gradient};
  }
  /// The mean, while u goes from u0 to u1.
  Drive drive(double u0, double u1, double rate) const {
    Drive mean = drive(0.5 * (u0 + u1), 0);  // between bounds, or beyond one, all the way
    const double most = std::max(u0, u1), least = std::min(u0, u1);
    const bool is_plain = (least >= min && most <= max) || least >= max || most <= min;
    if (!is_plain) {
      const double a = std::clamp(least, min, max), b = std::clamp(most, min, max);
      double sum = 0.5 * (a + b) * (b - a);
      if (least < min) sum += min * (min - least);
      if (most > max) sum += max * (most - max);
      mean.torque = sum / (most - least);
      mean.share = (b - a) / (most - least);
      mean.late = std::clamp(2 * (std::clamp(u1, min, max) - mean.torque) / (u1 - u0), 0.0, 2.0);
    }
    return faded(mean, rate);
  }
  Drive faded(Drive full, double rate) const {
    if (!std::isfinite(max_speed) || !(full.torque * rate > 0)) return full;
    const double room = (max_speed - std::abs(rate)) / (fading * max_speed);
    if (room >= 1) return full;
    const double left = std::max(room, 0.0);
    return {left * full.torque, left * full.share, left * full.late,
            room > 0 ? std::abs(full.torque) / (fading * max_speed) : 0, full.saturation};
  }
  double saturation(double torque) const {
    return torque >= max ? 1.0 : torque <= min ? -1.0 : 0.0;
  }
  /// ∫ clamp(u) du from 0, where min ≤ 0 ≤ max; else up to a constant.
  double integral(double u) const {
    const double s = std::clamp(u, min, max);
    return s * (u - 0.5 * s);
  }

  bool is_still() const { return target.is_constant() && is_always_zero(speed); }
  bool has_potential() const { return stiffness > 0 && is_still() && feedforward.is_constant(); }

  int turns_ = -1;  // where in q the angle with whole turns is; −1: it slides
};

}  // namespace

void apply(System& system, Servo force) { add_force<ServoTerms>(system, std::move(force)); }

ForceInfo describe_servo() {
  return describe_force(
      FieldList<Servo>()
          .required("joint", &Servo::joint, "", "the joint that is driven")
          .optional("target", &Servo::target, "rad or m",
                    "where it is driven, or a motion; its position at the start if not given")
          .optional("speed", &Servo::speed, "rad/s or m/s",
                    "at which it is driven, or a motion; that of the target if not given")
          .optional("stiffness", &Servo::stiffness, "N·m/rad or N/m",
                    "kp: torque per error of position; full revolutions count", Range::non_negative)
          .optional("damping", &Servo::damping, "N·m·s/rad or N·s/m",
                    "kd: torque per error of speed", Range::non_negative)
          .optional("feedforward", &Servo::feedforward, "N·m or N",
                    "torque that is added, or a motion")
          .optional("max", &Servo::max, "N·m or N",
                    "largest torque or force; that of the joint, as a robot's file has it, if not "
                    "given",
                    Range::non_negative)
          .optional("min", &Servo::min, "N·m or N", "smallest torque; −max if not given")
          .optional("max_speed", &Servo::max_speed, "rad/s or m/s",
                    "beyond which it does not drive; that of the joint if not given",
                    Range::positive));
}

}  // namespace taut
