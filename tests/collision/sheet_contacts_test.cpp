// What is near and what meets, on sheets and chains, against trying all pairs.
#include "taut/collision/sheet_contacts.hpp"

#include <map>
#include <set>

#include "support/dice.hpp"
#include "taut/base/share.hpp"
#include "taut/collision/crossings.hpp"
#include "taut/collision/first_contact.hpp"
#include "taut/collision/nearest.hpp"

namespace taut::collision {
namespace {

using testing::Dice;
using Sets = std::pair<std::set<int>, std::set<int>>;

std::vector<std::array<int, 3>> grid(int n) {
  std::vector<std::array<int, 3>> triangles;
  for (int r = 0; r + 1 < n; ++r)
    for (int c = 0; c + 1 < n; ++c) {
      const int a = r * n + c;
      triangles.push_back({a, a + 1, a + n + 1});
      triangles.push_back({a, a + n + 1, a + n});
    }
  return triangles;
}

/// A crumpled sheet, a flat one, a rope, and a floor that does not move.
struct Heap {
  Sheet sheet;
  std::vector<Vec3> x;

  explicit Heap(Dice& dice) {
    const int n = 7;
    sheet.add_triangles(grid(n), n * n, "crumpled");
    sheet.add_triangles(grid(n), n * n, "flat");
    std::vector<std::array<int, 2>> links;
    for (int i = 0; i + 1 < 12; ++i) links.push_back({i, i + 1});
    sheet.add_edges(links, 12, "rope");
    sheet.add_triangles(grid(3), 9, "floor", true);
    sheet.add_triangles(grid(3), 9, "wall", true);
    for (int i = 0; i < n * n; ++i) x.push_back(0.5 * dice.vector());
    for (int i = 0; i < n * n; ++i) x.emplace_back(0.1 * (i % n), 0.1 * (i / n), 0.01);
    for (int i = 0; i < 12; ++i) x.emplace_back(0.1 * i, 0.3 * dice.between(0, 1), 0.05);
    for (int i = 0; i < 9; ++i) x.emplace_back(0.4 * (i % 3), 0.4 * (i / 3), -0.01);
    for (int i = 0; i < 9; ++i) x.emplace_back(0.4 * (i % 3), 0.02, 0.4 * (i / 3));
  }
};

struct Tried {
  std::array<int, 4> vertex;
  bool is_edges;
};

/// All pairs of a vertex and a triangle, and of two edges, that are no neighbours.
std::vector<Tried> all_pairs(const Sheet& sheet) {
  std::vector<Tried> pairs;
  const auto is_fixed = [&](int v) { return sheet.part_of_vertex(v).is_fixed; };
  for (int v = 0; v < sheet.vertex_count(); ++v)
    for (const Sheet::Element& e : sheet.elements())
      if (e.is_triangle() && !e.has(v) && !(is_fixed(v) && is_fixed(e.vertex[0])))
        pairs.push_back({{v, e.vertex[0], e.vertex[1], e.vertex[2]}, false});
  std::set<std::array<int, 2>> edges;
  for (const Sheet::Element& e : sheet.elements())
    for (std::size_t k = 0; k < (e.is_triangle() ? 3u : 1u); ++k) {
      const auto [low, high] = std::minmax(e.vertex[k], e.vertex[(k + 1) % 3]);
      edges.insert({low, high});
    }
  EXPECT_EQ(static_cast<int>(edges.size()), sheet.edge_count());
  for (auto a = edges.begin(); a != edges.end(); ++a)
    for (auto b = std::next(a); b != edges.end(); ++b)
      if ((*a)[0] != (*b)[0] && (*a)[0] != (*b)[1] && (*a)[1] != (*b)[0] && (*a)[1] != (*b)[1] &&
          !(is_fixed((*a)[0]) && is_fixed((*b)[0])))
        pairs.push_back({{(*a)[0], (*a)[1], (*b)[0], (*b)[1]}, true});
  return pairs;
}

std::array<Vec3, 4> places(const std::vector<Vec3>& x, const Tried& pair) {
  std::array<Vec3, 4> out;
  for (std::size_t k = 0; k < 4; ++k) out[k] = x[static_cast<std::size_t>(pair.vertex[k])];
  return out;
}

Nearest nearest(const std::array<Vec3, 4>& x, bool is_edges) {
  return is_edges ? edge_edge(x) : point_triangle(x);
}

Sets sets_of(const Tried& pair, const Nearest& near) {
  Sets sets;
  for (std::size_t k = 0; k < 4; ++k)
    if (near.weight[k] != 0) (near.weight[k] > 0 ? sets.first : sets.second).insert(pair.vertex[k]);
  if (sets.second < sets.first) std::swap(sets.first, sets.second);
  return sets;
}

TEST(SheetContacts, AreThoseOfTryingAllPairs) {
  Dice dice(21);
  for (int round = 0; round < 3; ++round) {
    const Heap heap(dice);
    const double reach = round == 0 ? 0.02 : 0.1;
    const double slack = round == 2 ? 1e-12 : 0;
    std::vector<Vec3> to = heap.x;
    if (round == 2)
      for (std::size_t v = 0; v < to.size(); ++v)
        if (!heap.sheet.part_of_vertex(static_cast<int>(v)).is_fixed) to[v] += 0.2 * dice.vector();
    std::map<Sets, double> expected;
    std::set<Sets> required;  // the nearest points themselves come near
    for (const Tried& pair : all_pairs(heap.sheet)) {
      const Nearest near = nearest(places(heap.x, pair), pair.is_edges);
      const Vec3 apart = near.distance * near.normal;
      Vec3 way = Vec3::Zero();
      for (std::size_t k = 0; k < 4; ++k) {
        const auto v = static_cast<std::size_t>(pair.vertex[k]);
        way += near.weight[k] * (to[v] - heap.x[v]);
      }
      if (near.distance <= reach || near.normal.dot(way) <= reach - near.distance + slack)
        expected[sets_of(pair, near)] = near.distance;
      const double when =
          way.norm() > 0 ? std::clamp(-apart.dot(way) / way.squaredNorm(), 0.0, 1.0) : 0;
      if ((apart + when * way).norm() <= reach - slack) required.insert(sets_of(pair, near));
    }
    SheetContacts contacts(heap.sheet);
    std::vector<NearPair> found;
    ASSERT_TRUE(contacts.find({heap.x, reach, to}, found));
    std::set<Sets> seen;
    std::set<std::uint64_t> features;
    std::array<int, 4> kinds{};
    for (const NearPair& pair : found) {
      Sets sets;
      Vec3 apart = Vec3::Zero();
      for (std::size_t k = 0; k < 4; ++k) {
        if (pair.vertex[k] < 0) continue;
        (pair.weight[k] > 0 ? sets.first : sets.second).insert(pair.vertex[k]);
        apart += pair.weight[k] * heap.x[static_cast<std::size_t>(pair.vertex[k])];
      }
      EXPECT_LT((apart - pair.distance * pair.normal).norm(), 1e-13);
      EXPECT_EQ(static_cast<int>(sets.first.size()), pair.first_count());
      if (sets.second < sets.first) std::swap(sets.first, sets.second);
      ASSERT_TRUE(expected.count(sets));
      EXPECT_NEAR(expected[sets], pair.distance, 1e-15);
      EXPECT_TRUE(seen.insert(sets).second) << "twice";
      EXPECT_TRUE(features.insert(pair.feature).second);
      ++kinds[static_cast<std::size_t>(pair.kind)];
    }
    EXPECT_TRUE(std::includes(seen.begin(), seen.end(), required.begin(), required.end()));
    if (round < 2) EXPECT_EQ(seen.size(), expected.size());
    EXPECT_GT(required.size(), 100u);
    for (const int count : kinds) EXPECT_GT(count, 0);
  }
}

bool are_equal(const std::vector<NearPair>& a, const std::vector<NearPair>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const NearPair& p, const NearPair& q) {
                      return p.feature == q.feature && p.vertex == q.vertex &&
                             p.weight == q.weight && p.distance == q.distance;
                    });
}

