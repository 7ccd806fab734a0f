// Cloth that touches: time per query of continuous collision detection, with what is missed and
// what is a false alarm, and how the cost of finding all that is near grows with the vertices.
//
//   sheet_bench [folder with the published queries]
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include "support/ccd_queries.hpp"
#include "taut/collision/first_contact.hpp"
#include "taut/collision/sheet_contacts.hpp"

namespace {

using namespace taut;
using namespace taut::collision;

/// Of all threads together.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void published_queries(const std::string& folder) {
  const auto queries = testing::read_ccd_queries(folder);
  if (queries.empty()) {
    fmt::print("no queries in {}\n", folder);
    return;
  }
  for (const double separation : {0.0, 1e-6}) {
    long missed = 0, alarms = 0, apart = 0, steps = 0;
    std::vector<double> times;
    for (const testing::CcdQuery& query : queries) {
      FirstContact contact;
      double best = INFINITY;
      for (int again = 0; again < 3; ++again) {
        const double begin = seconds();
        for (int i = 0; i < 200; ++i)
          contact = query.is_edges ? edge_edge_contact(query.from, query.to, separation)
                                   : point_triangle_contact(query.from, query.to, separation);
        best = std::min(best, (seconds() - begin) / 200);
      }
      times.push_back(best);
      steps += contact.steps;
      missed += query.collides && !contact.hit;
      alarms += !query.collides && contact.hit;
      apart += !query.collides;
    }
    double sum = 0;
    for (const double t : times) sum += t;
    std::sort(times.begin(), times.end());
    const double count = static_cast<double>(queries.size());
    fmt::print("{} queries, separation {:g}: {:.0f} ns each, median {:.0f} ns, {:.2f} directions",
               queries.size(), separation, 1e9 * sum / count, 1e9 * times[times.size() / 2],
               static_cast<double>(steps) / count);
    // What comes nearer than a separation is no false alarm, and the truth is not known.
    if (separation == 0)
      fmt::print("; missed {}, false alarms {} of {} ({:.2f} %)", missed, alarms, apart,
                 100.0 * static_cast<double>(alarms) / static_cast<double>(apart));
    fmt::print("\n");
  }
}

/// A sheet of n × n vertices in ten-cell folds, 2 mm apart.
std::vector<Vec3> folded(int n) {
  const double cell = 0.01, fold = 10 * cell;
  std::vector<Vec3> x;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const double along = c * cell;
      const int layer = static_cast<int>((along + 1e-9) / fold);
      const double rest = along - layer * fold;
      x.emplace_back(layer % 2 ? fold - rest : rest, r * cell,
                     layer * 0.002 + 0.002 * rest / fold + 1e-4 * std::sin(1.3 * r + c));
    }
  return x;
}

void growth() {
  double first_find = 0, first_impact = 0, first_count = 0;
  for (const int n : {100, 173, 300, 548}) {
    std::vector<std::array<int, 3>> triangles;
    for (int r = 0; r + 1 < n; ++r)
      for (int c = 0; c + 1 < n; ++c) {
        const int a = r * n + c;
        triangles.push_back({a, a + 1, a + n + 1});
        triangles.push_back({a, a + n + 1, a + n});
      }
    Sheet sheet;
    sheet.add_triangles(triangles, n * n, "cloth");
    const std::vector<Vec3> x = folded(n);
    std::vector<Vec3> to = x;
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i].z() += 3e-4 * std::sin(0.01 * static_cast<double>(i));
    SheetContacts contacts(sheet);
    std::vector<NearPair> pairs;
    double find = INFINITY, impact = INFINITY;
    SheetContacts::FirstImpact met;
    for (int again = 0; again < 4; ++again) {
      contacts.forget();  // as where all has moved far
      double begin = seconds();
      contacts.find({x, 0.003}, pairs);
      if (again > 0) find = std::min(find, seconds() - begin);
      contacts.forget();
      begin = seconds();
      met = contacts.first_impact({x, to, 1e-4, 1e-6});
      if (again > 0) impact = std::min(impact, seconds() - begin);
    }
    const double count = n * n;
    fmt::print(
        "{} vertices: {} near pairs in {:.1f} ms of CPU; first impact of {} candidates in {:.1f} "
        "ms",
        n * n, pairs.size(), 1e3 * find, met.tested, 1e3 * impact);
    if (first_count > 0)
      fmt::print("; growth {:.2f}, {:.2f}",
                 std::log(find / first_find) / std::log(count / first_count),
                 std::log(impact / first_impact) / std::log(count / first_count));
    else
      first_find = find, first_impact = impact, first_count = count;
    fmt::print("\n");
  }
}

}  // namespace

int main(int count, char** argument) {
  published_queries(count > 1 ? argument[1] : TAUT_SOURCE_DIR "/../shared/data/ccd");
  growth();
}
