// Contacts of points and planes under every method whose contacts are solved for exactly, against
// closed forms.
#include "taut/simulate/contact_step.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/builders.hpp"
#include "taut/model/point_contacts.hpp"

namespace taut {
namespace {

constexpr double g = 10;

/// Those whose contacts are solved for beside them, exactly. (For the others:
/// impulse_methods_test.cpp.)
std::vector<std::string> methods_with_exact_contacts() {
  std::vector<std::string> names = testing::method_names();
  std::erase_if(names, [](const auto& name) { return find_method(name).promises.solves_contacts; });
  return names;
}

class Contacts : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Contacts, ::testing::ValuesIn(methods_with_exact_contacts()),
                         [](const auto& instance) { return instance.param; });

/// Points on the ground z = 0, or on an incline through the origin that falls along x.
void add_ground(System& system, std::vector<Point> points, double friction, double restitution,
                double slope = 0) {
  auto contacts = std::make_unique<PointContacts>();
  contacts->points = std::move(points);
  contacts->planes = {{{std::sin(slope), 0, std::cos(slope)}, 0, friction, restitution}};
  system.add_contacts(std::move(contacts));
}

/// Something else to constrain, so that methods have rows to solve for.
void add_pendulum(System& system) {
  const BodyId bob = system.add(Particle{1, {1, 5, 3}});
  constrain(system, Distance{world_point(0, 5, 3), bob, 1});
}

TEST_P(Contacts, APointFallsAndRests) {
  System system;
  apply(system, Gravity{{0, 0, -g}});
  const BodyId point = system.add(Particle{2, {0, 0, 0.2}});
  add_pendulum(system);
  add_ground(system, {point}, 0.5, 0);
  const RunReport report = testing::run(system, GetParam(), 0.01, 1);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_NEAR(report.final_state.q[2], 0, 1e-9);
  EXPECT_NEAR(report.final_state.v.head<3>().norm(), 0, 1e-9);
}

TEST_P(Contacts, ASlidingPointStopsWhereFrictionTellsIt) {
  System system;
  apply(system, Gravity{{0, 0, -g}});
  const BodyId point = system.add(Particle{2, {0, 0, 0}, {1.2, 1.6, 0}});
  add_pendulum(system);
  add_ground(system, {point}, 0.5, 0);
  const RunReport report = testing::run(system, GetParam(), 0.001, 1);
  EXPECT_EQ(report.status, RunStatus::ok);
  const double way = 2 * 2 / (2 * 0.5 * g);
  EXPECT_NEAR(report.final_state.q[0], 0.6 * way, 1.5e-3);
  EXPECT_NEAR(report.final_state.q[1], 0.8 * way, 1.5e-3);
  EXPECT_NEAR(report.final_state.v.head<3>().norm(), 0, 1e-9);
  EXPECT_NEAR(report.energy.friction, -4, 0.02);
}

// The k-th bounce comes at t₀ (1 + 2e + 2e² + …), and at t₀ (1 + e)/(1 − e) all is over.
TEST_P(Contacts, ABallBouncesInGeometricSeries) {
  System system;
  apply(system, Gravity{{0, 0, -g}});
  const BodyId point = system.add(Particle{1, {0, 0, 0.45}});
  add_pendulum(system);
  add_ground(system, {point}, 0, 0.5);
  const double t0 = 0.3;
  std::vector<double> heights;
  const RunReport report =
      testing::run(system, GetParam(), 0.001, 1.2, {},
                   [&](const State& state, const VecX&) { heights.push_back(state.q[2]); });
  EXPECT_EQ(report.status, RunStatus::ok);
  const auto highest = [&](double from, double to) {
    double most = 0;
    for (double t = from; t < to; t += 0.001)
      most = std::max(most, heights[static_cast<std::size_t>(std::lround(t / 0.001))]);
    return most;
  };
  EXPECT_NEAR(highest(t0, 2 * t0), 0.45 / 4, 2e-3);
  EXPECT_NEAR(highest(2 * t0 + 0.02, 2.5 * t0 - 0.01), 0.45 / 16, 2e-3);
  EXPECT_NEAR(report.final_state.q[2], 0, 1e-9);
  EXPECT_NEAR(report.final_state.v[2], 0, 1e-9);
}

TEST_P(Contacts, OnAnInclineItSticksBelowTheAngleOfFriction) {
  for (const double factor : {0.999, 1.001}) {
    System system;
    apply(system, Gravity{{0, 0, -g}});
    const BodyId point = system.add(Particle{2, {0, 0, 0}});
    add_pendulum(system);
    const double slope = std::atan(0.5 * factor);
    add_ground(system, {point}, 0.5, 0, slope);
    const RunReport report = testing::run(system, GetParam(), 0.01, 1);
    EXPECT_EQ(report.status, RunStatus::ok);
    const double a = g * (std::sin(slope) - 0.5 * std::cos(slope));
    const double way = factor < 1 ? 0 : 0.5 * a;
    EXPECT_NEAR(report.final_state.q.head<3>().norm(), way, factor < 1 ? 1e-9 : 0.02 * way);
  }
}

// A thousand points, joined in pairs, that were thrown up come down one after the other and come to
// rest. The rods' rows and the plans made for them stay what they are, however many contacts there
// are.
TEST_P(Contacts, AThousandComeAndGo) {
  System system;
  apply(system, Gravity{{0, 0, -g}});
  std::vector<Point> points;
  constexpr int n = 1000;
  for (int i = 0; i < n; ++i) {
    const int pair = i / 2;
    points.push_back(system.add(Particle{
        1 + 0.1 * (i % 7), {0.1 * i, 0, 4e-4 * i}, {0.3 * (pair % 5), 0, 0.02 * (pair % 45)}}));
    if (i % 2 == 1) constrain(system, Distance{points[points.size() - 2], points.back(), {}});
  }
  add_ground(system, points, 0.3, 0);
  const auto topology = system.topology();
  const RunReport report = testing::run(system, GetParam(), 0.01, 0.7);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_EQ(system.topology(), topology);
  EXPECT_EQ(report.contacts.most, n);
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(report.final_state.q[3 * i + 2], 0, 1e-9);
    EXPECT_NEAR(report.final_state.v.segment<3>(3 * i).norm(), 0, 1e-9);
  }
}

