// Cloth as Bullet's soft body, btSoftBody: links that are moved back to their lengths, so many
// times in a step. The diagonals are links of another material, soft: Bullet gives them no
// stiffness in N/m, but a part of the error that is taken back, and here that is 0.01. No damping,
// no drag, no collisions. (Its newer btDeformable… bodies are springs, which stretch.)
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <map>

#include "engine.hpp"

namespace peers {
namespace {

btVector3 bt(const Vec3& x) { return {x.x(), x.y(), x.z()}; }
Vec3 from(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

/// The vertices of a scene as nodes, those that move first; those in the world have no mass.
class Nodes {
 public:
  explicit Nodes(const Scene& scene) {
    for (const Body& body : scene.bodies) add(body.position, body.mass);
  }
  int of(const Joint& rod, int body) {
    if (body >= 0) return body;
    const std::array<double, 3> key{rod.at.x(), rod.at.y(), rod.at.z()};
    const auto [found, is_new] = held_.try_emplace(key, static_cast<int>(masses.size()));
    if (is_new) add(rod.at, 0);
    return found->second;
  }

  std::vector<btVector3> places;
  std::vector<btScalar> masses;

 private:
  void add(const Vec3& place, double mass) {
    places.push_back(bt(place));
    masses.push_back(mass);
  }
  std::map<std::array<double, 3>, int> held_;
};

struct Link {
  int a, b;
};

struct Net {
  explicit Net(const Scene& scene) : nodes(scene) {
    for (const Joint& rod : scene.joints)
      rods.push_back({nodes.of(rod, rod.a), nodes.of(rod, rod.b)});
    for (const Spring& spring : scene.springs)
      across.push_back({nodes.of(spring.rod, spring.rod.a), nodes.of(spring.rod, spring.rod.b)});
  }
  Nodes nodes;
  std::vector<Link> rods, across;

  std::unique_ptr<btSoftBody> body(btSoftBodyWorldInfo& world) const {
    auto soft = std::make_unique<btSoftBody>(&world, static_cast<int>(nodes.places.size()),
                                             nodes.places.data(), nodes.masses.data());
    soft->m_cfg.kDP = soft->m_cfg.kDG = soft->m_cfg.kLF = 0;
    soft->m_cfg.collisions = 0;
    soft->m_sleepingThreshold = 0;
    soft->setActivationState(DISABLE_DEACTIVATION);
    return soft;
  }
};

void read(const btSoftBody& soft, std::size_t count, std::vector<BodyState>& out) {
  out.clear();
  for (int i = 0; i < static_cast<int>(count); ++i)
    out.push_back(
        {from(soft.m_nodes[i].m_x), Quat::Identity(), from(soft.m_nodes[i].m_v), Vec3::Zero()});
}

class SoftBody final : public Engine {
 public:
  SoftBody(const Scene& scene, int iterations)
      : step_(scene.step),
        count_(scene.bodies.size()),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity(bt(scene.gravity));
    world_.getWorldInfo().m_gravity = bt(scene.gravity);
    world_.getWorldInfo().air_density = 0;
    world_.getWorldInfo().water_density = 0;
    world_.getWorldInfo().m_maxDisplacement = 1e6;
    const Net net(scene);
    soft_ = net.body(world_.getWorldInfo());
    soft_->m_cfg.piterations = iterations;
    soft_->m_materials[0]->m_kLST = 1;
    for (const Link& link : net.rods) soft_->appendLink(link.a, link.b, soft_->m_materials[0]);
    btSoftBody::Material* across = soft_->appendMaterial();
    across->m_kLST = 0.01;
    for (const Link& link : net.across) soft_->appendLink(link.a, link.b, across);
    soft_->randomizeConstraints();
    world_.addSoftBody(soft_.get());
  }
  ~SoftBody() override { world_.removeSoftBody(soft_.get()); }
  SoftBody(const SoftBody&) = delete;
  SoftBody& operator=(const SoftBody&) = delete;

  void step() override { world_.stepSimulation(step_, 0); }
  void states(std::vector<BodyState>& out) const override { read(*soft_, count_, out); }

 private:
  double step_;
  std::size_t count_;
  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btSoftRigidDynamicsWorld world_;
  std::unique_ptr<btSoftBody> soft_;
};

Setup soft(int iterations) {
  Setup made{"Bullet", fmt::format("soft body {}", iterations),
             [=](const Scene& scene) { return std::make_unique<SoftBody>(scene, iterations); }};
  made.use = Kind::cloth;
  if (iterations > 500) made.most_bodies = 2000;
  return made;
}

}  // namespace

std::vector<Setup> bullet_cloths() { return {soft(10), soft(100), soft(1000)}; }

}  // namespace peers