TEST(SheetContacts, AreTheSameOnOneCore) {
  Dice dice(22);
  const Heap heap(dice);
  SheetContacts contacts(heap.sheet);
  std::vector<NearPair> shared, alone;
  ASSERT_TRUE(contacts.find({heap.x, 0.05}, shared));
  contacts.forget();
  // Inside shared work, all is done by one thread.
  share(share_count(), 0, [&](int begin, int) {
    if (begin == 0) contacts.find({heap.x, 0.05}, alone);
  });
  EXPECT_GT(shared.size(), 100u);
  EXPECT_TRUE(are_equal(shared, alone));
}

TEST(SheetContacts, FeaturesStayTheSame) {
  Dice dice(23);
  Heap heap(dice);
  SheetContacts contacts(heap.sheet);
  std::vector<NearPair> before, after;
  ASSERT_TRUE(contacts.find({heap.x, 0.05}, before));
  for (Vec3& x : heap.x) x += 1e-9 * dice.vector();
  ASSERT_TRUE(contacts.find({heap.x, 0.05}, after));
  std::set<std::uint64_t> features;
  for (const NearPair& pair : before) features.insert(pair.feature);
  std::size_t again = 0;
  for (const NearPair& pair : after) again += features.count(pair.feature);
  EXPECT_GT(again, 0.98 * static_cast<double>(before.size()));
}

