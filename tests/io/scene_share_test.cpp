// A part of a scene of cloth does to its own vertices what the whole scene does.
#include "taut/scene/scene_share.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/messages.hpp"
#include "taut/model/rows.hpp"

namespace taut::io {
namespace {

using taut::testing::mentions;
using taut::testing::message_of;

/// With two cloths, of all that may be divided.
std::string scene(const std::string& pattern) {
  return R"json({"taut": 1, "name": "two", "cloths": [
    {"name": "sail", "grid": {"columns": 9, "rows": 11, "width": 0.8, "height": 1, "pattern": ")json" +
         pattern +
         R"json("}, "shear_stiffness": 7, "shear_damping": 0.01, "bending_stiffness": 1e-3,
     "bending_damping": 1e-5, "wind": [1, 2, 3],
     "pins": [{"part": "top", "every": 2}, {"part": "bottom_left", "until": 1},
              {"near": [0.3, -0.5, 0], "radius": 0.15, "displacement":
                {"type": "formula", "value": ["=0.1*(1-cos(t))", 0, 0]}}]},
    {"name": "flag", "grid": {"columns": 5, "rows": 4, "origin": [2, 0, 0]},
     "start_formula": ["=x", "=y", "=0.1*x*x"], "pins": [{"part": "left"}]}],
    "forces": [{"type": "gravity"}, {"type": "drag", "linear": 0.01}]})json";
}

constexpr int parts = 3;

/// Somewhere near the start, the same for a body in the whole and in a part.
void shake(const System& system, VecX& q, VecX& v) {
  for (int i = 0; i < system.body_count(); ++i)
    for (Eigen::Index k = 0; k < 3; ++k) {
      const std::size_t seed = std::hash<std::string>()(system.body_name({i})) % 1000;
      const double phase = static_cast<double>(seed) + static_cast<double>(k);
      q[3 * i + k] += 0.01 * std::sin(phase);
      v[3 * i + k] += std::cos(3 * phase);
    }
}

/// C of all rows by the names of their bodies, as many as touch what is owned.
std::multimap<std::string, double> rows_of(const System& system, const VecX& q,
                                           const std::set<std::string>& owned) {
  const RowPattern pattern(system);
  Rows rows;
  rows.resize(pattern);
  const Pose pose(system, q);
  rows.linearize(system, pattern, pose, 0.3);
  std::multimap<std::string, double> found;
  for (int row = 0; row < pattern.rows(); ++row) {
    std::set<std::string> names;
    bool is_owned = false;
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
      const std::string& name = system.body_name({pattern.blocks[b].dof / 3});
      is_owned = is_owned || owned.contains(name);
      names.insert(name);
    }
    std::string key;
    for (const std::string& name : names) key += name + " ";
    if (is_owned) found.insert({key, rows.C[row]});
  }
  return found;
}

class SceneShareOf : public ::testing::TestWithParam<std::string> {};

TEST_P(SceneShareOf, DoesToItsVerticesWhatTheWholeDoes) {
  const Scene whole = parse_scene(scene(GetParam()), "two");
  State state = whole.system.initial_state();
  shake(whole.system, state.q, state.v);
  VecX forces;
  whole.system.forces(Pose(whole.system, state.q), state.v, 0.3, forces);
  int seen = 0;
  for (int part = 0; part < parts; ++part) {
    const SceneShare share = parse_scene_share(scene(GetParam()), "two", {}, part, parts);
    const System& system = share.scene.system;
    EXPECT_EQ(share.whole_bodies, whole.system.body_count());
    EXPECT_LT(system.body_count(), whole.system.body_count());
    EXPECT_EQ(share.releases, std::vector<double>{1});
    State mine = system.initial_state();
    shake(system, mine.q, mine.v);
    VecX part_forces;
    system.forces(Pose(system, mine.q), mine.v, 0.3, part_forces);
    std::set<std::string> owned;
    int body = 0;
    for (const ClothShare& cloth : share.cloths)
      for (std::size_t v = 0; v < cloth.vertex.size(); ++v, ++body) {
        const BodyId there{cloth.first_body + cloth.vertex[v]};
        ASSERT_EQ(system.body_name({body}), whole.system.body_name(there));
        if (cloth.owner[v] != part) continue;
        ++seen;
        owned.insert(system.body_name({body}));
        EXPECT_DOUBLE_EQ(system.mass({body}), whole.system.mass(there));
        const Vec3 f = part_forces.segment<3>(3 * body), all = forces.segment<3>(3 * there.index);
        EXPECT_LE((f - all).norm(), 1e-12 * (1 + all.norm())) << system.body_name({body});
      }
    EXPECT_EQ(rows_of(system, mine.q, owned), rows_of(whole.system, state.q, owned));
  }
  EXPECT_EQ(seen, whole.system.body_count());
}

INSTANTIATE_TEST_SUITE_P(Patterns, SceneShareOf,
                         ::testing::Values("quads", "triangles", "crossed"));

TEST(SceneShare, IsAsLargeAsTheOthers) {
  std::vector<Vec3> places;
  for (int i = 0; i < 1001; ++i) places.emplace_back(i % 50, i / 50, 0);
  for (const int count : {1, 2, 3, 7}) {
    std::vector<int> sizes(static_cast<std::size_t>(count), 0);
    for (const int part : divide(places, count)) ++sizes.at(static_cast<std::size_t>(part));
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 2) << count;
  }
}

TEST(SceneShare, MoreThanThereAreVerticesIsNoTrouble) {
  const SceneShare share = parse_scene_share(
      R"({"taut": 1, "cloths": [{"name": "c", "grid": {"columns": 2, "rows": 2}}]})", "c", {}, 6,
      7);
  EXPECT_EQ(share.whole_bodies, 4);
}

std::string refusal(const std::string& members) {
  return message_of(
      [&] { parse_scene_share("{\"taut\": 1, " + members + "}", "s.json", {}, 0, 2); });
}
std::string cloth_refusal(const std::string& members) {
  return refusal("\"cloths\": [{\"name\": \"c\", \"grid\": {\"columns\": 3, \"rows\": 3}" +
                 members + "}]");
}

TEST(SceneShare, RefusesWhatItCannotDivide) {
  const std::string cloth =
      "\"cloths\": [{\"name\": \"c\", \"grid\": {\"columns\": 3, \"rows\": 3}}]";
  EXPECT_TRUE(mentions(refusal("\"bodies\": [{\"type\": \"particle\"}]"), "s.json",
                       "bodies|without --engine petsc"));
  EXPECT_TRUE(mentions(refusal(cloth + ", \"constraints\": []"), "s.json", "constraints"));
  EXPECT_TRUE(mentions(refusal(cloth + ", \"shapes\": []"), "s.json", "shapes"));
  EXPECT_TRUE(mentions(refusal(cloth + ", \"sensors\": []"), "s.json", "sensors"));
  EXPECT_TRUE(mentions(refusal("\"name\": \"n\""), "s.json", "cloths"));
  EXPECT_TRUE(
      mentions(refusal(cloth + ", \"forces\": [{\"type\": \"drag\", \"point\": \"c_0_0\"}]"),
               "s.json", "drag|gravity"));
  EXPECT_TRUE(mentions(cloth_refusal(", \"stretch\": \"limited\""), "s.json", "constraints"));
  EXPECT_TRUE(mentions(cloth_refusal(", \"elements\": \"nonconforming\""), "s.json", "yarns"));
  EXPECT_TRUE(mentions(cloth_refusal(", \"touches\": \"all\""), "s.json", "nothing"));
  EXPECT_EQ(cloth_refusal(""), "no error");
}

}  // namespace
}  // namespace taut::io
