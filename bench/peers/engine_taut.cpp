// taut as `taut run` does it: with nothing set, where the method is the one that `auto` stands for,
// and with methods and contact solvers that somebody in a hurry would try.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "cloth_taut.hpp"
#include "engine.hpp"
#include "taut/analysis/method_choice.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/constraints/slider.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/point_force.hpp"
#include "taut/model/rotation.hpp"
#include "taut/simulate/step_policy.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace peers {
namespace {

using namespace taut;

BodyId add(System& system, const Body& body) {
  if (body.is_point) return system.add(Particle{body.mass, body.position, body.velocity});
  RigidBody rigid;
  rigid.mass = body.mass;
  rigid.inertia = body.inertia.asDiagonal();
  rigid.position = body.position;
  rigid.orientation = body.orientation;
  rigid.velocity = body.velocity;
  rigid.angular_velocity = body.orientation.conjugate() * body.turn;
  return system.add(rigid);
}

void add(System& system, const Scene& scene, const Joint& joint) {
  const Vec3 ends[] = {scene.end_of(joint, joint.a), scene.end_of(joint, joint.b)};
  const auto point = [&](int body, const Vec3& end) {
    if (body < 0) return world_point(end);
    const Body& of = scene.bodies[static_cast<std::size_t>(body)];
    return Point({body}, of.orientation.conjugate() * (end - of.position));
  };
  const Point a = point(joint.a, ends[0]), b = point(joint.b, ends[1]);
  switch (joint.type) {
    case JointType::rod:
      return constrain(system, Distance{a, b, (ends[1] - ends[0]).norm(), DistanceForm::squared});
    case JointType::ball:
      return constrain(system, Ball{a, b});
    case JointType::hinge: {
      Hinge hinge;
      hinge.a = joint.b < 0 ? b : a;  // the world comes first
      hinge.b = joint.b < 0 ? a : b;
      hinge.axis = {world_body, joint.axis};
      return constrain(system, hinge);
    }
  }
}

/// And which of its bodies are those of the scene, in their order.
System system_of(const Scene& scene, std::vector<BodyId>& moving) {
  if (scene.kind == Kind::cloth) return cloth_system(scene, moving);
  System system;
  auto contacts = std::make_unique<collision::ShapeContacts>();
  collision::Surface surface;
  surface.friction = scene.friction;
  for (const Plane& plane : scene.planes) {
    const Quat turn = Quat::FromTwoVectors(Vec3::UnitZ(), plane.normal);
    contacts->add({world_body,
                   collision::plane(),
                   {Vec3(plane.offset * plane.normal), turn},
                   surface,
                   0,
                   {}});
  }
  for (const Body& body : scene.bodies) {
    const BodyId id = add(system, body);
    moving.push_back(id);
    if (scene.has_contacts()) contacts->add({id, body.shape, {}, surface, 0, {}});
    if (!body.push.isZero()) apply(system, PointForce{id, body.push});
    if (!body.is_guided) continue;
    Slider guide;
    guide.b = id;
    guide.axis = {world_body, Vec3::UnitX()};
    constrain(system, guide);
  }
  if (scene.has_contacts()) system.add_contacts(std::move(contacts));
  for (const Joint& joint : scene.joints) add(system, scene, joint);
  apply(system, Gravity{scene.gravity});
  return system;
}

class TautEngine final : public Engine {
 public:
  TautEngine(const Scene& scene, const std::string& method, const std::string& solver,
             const std::vector<OptionValue>& options = {})
      : step_(scene.step), system_(system_of(scene, moving_)) {
    state_ = system_.initial_state();
    const bool is_auto = method == "auto";
    method_ = make_method(
        is_auto ? choose_method(system_, state_, step_, scene.duration()).method : method, options);
    workspace_ = std::make_unique<Workspace>(system_);
    policy_ = std::make_unique<StepPolicy>();
    policy_->contacts().keep_awake();
    policy_->contacts().use(find_contact_solver(solver).solver);
    policy_->start(system_, state_, *workspace_);
  }

