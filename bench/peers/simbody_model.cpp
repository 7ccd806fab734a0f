#include "simbody_model.hpp"

#include <Simbody.h>

namespace peers::simbody {
namespace {

SimTK::Vec3 st(const Vec3& x) { return {x.x(), x.y(), x.z()}; }
Vec3 from(const SimTK::Vec3& x) { return {x[0], x[1], x[2]}; }
SimTK::Rotation st(const Quat& q) {
  return SimTK::Rotation(SimTK::Quaternion(q.w(), q.x(), q.y(), q.z()));
}

SimTK::Body::Rigid rigid(const Body& body) {
  return SimTK::Body::Rigid(
      SimTK::MassProperties(body.mass, SimTK::Vec3(0),
                            SimTK::Inertia(body.inertia.x(), body.inertia.y(), body.inertia.z())));
}

}  // namespace

struct Model::Parts {
  explicit Parts(const Mechanism& of)
      : mechanism(of), matter(system), forces(system), gravity(forces, matter, st(of.gravity)) {
    const bool has_angles = !of.tree.empty();
    for (std::size_t i = 0; i < of.bodies.size(); ++i)
      has_angles ? add(of.bodies[i], of.tree[i]) : add(of.bodies[i]);
    for (const Joint& joint : of.loops) constrain(joint);
    SimTK::State state = system.realizeTopology();
    system.realizeModel(state);
    for (std::size_t i = 0; i < of.bodies.size(); ++i)
      has_angles ? start(state, i, of.tree[i]) : start(state, i);
    integrator = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
    if (of.accuracy > 0) {
      integrator->setAccuracy(of.accuracy);
    } else {
      integrator->setFixedStepSize(of.step);
      integrator->setConstraintTolerance(1e-9);
    }
    stepper = std::make_unique<SimTK::TimeStepper>(system, *integrator);
    stepper->initialize(state);
  }

  SimTK::Transform pose(int i) const {
    if (i < 0) return {};
    const Body& body = mechanism.bodies[static_cast<std::size_t>(i)];
    return {st(body.orientation), st(body.position)};
  }
  SimTK::MobilizedBody& mobilized(int i) {
    return i < 0 ? static_cast<SimTK::MobilizedBody&>(matter.updGround())
                 : bodies[static_cast<std::size_t>(i)];
  }

  void add(const Body& body, const Joint& joint) {
    const bool is_ball = joint.type == Joint::Type::ball;
    // The axis of a pin is z of its frames.
    const SimTK::Rotation turned =
        is_ball ? SimTK::Rotation() : st(Quat::FromTwoVectors(Vec3::UnitZ(), joint.axis));
    const SimTK::Transform joint_at(turned, st(joint.end_a));
    const SimTK::Transform body_at(st(body.orientation), st(body.position));
    const SimTK::Transform in_parent = ~pose(joint.a) * joint_at, in_body = ~body_at * joint_at;
    SimTK::MobilizedBody& parent = mobilized(joint.a);
    if (is_ball)
      bodies.push_back(SimTK::MobilizedBody::Ball(parent, in_parent, rigid(body), in_body));
    else
      bodies.push_back(SimTK::MobilizedBody::Pin(parent, in_parent, rigid(body), in_body));
  }
  void add(const Body& body) {
    if (body.is_point)
      bodies.push_back(SimTK::MobilizedBody::Translation(matter.updGround(), rigid(body)));
    else
      bodies.push_back(SimTK::MobilizedBody::Free(matter.updGround(), rigid(body)));
  }

  void constrain(const Joint& joint) {
    const SimTK::Vec3 a = ~pose(joint.a) * st(joint.end_a), b = ~pose(joint.b) * st(joint.end_b);
    SimTK::MobilizedBody &first = mobilized(joint.a), &second = mobilized(joint.b);
    switch (joint.type) {
      case Joint::Type::rod:
        SimTK::Constraint::Rod(first, a, second, b, (joint.end_b - joint.end_a).norm());
        break;
      case Joint::Type::ball:
        SimTK::Constraint::Ball(first, a, second, b);
        break;
      case Joint::Type::pin:
        // Of the rows of a hinge that closes a loop in a plane, those that the other joints do not
        // imply.
        for (const Vec3& normal : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
          const SimTK::UnitVec3 of_first(~pose(joint.a).R() * st(normal));
          SimTK::Constraint::PointInPlane(first, of_first, SimTK::dot(of_first, a), second, b);
        }
    }
  }

  void start(SimTK::State& state, std::size_t i, const Joint& joint) {
    Vec3 turn = mechanism.bodies[i].turn;
    if (joint.a >= 0) turn -= mechanism.bodies[static_cast<std::size_t>(joint.a)].turn;
    if (joint.type == Joint::Type::ball)
      for (int k = 0; k < 3; ++k)  // the frame of the joint is the world's at the start
        bodies[i].setOneU(state, k, turn[k]);
    else
      bodies[i].setOneU(state, 0, joint.axis.dot(turn));
  }
  void start(SimTK::State& state, std::size_t i) {
    const Body& body = mechanism.bodies[i];
    const int first = body.is_point ? 0 : 3;  // of a free body, turns come first
    bodies[i].setQToFitTransform(state, pose(static_cast<int>(i)));
    for (int k = 0; k < 3; ++k) {
      bodies[i].setOneU(state, first + k, body.velocity[k]);
      if (!body.is_point) bodies[i].setOneU(state, k, body.turn[k]);
    }
  }

  Mechanism mechanism;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::Gravity gravity;
  std::vector<SimTK::MobilizedBody> bodies;
  std::unique_ptr<SimTK::Integrator> integrator;
  std::unique_ptr<SimTK::TimeStepper> stepper;
};

Model::Model(const Mechanism& mechanism) : parts_(std::make_unique<Parts>(mechanism)) {}
Model::~Model() = default;

void Model::advance_to(double time) { parts_->stepper->stepTo(time); }

void Model::states(std::vector<State>& out) const {
  const SimTK::State& state = parts_->stepper->getState();
  parts_->system.realize(state, SimTK::Stage::Velocity);
  out.clear();
  for (const SimTK::MobilizedBody& body : parts_->bodies) {
    const SimTK::Transform& at = body.getBodyTransform(state);
    const SimTK::Quaternion q = at.R().convertRotationToQuaternion();
    out.push_back({from(at.p()),
                   {q[0], q[1], q[2], q[3]},
                   from(body.getBodyOriginVelocity(state)),
                   from(body.getBodyAngularVelocity(state))});
  }
}

std::string version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace peers::simbody
