// A square cloth that lies on a round plate, too small for it, as in Cusick's drape test: how much
// of what overhangs is seen from above, for cloths of different stiffness.
#include <gtest/gtest.h>

#include "cloth/rest.hpp"
#include "support/builders.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"

namespace taut {
namespace {

constexpr int n = 13;
constexpr double size = 0.3, plate_radius = 0.09;

/// Area of the shadow that falls straight down: by points on a lattice, so that folds one above the
/// other count once.
class Shadow {
 public:
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto side = [](const Vec3& p, const Vec3& q, double x, double z) {
      return (q.x() - p.x()) * (z - p.z()) - (q.z() - p.z()) * (x - p.x());
    };
    const Vec3 low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
    for (int i = below(low.x()); i <= below(high.x()); ++i)
      for (int j = below(low.z()); j <= below(high.z()); ++j) {
        const double x = (i + 0.5) * cell - size, z = (j + 0.5) * cell - size;
        const double s = side(a, b, x, z), t = side(b, c, x, z), u = side(c, a, x, z);
        if (std::min({s, t, u}) >= 0 || std::max({s, t, u}) <= 0)
          is_dark_.at(static_cast<std::size_t>(i * cells + j)) = true;
      }
  }
  double area() const {
    return cell * cell * static_cast<double>(std::count(is_dark_.begin(), is_dark_.end(), true));
  }

 private:
  static constexpr int cells = 600;  // over twice the size of the cloth
  static constexpr double cell = 2 * size / cells;
  static int below(double x) { return static_cast<int>(std::floor((x + size) / cell)); }
  std::vector<bool> is_dark_ = std::vector<bool>(cells * cells, false);
};

struct Drape {
  explicit Drape(GridPattern pattern)
      : mesh(grid_mesh({n, n, size, size, Vec3(-size / 2, 0, -size / 2), Vec3::UnitX(),
                        Vec3::UnitZ(), pattern})) {
    for (const Vec3& vertex : mesh.vertices) held.push_back(vertex.norm() <= plate_radius);
  }

  /// Goes on from the last rest, and returns (seen − plate)/(flat − plate).
  double coefficient(double bending_stiffness) {
    ClothMaterial material;
    material.density = 0.2;
    material.bending_stiffness = bending_stiffness;
    System system;
    // A little aslant: a cloth that hangs symmetrically could not decide how to fold.
    apply(system, Gravity{{0.01, -9.81, 0.007}});
    const Surface cloth = add_cloth(system, mesh, material, "cloth", n, held);
    for (std::size_t v = 0; v < held.size(); ++v)
      if (held[v] > 0) constrain(system, Pin{cloth.vertices[v], mesh.vertices[v]});
    const RunReport report = testing::come_to_rest(system, 0.1, 2e-5, {{"tolerance", "1e-8"}},
                                                   rest.q.size() > 0 ? &rest : nullptr);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    rest = report.final_state;

    Shadow shadow;
    double plate = 0;
    for (const Face& face : mesh.faces) {
      const auto at = [&](int i) { return Vec3(rest.q.segment<3>(3 * face.vertex[i])); };
      bool lies = true;
      for (int i = 0; i < face.size(); ++i)
        lies = lies && held[static_cast<std::size_t>(face.vertex[i])] > 0;
      for (int i = 2; i < face.size(); ++i) {
        shadow.add(at(0), at(i - 1), at(i));
        if (lies) plate += 0.5 * (at(i - 1) - at(0)).cross(at(i) - at(0)).norm();
      }
    }
    return (shadow.area() - plate) / (size * size - plate);
  }

  Mesh mesh;
  std::vector<int> held;
  State rest;
};

TEST(Drape, IsNarrowerTheSofterTheCloth) {
  Drape drape(GridPattern::crossed);
  double last = drape.coefficient(3e-3);
  EXPECT_GT(last, 0.9);
  EXPECT_LT(last, 1);
  for (const double stiffness : {1e-3, 3e-4, 1e-4, 3e-5}) {
    const double coefficient = drape.coefficient(stiffness);
    RecordProperty("stiffness " + std::to_string(stiffness), std::to_string(coefficient));
    EXPECT_LT(coefficient, last - 0.01) << stiffness;
    last = coefficient;
  }
  EXPECT_LT(last, 0.4);  // 0.35, after 0.95, 0.76 and 0.52
  EXPECT_GT(last, 0);
}

}  // namespace
}  // namespace taut
