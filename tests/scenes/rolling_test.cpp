// What rolls and what glides on an edge, against closed forms, with every method.
#include "support/mechanisms.hpp"
#include "support/random_scene.hpp"
#include "taut/analysis/diagnosis.hpp"

namespace taut {
namespace {

using namespace testing;

/// What is compared at the end of a run: velocities and places, of size 1 or so.
using Result = std::vector<double>;

double distance(const Result& a, const Result& b) {
  double worst = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Chaplygin's sleigh: with J = I + m a², V = Ω √(J/m) and σ = a Ω √(m/J),
//   v = V tanh σt,   ω = Ω/cosh σt,   heading 2 (Ω/σ) atan tanh(σt/2).
struct Sleigh {
  static constexpr double m = 2, I = 0.3, a = 0.25, spin = 3;
  static constexpr double step = 0.01, duration = 1;
  static System system() { return io::load_scene("chaplygin_sleigh").system; }

  static Result truth(double t) {
    const double J = I + m * a * a, V = spin * std::sqrt(J / m),
                 sigma = a * spin * std::sqrt(m / J);
    const double heading = 2 * spin / sigma * std::atan(std::tanh(0.5 * sigma * t));
    const double v = V * std::tanh(sigma * t), omega = spin / std::cosh(sigma * t);
    return {std::cos(heading), std::sin(heading), omega,
            v * std::cos(heading) - a * omega * std::sin(heading),
            v * std::sin(heading) + a * omega * std::cos(heading)};
  }
  static Result found(const System& system, const State& state) {
    const Vec3 ahead = orientation(system, state, "sleigh") * Vec3::UnitX();
    const Vec3 v = velocity(system, state, "sleigh");
    return {ahead.x(), ahead.y(), angular_velocity(system, state, "sleigh").z(), v.x(), v.y()};
  }
};

// A disc that rolls steadily in a circle: its axis goes round with `turn`, and so does its centre.
struct Disc {
  static constexpr double m = 0.5, r = 0.1, lean = 1.2, turn = 4, g = 9.81;
  static constexpr double step = 0.004, duration = 0.4;
  static System system() { return io::load_scene("rolling_disc").system; }

  static Result truth(double t) {
    const double I1 = m * r * r / 4, I3 = m * r * r / 2;
    const double s = (I1 * turn * turn * std::sin(lean) - m * g * r) * std::cos(lean) /
                     ((I3 + m * r * r) * turn * std::sin(lean));
    const double R = -r * s / turn, c = std::cos(turn * t), d = std::sin(turn * t);
    return {R * c,
            R * d,
            r * std::sin(lean),
            -R * turn * d,
            R * turn * c,
            std::sin(lean) * c,
            std::sin(lean) * d,
            std::cos(lean)};
  }
  static Result found(const System& system, const State& state) {
    const Vec3 x = position(system, state, "disc"), v = velocity(system, state, "disc");
    const Vec3 u = orientation(system, state, "disc") * Vec3::UnitZ();
    return {x.x(), x.y(), x.z(), v.x(), v.y(), u.x(), u.y(), u.z()};
  }
};

// A solid ball on a turntable: its centre goes round with 2/7 of the table's speed.
struct Ball {
  static constexpr double speed = 3, x = 0.3, v = 0.1;
  static constexpr double step = 0.01, duration = 1;
  static System system() { return io::load_scene("turntable").system; }

  static Result truth(double t) {
    const double rate = speed * 2 / 7, R = v / rate;
    return {x - R + R * std::cos(rate * t), R * std::sin(rate * t), -v * std::sin(rate * t),
            v * std::cos(rate * t)};
  }
  static Result found(const System& system, const State& state) {
    const Vec3 at = position(system, state, "ball"), speed_of = velocity(system, state, "ball");
    return {at.x(), at.y(), speed_of.x(), speed_of.y()};
  }
};

template <class Scene>
double error(std::string_view method, double step, const std::vector<OptionValue>& options = {}) {
  const System system = Scene::system();
  const long steps = std::lround(Scene::duration / step);
  const RunReport report = watch(system, method, steps, Scene::duration, options).report;
  return distance(Scene::found(system, report.final_state), Scene::truth(Scene::duration));
}

class EveryMethodRolling : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodRolling, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MethodInfo& method : methods())
                             names.emplace_back(method.name);
                           return names;
                         }()),
                         [](const auto& name) { return name.param; });