  void step() override {
    const StepReport report = policy_->step(system_, *method_, step_, state_, *workspace_);
    if (!is_done(*method_, report)) ++not_ok_;
    linear_solves_ += report.linear_solves;
  }

  void states(std::vector<BodyState>& out) const override {
    out.resize(moving_.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const BodySlot& slot = system_.slot(moving_[i]);
      BodyState& body = out[i];
      body.position = state_.q.segment<3>(slot.q);
      body.velocity = state_.v.segment<3>(slot.v);
      body.orientation = Quat::Identity();
      body.turn.setZero();
      if (slot.rigid < 0) continue;
      body.orientation = quaternion_at(state_.q.data() + slot.q + 3);
      body.turn = body.orientation * state_.v.segment<3>(slot.v + 3);
    }
  }

  std::string complaint() const override {
    return not_ok_ > 0 ? fmt::format("{} steps not ok", not_ok_) : "";
  }
  double linear_solves() const override { return linear_solves_; }

 private:
  double step_;
  std::vector<BodyId> moving_;
  System system_;
  State state_;
  std::unique_ptr<Method> method_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<StepPolicy> policy_;
  int not_ok_ = 0;
  double linear_solves_ = 0;
};

Setup setup(const std::string& method, const std::string& solver,
            const std::vector<OptionValue>& options = {}) {
  std::string settings = solver == "exact" ? method : method + ", " + solver;
  for (const OptionValue& option : options)
    settings += fmt::format(", {}={}", option.name, option.value);
  return {"taut", settings, [=](const Scene& scene) {
            return std::make_unique<TautEngine>(scene, method, solver, options);
          }};
}

Setup made_for(Kind kind, const std::string& method) {
  Setup made = setup(method, "exact");
  made.use = kind;
  return made;
}

}  // namespace

std::vector<Setup> taut_setups() {
  return {setup("auto", "exact"),
          setup("implicit1", "exact"),
          setup("energy_momentum", "exact"),
          setup("auto", "real_time"),
          setup("implicit1", "real_time"),
          setup("implicit1", "gauss_seidel"),
          setup("sequential_impulse", "exact"),
          setup("sequential_impulse", "exact", {{"iterations", "5"}}),
          setup("sequential_impulse", "exact", {{"iterations", "20"}}),
          setup("tgs_soft", "exact"),
          setup("tgs_soft", "exact", {{"substeps", "3"}}),
          made_for(Kind::mechanism, "auto"),
          made_for(Kind::mechanism, "implicit1"),
          made_for(Kind::mechanism, "icd2"),
          made_for(Kind::mechanism, "energy_momentum"),
          made_for(Kind::mechanism, "rk4_projected"),
          made_for(Kind::mechanism, "dop853"),
          made_for(Kind::cloth, "auto"),
          made_for(Kind::cloth, "icd2"),
          made_for(Kind::cloth, "fast_projection"),
          made_for(Kind::cloth, "xpbd")};
}

std::vector<std::vector<Vec3>> accurate_places(const Scene& scene, double between) {
  // The same in steps that are half as long tells how good it is; down to round-off, which grows
  // with the number of steps.
  constexpr double wanted = 1e-9;
  std::vector<std::vector<Vec3>> before;
  for (int parts = 16; parts <= 1024; parts *= 2) {
    Scene finer = scene;
    finer.step = between / parts;
    TautEngine engine(finer, "dop853", "exact");
    std::vector<std::vector<Vec3>> places;
    std::vector<BodyState> states;
    double change = 0;
    const long looks = std::lround(scene.duration() / between);
    for (long look = 0; look <= looks; ++look) {
      for (int i = 0; look > 0 && i < parts; ++i) engine.step();
      engine.states(states);
      places.emplace_back();
      for (const BodyState& state : states) places.back().push_back(state.position);
      for (std::size_t i = 0; !before.empty() && i < states.size(); ++i)
        change = std::max(change, (places.back()[i] - before[places.size() - 1][i]).norm());
    }
    if (!before.empty() && change <= wanted * scene.size && engine.complaint().empty())
      return places;
    before = std::move(places);
  }
  throw std::runtime_error("no accurate run of " + scene.name);
}

}  // namespace peers
