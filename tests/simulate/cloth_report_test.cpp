// What a run tells of cloth that touches, and when touches let go.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {
namespace {

struct Told {
  RunReport report;
  std::vector<ContactSample> last;  // contacts at the end
  std::vector<ContactSample> first;
};

Told run(const io::Scene& scene, double duration = 0) {
  Told told;
  const auto method = make_method("icd");
  RunOptions options;
  options.step = scene.step;
  options.duration = duration > 0 ? duration : scene.duration;
  options.reactions = true;
  options.record_every = 10;
  options.record_contacts = [&](double time, const std::vector<ContactSample>& contacts) {
    (time == 0 ? told.first : told.last) = contacts;
  };
  told.report = simulate(scene.system, scene.system.initial_state(), *method, options);
  EXPECT_EQ(told.report.status, RunStatus::ok) << told.report.reason;
  return told;
}

const RunReport::ContactPair* pair_of(const RunReport& report, const std::string& a,
                                      const std::string& b) {
  for (const RunReport::ContactPair& pair : report.contacts.pairs)
    if (pair.a == a && pair.b == b) return &pair;
  return nullptr;
}

/// A box on the ground, a napkin on the box and another one on that.
io::Scene pile() {
  const auto napkin = [](const char* name, double z) {
    return std::string(R"({ "name": ")") + name + R"(", "grid": { "columns": 4, "rows": 4,
        "width": 0.12, "height": 0.12, "origin": [-0.06, -0.06, )" +
           std::to_string(z) + R"(], "across": [1, 0, 0], "along": [0, 1, 0] }, "density": 0.5,
        "thickness": 0.001 })";
  };
  return io::parse_scene(
      R"({ "taut": 1, "name": "pile", "shapes": [{ "type": "plane", "name": "ground" }],
         "bodies": [{ "type": "rigid", "name": "box", "mass": 0.1, "position": [0, 0, 0.05],
                      "shapes": [{ "type": "box", "size": [0.2, 0.2, 0.1] }] }],
         "cloths": [)" +
          napkin("upper", 0.1015) + ", " + napkin("lower", 0.1005) +
          R"(], "forces": [{ "type": "gravity", "acceleration": [0, 0, -10] }],
         "simulation": { "step": "=1/120", "duration": 0.5 } })",
      "pile");
}

TEST(ClothReport, HasEveryPairWithItsForce) {
  const double weight = 0.5 * 0.12 * 0.12 * 10;
  const Told told = run(pile());
  struct Expected {
    const char *a, *b;
    double force;
  };
  // Cloths come first, in the order of the scene; forces are on the first.
  for (const auto& [a, b, force] :
       {Expected{"upper", "lower", weight}, Expected{"lower", "box", 2 * weight},
        Expected{"box", "ground", 1 + 2 * weight}}) {
    const RunReport::ContactPair* pair = pair_of(told.report, a, b);
    ASSERT_NE(pair, nullptr) << a << ", " << b;
    EXPECT_LT((pair->final_force - Vec3(0, 0, force)).norm(), 0.01 * force) << a;
    EXPECT_GE(pair->largest_force, 0.99 * force);
  }
  EXPECT_EQ(told.report.contacts.pairs.size(), 3u);
  EXPECT_LT(told.report.contacts.slip, 1e-3);
}

TEST(ClothReport, HasTheForcesAtTheStart) {
  Vec3 on_lower = Vec3::Zero();
  for (const ContactSample& contact : run(pile(), 0.05).first)
    if (contact.a == "lower" && contact.b == "box") on_lower += contact.force;
  const double weight = 0.5 * 0.12 * 0.12 * 10;
  EXPECT_LT((on_lower - Vec3(0, 0, 2 * weight)).norm(), 0.02 * 2 * weight);
}

