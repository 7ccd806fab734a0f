// A square cloth that lies on a round plate, too small for it, as in Cusick's drape test: how much
// of what overhangs is seen from above, for cloths of different stiffness.
#include <gtest/gtest.h>

#include "cloth/discs.hpp"
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

Mesh square(GridPattern pattern) {
  return grid_mesh(
      {n, n, size, size, Vec3(-size / 2, 0, -size / 2), Vec3::UnitX(), Vec3::UnitZ(), pattern});
}

struct Drape {
  explicit Drape(Mesh of, ClothElements elements = ClothElements::automatic) : mesh(std::move(of)) {
    material.elements = elements;
    material.density = 0.2;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
      if (mesh.vertices[v].norm() <= plate_radius) held.vertices.push_back(static_cast<int>(v));
  }

  /// Goes on from the last rest, and returns (seen − plate)/(flat − plate).
  double coefficient(double bending_stiffness) {
    material.bending_stiffness = bending_stiffness;
    System system;
    // A little aslant: a cloth that hangs symmetrically could not decide how to fold.
    apply(system, Gravity{{0.01, -9.81, 0.007}});
    const Surface cloth =
        add_cloth(system, mesh, material, "cloth", 0, std::span<const ClothPin>(&held, 1));
    const RunReport report = testing::come_to_rest(system, 0.1, still, {{"tolerance", "1e-8"}},
                                                   rest.q.size() > 0 ? &rest : nullptr);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    rest = report.final_state;

    Shadow shadow;
    double plate = 0, flat = 0;
    for (const Face& face : cloth.faces) {
      const auto body = [&](int i) {
        return cloth.vertices[static_cast<std::size_t>(face.vertex[i])];
      };
      const auto at = [&](int i) { return Vec3(rest.q.segment<3>(system.slot(body(i)).q)); };
      const auto start = [&](int i) { return system.initial_place(Point(body(i))); };
      bool lies = true;
      for (int i = 0; i < face.size(); ++i) lies = lies && start(i).norm() <= plate_radius;
      for (int i = 2; i < face.size(); ++i) {
        shadow.add(at(0), at(i - 1), at(i));
        const double area = 0.5 * (start(i - 1) - start(0)).cross(start(i) - start(0)).norm();
        flat += area;
        if (lies) plate += area;
      }
    }
    return (shadow.area() - plate) / (flat - plate);
  }

  Mesh mesh;
  ClothMaterial material;
  ClothPin held;
  double still = 2e-5;
  State rest;
};

TEST(Drape, IsNarrowerTheSofterTheCloth) {
  Drape drape(square(GridPattern::crossed));
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

constexpr double disc_radius = 0.15;

// Uncut squares twist freely, so they are a little softer. With all edges kept, triangles hardly
// bend at all.
TEST(Drape, OfTrianglesIsNearlyThatOfSquares) {
  Drape squares(testing::disc_of_squares(disc_radius, 12));
  Drape triangles(testing::disc_of_triangles(disc_radius, 6));
  for (const double stiffness : {1e-3, 3e-4}) {
    const double wanted = squares.coefficient(stiffness);
    const double coefficient = triangles.coefficient(stiffness);
    RecordProperty("squares " + std::to_string(stiffness), std::to_string(wanted));
    RecordProperty("triangles " + std::to_string(stiffness), std::to_string(coefficient));
    EXPECT_NEAR(coefficient, wanted, 0.09) << stiffness;
  }
}

}  // namespace
}  // namespace taut