std::set<std::uint64_t> features_of(const std::vector<NearPair>& pairs) {
  std::set<std::uint64_t> features;
  for (const NearPair& pair : pairs) features.insert(pair.feature);
  return features;
}

// What all do together needs no new search, nor does what is within the slack. Nothing is missed.
TEST(SheetContacts, CandidatesAreKeptWhileTheyDo) {
  Dice dice(24);
  const int n = 20;
  Sheet sheet;
  sheet.add_triangles(grid(n), n * n, "cloth");
  std::vector<Vec3> x;
  for (int i = 0; i < n * n; ++i)
    x.emplace_back(0.1 * (i % n % 5), 0.1 * (i / n),
                   0.04 * (i % n / 5) + 1e-3 * dice.between(0, 1));
  SheetContacts contacts(sheet);
  std::vector<NearPair> kept, anew;
  int searches = 0;
  for (int round = 0; round < 12; ++round) {
    // Every third round far more than the slack.
    const double far = round % 3 == 2 ? 0.2 : 2e-3;
    const Vec3 drift = dice.vector();
    std::vector<Vec3> to = x;
    for (Vec3& p : to) p += drift + far * dice.vector();
    ASSERT_TRUE(contacts.find({x, 0.05, to}, kept));
    SheetContacts fresh(sheet);
    ASSERT_TRUE(fresh.find({x, 0.05, to}, anew));
    EXPECT_GT(kept.size(), 200u);
    EXPECT_EQ(features_of(kept), features_of(anew)) << round;
    const SheetContacts::Way way{x, to, 0.01, 1e-6};
    EXPECT_EQ(contacts.first_impact(way).t, fresh.first_impact(way).t) << round;
    if (round % 3 == 1) EXPECT_EQ(contacts.searches(), searches) << round;
    if (round % 3 == 2) EXPECT_GT(contacts.searches(), searches) << round;
    searches = contacts.searches();
    for (Vec3& p : x) p += drift + 1e-4 * dice.vector();
  }
}