template <class Scene>
void expect_order(const std::string& method) {
  int order = make_method(method)->order();
  // Gyroscopic forces vary with the velocity, which its predictor knows to first order only.
  if (method == "implicit2" && std::is_same_v<Scene, Disc>) order = 1;
  const double coarse = error<Scene>(method, Scene::step),
               fine = error<Scene>(method, 0.5 * Scene::step);
  if (order >= 6) {
    EXPECT_LT(coarse, 1e-9) << method;
    return;
  }
  // Where errors cancel, as on the way round a circle, it may be better than its order.
  EXPECT_GT(std::log2(coarse / fine), order - 0.35) << method << ": " << coarse << ", " << fine;
  EXPECT_LT(fine, order == 1 ? 0.1 : 2e-3) << method;
}

/// Springs in the place of rows have no order: they give way however short the step is.
bool has_springs(std::string_view method) {
  return method == "penalty" || method == "implicit_springs" || method == "soft_convex" ||
         method == "vbd" || method == "projective_dynamics";
}

TEST_P(EveryMethodRolling, TheSleighKeepsTheOrder) {
  if (has_springs(GetParam())) GTEST_SKIP();
  expect_order<Sleigh>(GetParam());
}
TEST_P(EveryMethodRolling, TheRollingDiscKeepsTheOrder) {
  if (has_springs(GetParam())) GTEST_SKIP();
  expect_order<Disc>(GetParam());
}
TEST_P(EveryMethodRolling, TheBallOnTheTurntableKeepsTheOrder) {
  if (has_springs(GetParam())) GTEST_SKIP();
  expect_order<Ball>(GetParam());
}

// What slips is not called trusted.
TEST_P(EveryMethodRolling, ATrustedRunIsRight) {
  int trusted = 0;
  for (const double step : {0.1, 0.02, 0.002}) {
    const System system = Sleigh::system();
    RunOptions options;
    options.step = step;
    options.duration = 2;
    const RunReport report =
        simulate(system, system.initial_state(), *make_method(GetParam()), options);
    ASSERT_TRUE(report.rate_error);
    if (!report.is_trusted()) continue;
    ++trusted;
    EXPECT_LT(report.rate_error->max, 0.02) << step;
    EXPECT_LT(distance(Sleigh::found(system, report.final_state), Sleigh::truth(2)), 0.1) << step;
  }
  if (!has_springs(GetParam())) EXPECT_GE(trusted, 1);
}

TEST(RowsOnVelocities, CompositionsAreOfOrderFourAndSix) {
  for (const auto& [name, order] : {std::pair{"4", 4.0}, {"6", 6.0}}) {
    const double coarse = error<Sleigh>("energy_momentum", 0.2, {{"order", name}}),
                 fine = error<Sleigh>("energy_momentum", 0.1, {{"order", name}});
    EXPECT_GT(std::log2(coarse / fine), order - 0.35) << coarse << ", " << fine;
    EXPECT_LT(fine, 1e-5);
  }
}

// Ideal rows on velocities do no work, whatever the step.
TEST(RowsOnVelocities, EnergyMomentumConservesEnergyExactly) {
  const io::Setting push{"push", "2"};
  const io::Scene wobbling = io::load_scene("rolling_disc", {&push, 1});
  const System sleigh = Sleigh::system();
  for (const auto& [system, step] : {std::pair{&wobbling.system, 0.01}, {&sleigh, 0.1}}) {
    const RunReport report = run(*system, "energy_momentum", step, 4);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    EXPECT_TRUE(report.energy.conservative);
    EXPECT_LT(report.energy.max_abs_error, 1e-11 * std::abs(report.energy.initial));
    EXPECT_EQ(report.cost.compromise_steps, 0);
  }
}

