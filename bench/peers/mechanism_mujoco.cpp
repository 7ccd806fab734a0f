// Mechanisms in MuJoCo, in two ways:
//
//   angles  its own way: joint angles, and loops closed by soft constraints (<connect>), as stiff
//           as they may be. Rods are hinges; the mass is at their ends.
//   bodies  free bodies, point masses with three slides, and a soft constraint for each joint; rods
//           are tendons of fixed length. What somebody gets who exports an assembly.
//
// each with its integrators: Euler (semi-implicit), implicit (in velocities), RK4.
#include <fmt/format.h>

#include <algorithm>

#include "engine.hpp"
#include "mujoco_model.hpp"

namespace peers {
namespace {

constexpr double least_inertia = 1e-12;        // of a point mass, times the square of its rod
constexpr double least_that_it_takes = 2e-15;  // MuJoCo refuses inertias below mjMINVAL, 1e-15

struct Pose {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();

  Vec3 local(const Vec3& place) const { return orientation.conjugate() * (place - position); }
};

class Translator {
 public:
  explicit Translator(const Scene& scene) : scene_(scene) {}

  std::string angles(const char* integrator) {
    tree_ = scene_.tree();
    std::string bodies;
    for (int i = 0; i < count(); ++i)
      if (joint_of(i).a < 0) bodies += nested(i);
    for (const Joint& joint : scene_.loops()) close(joint);
    return model(integrator, bodies, "");
  }

  std::string bodies(const char* integrator, const char* solver = "Newton") {
    solver_ = solver;
    std::string bodies, tendons;
    for (int i = 0; i < count(); ++i)
      bodies +=
          open_body(i, {}) +
          (body(i).is_point ? "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 "
                              "0'/><joint type='slide' axis='0 0 1'/>"
                            : "<freejoint/>") +
          fmt::format("<site name='s{}'/></body>", i);
    int rods = 0;
    const auto tendon = [&](const Joint& joint) {
      const auto site = [&](int i) {
        if (i >= 0) return fmt::format("s{}", i);
        bodies += fmt::format("<site name='w{}' pos='{}'/>", rods, numbers(joint.at));
        return fmt::format("w{}", rods);
      };
      const std::string a = site(joint.a), b = site(joint.b);
      tendons += fmt::format("<spatial name='t{}'><site site='{}'/><site site='{}'/></spatial>",
                             rods, a, b);
      return rods++;
    };
    for (const Joint& joint : scene_.joints)
      if (joint.type == JointType::rod)
        equalities_ += fmt::format("<tendon tendon1='t{}'/>", tendon(joint));
      else
        close(joint);
    // As its composite cloth has them. (Springs are explicit: they would limit the step.)
    for (const Spring& spring : scene_.springs)
      equalities_ +=
          fmt::format("<tendon tendon1='t{}' solref='{:.17g} 1' solimp='0.9 0.95 0.001'/>",
                      tendon(spring.rod), std::max(0.02, 2 * scene_.step));
    return model(integrator, bodies, tendons);
  }

 private:
  int count() const { return static_cast<int>(scene_.bodies.size()); }
  const Body& body(int i) const { return scene_.bodies[static_cast<std::size_t>(i)]; }
  const Joint& joint_of(int i) const {
    return scene_.joints[static_cast<std::size_t>(tree_[static_cast<std::size_t>(i)])];
  }
  Pose pose(int i) const { return i < 0 ? Pose{} : Pose{body(i).position, body(i).orientation}; }

  std::string open_body(int i, const Pose& parent) const {
    const Body& of = body(i);
    const double small =
        std::max(least_that_it_takes, least_inertia * of.mass * scene_.size * scene_.size);
    return fmt::format(
        "<body name='b{}' pos='{}' quat='{}'><inertial pos='0 0 0' mass='{:.17g}' "
        "diaginertia='{}'/>",
        i, numbers(parent.local(of.position)),
        numbers(Quat(parent.orientation.conjugate() * of.orientation)), of.mass,
        numbers(of.is_point ? Vec3(small * Vec3::Ones()) : of.inertia));
  }

