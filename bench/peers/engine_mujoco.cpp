// MuJoCo with elliptic cones and Newton's method. Its contacts are soft:
//
//   default  a time constant of 0.02 s
//   stiff    a time constant of two steps, the least that it allows, impedance 0.99 … 0.999, and
//            impratio 100 against slip, as its documentation recommends for grasps and stacks
//   hardest  the same with impedance 0.9999, the largest that it allows
//   noslip   a second solver afterwards, of ten iterations, that takes out what slips
#include <fmt/format.h>

#include "engine.hpp"
#include "mujoco_model.hpp"

namespace peers {
namespace {

std::string geometry(const taut::collision::Shape& shape) {
  switch (shape.type) {
    case taut::collision::ShapeType::box:
      return fmt::format("type='box' size='{}'", numbers(shape.size));
    case taut::collision::ShapeType::capsule:
      return fmt::format("type='capsule' size='{:.17g} {:.17g}'", shape.radius, shape.size.z());
    default:
      return fmt::format("type='sphere' size='{:.17g}'", shape.radius);
  }
}

struct MujocoSettings {
  bool is_stiff = false;
  const char* impedance = "0.9 0.95 0.001";
  int noslip = 0;
};

std::string model_of(const Scene& scene, const MujocoSettings& settings) {
  const double constant = settings.is_stiff ? 2 * scene.step : std::max(0.02, 2 * scene.step);
  const std::size_t most_contacts = 64 + 12 * scene.bodies.size();
  std::string xml = fmt::format(
      "<mujoco><option timestep='{:.17g}' cone='elliptic' solver='Newton' impratio='{}' "
      "noslip_iterations='{}' gravity='{}'/><size nconmax='{}' njmax='{}'/>"
      "<default><geom condim='3' friction='{:.17g} 0 0' solref='{:.17g} 1' solimp='{}'/></default>"
      "<worldbody>",
      scene.step, settings.is_stiff ? 100 : 1, settings.noslip, numbers(scene.gravity),
      most_contacts, 3 * most_contacts, scene.friction, constant, settings.impedance);
  for (const Plane& plane : scene.planes)
    xml += fmt::format("<geom type='plane' size='0 0 1' pos='{}' quat='{}'/>",
                       numbers(Vec3(plane.offset * plane.normal)),
                       numbers(Quat::FromTwoVectors(Vec3::UnitZ(), plane.normal)));
  for (const Body& body : scene.bodies)
    xml += fmt::format(
        "<body pos='{}' quat='{}'>{}<inertial pos='0 0 0' mass='{:.17g}' "
        "diaginertia='{}'/><geom {}/></body>",
        numbers(body.position), numbers(body.orientation),
        body.is_guided ? "<joint type='slide' axis='1 0 0'/>" : "<freejoint/>", body.mass,
        numbers(body.inertia), geometry(body.shape));
  return xml + "</worldbody></mujoco>";
}

class MujocoEngine final : public Engine {
 public:
  MujocoEngine(const Scene& scene, const MujocoSettings& settings)
      : mujoco_(model_of(scene, settings)) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const Body& body = scene.bodies[i];
      const int id = static_cast<int>(i) + 1;  // after the world
      Eigen::Map<Vec3>(mujoco_.data->xfrc_applied + 6 * id) = body.push;
      if (body.is_guided) continue;
      double* rate = mujoco_.data->qvel + mujoco_.model->body_dofadr[id];
      Eigen::Map<Vec3>(rate).noalias() = body.velocity;
      Eigen::Map<Vec3>(rate + 3).noalias() = body.orientation.conjugate() * body.turn;
    }
    starts_ = scene.bodies;
  }

  void step() override { mj_step(mujoco_.model.get(), mujoco_.data.get()); }

  void states(std::vector<BodyState>& out) const override {
    out.clear();
    for (int i = 1; i < mujoco_.model->nbody; ++i) {
      const double* q = mujoco_.data->qpos + mujoco_.model->jnt_qposadr[i - 1];  // one joint each
      const double* v = mujoco_.data->qvel + mujoco_.model->body_dofadr[i];
      const Body& start = starts_[static_cast<std::size_t>(i - 1)];
      if (start.is_guided) {
        out.push_back(
            {start.position + Vec3(q[0], 0, 0), start.orientation, {v[0], 0, 0}, Vec3::Zero()});
        continue;
      }
      const Quat turned(q[3], q[4], q[5], q[6]);
      out.push_back(
          {{q[0], q[1], q[2]}, turned, {v[0], v[1], v[2]}, turned * Vec3(v[3], v[4], v[5])});
    }
  }

  std::string complaint() const override { return mujoco_.complaint(); }

 private:
  MujocoModel mujoco_;
  std::vector<Body> starts_;
};

Setup setup(std::string name, const MujocoSettings& settings) {
  return {"MuJoCo", std::move(name),
          [=](const Scene& scene) { return std::make_unique<MujocoEngine>(scene, settings); }};
}

}  // namespace

std::vector<Setup> mujoco_setups() {
  mju_user_warning = [](const char*) {};  // complaint() has their number
  const char *stiff = "0.99 0.999 0.001", *hardest = "0.9999 0.9999 0.001";
  std::vector<Setup> all{setup("default", {}), setup("stiff", {true, stiff}),
                         setup("hardest", {true, hardest}),
                         setup("stiff, noslip", {true, stiff, 10})};
  for (Setup& each : mujoco_mechanisms()) all.push_back(std::move(each));
  return all;
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace peers
