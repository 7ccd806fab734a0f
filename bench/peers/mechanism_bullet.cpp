// Mechanisms in Bullet's joint angles (btMultiBody, Featherstone's articulated bodies): one tree
// from the world for each chain; loops are closed by its own constraints, with 50 iterations. Rods
// are hinges, or ball joints in space, with the mass at their ends. Semi-implicit Euler; no
// damping.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include "engine.hpp"

namespace peers {
namespace {

constexpr double least_inertia = 1e-12;  // of a point mass, times the square of its rod

btVector3 bt(const Vec3& x) { return {x.x(), x.y(), x.z()}; }
Vec3 from(const btVector3& x) { return {x.x(), x.y(), x.z()}; }
btQuaternion bt(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

class Multibody final : public Engine {
 public:
  explicit Multibody(const Scene& scene)
      : step_(scene.step),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        tree_(static_cast<int>(scene.bodies.size()), 0, btVector3(0, 0, 0), true, false) {
    world_.setGravity(bt(scene.gravity));
    world_.getSolverInfo().m_numIterations = 50;
    const std::vector<int> joint_of = scene.tree();
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      add(scene, static_cast<int>(i), scene.joints[static_cast<std::size_t>(joint_of[i])]);
    tree_.finalizeMultiDof();
    tree_.setLinearDamping(0);
    tree_.setAngularDamping(0);
    tree_.setMaxAppliedImpulse(1e30);
    tree_.setMaxCoordinateVelocity(1e30);
    tree_.setHasSelfCollision(false);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      start(scene, static_cast<int>(i), scene.joints[static_cast<std::size_t>(joint_of[i])]);
    world_.addMultiBody(&tree_);
    for (const Joint& joint : scene.loops()) {
      const auto place = [&](int i) {
        const Body& held = scene.bodies[static_cast<std::size_t>(i)];
        return bt(Vec3(held.orientation.conjugate() * (joint.at - held.position)));
      };
      loops_.push_back(joint.b < 0
                           ? std::make_unique<btMultiBodyPoint2Point>(&tree_, joint.a, nullptr,
                                                                      place(joint.a), bt(joint.at))
                           : std::make_unique<btMultiBodyPoint2Point>(
                                 &tree_, joint.a, &tree_, joint.b, place(joint.a), place(joint.b)));
      loops_.back()->setMaxAppliedImpulse(1e30);
      world_.addMultiBodyConstraint(loops_.back().get());
    }
    tree_.forwardKinematics(rotations_, places_);
  }
  ~Multibody() override {
    for (const auto& loop : loops_) world_.removeMultiBodyConstraint(loop.get());
    world_.removeMultiBody(&tree_);
  }
  Multibody(const Multibody&) = delete;
  Multibody& operator=(const Multibody&) = delete;

  void step() override { world_.stepSimulation(step_, 0); }

  void states(std::vector<BodyState>& out) const override {
    const int count = tree_.getNumLinks();
    auto& tree = const_cast<btMultiBody&>(tree_);  // its own functions are not const
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> places, turns, velocities;
    tree.forwardKinematics(rotations, places);
    turns.resize(count + 1);
    velocities.resize(count + 1);
    tree.compTreeLinkVelocities(&turns[0], &velocities[0]);  // in the frames of the links
    out.clear();
    for (int i = 0; i < count; ++i) {
      const btTransform& at = tree.getLink(i).m_cachedWorldTransform;
      const btQuaternion q = at.getRotation();
      out.push_back({from(at.getOrigin()),
                     {q.w(), q.x(), q.y(), q.z()},
                     from(at.getBasis() * velocities[i + 1]),
                     from(at.getBasis() * turns[i + 1])});
    }
  }

 private:
  static Vec3 turn_of(const Scene& scene, int body) {
    return body < 0 ? Vec3(Vec3::Zero()) : scene.bodies[static_cast<std::size_t>(body)].turn;
  }

  void add(const Scene& scene, int i, const Joint& joint) {
    const Body& body = scene.bodies[static_cast<std::size_t>(i)];
    const Body parent = joint.a < 0 ? Body{} : scene.bodies[static_cast<std::size_t>(joint.a)];
    const Vec3 pivot = scene.end_of(joint, joint.a);
    const Vec3 to_pivot = parent.orientation.conjugate() *
                          (pivot - (joint.a < 0 ? Vec3(Vec3::Zero()) : parent.position));
    const Vec3 to_centre = body.orientation.conjugate() * (body.position - pivot);
    const Quat turned = body.orientation.conjugate() * parent.orientation;
    const double small = least_inertia * body.mass * scene.size * scene.size;
    const Vec3 inertia = body.is_point ? Vec3(small * Vec3::Ones()) : body.inertia;
    if (is_ball(scene, joint))
      tree_.setupSpherical(i, body.mass, bt(inertia), joint.a, bt(turned), bt(to_pivot),
                           bt(to_centre), true);
    else
      tree_.setupRevolute(i, body.mass, bt(inertia), joint.a, bt(turned),
                          bt(Vec3(body.orientation.conjugate() * joint.axis)), bt(to_pivot),
                          bt(to_centre), true);
  }

  void start(const Scene& scene, int i, const Joint& joint) {
    const Body& body = scene.bodies[static_cast<std::size_t>(i)];
    const Vec3 turn = body.turn - turn_of(scene, joint.a);
    const Vec3 own = body.orientation.conjugate() * turn;
    const double about_axis = joint.axis.dot(turn);
    tree_.setJointVelMultiDof(i, is_ball(scene, joint) ? own.data() : &about_axis);
  }

  static bool is_ball(const Scene& scene, const Joint& joint) {
    return joint.type == JointType::ball || (joint.type == JointType::rod && !scene.is_planar);
  }

  double step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  btMultiBody tree_;
  std::vector<std::unique_ptr<btMultiBodyPoint2Point>> loops_;
  btAlignedObjectArray<btQuaternion> rotations_;
  btAlignedObjectArray<btVector3> places_;
};

}  // namespace

std::vector<Setup> bullet_multibodies() {
  Setup made{"Bullet", "multibody",
             [](const Scene& scene) { return std::make_unique<Multibody>(scene); }};
  made.use = Kind::mechanism;
  made.cannot = rod_in_a_loop;
  return {made};
}

}  // namespace peers