  std::string nested(int i) const {
    const Joint& joint = joint_of(i);
    const Pose at = pose(i);
    // A rod turns about its other end.
    const Vec3 pivot = at.local(scene_.end_of(joint, joint.a));
    const bool is_ball =
        joint.type == JointType::ball || (joint.type == JointType::rod && !scene_.is_planar);
    std::string xml =
        open_body(i, pose(joint.a)) +
        (is_ball ? fmt::format("<joint name='j{}' type='ball' pos='{}'/>", i, numbers(pivot))
                 : fmt::format("<joint name='j{}' type='hinge' pos='{}' axis='{}'/>", i,
                               numbers(pivot), numbers(at.local(at.position + joint.axis))));
    for (int child = i + 1; child < count(); ++child)
      if (joint_of(child).a == i) xml += nested(child);
    return xml + "</body>";
  }

  void close(const Joint& joint) {
    const int first = joint.a < 0 ? joint.b : joint.a, other = joint.a < 0 ? joint.a : joint.b;
    const auto connect = [&](const Vec3& place) {
      equalities_ += fmt::format("<connect body1='b{}' {}anchor='{}'/>", first,
                                 other < 0 ? "" : fmt::format("body2='b{}' ", other),
                                 numbers(pose(first).local(place)));
    };
    if (joint.type == JointType::rod) {  // of a loop, whose end is at a place of the world
      // The rod itself, massless, would be singular: a tendon holds its length.
      loop_rods_.push_back(joint);
      return;
    }
    connect(joint.at);
    if (joint.type == JointType::hinge && !scene_.is_planar)
      connect(joint.at + scene_.size * joint.axis);
  }

  std::string model(const char* integrator, std::string bodies, std::string tendons) {
    for (std::size_t i = 0; i < loop_rods_.size(); ++i) {
      const Joint& rod = loop_rods_[i];
      const int held = rod.a < 0 ? rod.b : rod.a;
      // Of the nested body, by its name: sites can only be given inside it.
      const std::string open = fmt::format("<body name='b{}' ", held);
      const std::size_t inside = bodies.find('>', bodies.find(open)) + 1;
      bodies.insert(inside, fmt::format("<site name='l{}'/>", i));
      bodies += fmt::format("<site name='f{}' pos='{}'/>", i, numbers(rod.at));
      tendons +=
          fmt::format("<spatial name='c{0}'><site site='l{0}'/><site site='f{0}'/></spatial>", i);
      equalities_ += fmt::format("<tendon tendon1='c{}'/>", i);
    }
    return fmt::format(
        "<mujoco><option timestep='{:.17g}' integrator='{}' solver='{}' gravity='{}'/>"
        "<size njmax='{}' nstack='{}'/>"
        "<default><equality solref='{:.17g} 1' solimp='0.9999 0.9999 0.001'/></default>"
        "<worldbody>{}</worldbody><tendon>{}</tendon><equality>{}</equality></mujoco>",
        scene_.step, integrator, solver_, numbers(scene_.gravity),
        (scene_.kind == Kind::cloth ? 1 : 8) * scene_.joints.size() + scene_.springs.size() + 16,
        stack_size(), 2 * scene_.step, bodies, tendons, equalities_);
  }
  /// Its own guess is too small for dense Jacobians of long chains.
  std::size_t stack_size() const {
    const bool is_cloth = scene_.kind == Kind::cloth;
    const std::size_t rows = (is_cloth ? 1 : 3) * scene_.joints.size() + scene_.springs.size();
    const std::size_t unknowns = (is_cloth ? 3 : 6) * scene_.bodies.size();
    return 200000 + (is_cloth ? 2 : 4) * (rows + unknowns) * unknowns;
  }

