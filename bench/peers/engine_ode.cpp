// Open Dynamics Engine, with the friction pyramid scaled by the normal force (dContactApprox1) and
// a bounded speed of correction, as its manual advises.
//
//   dWorldStep       pivots (Dantzig), in time that grows with the cube of the contacts
//   dWorldQuickStep  iterates; 20 times unless told
//   usual            ERP 0.2, CFM 1e-5, and a surface layer of 0.1 mm that keeps resting contacts
//   from
//                    coming and going
//   no layer         the same without it: its pivoting fails less often then
//   hard             ERP 0.8, the upper end of what the manual recommends, and the library's own
//   CFM,
//                    1e-10 in double precision; a layer of 1 µm
//
// Rods are joints of ODE's own (dJointTypeDBall), which act on the centres of bodies, so that point
// masses may have any moments of inertia.
#include <fmt/format.h>
#include <ode/ode.h>

#include "engine.hpp"

namespace peers {
namespace {

constexpr int most_points = 8;          // of two bodies
constexpr double correcting_speed = 1;  // m/s

struct OdeSettings {
  int iterations = 0;  // of dWorldQuickStep; 0: dWorldStep
  double erp = 0.2, cfm = 1e-5;
  double layer = 1e-4;  // of depth that is let stay, m
};
constexpr double hard_erp = 0.8, hard_cfm = 1e-10, hard_layer = 1e-6;

// ODE tells of failures by messages alone.
int messages = 0;
void count_message(int, const char*, va_list) { ++messages; }

class OdeEngine final : public Engine {
 public:
  OdeEngine(const Scene& scene, const OdeSettings& settings)
      : scene_(scene), is_quick_(settings.iterations > 0) {
    messages = 0;
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x(), scene.gravity.y(), scene.gravity.z());
    dWorldSetERP(world_, settings.erp);
    dWorldSetCFM(world_, settings.cfm);
    dWorldSetContactSurfaceLayer(world_, settings.layer);
    dWorldSetContactMaxCorrectingVel(world_, correcting_speed);
    if (is_quick_) dWorldSetQuickStepNumIterations(world_, settings.iterations);
    for (const Plane& plane : scene.planes)
      dCreatePlane(space_, plane.normal.x(), plane.normal.y(), plane.normal.z(), plane.offset);
    for (const Body& body : scene.bodies) add(body);
    for (const Joint& joint : scene.joints) add(joint);
    for (const Spring& spring : scene.springs) add(spring);
  }
  ~OdeEngine() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdeEngine(const OdeEngine&) = delete;
  OdeEngine& operator=(const OdeEngine&) = delete;

