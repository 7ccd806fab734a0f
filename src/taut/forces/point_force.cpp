#include "taut/forces/point_force.hpp"

#include "taut/base/error.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct PointForceTerms : PointForce {
  void add(const System&, const Pose& pose, const VecX&, double time, VecX& F) const {
    const Vec3 f = force.value(time);
    pose.add_force(point, frame == Frame::world ? f : pose.at(Direction{point.body, f}), F);
  }
  /// Only what is constant in the world has a potential.
  double potential(const System&, const Pose& pose) const {
    return is_conservative() ? -force.value(0).dot(pose.at(point)) : 0;
  }
  bool is_conservative() const { return frame == Frame::world && force.is_constant(); }
  bool depends_on_velocity() const { return false; }
};

struct BodyTorqueTerms : BodyTorque {
  void add(const System& system, const Pose& pose, const VecX&, double time, VecX& F) const {
    const BodySlot& slot = system.slot(body);
    TAUT_CHECK(slot.rigid >= 0);
    const Mat3& R = pose.rotations[static_cast<std::size_t>(slot.rigid)];
    const Vec3 t = torque.value(time);
    F.segment<3>(slot.v + 3) += frame == Frame::world ? Vec3(R.transpose() * t) : t;
  }
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return torque.is_constant() && torque.value(0).isZero(0); }
  bool depends_on_velocity() const { return false; }
};

}  // namespace

void apply(System& system, PointForce force) {
  add_force<PointForceTerms>(system, std::move(force));
}

ForceInfo describe_point_force() {
  return describe_force(
      FieldList<PointForce>()
          .required("point", &PointForce::point, "", "where the force acts")
          .required("force", &PointForce::force, "N", "constant or a motion")
          .optional("frame", &PointForce::frame, "",
                    "whether the components are along the world's axes or the body's"));
}

void apply(System& system, BodyTorque force) {
  add_force<BodyTorqueTerms>(system, std::move(force));
}

ForceInfo describe_body_torque() {
  return describe_force(
      FieldList<BodyTorque>()
          .required("body", &BodyTorque::body, "", "a rigid body")
          .required("torque", &BodyTorque::torque, "N·m", "constant or a motion")
          .optional("frame", &BodyTorque::frame, "",
                    "whether the components are along the world's axes or the body's"));
}

}  // namespace taut
