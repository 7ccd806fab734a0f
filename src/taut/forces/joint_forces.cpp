#include "taut/forces/joint_forces.hpp"

#include "taut/forces/along_joint.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct JointSpringTerms : JointSpring {
  void prepare(System& system) {
    if (joint.is_turn() && stiffness > 0) turns_ = system.count_turns(joint);
  }
  void add(const System&, const Pose& pose, const VecX& v, double, VecX& F) const {
    const Coordinate::Places x = places_of(joint, pose), gradient = joint.gradient(x);
    add_along(joint, pose, torque(pose, v, x, gradient), gradient, F);
  }
  ForceBatch::Along along(const Pose& pose, const VecX& v, double) const {
    const Coordinate::Places x = places_of(joint, pose);
    return torque_along(joint, torque(pose, v, x, joint.gradient(x)));
  }
  StiffForce stiff(const Pose& pose, const VecX&, double, VecX& along) const {
    add_along(joint, pose, 1, joint.gradient(places_of(joint, pose)), along);
    return {stiffness, damping};
  }
  // V₁ − V₀ = k ½(s₀ + s₁)(s₁ − s₀), and s₁ − s₀ = D·(x₁ − x₀), which is below half a turn.
  void add_between(const System&, const Passage& passage, const VecX& v_mean, VecX& F) const {
    const Coordinate::Places x0 = places_of(joint, passage.from), x1 = places_of(joint, passage.to);
    const Coordinate::Places D = joint.gradient_between(x0, x1, places_of(joint, passage.mean));
    double torque = -stiffness * 0.5 * (stretch(passage.from, x0) + stretch(passage.to, x1));
    if (damping > 0)
      torque -= damping * D.cwiseProduct(velocities_of(joint, passage.mean, v_mean)).sum();
    add_along(joint, passage.mean, torque, D, F);
  }

  static constexpr int anchor_count = 3;
  int couplings(const System&) const { return 1; }
  std::array<Anchor, 3> anchors(const System&, int) const { return joint.anchors; }
  AnchorStiffness<3> derivatives(const Pose& pose, const Coordinate::Places& x,
                                 const Coordinate::Places&, double, double rate) const {
    const Coordinate::Places gradient = joint.gradient(x);
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> g(gradient.data());
    return {(stiffness + damping * rate) * g * g.transpose(),
            stiffness * stretch(pose, x) * gradient};
  }

  double potential(const System&, const Pose& pose) const {
    const double s = stretch(pose, places_of(joint, pose));
    return 0.5 * stiffness * s * s;
  }
  bool is_conservative() const { return damping == 0; }
  bool is_passive() const { return true; }
  bool depends_on_velocity() const { return damping > 0; }

 private:
  double torque(const Pose& pose, const VecX& v, const Coordinate::Places& x,
                const Coordinate::Places& gradient) const {
    double torque = -stiffness * stretch(pose, x);
    if (damping > 0) torque -= damping * gradient.cwiseProduct(velocities_of(joint, pose, v)).sum();
    return torque;
  }
  double stretch(const Pose& pose, const Coordinate::Places& x) const {
    return (turns_ < 0 ? joint.value(x) : joint.value_near(pose.q[turns_], x)) - rest;
  }

  int turns_ = -1;  // where in q the angle with whole turns is; −1: the spring needs none
};

struct JointTorqueTerms : JointTorque {
  ForceBatch::Along along(const Pose&, const VecX&, double time) const {
    return torque_along(joint, torque.value(time));
  }
  void add(const System&, const Pose& pose, const VecX&, double time, VecX& F) const {
    add_along(joint, pose, torque.value(time), joint.gradient(places_of(joint, pose)), F);
  }
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return torque.is_constant() && torque.value(0) == 0; }
  bool depends_on_velocity() const { return false; }
};

}  // namespace

void apply(System& system, JointSpring force) {
  add_force<JointSpringTerms>(system, std::move(force));
}

ForceInfo describe_joint_spring() {
  return describe_force(
      FieldList<JointSpring>()
          .required("joint", &JointSpring::joint, "", "where it acts")
          .optional("stiffness", &JointSpring::stiffness, "N·m/rad or N/m",
                    "of the spring; full revolutions count", Range::non_negative)
          .optional("damping", &JointSpring::damping, "N·m·s/rad or N·s/m", "", Range::non_negative)
          .optional("rest", &JointSpring::rest, "rad or m",
                    "coordinate of the joint at which the spring exerts nothing"));
}

void apply(System& system, JointTorque force) {
  add_force<JointTorqueTerms>(system, std::move(force));
}

ForceInfo describe_joint_torque() {
  return describe_force(FieldList<JointTorque>()
                            .required("joint", &JointTorque::joint, "", "where it acts")
                            .required("torque", &JointTorque::torque, "N·m or N",
                                      "along the joint's coordinate, constant or a motion"));
}

}  // namespace taut
