#include "taut/forces/constant.hpp"

#include "taut/base/error.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct ConstantForceTerms : ConstantForce {
  void add(const System&, const Pose& pose, const VecX&, double, VecX& F) const {
    const Vec3 f = frame == Frame::world ? force : pose.at(Direction{point.body, force});
    pose.add_force(point, f, F);
  }
  double potential(const System&, const Pose& pose) const {
    return frame == Frame::world ? -force.dot(pose.at(point)) : 0;
  }
  bool is_conservative() const { return frame == Frame::world; }
  bool depends_on_velocity() const { return false; }
};

struct ConstantTorqueTerms : ConstantTorque {
  void add(const System& system, const Pose& pose, const VecX&, double, VecX& F) const {
    const BodySlot& slot = system.slot(body);
    TAUT_CHECK(slot.rigid >= 0);
    const Mat3& R = pose.rotations[static_cast<std::size_t>(slot.rigid)];
    F.segment<3>(slot.v + 3) += frame == Frame::world ? Vec3(R.transpose() * torque) : torque;
  }
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return torque.isZero(0); }
  bool depends_on_velocity() const { return false; }
};

}  // namespace

void apply(System& system, ConstantForce force) {
  add_force<ConstantForceTerms>(system, std::move(force));
}

ForceInfo describe_constant_force() {
  return describe_force(
      FieldList<ConstantForce>()
          .required("point", &ConstantForce::point, "", "where it acts")
          .required("force", &ConstantForce::force, "N", "")
          .optional("frame", &ConstantForce::frame, "",
                    "whether the force keeps its direction or turns with the body"));
}

void apply(System& system, ConstantTorque force) {
  add_force<ConstantTorqueTerms>(system, std::move(force));
}

ForceInfo describe_constant_torque() {
  return describe_force(
      FieldList<ConstantTorque>()
          .required("body", &ConstantTorque::body, "", "a rigid body")
          .required("torque", &ConstantTorque::torque, "N·m", "")
          .optional("frame", &ConstantTorque::frame, "",
                    "whether the torque keeps its direction or turns with the body"));
}

}  // namespace taut