TEST(SheetContacts, TreeIsRefittedAndRebuilt) {
  const int n = 24;
  Sheet sheet;
  sheet.add_triangles(grid(n), n * n, "cloth");
  // In folds of two cells, layer upon layer.
  std::vector<Vec3> x;
  for (int i = 0; i < n * n; ++i)
    x.emplace_back(std::array{0.0, 0.1, 0.2, 0.1}[static_cast<std::size_t>(i % n % 4)],
                   0.1 * (i / n), 0.001 * (i % n));
  SheetTree tree(sheet);
  ASSERT_TRUE(tree.refit({x, {}, {}, 0.001}));
  EXPECT_EQ(tree.built(), 1);
  for (Vec3& p : x) p += Vec3(5, 0, 0.001 * p.x());
  ASSERT_TRUE(tree.refit({x, {}, {}, 0.001}));
  EXPECT_EQ(tree.built(), 1);  // moved as a whole
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i].x() = 0.1 * static_cast<double>(i % n);  // drawn out
  ASSERT_TRUE(tree.refit({x, {}, {}, 0.001}));
  EXPECT_EQ(tree.built(), 2);
  ASSERT_TRUE(tree.refit({x, {}, {}, 0.001}));
  EXPECT_EQ(tree.built(), 2);
  x[3].y() = NAN;
  EXPECT_FALSE(tree.refit({x, {}, {}, 0.01}));
  EXPECT_EQ(tree.task_count(), 0);
  std::vector<NearPair> found;
  SheetContacts contacts(sheet);
  EXPECT_FALSE(contacts.find({x, 0.1}, found));
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(contacts.first_impact({x, x, 0.1}).t, 0);
}

TEST(SheetContacts, FirstImpactIsThatOfTryingAllPairs) {
  Dice dice(25);
  int hits = 0;
  for (int round = 0; round < 6; ++round) {
    Heap heap(dice);
    // The crumpled sheet is taken far away: it goes through itself.
    for (std::size_t i = 0; i < 49; ++i) heap.x[i] += Vec3(50, 0, 0);
    std::vector<Vec3> to = heap.x;
    for (std::size_t i = 0; i < 49 + 49 + 12; ++i)
      to[i] += Vec3(3, 1, 0) + (round < 3 ? 0.02 : 0.1) * dice.vector();
    const double separation = 1e-4;
    double expected = 1;
    for (const Tried& pair : all_pairs(heap.sheet)) {
      const std::array<Vec3, 4> a = places(heap.x, pair), b = places(to, pair);
      const double allowed = std::min(separation, 0.9 * nearest(a, pair.is_edges).distance);
      const FirstContact contact =
          pair.is_edges ? edge_edge_contact(a, b, allowed) : point_triangle_contact(a, b, allowed);
      if (contact.hit) expected = std::min(expected, contact.t);
    }
    SheetContacts contacts(heap.sheet);
    const SheetContacts::FirstImpact impact = contacts.first_impact({heap.x, to, separation});
    EXPECT_EQ(impact.t, expected);
    EXPECT_EQ(impact.hit, expected < 1);
    hits += impact.hit;
  }
  EXPECT_GT(hits, 2);
}

/// Goes on to the first impact, and takes what is left of the way with other motions: nothing ever
/// crosses, by an independent test.
TEST(SheetContacts, NothingCrossesUpToTheFirstImpact) {
  Dice dice(26);
  const int n = 9;
  Sheet sheet;
  sheet.add_triangles(grid(n), n * n, "cloth");
  sheet.add_triangles(grid(3), 9, "floor", true);
  std::vector<Vec3> x;
  for (int i = 0; i < n * n; ++i) x.emplace_back(0.1 * (i % n), 0.1 * (i / n), 0.05);
  for (int i = 0; i < 9; ++i) x.emplace_back(0.3 * (i % 3), 0.3 * (i / 3), 0);
  SheetContacts contacts(sheet);
  int hits = 0;
  for (int step = 0; step < 60; ++step) {
    std::vector<Vec3> to = x;
    const Vec3 wind = 0.2 * dice.vector();
    for (std::size_t i = 0; i < static_cast<std::size_t>(n * n); ++i)
      to[i] += wind + 0.1 * dice.vector();
    const SheetContacts::FirstImpact impact = contacts.first_impact({x, to, 1e-3, 1e-9});
    hits += impact.hit;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += impact.t * (to[i] - x[i]);
    std::vector<CheckedSurface> surfaces(2);
    surfaces[0] = {{x.begin(), x.begin() + n * n}, grid(n), {}, false};
    surfaces[1] = {{x.begin() + n * n, x.end()}, grid(3), {}, true};
    ASSERT_TRUE(find_crossings(surfaces).empty()) << "step " << step;
  }
  EXPECT_GT(hits, 20);
}

}  // namespace
}  // namespace taut::collision