  const Scene& scene_;
  std::vector<int> tree_;
  std::vector<Joint> loop_rods_;
  std::string equalities_;
  const char* solver_ = "Newton";
};

class MujocoMechanism final : public Engine {
 public:
  MujocoMechanism(const Scene& scene, bool has_angles, const char* integrator, const char* solver)
      : mujoco_(has_angles ? Translator(scene).angles(integrator)
                           : Translator(scene).bodies(integrator, solver)) {
    mjData& data = *mujoco_.data;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      ids_.push_back(mj_name2id(mujoco_.model.get(), mjOBJ_BODY, fmt::format("b{}", i).c_str()));
    const std::vector<int> tree = scene.tree();
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const Body& body = scene.bodies[i];
      const Vec3 own_turn = body.orientation.conjugate() * body.turn;
      double* rate = data.qvel + mujoco_.model->body_dofadr[ids_[i]];
      if (!has_angles) {
        Eigen::Map<Vec3> velocity(rate);
        velocity = body.velocity;
        if (!body.is_point) Eigen::Map<Vec3>(rate + 3) = own_turn;
        continue;
      }
      const Joint& joint = scene.joints[static_cast<std::size_t>(tree[i])];
      const Vec3 of_parent =
          joint.a < 0 ? Vec3(Vec3::Zero()) : scene.bodies[static_cast<std::size_t>(joint.a)].turn;
      if (mujoco_.model->body_dofnum[ids_[i]] == 3)
        Eigen::Map<Vec3>(rate).noalias() = body.orientation.conjugate() * (body.turn - of_parent);
      else
        *rate = joint.axis.dot(body.turn - of_parent);
    }
  }

  void step() override { mj_step(mujoco_.model.get(), mujoco_.data.get()); }

  void states(std::vector<BodyState>& out) const override {
    const mjModel* model = mujoco_.model.get();
    mjData* data = mujoco_.data.get();
    mj_fwdPosition(model, data);  // a step leaves what belongs to its start
    mj_fwdVelocity(model, data);
    out.clear();
    for (const int i : ids_) {
      const double *x = data->xpos + 3 * i, *q = data->xquat + 4 * i;
      double velocity[6];
      mj_objectVelocity(model, data, mjOBJ_BODY, i, velocity, 0);
      out.push_back({{x[0], x[1], x[2]},
                     {q[0], q[1], q[2], q[3]},
                     {velocity[3], velocity[4], velocity[5]},
                     {velocity[0], velocity[1], velocity[2]}});
    }
  }

  std::string complaint() const override { return mujoco_.complaint(); }

 private:
  MujocoModel mujoco_;
  std::vector<int> ids_;  // of the bodies
};

Setup setup(std::string name, bool has_angles, const char* integrator,
            const char* solver = "Newton") {
  Setup made{"MuJoCo", std::move(name), [=](const Scene& scene) {
               return std::make_unique<MujocoMechanism>(scene, has_angles, integrator, solver);
             }};
  made.use = Kind::mechanism;
  // Its matrix of constraints is dense; XML is nested as deep as a chain is long.
  made.most_bodies = has_angles ? 1000 : 200;
  return made;
}

/// Its composite cloth is the same: bodies on slides, and tendons of fixed length between them.
Setup for_cloth(const char* solver) {
  Setup made = setup(fmt::format("tendons, {}", solver), false, "Euler", solver);
  made.use = Kind::cloth;
  made.most_bodies = 2000;  // with more, its dense matrices take more than 4 GB
  return made;
}

}  // namespace

std::vector<Setup> mujoco_mechanisms() {
  return {setup("angles, Euler", true, "Euler"),
          setup("angles, implicit", true, "implicit"),
          setup("angles, RK4", true, "RK4"),
          setup("bodies, Euler", false, "Euler"),
          for_cloth("Newton"),
          for_cloth("CG")};
}

}  // namespace peers