// A box of four corners, tilted, tumbles to rest on its face; a rod hinged to it lies down, too.
TEST_P(Contacts, ABoxTumblesToRest) {
  using namespace std::string_literals;
  System system;
  apply(system, Gravity{{0, 0, -g}});
  RigidBody box;
  box.mass = 3;
  box.inertia = Vec3(0.02, 0.03, 0.04).asDiagonal();
  box.position = {0, 0, 0.6};
  box.orientation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 0.3, 0.2).normalized()));
  box.velocity = {0.5, 0, 0};
  box.angular_velocity = {0, 1, 2};
  const BodyId body = system.add(box);
  const BodyId tail = system.add(
      Particle{0.5, system.initial_place(Point{body, {0.1, 0.1, 0.1}}) + Vec3(0, 0, 0.3)});
  constrain(system, Distance{Point{body, {0.1, 0.1, 0.1}}, tail, 0.3});
  std::vector<Point> points{tail};
  for (int i = 0; i < 8; ++i)
    points.push_back(Point{body, {i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1}});
  add_ground(system, points, 0.6, 0.3);
  const RunReport report = testing::run(system, GetParam(), 0.002, 3);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_NEAR(report.final_state.v.norm(), 0, 1e-6);
  EXPECT_NEAR(report.final_state.q[2], 0.1, 1e-8);
  const bool is_exact = make_method(GetParam())->promises.exact_constraints;
  if (!testing::gives_way(GetParam()))
    // Of 0.3 m; baumgarte, which is explicit, is farthest off.
    EXPECT_LE(report.constraint_error.max, is_exact                     ? 1e-6
                                           : GetParam() == "baumgarte"s ? 1e-2
                                                                        : 2e-3);
}

// Methods that leave errors on purpose are left alone where nothing touches.
TEST_P(Contacts, FarAwayTheyChangeNothing) {
  const auto pendulum = [](bool has_ground) {
    System system;
    apply(system, Gravity{{0, 0, -g}});
    add_pendulum(system);
    if (has_ground) add_ground(system, {BodyId{0}}, 0.5, 0);
    return testing::run(system, GetParam(), 0.01, 0.5);
  };
  const RunReport with = pendulum(true), without = pendulum(false);
  EXPECT_EQ(with.final_state.q, without.final_state.q);
  EXPECT_EQ(with.constraint_error.max, without.constraint_error.max);
}

/// Does its steps well, and says it did not.
struct Modest final : Method {
  std::unique_ptr<Method> inner = make_method("dop853");

  Modest() { promises = inner->promises; }
  int order() const override { return inner->order(); }
  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report = inner->step(system, h, state, w);
    report.status = StepStatus::not_converged;
    report.residual = 1e-15;  // let pass
    return report;
  }
};

TEST(ContactStep, ThePartsAfterOneThatDidNotConvergeAreDone) {
  System system;
  apply(system, Gravity{{0, 0, -g}});
  const BodyId point = system.add(Particle{1, {0, 0, 0.45}});
  add_ground(system, {point}, 0, 0.5);
  RunOptions options;
  options.step = 0.07;  // the impact, at 0.3 s, is within a step
  options.duration = 0.42;
  Modest method;
  const RunReport report = simulate(system, system.initial_state(), method, options);
  EXPECT_GT(report.cost.unconverged_steps, 0);
  EXPECT_NEAR(report.final_state.q[2], 1.5 * 0.12 - 0.5 * g * 0.12 * 0.12, 1e-9);
}

}  // namespace
}  // namespace taut
