// Contacts in DART: free bodies of its own collision detector, which has boxes and spheres alone.
//
//   Dantzig       pivoting, as it comes: a hundredth of an overlap is taken out in a step
//   Dantzig hard  8 tenths, at up to 1 m/s
//   PGS           Gauss and Seidel's method
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/ContactConstraint.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <limits>

#include "engine.hpp"

namespace peers {
namespace {

using namespace dart::dynamics;

struct DartSettings {
  bool is_pivoting = true;
  double erp = 0.01, most_speed = 1e-3;  // those that it comes with
};

Eigen::Isometry3d pose(const Vec3& position, const Quat& orientation) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = position;
  pose.linear() = orientation.toRotationMatrix();
  return pose;
}

class DartContacts final : public Engine {
 public:
  DartContacts(const Scene& scene, const DartSettings& settings)
      : scene_(scene), settings_(settings) {
    std::shared_ptr<dart::constraint::BoxedLcpSolver> solver;
    if (settings.is_pivoting)
      solver = std::make_shared<dart::constraint::DantzigBoxedLcpSolver>();
    else
      solver = std::make_shared<dart::constraint::PgsBoxedLcpSolver>();
    world_.setConstraintSolver(
        std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(solver));
    world_.getConstraintSolver()->setCollisionDetector(
        dart::collision::DARTCollisionDetector::create());
    world_.setGravity(scene.gravity);
    world_.setTimeStep(scene.step);
    for (const Plane& plane : scene.planes) add(plane);
    for (const Body& body : scene.bodies) add(body);
  }

  void step() override {
    if (has_exploded_) return;
    using Contact = dart::constraint::ContactConstraint;  // its settings are the whole program's
    Contact::setErrorReductionParameter(settings_.erp);
    Contact::setMaxErrorReductionVelocity(settings_.most_speed);
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (!scene_.bodies[i].push.isZero()) bodies_[i]->addExtForce(scene_.bodies[i].push);
    world_.step();
    // A state that is not finite ends the program by an assertion of DART's own.
    for (const BodyNode* body : bodies_)
      if (!(body->getCOMLinearVelocity().norm() < 1e3)) has_exploded_ = true;
  }

  void states(std::vector<BodyState>& out) const override {
    out.clear();
    for (const BodyNode* body : bodies_) {
      const Eigen::Isometry3d& at = body->getWorldTransform();
      out.push_back({at.translation(), Quat(Eigen::Matrix3d(at.linear())),
                     body->getCOMLinearVelocity(), body->getAngularVelocity()});
    }
    const Vec3 nowhere = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    if (has_exploded_) out.assign(bodies_.size(), {nowhere, Quat::Identity(), nowhere, nowhere});
  }

  std::string complaint() const override { return has_exploded_ ? "exploded" : ""; }

 private:
  void give_shape(BodyNode& body, const ShapePtr& shape) {
    ShapeNode* node = body.createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    node->getDynamicsAspect()->setFrictionCoeff(scene_.friction);
    node->getDynamicsAspect()->setRestitutionCoeff(0);
  }

  /// A plane of the world is the face of a box.
  void add(const Plane& plane) {
    constexpr double size = 100;
    const Quat turned = Quat::FromTwoVectors(Vec3::UnitZ(), plane.normal);
    const SkeletonPtr skeleton = Skeleton::create("plane" + std::to_string(++count_));
    const auto [joint, body] = skeleton->createJointAndBodyNodePair<WeldJoint>();
    joint->setTransformFromParentBodyNode(
        pose(Vec3((plane.offset - 0.5 * size) * plane.normal), turned));
    give_shape(*body, std::make_shared<BoxShape>(Vec3(size, size, size)));
    skeleton->setMobile(false);
    world_.addSkeleton(skeleton);
  }

  void add(const Body& body) {
    const SkeletonPtr skeleton = Skeleton::create("body" + std::to_string(++count_));
    BodyNode::Properties of_body;
    of_body.mInertia.setMass(body.mass);
    of_body.mInertia.setMoment(body.inertia.x(), body.inertia.y(), body.inertia.z(), 0, 0, 0);
    BodyNode* node = nullptr;
    const Eigen::Isometry3d at = pose(body.position, body.orientation);
    if (body.is_guided) {
      PrismaticJoint::Properties guide;
      guide.mAxis = Vec3::UnitX();
      guide.mT_ParentBodyToJoint = at;
      node = skeleton->createJointAndBodyNodePair<PrismaticJoint>(nullptr, guide, of_body).second;
    } else {
      const auto made = skeleton->createJointAndBodyNodePair<FreeJoint>(
          nullptr, FreeJoint::Properties(), of_body);
      made.first->setTransform(at);
      made.first->setLinearVelocity(body.velocity);
      made.first->setAngularVelocity(body.turn);
      node = made.second;
    }
    if (body.shape.type == taut::collision::ShapeType::box)
      give_shape(*node, std::make_shared<BoxShape>(Vec3(2 * body.shape.size)));
    else
      give_shape(*node, std::make_shared<SphereShape>(body.shape.radius));
    bodies_.push_back(node);
    world_.addSkeleton(skeleton);
  }

  Scene scene_;
  DartSettings settings_;
  dart::simulation::World world_;
  std::vector<BodyNode*> bodies_;
  int count_ = 0;
  bool has_exploded_ = false;
};

std::string has_capsules(const Scene& scene) {
  for (const Body& body : scene.bodies)
    if (body.shape.type == taut::collision::ShapeType::capsule)
      return "has no capsules in its collision detector";
  return "";
}

Setup setup(std::string name, const DartSettings& settings) {
  Setup made{"DART", std::move(name),
             [=](const Scene& scene) { return std::make_unique<DartContacts>(scene, settings); }};
  made.cannot = has_capsules;
  made.most_bodies = 100;  // its pivoting takes time that grows with the cube of the contacts
  return made;
}

}  // namespace

std::vector<Setup> dart_contacts() {
  return {setup("Dantzig", {}), setup("Dantzig hard", {true, 0.8, 1}),
          setup("PGS", {false, 0.8, 1})};
}

}  // namespace peers
