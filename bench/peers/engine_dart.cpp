// DART in its own way: joint angles, Featherstone's articulated bodies, semi-implicit Euler. Loops
// are closed by its ball joint constraints, solved with Dantzig's pivoting. Rods are hinges, with
// the mass at their ends.
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>
#include <limits>

#include "engine.hpp"

namespace peers {
namespace {

constexpr double least_inertia = 1e-12;  // of a point mass, times the square of its rod

Eigen::Isometry3d pose(const Vec3& position, const Quat& orientation) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = position;
  pose.linear() = orientation.toRotationMatrix();
  return pose;
}

class DartEngine final : public Engine {
 public:
  explicit DartEngine(const Scene& scene)
      : scene_(scene), skeleton_(dart::dynamics::Skeleton::create("mechanism")) {
    const std::vector<int> joint_of = scene.tree();
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      add(scene.bodies[i], scene.joints[static_cast<std::size_t>(joint_of[i])]);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      start(i, scene.joints[static_cast<std::size_t>(joint_of[i])]);
    world_.setGravity(scene.gravity);
    world_.setTimeStep(scene.step);
    world_.addSkeleton(skeleton_);
    for (const Joint& joint : scene.loops()) {
      const auto body = [&](int i) { return bodies_[static_cast<std::size_t>(i)]; };
      using dart::constraint::BallJointConstraint;
      const auto constraint =
          joint.b < 0
              ? std::make_shared<BallJointConstraint>(body(joint.a), joint.at)
              : std::make_shared<BallJointConstraint>(body(joint.a), body(joint.b), joint.at);
      world_.getConstraintSolver()->addConstraint(constraint);
    }
  }

  void step() override {
    // A state that is not finite ends the program by an assertion of DART's own.
    const double turns = scene_.step * skeleton_->getVelocities().cwiseAbs().maxCoeff();
    has_exploded_ = has_exploded_ || !(turns < 100);
    if (!has_exploded_) world_.step();
  }

  void states(std::vector<BodyState>& out) const override {
    out.clear();
    if (has_exploded_) {
      const Vec3 nowhere = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
      out.assign(bodies_.size(), {nowhere, Quat::Identity(), nowhere, nowhere});
      return;
    }
    for (const dart::dynamics::BodyNode* body : bodies_) {
      const Eigen::Isometry3d& at = body->getWorldTransform();
      out.push_back({at.translation(), Quat(Eigen::Matrix3d(at.linear())),
                     body->getCOMLinearVelocity(), body->getAngularVelocity()});
    }
  }

  std::string complaint() const override { return has_exploded_ ? "exploded" : ""; }

 private:
  bool is_ball(const Joint& joint) const {
    return joint.type == JointType::ball || (joint.type == JointType::rod && !scene_.is_planar);
  }

  void add(const Body& body, const Joint& joint) {
    dart::dynamics::BodyNode* parent =
        joint.a < 0 ? nullptr : bodies_[static_cast<std::size_t>(joint.a)];
    const Eigen::Isometry3d joint_at = pose(scene_.end_of(joint, joint.a), Quat::Identity());
    const Eigen::Isometry3d parent_at =
        joint.a < 0 ? Eigen::Isometry3d(Eigen::Isometry3d::Identity())
                    : pose(scene_.bodies[static_cast<std::size_t>(joint.a)].position,
                           scene_.bodies[static_cast<std::size_t>(joint.a)].orientation);
    const auto properties = [&](auto made) {
      made.mT_ParentBodyToJoint = parent_at.inverse() * joint_at;
      made.mName = "joint" + std::to_string(bodies_.size());  // else it makes one, and says so
      made.mT_ChildBodyToJoint = pose(body.position, body.orientation).inverse() * joint_at;
      return made;
    };
    const double small = least_inertia * body.mass * scene_.size * scene_.size;
    const Vec3 inertia = body.is_point ? Vec3(small * Vec3::Ones()) : body.inertia;
    dart::dynamics::BodyNode::Properties of_body;
    of_body.mName = "body" + std::to_string(bodies_.size());
    of_body.mInertia.setMass(body.mass);
    of_body.mInertia.setMoment(inertia.x(), inertia.y(), inertia.z(), 0, 0, 0);
    if (is_ball(joint)) {
      bodies_.push_back(
          skeleton_
              ->createJointAndBodyNodePair<dart::dynamics::BallJoint>(
                  parent, properties(dart::dynamics::BallJoint::Properties()), of_body)
              .second);
    } else {
      auto hinge = properties(dart::dynamics::RevoluteJoint::Properties());
      hinge.mAxis = joint.axis;
      bodies_.push_back(
          skeleton_
              ->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent, hinge, of_body)
              .second);
    }
  }

  void start(std::size_t i, const Joint& joint) {
    const Vec3 of_parent =
        joint.a < 0 ? Vec3(Vec3::Zero()) : scene_.bodies[static_cast<std::size_t>(joint.a)].turn;
    const Vec3 turn = scene_.bodies[i].turn - of_parent;
    dart::dynamics::Joint* own = bodies_[i]->getParentJoint();
    if (is_ball(joint))
      own->setVelocities(turn);  // the frame of the joint is the world's at first
    else
      own->setVelocity(0, joint.axis.dot(turn));
  }

  Scene scene_;
  dart::simulation::World world_;
  dart::dynamics::SkeletonPtr skeleton_;
  std::vector<dart::dynamics::BodyNode*> bodies_;
  bool has_exploded_ = false;
};

}  // namespace

std::vector<Setup> dart_setups() {
  Setup made{"DART", "angles",
             [](const Scene& scene) { return std::make_unique<DartEngine>(scene); }};
  made.use = Kind::mechanism;
  made.cannot = rod_in_a_loop;
  std::vector<Setup> all{made};
  for (Setup& each : dart_contacts()) all.push_back(std::move(each));
  return all;
}

std::string dart_version() {
  return std::to_string(DART_MAJOR_VERSION) + "." + std::to_string(DART_MINOR_VERSION);
}

}  // namespace peers
