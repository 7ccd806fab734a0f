#include <cstdio>
#include <taut/taut.hpp>

int main() {
  taut::System system;
  const taut::BodyId bob = system.add(taut::Particle{1.0, {1, 0, 0}}, "bob");
  taut::apply(system, taut::Gravity{{0, -9.81, 0}});
  taut::constrain(system, taut::Distance{taut::world_point(0, 0, 0), bob, 1.0}, "rod");

  taut::State state = system.initial_state();
  taut::Workspace workspace(system);
  const auto method = taut::make_method("rattle");
  for (int i = 0; i < 10000; ++i) {
    const taut::StepReport report = method->step(system, 1e-3, state, workspace);
    if (report.status != taut::StepStatus::ok) return 1;
  }
  std::printf("t = %.1f s: bob at (%.5f, %.5f), the rod pulls with %.3f N\n", state.time,
              state.q[0], state.q[1], workspace.lambda[0]);
}
