// Simbody, which is here for mechanisms:
//
//   angles  its own way: joint angles (Pin, Ball), loops closed by constraints that are projected
//   to
//           the accuracy asked for. Rods are pins, with the mass at their ends.
//   rods    point masses and bodies that move freely, and constraints for all joints
//   fixed   Runge–Kutta–Merson (order 4) with the scene's step
//   to 1e-… the same, with steps chosen for this accuracy
#include "engine.hpp"
#include "simbody_model.hpp"

namespace peers {
namespace {

constexpr double least_inertia = 1e-12;  // of a point mass, times the square of its rod

simbody::Joint translate(const Scene& scene, const Joint& joint, bool is_of_tree) {
  using Type = simbody::Joint::Type;
  const bool is_rod = joint.type == JointType::rod;
  const bool is_pin = (joint.type == JointType::hinge || is_rod) && scene.is_planar;
  const Type type = is_rod && !is_of_tree ? Type::rod : is_pin ? Type::pin : Type::ball;
  return {type,      joint.a, joint.b, scene.end_of(joint, joint.a), scene.end_of(joint, joint.b),
          joint.axis};
}

simbody::Mechanism translate(const Scene& scene, bool has_angles, double accuracy) {
  simbody::Mechanism out;
  for (const Body& body : scene.bodies) {
    const double small = least_inertia * body.mass * scene.size * scene.size;
    const Vec3 inertia = body.is_point ? Vec3(small * Vec3::Ones()) : body.inertia;
    out.bodies.push_back({body.mass, inertia, body.position, body.orientation, body.velocity,
                          body.turn, body.is_point});
  }
  if (has_angles)
    for (const int j : scene.tree())
      out.tree.push_back(translate(scene, scene.joints[static_cast<std::size_t>(j)], true));
  for (const Joint& joint : has_angles ? scene.loops() : scene.joints)
    out.loops.push_back(translate(scene, joint, false));
  out.gravity = scene.gravity;
  out.step = scene.step;
  out.accuracy = accuracy;
  return out;
}

class SimbodyEngine final : public Engine {
 public:
  SimbodyEngine(const Scene& scene, bool has_angles, double accuracy)
      : step_(scene.step), model_(translate(scene, has_angles, accuracy)) {}

  void step() override { model_.advance_to(static_cast<double>(++steps_) * step_); }

  void states(std::vector<BodyState>& out) const override {
    std::vector<simbody::State> states;
    model_.states(states);
    out.clear();
    for (const simbody::State& each : states)
      out.push_back({each.position, each.orientation, each.velocity, each.turn});
  }

 private:
  double step_;
  simbody::Model model_;
  long steps_ = 0;
};

Setup setup(std::string name, bool has_angles, double accuracy) {
  Setup made{"Simbody", std::move(name), [=](const Scene& scene) {
               return std::make_unique<SimbodyEngine>(scene, has_angles, accuracy);
             }};
  made.use = Kind::mechanism;
  made.most_bodies = has_angles ? 1000 : 200;  // its constraints make a dense matrix
  return made;
}

}  // namespace

std::vector<Setup> simbody_setups() {
  return {setup("angles, fixed", true, 0), setup("angles, to 1e-3", true, 1e-3),
          setup("angles, to 1e-6", true, 1e-6), setup("angles, to 1e-9", true, 1e-9),
          setup("rods, fixed", false, 0)};
}

std::string simbody_version() { return simbody::version(); }

}  // namespace peers
