// What rests stays where it is, to the last digits, awake or not.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/collision/shape_contacts.hpp"
#include "taut/constraints/slider.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/point_force.hpp"
#include "taut/simulate/step_policy.hpp"

namespace taut {
namespace {

constexpr double grip = 0.5, fall = 9.81;

/// A box of 1 kg between a round thumb and four round fingers, with 5 % of friction to spare.
struct FiveFingers {
  System system;
  BodyId box, thumb;

  FiveFingers() {
    const Vec3 half(0.04, 0.05, 0.15);
    constexpr double tip = 0.01;
    auto contacts = std::make_unique<collision::ShapeContacts>();
    collision::Surface surface;
    surface.friction = grip;
    RigidBody held;
    held.inertia = Vec3(0.0083, 0.0080, 0.0014).asDiagonal();
    box = system.add(held);
    contacts->add({box, collision::box(half), {}, surface, 0, {}});
    const double force = 1.05 * fall / (2 * grip);
    const auto finger = [&](const Vec3& at, double push) {
      RigidBody body;
      body.inertia = 1e-4 * Mat3::Identity();
      body.position = at;
      const BodyId id = system.add(body);
      contacts->add({id, collision::sphere(tip), {}, surface, 0, {}});
      apply(system, PointForce{id, Vec3(push, 0, 0)});
      Slider guide;
      guide.b = id;
      guide.axis = {world_body, Vec3::UnitX()};
      constrain(system, guide);
      return id;
    };
    thumb = finger({-half.x() - tip, 0, 0}, force);
    for (int i = 0; i < 4; ++i) finger({half.x() + tip, 0, 0.025 * (i - 1.5)}, -force / 4);
    system.add_contacts(std::move(contacts));
    apply(system, Gravity{{0, 0, -fall}});
  }
};

struct Steps {
  explicit Steps(const System& of, double h, ContactSolver solver)
      : system(of), step(h), state(of.initial_state()), w(of), method(make_method("implicit1")) {
    policy.contacts().keep_awake();
    policy.contacts().use(solver);
    policy.start(system, state, w);
  }
  double advance(int steps) {  // linear solves
    double solves = 0;
    for (int i = 0; i < steps; ++i) {
      const StepReport report = policy.step(system, *method, step, state, w);
      EXPECT_EQ(report.status, StepStatus::ok);
      solves += report.linear_solves;
    }
    return solves;
  }
  const System& system;
  double step;
  State state;
  Workspace w;
  std::unique_ptr<Method> method;
  StepPolicy policy;
};

TEST(RestingContact, AGraspInRealTimeStaysWhereItIs) {
  const FiveFingers grasp;
  for (const double h : {1.0 / 30, 1.0 / 240}) {
    Steps run(grasp.system, h, ContactSolver::real_time);
    run.advance(static_cast<int>(std::lround(0.5 / h)));
    const VecX before = run.state.q;
    const double solves = run.advance(300);
    EXPECT_LT((run.state.q - before).lpNorm<Eigen::Infinity>(), 1e-12) << h;
    EXPECT_LE(solves, 20) << h;
  }
}

// What is kept while it rests is not kept when it is pushed.
TEST(RestingContact, AGraspThatOpensLetsGo) {
  const FiveFingers grasp;
  for (const ContactSolver solver : {ContactSolver::real_time, ContactSolver::exact}) {
    Steps run(grasp.system, 1.0 / 240, solver);
    run.advance(120);
    const double height = run.state.q[grasp.system.slot(grasp.box).q + 2];
    EXPECT_NEAR(height, 0, 1e-8);
    run.state.v[grasp.system.slot(grasp.thumb).v] = -1;  // the thumb is drawn back
    run.advance(12);
    EXPECT_LT(run.state.q[grasp.system.slot(grasp.box).q + 2], height - 1e-3);
  }
}

}  // namespace
}  // namespace taut
