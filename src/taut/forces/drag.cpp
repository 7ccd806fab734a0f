#include "taut/forces/drag.hpp"

#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct DragTerms : Drag {
  void add(const System& system, const Pose& pose, const VecX& v, double, VecX& F) const {
    if (point) {
      add_at(system, pose, *point, v, F);
      return;
    }
    for (int i = 0; i < system.body_count(); ++i) add_at(system, pose, Point(BodyId{i}), v, F);
  }

  static constexpr int anchor_count = 1;
  int couplings(const System& system) const { return point ? 1 : system.body_count(); }
  std::array<Anchor, 1> anchors(const System&, int i) const {
    return {point ? Anchor(*point) : Anchor(Point(BodyId{i}))};
  }
  AnchorStiffness<1> derivatives(const Columns<double, 1>&, const Columns<double, 1>& speed,
                                 double rate) const {
    const double size = speed.norm();
    Mat3 resistance = (linear + quadratic * size) * Mat3::Identity();
    if (size > 0) resistance += (quadratic / size) * speed * speed.transpose();
    return {rate * resistance, (linear + quadratic * size) * speed};
  }

  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return linear == 0 && quadratic == 0 && angular == 0; }
  bool is_passive() const { return true; }
  bool depends_on_velocity() const { return true; }

 private:
  void add_at(const System& system, const Pose& pose, const Point& at, const VecX& v,
              VecX& F) const {
    const Vec3 speed = pose.velocity(at, v);
    pose.add_force(at, -(linear + quadratic * speed.norm()) * speed, F);
    if (!at.body.is_world() && system.is_rigid(at.body)) {
      const int w = system.slot(at.body).v + 3;
      F.segment<3>(w) -= angular * v.segment<3>(w);
    }
  }
};

}  // namespace

void apply(System& system, Drag force) { add_force<DragTerms>(system, std::move(force)); }

ForceInfo describe_drag() {
  return describe_force(
      FieldList<Drag>()
          .optional("point", &Drag::point, "",
                    "where it acts; on every body, at its centre, if not given")
          .optional("linear", &Drag::linear, "N·s/m", "force per speed", Range::non_negative)
          .optional("quadratic", &Drag::quadratic, "N·s²/m²", "force per speed squared",
                    Range::non_negative)
          .optional("angular", &Drag::angular, "N·m·s", "torque per angular speed of a rigid body",
                    Range::non_negative));
}

}  // namespace taut