  void step() override {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdeEngine*>(self)->meet(a, b);
    });
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Vec3& push = scene_.bodies[i].push;
      if (!push.isZero()) dBodyAddForce(bodies_[i], push.x(), push.y(), push.z());
    }
    if (is_quick_)
      dWorldQuickStep(world_, scene_.step);
    else
      dWorldStep(world_, scene_.step);
    dJointGroupEmpty(group_);
  }

  void states(std::vector<BodyState>& out) const override {
    out.clear();
    for (dBodyID body : bodies_) {
      const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body),
                  *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
      out.push_back(
          {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}});
    }
  }

  std::string complaint() const override {
    return messages > 0 ? fmt::format("{} failures of its LCP", messages) : "";
  }

 private:
  void add(const Body& body) {
    dBodyID id = dBodyCreate(world_);
    bodies_.push_back(id);
    dMass mass;
    const Vec3 inertia = body.is_point ? Vec3(body.mass * Vec3::Ones()) : body.inertia;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, inertia.x(), inertia.y(), inertia.z(), 0, 0, 0);
    dBodySetMass(id, &mass);
    dBodySetPosition(id, body.position.x(), body.position.y(), body.position.z());
    const Quat& turned = body.orientation;
    const dQuaternion q = {turned.w(), turned.x(), turned.y(), turned.z()};
    dBodySetQuaternion(id, q);
    dBodySetLinearVel(id, body.velocity.x(), body.velocity.y(), body.velocity.z());
    dBodySetAngularVel(id, body.turn.x(), body.turn.y(), body.turn.z());
    if (body.is_guided) {
      const dJointID guide = dJointCreateSlider(world_, nullptr);
      dJointAttach(guide, id, nullptr);
      dJointSetSliderAxis(guide, 1, 0, 0);
    }
    if (!scene_.has_contacts()) return;
    const taut::collision::Shape& shape = body.shape;
    const Vec3 full = 2 * shape.size;
    dGeomID geometry;
    switch (shape.type) {
      case taut::collision::ShapeType::box:
        geometry = dCreateBox(space_, full.x(), full.y(), full.z());
        break;
      case taut::collision::ShapeType::capsule:
        geometry = dCreateCapsule(space_, shape.radius, full.z());
        break;
      default:
        geometry = dCreateSphere(space_, shape.radius);
    }
    dGeomSetBody(geometry, id);
  }

  /// Its ERP and CFM are those of an implicit spring: the manual's h k / (h k + d) and 1 / (h k +
  /// d), without damping d.
  void add(const Spring& spring) {
    const dJointID id = add(spring.rod);
    dJointSetDBallParam(id, dParamERP, 1);
    dJointSetDBallParam(id, dParamCFM, 1 / (scene_.step * spring.stiffness));
  }

  dJointID add(const Joint& joint) {
    const auto body = [&](int i) { return i < 0 ? nullptr : bodies_[static_cast<std::size_t>(i)]; };
    const Vec3 a = scene_.end_of(joint, joint.a), b = scene_.end_of(joint, joint.b);
    const Vec3& u = joint.axis;
    dJointID id = nullptr;
    switch (joint.type) {
      case JointType::rod:
        id = dJointCreateDBall(world_, nullptr);
        dJointAttach(id, body(joint.a), body(joint.b));
        dJointSetDBallAnchor1(id, a.x(), a.y(), a.z());
        dJointSetDBallAnchor2(id, b.x(), b.y(), b.z());
        break;
      case JointType::ball:
        id = dJointCreateBall(world_, nullptr);
        dJointAttach(id, body(joint.a), body(joint.b));
        dJointSetBallAnchor(id, b.x(), b.y(), b.z());
        break;
      case JointType::hinge:
        id = dJointCreateHinge(world_, nullptr);
        dJointAttach(id, body(joint.a), body(joint.b));
        dJointSetHingeAnchor(id, b.x(), b.y(), b.z());
        dJointSetHingeAxis(id, u.x(), u.y(), u.z());
    }
    return id;
  }

  void meet(dGeomID a, dGeomID b) {
    dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
    if (!first && !second) return;
    dContact contacts[most_points];
    const int count = dCollide(a, b, most_points, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface = {};
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = scene_.friction;
      dJointAttach(dJointCreateContact(world_, group_, &contacts[i]), first, second);
    }
  }

  Scene scene_;
  bool is_quick_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
};

Setup setup(std::string name, const OdeSettings& settings) {
  return {"ODE", std::move(name),
          [=](const Scene& scene) { return std::make_unique<OdeEngine>(scene, settings); },
          settings.iterations > 0 ? std::size_t{1000000} : std::size_t{100}};
}

/// Point masses, rods, and soft rods across: with the one that iterates.
Setup for_cloth(std::string name, const OdeSettings& settings) {
  Setup made = setup(std::move(name), settings);
  made.use = Kind::cloth;
  return made;
}

/// Joints have no layer, and dWorldStep takes time that grows with the cube of their number.
Setup for_mechanisms(std::string name, const OdeSettings& settings) {
  Setup made = setup(std::move(name), settings);
  made.use = Kind::mechanism;
  made.most_bodies = settings.iterations > 0 ? std::size_t{1000000} : std::size_t{200};
  return made;
}

}  // namespace

std::vector<Setup> ode_setups() {
  dInitODE2(0);
  dSetMessageHandler(count_message);
  return {setup("dWorldStep", {}),
          setup("dWorldStep, no layer", {.layer = 0}),
          setup("dWorldStep hard", {0, hard_erp, hard_cfm, hard_layer}),
          setup("quick 20", {.iterations = 20}),
          setup("quick 50", {.iterations = 50}),
          setup("quick 200", {.iterations = 200}),
          setup("quick 200 hard", {200, hard_erp, hard_cfm, hard_layer}),
          for_mechanisms("dWorldStep", {}),
          for_mechanisms("dWorldStep hard", {0, hard_erp, hard_cfm}),
          for_mechanisms("quick 50", {.iterations = 50}),
          for_mechanisms("quick 500 hard", {500, hard_erp, hard_cfm}),
          for_cloth("quick 20", {.iterations = 20}),
          for_cloth("quick 50 hard", {50, hard_erp, hard_cfm}),
          for_cloth("quick 100", {.iterations = 100})};
}

std::string ode_version() { return "0.16"; }

}  // namespace peers
