#include "taut/forces/pull.hpp"

#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct PullTerms : Pull {
  void prepare(const System& system) {
    if (!to.is_given()) to = system.initial_place(point);
  }
  void add(const System&, const Pose& pose, const VecX& v, double time, VecX& F) const {
    pose.add_force(point, force(pose, v, time), F);
  }
  ForceBatch::Along along(const Pose& pose, const VecX& v, double time) const {
    return {force(pose, v, time).norm(), "force", "N"};
  }

  static constexpr int anchor_count = 1;
  int couplings(const System&) const { return 1; }
  std::array<Anchor, 1> anchors(const System&, int) const { return {point}; }
  AnchorStiffness<1> derivatives(int, const Columns<double, 1>& x, const Columns<double, 1>&,
                                 double time, double rate) const {
    AnchorStiffness<1> out;
    out.curvature = (stiffness + damping * rate) * Mat3::Identity();
    out.gradient = stiffness * (x - to.value(time));
    return out;
  }

  double potential(const System&, const Pose& pose) const {
    if (!to.is_constant()) return 0;
    return 0.5 * stiffness * (pose.at(point) - to.value(0)).squaredNorm();
  }
  bool is_conservative() const { return damping == 0 && to.is_constant(); }
  bool is_passive() const { return to.is_constant(); }
  bool depends_on_velocity() const { return damping > 0; }

 private:
  Vec3 force(const Pose& pose, const VecX& v, double time) const {
    const MotionSample<Vec3> place = to.at(time);
    Vec3 force = stiffness * (place.value - pose.at(point));
    if (damping > 0) force += damping * (place.rate - pose.velocity(point, v));
    return force;
  }
};

}  // namespace

void apply(System& system, Pull force) { add_force<PullTerms>(system, std::move(force)); }

ForceInfo describe_pull() {
  return describe_force(
      FieldList<Pull>()
          .required("point", &Pull::point, "", "the point that is pulled")
          .optional("to", &Pull::to, "m",
                    "where it is pulled, or a motion; its position at the start if not given")
          .required("stiffness", &Pull::stiffness, "N/m", "force per distance", Range::non_negative)
          .optional("damping", &Pull::damping, "N·s/m", "force per speed", Range::non_negative));
}

}  // namespace taut