// A general motion of the disc: the best method conserves the energy, and does not slip.
TEST(RowsOnVelocities, EulersDiscConservesEnergy) {
  const io::Setting push{"push", "2"};
  const io::Scene scene = io::load_scene("rolling_disc", {&push, 1});
  const RunReport report = run(scene.system, "dop853", 0.002, 4);
  EXPECT_LT(report.energy.max_abs_error, 1e-9 * report.energy.initial);
  EXPECT_LT(report.rate_error->max, 1e-12);
  EXPECT_LT(report.constraint_error.max, 1e-13);
  EXPECT_TRUE(report.is_trusted());
}

TEST(RowsOnVelocities, AStartThatSlipsIsSettled) {
  System system = io::load_scene("rolling_disc").system;
  State start = system.initial_state();
  start.v[0] += 0.3;
  RunOptions options;
  options.step = 0.002;
  options.duration = 0.1;
  for (const char* method : {"dop853", "icd2", "energy_momentum"}) {
    const RunReport report = simulate(system, start, *make_method(method), options);
    EXPECT_EQ(report.activation.count, 1) << method;
    EXPECT_GT(report.activation.rate_before, 0.1) << method;
    EXPECT_LT(report.activation.position_change, 1e-12) << method;
    EXPECT_LT(report.rate_error->max, 1e-3) << method;
  }
}

// Positions are put right along the constraints on positions, whatever the rows on velocities say:
// here they forbid just that direction.
TEST(RowsOnVelocities, DoNotHinderAnIllegalStart) {
  System system;
  RigidBody body;
  body.position = {0, 0.2, 0};
  body.velocity = {1, 0, 0};
  const BodyId sledge = system.add(body, "sledge");
  constrain(system, OnPlane{sledge, world_point(0, 0, 0), {world_body, Vec3::UnitY()}}, "rail");
  constrain(system, KnifeEdge{sledge, {world_body, Vec3::UnitX()}, {world_body, Vec3::UnitZ()}},
            "edge");
  for (const char* method : {"dop853", "rattle", "icd2", "energy_momentum"}) {
    const RunReport report = run(system, method, 0.01, 1);
    EXPECT_EQ(report.status, RunStatus::ok) << method;
    EXPECT_LT(report.constraint_error.max, 1e-12) << method;
    EXPECT_NEAR(report.final_state.q[0], 1, 1e-9) << method;
    EXPECT_NEAR(report.final_state.q[1], 0, 1e-9) << method;
  }
}

TEST(RowsOnVelocities, AreCountedAndNamed) {
  const System disc = Disc::system();
  const Diagnosis one = diagnose(disc, disc.initial_state());
  EXPECT_EQ(one.rows, 3);
  EXPECT_EQ(one.degrees_of_freedom, 3);
  EXPECT_TRUE(one.velocity_violations.empty());
  EXPECT_TRUE(one.dependencies.empty());

  State slipping = disc.initial_state();
  slipping.v[0] += 0.3;
  const Diagnosis two = diagnose(disc, slipping);
  ASSERT_EQ(two.velocity_violations.size(), 1u);
  EXPECT_EQ(two.velocity_violations[0].constraint, "contact");
  EXPECT_NEAR(two.velocity_violations[0].rate, 0.3, 0.1);
}

/// The ball of the turntable with its contact twice.
System redundant_ball() {
  System system = Ball::system();
  constrain(system,
            Rolling{*system.find_body("ball"),
                    0.03,
                    *system.find_body("table"),
                    {world_body, Vec3::UnitZ()},
                    {}},
            "again");
  return system;
}

TEST(RowsOnVelocities, MayBeRedundant) {
  const System system = redundant_ball();
  const Diagnosis diagnosis = diagnose(system, system.initial_state());
  EXPECT_EQ(diagnosis.dependencies.size(), 3u);
  EXPECT_FALSE(diagnosis.has_conflict());
  for (const char* method : {"dop853", "rk4_projected", "rattle", "icd2", "energy_momentum"}) {
    const RunReport report = run(system, method, 0.01, 1);
    EXPECT_LT(distance(Ball::found(system, report.final_state), Ball::truth(1)), 3e-3) << method;
    EXPECT_TRUE(report.is_trusted())
        << method << ": " << (report.doubts.empty() ? "" : report.doubts[0]);
    EXPECT_EQ(report.cost.compromise_steps, 0) << method;
  }
}

