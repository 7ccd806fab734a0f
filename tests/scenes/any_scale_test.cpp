// Nothing in a scene is large or small by itself: scaled in length, time and mass, a scene gives
// the scaled result, under every method.
#include <gtest/gtest.h>

#include "support/random_mechanism.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {
namespace {

struct End {
  RunStatus status = RunStatus::ok;
  VecX places, turns, velocities, spins;  // in the mechanism's own units
};

End run_at(Mechanism mechanism, const Scale& scale, const std::string& method, long steps) {
  mechanism.scale = scale;
  const double h = mechanism.duration / static_cast<double>(steps);
  const io::Scene scene = io::parse_scene(scene_text(mechanism, "scaled", h), "scaled");
  RunOptions options;
  options.step = scene.duration / static_cast<double>(steps);
  options.duration = options.step * 24;
  const auto made = make_method(method);
  const RunReport report = simulate(scene.system, scene.system.initial_state(), *made, options);
  End end;
  end.status = report.status;
  const auto bodies = static_cast<Eigen::Index>(mechanism.bodies.size());
  for (VecX* x : {&end.places, &end.velocities, &end.spins}) x->setZero(3 * bodies);
  end.turns.setZero(4 * bodies);
  for (Eigen::Index i = 0; i < bodies; ++i) {
    const BodySlot& slot = scene.system.slots()[static_cast<std::size_t>(i)];
    const State& state = report.final_state;
    end.places.segment<3>(3 * i) = state.q.segment<3>(slot.q) / scale.length;
    end.velocities.segment<3>(3 * i) = state.v.segment<3>(slot.v) / scale.length * scale.time;
    if (slot.rigid < 0) continue;
    end.turns.segment<4>(4 * i) = state.q.segment<4>(slot.q + 3);
    end.spins.segment<3>(3 * i) = state.v.segment<3>(slot.v + 3) * scale.time;
  }
  return end;
}

/// One of each family; made once, because their true motions take long.
const std::vector<Mechanism>& one_of_each() {
  static const std::vector<Mechanism> made = [] {
    std::vector<Mechanism> all;
    const auto families = static_cast<unsigned>(mechanism_families().size());
    for (unsigned seed = 0; seed < families; ++seed)
      // Stiff springs multiply round-off by up to 1e12, hinges out of line by a million.
      if (RandomMechanism random = random_mechanism(seed); random.attempts >= 0 &&
                                                           random.mechanism.family != "stiff" &&
                                                           random.mechanism.family != "door")
        all.push_back(std::move(random.mechanism));
    return all;
  }();
  return made;
}

class AnyScale : public ::testing::TestWithParam<std::string> {};

TEST_P(AnyScale, AScaledSceneGivesTheScaledResult) {
  int compared = 0;
  for (const Mechanism& mechanism : one_of_each()) {
    const long steps = 200;
    const End own = run_at(mechanism, {}, GetParam(), steps);
    for (const Scale scale : {Scale{1e6, 1, 1}, Scale{1e-6, 1, 1}, Scale{1, 1e6, 1},
                              Scale{1, 1e-6, 1}, Scale{1, 1, 1e6}, Scale{1, 1, 1e-6}}) {
      const End scaled = run_at(mechanism, scale, GetParam(), steps);
      SCOPED_TRACE(::testing::Message() << mechanism.family << ", length × " << scale.length
                                        << ", time × " << scale.time << ", mass × " << scale.mass);
      EXPECT_EQ(scaled.status, own.status);
      if (own.status != RunStatus::ok || scaled.status != RunStatus::ok) continue;
      const auto difference = [](const VecX& a, const VecX& b) {
        return (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
      };
      EXPECT_LT(difference(scaled.places, own.places), 1e-9);
      EXPECT_LT(difference(scaled.turns, own.turns), 1e-9);
      EXPECT_LT(difference(scaled.velocities, own.velocities), 1e-7);
      EXPECT_LT(difference(scaled.spins, own.spins), 1e-7);
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

/// All but those that have units of their own: stiffnesses and rates that are given as numbers,
/// permitted strains, or a nearest place or a positive part of a stiffness that adds up metres and
/// radians.
std::vector<std::string> methods_without_units() {
  const std::vector<std::string_view> with_units{"penalty",
                                                 "baumgarte",
                                                 "post",
                                                 "fast_projection",
                                                 "strain_limit_jacobi",
                                                 "strain_limit_gauss_seidel",
                                                 "implicit_springs",
                                                 "soft_convex",
                                                 "vbd",
                                                 "projective_dynamics",
                                                 "avbd",
                                                 "tgs_soft"};
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (std::find(with_units.begin(), with_units.end(), method.name) == with_units.end())
      names.emplace_back(method.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, AnyScale, ::testing::ValuesIn(methods_without_units()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace taut::testing
