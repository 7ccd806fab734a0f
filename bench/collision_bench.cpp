// What a query costs: distances and contacts of pairs that touch, in poses that change from call to
// call, and the broad phase.
//
//   build/release/bin/collision_bench
//
// Every pair is measured in several poses, mixed, as in a scene: near, touching and overlapping.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "taut/collision/cast.hpp"
#include "taut/collision/contacts.hpp"
#include "taut/collision/tree.hpp"

namespace {

using namespace taut;
using namespace taut::collision;

std::mt19937& engine() {
  static std::mt19937 one(1);
  return one;
}

double between(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine());
}

Quat random_turn() {
  return Quat(between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)).normalized();
}

Shape random_hull(int vertices) {
  std::vector<Vec3> points;
  for (int i = 0; i < vertices; ++i)
    points.push_back(Vec3(between(-1, 1), between(-1, 1), between(-1, 1)).normalized());
  return convex_hull(points);
}

struct PosedPair {
  Pose3 a, b;
};

/// With a gap of −0.05 to 0.05 along the normal, or resting flat on top when `is_flat`.
std::vector<PosedPair> poses(const Shape& a, const Shape& b, bool is_flat) {
  std::vector<PosedPair> list;
  for (int i = 0; i < 64; ++i) {
    PosedPair pair;
    if (is_flat) {
      if (a.type == ShapeType::plane) pair.a.position.z() = 1;
      pair.b = Pose3(Vec3(between(-0.5, 0.5), between(-0.5, 0.5), 1.995),
                     Quat(Eigen::AngleAxisd(between(0, 6), Vec3::UnitZ())));
    } else {
      pair.a = Pose3(Vec3::Zero(), random_turn());
      pair.b = Pose3(Vec3(between(-1, 1), between(-1, 1), between(-1, 1)).normalized() * 3,
                     random_turn());
      const Distance d = distance(a, pair.a, b, pair.b);
      pair.b.position += (between(-0.05, 0.05) - d.gap) * d.normal;
    }
    list.push_back(pair);
  }
  return list;
}

void measure(const std::string& name, const Shape& a, const Shape& b, bool is_flat = false) {
  const std::vector<PosedPair> list = poses(a, b, is_flat);
  benchmark::RegisterBenchmark((name + "/contacts").c_str(), [=](benchmark::State& state) {
    std::vector<ContactPoint> out;
    std::size_t i = 0, points = 0;
    for (auto _ : state) {
      out.clear();
      const PosedPair& pair = list[i++ % list.size()];
      contacts(a, pair.a, b, pair.b, 0.05, out);
      points += out.size();
    }
    state.counters["points"] =
        static_cast<double>(points) / static_cast<double>(state.iterations());
  });
  benchmark::RegisterBenchmark((name + "/distance").c_str(), [=](benchmark::State& state) {
    std::size_t i = 0;
    for (auto _ : state) {
      const PosedPair& pair = list[i++ % list.size()];
      benchmark::DoNotOptimize(distance(a, pair.a, b, pair.b).gap);
    }
  });
}

void broad_phase() {
  benchmark::RegisterBenchmark("tree/1000 boxes that move, all pairs", [](benchmark::State& state) {
    BoxTree tree(0.02);
    std::vector<Bounds> boxes;
    std::vector<int> handles;
    for (int i = 0; i < 1000; ++i) {
      const Vec3 at(between(0, 10), between(0, 10), between(0, 10));
      boxes.push_back({at, at.array() + 0.5});
      handles.push_back(tree.insert(i, boxes.back()));
    }
    std::vector<std::pair<int, int>> pairs;
    for (auto _ : state) {
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Vec3 by(between(-0.005, 0.005), between(-0.005, 0.005), between(-0.005, 0.005));
        boxes[i] = {boxes[i].low + by, boxes[i].high + by};
        tree.move(handles[i], boxes[i]);
      }
      tree.pairs(pairs);
    }
    state.counters["pairs"] = static_cast<double>(pairs.size());
  });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const Shape block = box({1, 1, 1}), pill = capsule(0.8, 0.3);
  measure("sphere-box", sphere(0.5), block);
  measure("capsule-capsule", pill, pill);
  measure("capsule-box", pill, block);
  measure("box-box", block, block);
  measure("box-box flat", block, block, true);
  measure("cylinder-box", cylinder(0.5, 1), block);
  measure("ellipsoid-box", ellipsoid({1, 0.7, 0.5}), block);
  measure("hull-hull (50 vertices)", random_hull(50), random_hull(50));
  measure("hull-box (500 vertices)", random_hull(500), block);
  measure("plane-box", plane(), block, true);
  broad_phase();
  benchmark::RunSpecifiedBenchmarks();
}
