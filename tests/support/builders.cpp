#include "support/builders.hpp"

namespace taut::testing {

System arm(int links, double L, double mass, DistanceForm form) {
  System system;
  apply(system, Gravity{});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i <= links; ++i) {
    const Point next = system.add(Particle{mass, {i * L, 0, 0}}, "node" + std::to_string(i));
    constrain(system, Distance{last, next, L, form}, "link" + std::to_string(i));
    last = next;
  }
  return system;
}

System taut_line(int links, double L, const Vec3& gravity) {
  System system;
  apply(system, Gravity{gravity});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i < links; ++i) {
    const Point next = system.add(Particle{1, {i * L, 0, 0}});
    constrain(system, Distance{last, next, L});
    last = next;
  }
  constrain(system, Distance{last, world_point(links * L, 0, 0), L});
  return system;
}

System rod_pendulum(double L, double angle) {
  System system;
  apply(system, Gravity{});
  RigidBody rod;  // along its own y axis
  rod.mass = 2;
  rod.inertia = Vec3(rod.mass * L * L / 12, 1e-3, rod.mass * L * L / 12).asDiagonal();
  rod.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  rod.position = rod.orientation * Vec3(0, -0.5 * L, 0);
  const BodyId body = system.add(rod, "rod");
  constrain(system, Ball{world_point(0, 0, 0), Point(body, {0, 0.5 * L, 0})}, "hinge");
  return system;
}

RunReport run(const System& system, std::string_view method, double step, double duration,
              std::vector<OptionValue> options, Recorder record, std::string solver) {
  RunOptions run_options;
  run_options.step = step;
  run_options.duration = duration;
  run_options.record = std::move(record);
  run_options.solver = std::move(solver);
  const auto made = make_method(method, options);
  return simulate(system, system.initial_state(), *made, run_options);
}

RunReport run_as_is(const System& system, std::string_view method, double step, double duration,
                    std::vector<OptionValue> options, Recorder record) {
  RunOptions run_options;
  run_options.step = step;
  run_options.duration = duration;
  run_options.record = std::move(record);
  run_options.start = Start::as_is;
  run_options.max_halvings = 0;
  return simulate(system, system.initial_state(), *make_method(method, options), run_options);
}

System square_cloth(int n, int pins, double width, double density) {
  System system;
  apply(system, Gravity{});
  const double l = width / (n - 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) system.add(Particle{density * l * l, {j * l, 0, i * l}});
  const auto edge = [&](int a, int b) {
    constrain(system, Distance{BodyId{a}, BodyId{b}, l, DistanceForm::squared});
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j + 1 < n; ++j) edge(i * n + j, i * n + j + 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i + 1 < n; ++i) edge(i * n + j, (i + 1) * n + j);
  constrain(system, Pin{BodyId{0}, {}});
  if (pins > 1) constrain(system, Pin{BodyId{n - 1}, {}});
  return system;
}

bool gives_way(std::string_view method) { return !find_method(method).promises.solves_rows; }

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return names;
}

}  // namespace taut::testing
