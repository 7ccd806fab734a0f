#include "families.hpp"

#include <cmath>

#include "taut/derivatives/plain_step.hpp"
#include "taut/derivatives/scene_family.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {

ModelFamily mechanism_family(const Mechanism& mechanism) {
  struct Knob {
    double value;
    std::function<void(Mechanism&, double)> turn;
  };
  std::vector<Knob> knobs;
  ModelFamily family;
  const auto add = [&](const char* name, double value,
                       std::function<void(Mechanism&, double)> turn) {
    family.parameters.push_back({name, value});
    knobs.push_back({value, std::move(turn)});
  };
  add("mass", mechanism.bodies[0].mass, [](Mechanism& m, double x) { m.bodies[0].mass = x; });
  if (mechanism.gravity.norm() > 0)
    add("gravity", 1, [g = mechanism.gravity](Mechanism& m, double x) { m.gravity = x * g; });
  add("speed", 1, [](Mechanism& m, double x) {
    for (Mechanism::Body& body : m.bodies) {
      body.velocity *= x;
      body.spin *= x;
    }
  });
  if (!mechanism.springs.empty())
    add("stiffness", mechanism.springs[0].stiffness,
        [](Mechanism& m, double x) { m.springs[0].stiffness = x; });
  if (!mechanism.joint_springs.empty())
    add("joint stiffness", mechanism.joint_springs[0].stiffness,
        [](Mechanism& m, double x) { m.joint_springs[0].stiffness = x; });
  if (!mechanism.rods.empty() && mechanism.rods[0].length > 0)
    add("length", mechanism.rods[0].length, [](Mechanism& m, double x) { m.rods[0].length = x; });
  if (!mechanism.motors.empty())
    add("motor", mechanism.motors[0].speed, [](Mechanism& m, double x) { m.motors[0].speed = x; });
  family.make = [mechanism, knobs](const VecX& values) {
    Mechanism moved = mechanism;
    for (std::size_t i = 0; i < knobs.size(); ++i)
      knobs[i].turn(moved, values[static_cast<Eigen::Index>(i)]);
    io::Scene scene = io::parse_scene(scene_text(moved, moved.family, 0.01), "random mechanism");
    State start = scene.system.initial_state();
    return Model{std::move(scene.system), std::move(start)};
  };
  return family;
}

ModelFamily text_family(const std::string& scene, const std::vector<std::string>& names) {
  return io::scene_family(
      [scene](std::span<const io::Setting> settings) {
        return scene.starts_with('{') ? io::parse_scene(scene, "scene", settings)
                                      : io::load_scene(scene, settings);
      },
      names);
}

RunOptions steps_of(double step, double duration) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  options.record_every = 1'000'000;
  return options;
}

DerivedMethod derived(const std::string& method) {
  if (method == "energy_momentum4") return {&find_method("energy_momentum"), {{"order", "4"}}};
  return {&find_method(method)};
}

Perturbation by_runs(const ModelFamily& family, const DerivedMethod& method,
                     const RunOptions& options, std::size_t k, double part) {
  const Eigen::Index at = static_cast<Eigen::Index>(k);
  VecX values = family.values();
  const double epsilon = part * (values[at] != 0 ? std::abs(values[at]) : 1);
  const auto end = [&](double offset) {
    VecX moved = values;
    moved[at] += offset * epsilon;
    const Model model = family.make(moved);
    return simulate(model.system, model.start, *method.make(), options).final_state;
  };
  const Model model = family.make(values);
  const State middle = end(0);
  Perturbation sum = Perturbation::zero(model.system);
  for (const auto& [offset, weight] : {std::pair{-2.0, 1.0 / 12}, std::pair{-1.0, -8.0 / 12},
                                       std::pair{1.0, 8.0 / 12}, std::pair{2.0, -1.0 / 12}}) {
    const Perturbation way = difference(model.system, middle, end(offset));
    sum.q += weight / epsilon * way.q;
    sum.v += weight / epsilon * way.v;
  }
  return sum;
}

Truth truth(const ModelFamily& family, const DerivedMethod& method, const RunOptions& options,
            std::size_t k) {
  const Model model = family.make(family.values());
  const DerivedMethod tight = detail::tightened(method, model.system);
  Truth best{{}, INFINITY};
  Perturbation before;
  for (const double part : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
    const Perturbation now = by_runs(family, tight, options, k, part);
    if (part < 1e-3)
      if (const double doubt = std::max((now.q - before.q).norm(), (now.v - before.v).norm());
          doubt < best.doubt)
        best = {now, doubt};
    if (best.doubt <= 5e-8 * std::max(now.q.norm(), now.v.norm())) break;
    before = now;
  }
  return best;
}

ModelFamily with_sensors(ModelFamily family,
                         const std::vector<std::pair<std::string, std::string>>& sensors) {
  family.make = [make = family.make, sensors](const VecX& values) {
    Model model = make(values);
    for (const auto& [name, formula] : sensors) model.sensors.add(model.system, {name, formula});
    return model;
  };
  return family;
}

double relative_difference(const Perturbation& a, const Perturbation& b) {
  const auto of = [](const VecX& x, const VecX& y) {
    const double size = std::max(x.norm(), y.norm());
    return size > 0 ? (x - y).norm() / size : 0;
  };
  return std::max(of(a.q, b.q), of(a.v, b.v));
}

}  // namespace taut::testing
