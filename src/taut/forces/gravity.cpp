#include "taut/forces/gravity.hpp"

#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct GravityTerms : Gravity {
  void add(const System& system, const Pose&, const VecX&, double, VecX& F) const {
    for (int i = 0; i < system.body_count(); ++i)
      F.segment<3>(system.slot({i}).v) += system.mass({i}) * acceleration;
  }
  double potential(const System& system, const Pose& pose) const {
    double energy = 0;
    for (int i = 0; i < system.body_count(); ++i)
      energy -= system.mass({i}) * acceleration.dot(pose.position(system.slot({i}).q));
    return energy;
  }
  bool is_conservative() const { return true; }
  bool depends_on_velocity() const { return false; }
  Vec3 uniform_acceleration() const { return acceleration; }
};

}  // namespace

void apply(System& system, Gravity force) { add_force<GravityTerms>(system, std::move(force)); }

ForceInfo describe_gravity() {
  return describe_force(FieldList<Gravity>().optional("acceleration", &Gravity::acceleration,
                                                      "m/s²", "direction and strength"));
}

}  // namespace taut
