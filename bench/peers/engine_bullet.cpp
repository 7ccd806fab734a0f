// Bullet in double precision, with sequential impulses and split impulses, as
// btDiscreteDynamicsWorld has them by default. 50 iterations rather than 10, which is what stacks
// need; collision margins as small as its documentation recommends for bodies of this size.
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <cmath>

#include "engine.hpp"

namespace peers {
namespace {

constexpr int iterations = 50;

btVector3 bt(const Vec3& x) { return {x.x(), x.y(), x.z()}; }
Vec3 from(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

class BulletEngine final : public Engine {
 public:
  explicit BulletEngine(const Scene& scene)
      : step_(scene.step),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity(bt(scene.gravity));
    world_.getSolverInfo().m_numIterations = iterations;
    for (const Plane& plane : scene.planes) {
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(bt(plane.normal), plane.offset));
      add(0, btVector3(0, 0, 0), btTransform::getIdentity(), scene.friction);
    }
    for (const Body& body : scene.bodies) {
      shapes_.push_back(shape_of(body.shape));
      const Quat& q = body.orientation;
      btRigidBody& rigid = add(
          body.mass, bt(body.inertia),
          btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), bt(body.position)), scene.friction);
      rigid.setLinearVelocity(bt(body.velocity));
      rigid.setAngularVelocity(bt(body.turn));
      moving_.push_back(&rigid);
    }
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletEngine(const BulletEngine&) = delete;
  BulletEngine& operator=(const BulletEngine&) = delete;

  void step() override { world_.stepSimulation(step_, 0); }

  void states(std::vector<BodyState>& out) const override {
    out.clear();
    for (const btRigidBody* body : moving_) {
      const btTransform& at = body->getWorldTransform();
      const btQuaternion q = at.getRotation();
      out.push_back({from(at.getOrigin()),
                     {q.w(), q.x(), q.y(), q.z()},
                     from(body->getLinearVelocity()),
                     from(body->getAngularVelocity())});
    }
  }

 private:
  static std::unique_ptr<btCollisionShape> shape_of(const taut::collision::Shape& shape) {
    switch (shape.type) {
      case taut::collision::ShapeType::box: {
        auto box = std::make_unique<btBoxShape>(bt(shape.size));
        box->setMargin(0.001);
        return box;
      }
      case taut::collision::ShapeType::capsule:
        return std::make_unique<btCapsuleShapeZ>(shape.radius, 2 * shape.size.z());
      default:
        return std::make_unique<btSphereShape>(shape.radius);
    }
  }

  btRigidBody& add(double mass, const btVector3& inertia, const btTransform& at, double friction) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform = at;
    info.m_friction = std::sqrt(friction);  // those of two surfaces are multiplied
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
    return *bodies_.back();
  }

  double step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<btRigidBody*> moving_;
};

}  // namespace

EngineInfo bullet() {
  return {"Bullet", fmt::format("{}.{}", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100),
          "sequential impulse, 50 iterations, double precision",
          [](const Scene& scene) { return std::make_unique<BulletEngine>(scene); }};
}

}  // namespace peers
