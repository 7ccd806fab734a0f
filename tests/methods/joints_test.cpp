// Every method on every joint: generated over both lists.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/objects.hpp"
#include "support/random_scene.hpp"

namespace taut {
namespace {

using testing::Random;

/// A body on a ball joint, and a second one on the joint: everything the joint lets move moves.
template <class C>
System swinging() {
  Random random(7);
  System system;
  apply(system, Gravity{});
  RigidBody first = testing::random_rigid_body(random), second = testing::random_rigid_body(random);
  for (RigidBody* body : {&first, &second}) body->velocity = body->angular_velocity = Vec3::Zero();
  first.position = {0.8, 0.1, 0};
  second.position = {1.7, 0.3, 0.2};
  const BodyId a = system.add(first), b = system.add(second);
  constrain(system, Ball{world_point(0, 0, 0), system.point_at(a, Vec3::Zero())});
  C joint;
  joint.a = Point(a);
  joint.b = Point(b);
  joint.at = Vec3(1.2, 0.2, 0.1);
  joint.axis = {world_body, Vec3(0.6, 0.5, 1)};
  if constexpr (std::is_same_v<C, Universal>)
    joint.second = {world_body, any_square_to(joint.axis.local.normalized())};
  if constexpr (std::is_same_v<C, Screw>) joint.pitch = 0.5;
  constrain(system, joint, "joint");
  return system;
}

class EveryMethodOnJoints : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodOnJoints, ::testing::ValuesIn(testing::method_names()),
                         [](const auto& name) { return name.param; });

// The end against dop853 at a tenth of a step that is fine already; half the step halves the error
// of a method of first order, and quarters that of one of second.
TEST_P(EveryMethodOnJoints, ConvergesToTheSameMotion) {
  testing::for_each_joint([&]<class C>() {
    {
      SCOPED_TRACE(C::type);
      const System system = swinging<C>();
      const double duration = 0.4;
      const State truth = testing::run(system, "dop853", 2e-3, duration).final_state;
      const auto error = [&](double h) {
        const RunReport report = testing::run(system, GetParam(), h, duration);
        EXPECT_EQ(report.status, RunStatus::ok);
        VecX way;
        system.difference(truth.q, report.final_state.q, Chart::rotation_vector, way);
        return way.norm();
      };
      if (GetParam() == "dop853") {
        EXPECT_LT(error(0.02), 1e-8);
        return;
      }
      const double coarse = error(1e-3), fine = error(5e-4);
      EXPECT_LT(coarse, 0.02);
      // Springs give way however short the step is, and sweeps end where strain is permitted.
      EXPECT_LT(fine, testing::gives_way(GetParam()) ? 0.02 : 0.6 * coarse + 1e-9);
    }
  });
}

// Free bodies on a joint, spinning: what nothing from outside can change.
TEST(EnergyMomentumOnJoints, MomentaAndEnergyOfFreeBodiesStay) {
  testing::for_each_joint([&]<class C>() {
    {
      SCOPED_TRACE(C::type);
      for (unsigned seed = 0; seed < 3; ++seed) {
        Random random(seed);
        System system;
        const BodyId a = system.add(testing::random_rigid_body(random));
        const BodyId b = system.add(testing::random_rigid_body(random));
        C joint;
        joint.a = Point(a);
        joint.b = Point(b);
        joint.at = random.vector();
        joint.axis = {world_body, random.direction()};
        if constexpr (std::is_same_v<C, Universal>)
          joint.second = {world_body, any_square_to(joint.axis.local)};
        if constexpr (std::is_same_v<C, Screw>) joint.pitch = 0.8;
        constrain(system, joint, "joint");
        const auto momenta = [&](const State& state) {
          Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
          const Pose pose(system, state.q);
          for (int i = 0; i < 2; ++i) {
            const BodySlot& slot = system.slot({i});
            const Vec3 p = system.mass({i}) * state.v.segment<3>(slot.v);
            const Vec3 spin = pose.rotations[static_cast<std::size_t>(slot.rigid)] *
                              (system.inertia({i}) * state.v.segment<3>(slot.v + 3));
            sum.head<3>() += p;
            sum.tail<3>() += Vec3(state.q.segment<3>(slot.q)).cross(p) + spin;
          }
          return sum;
        };
        std::optional<Eigen::Matrix<double, 6, 1>> before;
        double worst = 0;
        const RunReport report = testing::run(
            system, "energy_momentum", 0.05, 20, {}, [&](const State& state, const VecX&) {
              if (!before) before = momenta(state);
              worst = std::max(worst, (momenta(state) - *before).norm());
            });
        EXPECT_EQ(report.cost.halved_steps + report.cost.compromise_steps, 0);
        EXPECT_LT(worst, 1e-12 * 400 * (1 + before->norm()));  // in all of 400 steps
        EXPECT_LT(report.energy.max_abs_error, 1e-11 * (1 + report.energy.initial));
        EXPECT_LT(report.constraint_error.max, 1e-12);
      }
    }
  });
}

}  // namespace
}  // namespace taut