// Millimetres or thousands of kilometres: the same motion.
TEST(RowsOnVelocities, AreTheSameAtAnyScale) {
  for (const char* method :
       {"dop853", "rattle", "implicit2", "shake", "icd", "icd2", "energy_momentum", "sap"}) {
    Result first;
    for (const double size : {1.0, 1e-6, 1e6}) {
      // Lengths × size, times as they are.
      const auto text = [](double x) { return std::to_string(x); };
      System system;
      RigidBody body;
      body.mass = 2;
      body.inertia = size * size * Vec3(0.18, 0.18, 0.3).asDiagonal().toDenseMatrix();
      body.position = {0.25 * size, 0, 0};
      body.velocity = {0, 0.75 * size, 0};
      body.angular_velocity = {0, 0, 3};
      const BodyId sleigh = system.add(body, "sleigh");
      constrain(system, KnifeEdge{Point(sleigh, {-0.25 * size, 0, 0}),
                                  {world_body, Vec3::UnitX()},
                                  {world_body, Vec3::UnitZ()}});
      const RunReport report = run(system, method, 0.01, 1);
      EXPECT_EQ(report.status, RunStatus::ok) << method << " " << text(size);
      EXPECT_EQ(report.cost.unconverged_steps, 0) << method << " " << text(size);
      Result end = Sleigh::found(system, report.final_state);
      end[3] /= size;
      end[4] /= size;
      if (first.empty()) first = end;
      EXPECT_LT(distance(first, end), 1e-9) << method << " " << size;
    }
  }
}

// The disc anywhere, turned in any way, of any size: the same motion as at home.
TEST(RowsOnVelocities, AreTheSameAnywhere) {
  const System home = Disc::system();
  const State start = home.initial_state();
  Random random(7);
  for (const std::string method : {"dop853", "rattle", "icd2", "energy_momentum"}) {
    // What the tolerance of Newton's iteration leaves goes on for ever there: nothing decays.
    const double tolerance = method == "energy_momentum" ? 1e-6 : 1e-9;
    const Result expected = Disc::found(home, run(home, method, 0.004, 0.4).final_state);
    for (const double size : {1.0, 1e-6, 1e6}) {
      const Quat turn(Eigen::AngleAxisd(random.uniform(-3, 3), random.direction()));
      const Vec3 shift = size * random.vector();
      System system;
      RigidBody body;
      body.mass = Disc::m;
      body.inertia = size * size * home.inertia({0});
      body.position = shift + turn * Vec3(size * start.q.segment<3>(0));
      body.orientation = turn * orientation(home, start, "disc");
      body.velocity = turn * Vec3(size * start.v.segment<3>(0));
      body.angular_velocity = start.v.segment<3>(3);  // in its own directions
      const BodyId disc = system.add(body, "disc");
      apply(system, Gravity{turn * Vec3(0, 0, -size * Disc::g)});
      constrain(system, Rolling{disc,
                                size * Disc::r,
                                world_point(shift),
                                {world_body, turn * Vec3::UnitZ()},
                                Direction{disc, Vec3::UnitZ()}});
      const RunReport report = run(system, method, 0.004, 0.4);
      EXPECT_EQ(report.cost.unconverged_steps + report.cost.compromise_steps, 0) << method;
      EXPECT_TRUE(report.is_trusted()) << method << " " << size;
      const State& end = report.final_state;
      const Vec3 x = turn.inverse() * Vec3((position(system, end, "disc") - shift) / size);
      const Vec3 v = turn.inverse() * Vec3(velocity(system, end, "disc") / size);
      const Vec3 u = turn.inverse() * (orientation(system, end, "disc") * Vec3::UnitZ());
      EXPECT_LT(distance({x.x(), x.y(), x.z(), v.x(), v.y(), u.x(), u.y(), u.z()}, expected),
                tolerance)
          << method << " " << size;
    }
  }
}

TEST(RowsOnVelocities, AutoChoosesWhatIsRight) {
  for (const char* name : {"chaplygin_sleigh", "rolling_disc", "turntable"}) {
    const io::Scene scene = io::load_scene(name);
    const RunReport report = watch(scene.system, auto_method, 500, scene.duration).report;
    EXPECT_TRUE(report.is_trusted()) << name;
  }
}

}  // namespace
}  // namespace taut
