// Bullet in double precision. Collision margins are as small as its documentation recommends for
// bodies of this size.
//
//   SI       sequential impulses, as btDiscreteDynamicsWorld has them by default, with 10
//   iterations
//            unless told; 50 and more are what stacks need
//   NNCG     the same, accelerated as a nonlinear conjugate gradient method: for large mass ratios.
//            Not for mechanisms: with joints alone it divides zero by zero
//   Dantzig  btMLCPSolver, which pivots
//   hard     two directions of friction, which make a cone of it; overlaps are taken out by split
//            impulses, however small (the default is to do so above 4 cm only), 0.8 of them in a
//            step
//
// In mechanisms rods are ball joints at the end of an arm. A point mass that turns with its rod
// gets a moment of inertia of 1e-4 of the mass times the square of the rod, without which
// sequential impulses do not converge: so its swings are 5e-5 too slow.
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <cmath>

#include "engine.hpp"

namespace peers {
namespace {

enum class Solver { sequential, conjugate, pivoting };

struct BulletSettings {
  Solver solver = Solver::sequential;
  int iterations = 10;
  bool is_hard = false;
};

std::unique_ptr<btConstraintSolver> make_solver(Solver solver, btMLCPSolverInterface& pivoting) {
  switch (solver) {
    case Solver::conjugate:
      return std::make_unique<btNNCGConstraintSolver>();
    case Solver::pivoting:
      return std::make_unique<btMLCPSolver>(&pivoting);
    default:
      return std::make_unique<btSequentialImpulseConstraintSolver>();
  }
}

btVector3 bt(const Vec3& x) { return {x.x(), x.y(), x.z()}; }
Vec3 from(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

class BulletEngine final : public Engine {
 public:
  BulletEngine(const Scene& scene, const BulletSettings& settings)
      : step_(scene.step),
        dispatcher_(&configuration_),
        solver_(make_solver(settings.solver, pivoting_)),
        world_(&dispatcher_, &broadphase_, solver_.get(), &configuration_) {
    world_.setGravity(bt(scene.gravity));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = settings.iterations;
    if (settings.is_hard) {
      info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
      info.m_splitImpulsePenetrationThreshold = 0;
      info.m_erp2 = 0.8;
    }
    // Its rows must be in one order, and as one island, for the matrix.
    if (settings.solver == Solver::pivoting) info.m_minimumSolverBatchSize = 1;
    for (const Plane& plane : scene.planes) {
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(bt(plane.normal), plane.offset));
      add(0, btVector3(0, 0, 0), btTransform::getIdentity(), scene.friction);
    }
    for (const Body& body : scene.bodies) {
      shapes_.push_back(shape_of(body.shape));
      const Quat& q = body.orientation;
      const Vec3 inertia = body.is_point
                               ? Vec3(1e-4 * body.mass * scene.size * scene.size * Vec3::Ones())
                               : body.inertia;
      btRigidBody& rigid = add(
          body.mass, bt(inertia),
          btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), bt(body.position)), scene.friction);
      rigid.setLinearVelocity(bt(body.velocity));
      rigid.setAngularVelocity(bt(body.turn));
      if (body.is_guided) {
        rigid.setLinearFactor({1, 0, 0});
        rigid.setAngularFactor(0);
      }
      pushes_.push_back(bt(body.push));
      if (!scene.has_contacts()) rigid.getBroadphaseProxy()->m_collisionFilterMask = 0;
      moving_.push_back(&rigid);
    }
    for (const Joint& joint : scene.joints) add(scene, joint);
  }
  ~BulletEngine() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletEngine(const BulletEngine&) = delete;
  BulletEngine& operator=(const BulletEngine&) = delete;

  void step() override {
    for (std::size_t i = 0; i < moving_.size(); ++i) moving_[i]->applyCentralForce(pushes_[i]);
    world_.stepSimulation(step_, 0);
  }

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

  void add(const Scene& scene, const Joint& joint) {
    const int first = joint.a < 0 ? joint.b : joint.a, other = joint.a < 0 ? joint.a : joint.b;
    const auto local = [&](int i, const Vec3& x) {
      const Body& body = scene.bodies[static_cast<std::size_t>(i)];
      return bt(Vec3(body.orientation.conjugate() * x));
    };
    const auto place = [&](int i, const Vec3& x) {
      return local(i, x - scene.bodies[static_cast<std::size_t>(i)].position);
    };
    btRigidBody& a = *moving_[static_cast<std::size_t>(first)];
    // A rod turns about its end in the first of its bodies, or in the world.
    const Vec3 at = scene.end_of(joint, joint.type == JointType::rod && other < 0 ? -1 : joint.a);
    if (joint.type == JointType::hinge) {
      if (other < 0)
        joints_.push_back(
            std::make_unique<btHingeConstraint>(a, place(first, at), local(first, joint.axis)));
      else
        joints_.push_back(std::make_unique<btHingeConstraint>(
            a, *moving_[static_cast<std::size_t>(other)], place(first, at), place(other, at),
            local(first, joint.axis), local(other, joint.axis)));
    } else if (other < 0) {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, place(first, at)));
    } else {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(
          a, *moving_[static_cast<std::size_t>(other)], place(first, at), place(other, at)));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  double step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDantzigSolver pivoting_;
  std::unique_ptr<btConstraintSolver> solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<btRigidBody*> moving_;
  std::vector<btVector3> pushes_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

Setup setup(std::string name, const BulletSettings& settings) {
  return {"Bullet", std::move(name),
          [=](const Scene& scene) { return std::make_unique<BulletEngine>(scene, settings); },
          settings.solver == Solver::pivoting ? std::size_t{30} : std::size_t{1000000}};
}

Setup for_mechanisms(std::string name, const BulletSettings& settings) {
  Setup made = setup(std::move(name), settings);
  made.use = Kind::mechanism;
  made.cannot = rod_in_a_loop;
  return made;
}

}  // namespace

std::vector<Setup> bullet_setups() {
  std::vector<Setup> all{setup("SI 10", {}),
                         setup("SI 50", {Solver::sequential, 50}),
                         setup("SI 50 hard", {Solver::sequential, 50, true}),
                         setup("SI 200 hard", {Solver::sequential, 200, true}),
                         setup("NNCG 50 hard", {Solver::conjugate, 50, true}),
                         setup("Dantzig", {Solver::pivoting, 50}),
                         for_mechanisms("SI 50", {Solver::sequential, 50}),
                         for_mechanisms("SI 500", {Solver::sequential, 500}),
                         for_mechanisms("Dantzig", {Solver::pivoting, 50})};
  for (Setup& each : bullet_multibodies()) all.push_back(std::move(each));
  for (Setup& each : bullet_cloths()) all.push_back(std::move(each));
  return all;
}

std::string bullet_version() {
  return fmt::format("{}.{}", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100);
}

}  // namespace peers