TEST(ClothReport, TouchesAreWhereTheSurfacesAre) {
  const Told told = run(pile());
  int on_box = 0;
  for (const ContactSample& contact : told.last) {
    EXPECT_GT(contact.normal.dot(contact.force), 0);
    if (contact.a != "lower" || contact.b != "box") continue;
    ++on_box;
    EXPECT_NEAR(contact.normal.z(), 1, 1e-6);
    EXPECT_NEAR(contact.point.z(), 0.1 + 0.00025, 5e-5);
    EXPECT_LT(std::abs(contact.gap), 5e-5);
    EXPECT_FALSE(contact.body_a.is_world());
    EXPECT_FALSE(contact.body_b.is_world());
  }
  EXPECT_GE(on_box, 3);
}

// Were it not for what touches, both weights would fall with the ribbon: 2/(1/m + 1/M) g.
TEST(ClothReport, ConstraintForcesKnowWhatTouches) {
  const std::vector<io::Setting> settings{{"load", "0.9"}};
  const io::Scene scene = io::load_scene("cloth_capstan", settings);
  const Told told = run(scene, 0.25);
  for (const RunReport::Reaction& reaction : told.report.reactions)
    if (reaction.constraint == "left1") {
      EXPECT_NEAR(Eigen::Map<const Vec3>(reaction.final.data()).norm(), 1.4715, 0.01 * 1.4715);
      return;
    }
  FAIL() << "no constraint left1";
}

TEST(ClothReport, ClothOnItselfHasNoForceInAll) {
  const std::vector<io::Setting> settings{{"n", "40"}};
  const Told told = run(io::load_scene("ribbon_folds", settings), 0.35);
  const RunReport::ContactPair* pair = pair_of(told.report, "cloth", "cloth");
  ASSERT_NE(pair, nullptr);
  EXPECT_GT(pair->largest_force, 0);
  EXPECT_TRUE(pair->final_force.isZero(0));
}

// A ball bounces beside a napkin that lies on the ground all the while.
TEST(ClothAndBodies, BodiesReboundBesideClothThatTouches) {
  const io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "bounce", "shapes": [{ "type": "plane", "restitution": 0.8 }],
         "bodies": [{ "type": "rigid", "name": "ball", "mass": 1, "position": [0.5, 0, 0.35],
                      "shapes": [{ "type": "sphere", "radius": 0.05, "restitution": 0.8 }] }],
         "cloths": [{ "name": "napkin", "grid": { "columns": 3, "rows": 3, "width": 0.1,
           "height": 0.1, "origin": [0, 0, 0.00075], "across": [1, 0, 0], "along": [0, 1, 0] },
           "thickness": 0.0015 }],
         "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": "=1/480", "duration": 0.6 } })",
      "bounce");
  const auto method = make_method("icd");
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  double apex = 0;
  const double hit = std::sqrt(2 * 0.3 / 9.81);
  const int q = scene.system.slot(*scene.system.find_body("ball")).q;
  options.record_states = [&](const State& state) {
    if (state.time > hit + 0.1) apex = std::max(apex, state.q[q + 2] - 0.05);
  };
  const RunReport report = simulate(scene.system, scene.system.initial_state(), *method, options);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_NEAR(apex, 0.64 * 0.3, 0.05 * 0.64 * 0.3);
  EXPECT_GE(report.impacts.count, 1);
  EXPECT_GT(report.contacts.final, 0);  // the napkin
}

double height(const io::Scene& scene, const RunReport& report, const char* vertex) {
  return report.final_state.q[scene.system.slot(*scene.system.find_body(vertex)).q + 2];
}

TEST(ClothRelease, OfTheSeedPullsForAStep) {
  const io::Scene scene = io::load_scene("cloth_release", std::vector<io::Setting>{});
  const RunReport report = run(scene).report;
  // Thrown at 0.1 s, with 2 m/s.
  const double exact = 0.1 + 2 * 0.15 - 0.5 * 9.81 * 0.15 * 0.15;
  const double free = height(scene, report, "free_2_2"), held = height(scene, report, "held_2_2");
  EXPECT_NEAR(free, exact, 0.05 * exact);  // of first order
  // One step in which it goes with the plate, at 20 m/s² instead of g.
  const double torn = (20 - 9.81) / 240 * 0.15;
  EXPECT_NEAR(free - held, torn, 0.2 * torn);
}

}  // namespace
}  // namespace taut::testing
