// The tree of bounding boxes against trying everything.
#include "taut/collision/tree.hpp"

#include <random>

namespace taut::collision {
namespace {

class Boxes {
 public:
  Bounds next() {
    const Vec3 middle(place_(engine_), place_(engine_), place_(engine_));
    const Vec3 half(size_(engine_), size_(engine_), size_(engine_));
    return {middle - half, middle + half};
  }
  std::mt19937 engine_{5};

 private:
  std::uniform_real_distribution<double> place_{-10, 10}, size_{0.01, 1};
};

std::vector<std::pair<int, int>> all_pairs(const BoxTree& tree, const std::vector<int>& handles) {
  std::vector<std::pair<int, int>> list;
  for (std::size_t i = 0; i < handles.size(); ++i)
    for (std::size_t j = i + 1; j < handles.size(); ++j)
      if (handles[i] >= 0 && handles[j] >= 0 && tree.box(handles[i]).overlaps(tree.box(handles[j])))
        list.emplace_back(static_cast<int>(i), static_cast<int>(j));
  return list;
}

TEST(BoxTree, InsertMoveRemove) {
  Boxes boxes;
  BoxTree tree(0.05);
  std::vector<Bounds> exact;
  std::vector<int> handles;
  for (int i = 0; i < 400; ++i) {
    exact.push_back(boxes.next());
    handles.push_back(tree.insert(i, exact.back()));
  }
  std::vector<std::pair<int, int>> pairs;
  int changed = 0;
  for (int round = 0; round < 30; ++round) {
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (handles[i] < 0) continue;
      if (boxes.engine_() % 20 == 0) exact[i] = boxes.next();
      exact[i] = {exact[i].low.array() + 0.01, exact[i].high.array() + 0.01};
      changed += tree.move(handles[i], exact[i]);
      ASSERT_TRUE(tree.box(handles[i]).contains(exact[i]));
    }
    const std::size_t gone = boxes.engine_() % handles.size();
    if (handles[gone] >= 0) tree.remove(handles[gone]);
    handles[gone] = -1;
    ASSERT_TRUE(tree.is_sound());
    tree.pairs(pairs);
    ASSERT_EQ(pairs, all_pairs(tree, handles));
  }
  EXPECT_GT(pairs.size(), 50u);
  EXPECT_LT(changed, 30 * 400 / 3);  // most moves stay in the fat box
  EXPECT_LT(tree.height(), 20);
}

TEST(BoxTree, SortedInputStaysBalanced) {
  BoxTree tree;
  for (int i = 0; i < 5000; ++i) tree.insert(i, {Vec3(i, 0, 0), Vec3(i + 0.5, 1, 1)});
  EXPECT_LE(tree.height(), 20);
  EXPECT_TRUE(tree.is_sound());
}

TEST(BoxTree, QueriesOfABuiltTree) {
  Boxes boxes;
  std::vector<Bounds> list;
  for (int i = 0; i < 1000; ++i) list.push_back(boxes.next());
  BoxTree tree;
  tree.build(list);
  EXPECT_TRUE(tree.is_sound());
  EXPECT_EQ(tree.size(), 1000);
  std::size_t total = 0;
  for (int i = 0; i < 100; ++i) {
    const Bounds query = boxes.next();
    std::vector<int> found, expected;
    tree.overlapping(query, [&](int item) {
      found.push_back(item);
      return true;
    });
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].overlaps(query)) expected.push_back(static_cast<int>(k));
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    total += found.size();

    // The nearest box, by trying all.
    double best = INFINITY, nearest = INFINITY;
    const auto gap = [&](const Bounds& b) {
      return (b.low - query.high).cwiseMax(query.low - b.high).cwiseMax(0.0).norm();
    };
    for (const Bounds& b : list) best = std::min(best, gap(b));
    tree.nearest(query, INFINITY, [&](int item, double limit) {
      nearest = std::min(nearest, gap(list[static_cast<std::size_t>(item)]));
      return std::min(limit, nearest);
    });
    EXPECT_EQ(nearest, best);
  }
  EXPECT_GT(total, 50u);
}

TEST(BoxTree, RaysVisitEveryBoxTheyEnter) {
  Boxes boxes;
  std::vector<Bounds> list;
  for (int i = 0; i < 1000; ++i) list.push_back(boxes.next());
  BoxTree tree;
  tree.build(list);
  std::size_t total = 0;
  for (int i = 0; i < 100; ++i) {
    const Vec3 origin = boxes.next().low,
               direction = i % 5 ? Vec3(boxes.next().low - origin) : Vec3(0, 1, 0);
    std::vector<int> found, expected;
    tree.along_ray(origin, direction, 1.5, [&](int item, double best) {
      found.push_back(item);
      return best;
    });
    for (std::size_t k = 0; k < list.size(); ++k) {
      double from = 0, to = 1.5;
      bool passes = true;
      for (int axis = 0; axis < 3; ++axis) {
        if (direction[axis] == 0) {
          passes =
              passes && origin[axis] >= list[k].low[axis] && origin[axis] <= list[k].high[axis];
          continue;
        }
        const double a = (list[k].low[axis] - origin[axis]) / direction[axis];
        const double b = (list[k].high[axis] - origin[axis]) / direction[axis];
        from = std::max(from, std::min(a, b));
        to = std::min(to, std::max(a, b));
      }
      if (passes && from <= to) expected.push_back(static_cast<int>(k));
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    total += found.size();
  }
  EXPECT_GT(total, 150u);
}

}  // namespace
}  // namespace taut::collision
