// taut as `taut run` does it: with nothing set, where the method is the one that `auto` stands for,
// and with methods and contact solvers that somebody in a hurry would try.
#include <fmt/format.h>

#include "engine.hpp"
#include "taut/analysis/method_choice.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/model/rotation.hpp"
#include "taut/simulate/step_policy.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace peers {
namespace {

using namespace taut;

class TautEngine final : public Engine {
 public:
  TautEngine(const Scene& scene, const std::string& method, const std::string& solver,
             const std::vector<OptionValue>& options)
      : step_(scene.step) {
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
      RigidBody rigid;
      rigid.mass = body.mass;
      rigid.inertia = body.inertia.asDiagonal();
      rigid.position = body.position;
      rigid.orientation = body.orientation;
      rigid.velocity = body.velocity;
      rigid.angular_velocity = body.orientation.conjugate() * body.turn;
      contacts->add({system_.add(rigid), body.shape, {}, surface, 0, {}});
    }
    system_.add_contacts(std::move(contacts));
    apply(system_, Gravity{scene.gravity});
    state_ = system_.initial_state();
    const bool is_auto = method == "auto";
    method_ = make_method(is_auto ? choose_method(system_, state_, step_, scene.duration()).method
                                  : method,
                          options);
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
    out.resize(static_cast<std::size_t>(system_.body_count()));
    for (int i = 0; i < system_.body_count(); ++i) {
      const BodySlot& slot = system_.slot({i});
      BodyState& body = out[static_cast<std::size_t>(i)];
      body.position = state_.q.segment<3>(slot.q);
      body.orientation = quaternion_at(state_.q.data() + slot.q + 3);
      body.velocity = state_.v.segment<3>(slot.v);
      body.turn = body.orientation * state_.v.segment<3>(slot.v + 3);
    }
  }

  std::string complaint() const override {
    return not_ok_ > 0 ? fmt::format("{} steps not ok", not_ok_) : "";
  }
  double linear_solves() const override { return linear_solves_; }

 private:
  double step_;
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
          setup("tgs_soft", "exact", {{"substeps", "3"}})};
}

}  // namespace peers
