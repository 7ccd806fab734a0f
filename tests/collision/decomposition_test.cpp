// Convex pieces of meshes. What they must keep to is checked by points: those of the pieces against
// the body, whose distance is known in closed form, and those of the body against the pieces.
#include "taut/collision/decomposition.hpp"

#include <numbers>

#include "support/dice.hpp"
#include "support/messages.hpp"
#include "support/solids.hpp"
#include "taut/collision/distance.hpp"
#include "taut/collision/mass_properties.hpp"

namespace taut::collision {
namespace {

using testing::Dice;
using testing::Solid;

Decomposition pieces_of(const Solid& solid, int pieces = 32, double concavity = 0.02) {
  return decompose(solid.vertices, solid.triangles, {pieces, concavity});
}

/// Calls visit(point) for random points in a piece.
template <class Visit>
void in_piece(const Shape& piece, Dice& dice, int count, Visit&& visit) {
  const std::vector<Vec3>& v = piece.hull->vertices;
  for (int i = 0; i < count; ++i) {
    // Mostly on an edge or a face, where hollows are deepest, of the simplex of some corners.
    Vec3 point = Vec3::Zero();
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      const double weight = -std::log(dice.between(1e-9, 1));
      point += weight * v[static_cast<std::size_t>(dice.below(static_cast<int>(v.size())))];
      sum += weight;
    }
    visit(Vec3(point / sum));
  }
}

double distance_from_pieces(const Decomposition& pieces, const Vec3& point) {
  double least = INFINITY;
  const Shape dot = sphere(1e-9);
  for (const Shape& piece : pieces.pieces)
    least = std::min(least, distance(piece, Pose3(), dot, Pose3(point)).gap);
  return std::max(least, 0.0);
}

TEST(Decomposition, BodiesWithFlatFacesAreDividedExactly) {
  const struct {
    Solid solid;
    std::size_t pieces;
    double volume;
  } cases[] = {{testing::l_shape(), 2, 5}, {testing::u_shape(), 3, 7}};
  for (const auto& each : cases)
    for (const double angle : {0.0, 0.7}) {
      Solid turned = each.solid;
      const Quat turn(Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()));
      for (Vec3& v : turned.vertices) v = turn * v;
      const Decomposition pieces = pieces_of(turned);
      EXPECT_EQ(pieces.pieces.size(), each.pieces);
      EXPECT_NEAR(pieces.volume, each.volume, 1e-12);
      EXPECT_NEAR(pieces.body_volume, each.volume, 1e-12);
      EXPECT_EQ(pieces.sticks_out, 0);
      EXPECT_LE(pieces.reaches_out, 0.02 * pieces.size());
      EXPECT_TRUE(pieces.repairs.empty());
    }
}

TEST(Decomposition, AConvexBodyIsOnePiece) {
  const Decomposition pieces = pieces_of(testing::torus(0, 1, 24, 12));  // a ball
  EXPECT_EQ(pieces.pieces.size(), 1u);
}

TEST(Decomposition, OfATorusStaysWithinItsBound) {
  const double R = 1, r = 0.3;
  const Solid solid = testing::torus(R, r, 32, 16);
  const Decomposition pieces = pieces_of(solid, 32, 0.05);
  const double facets = R + r - (R + r) * std::cos(std::numbers::pi / 32) + r -
                        r * std::cos(std::numbers::pi / 16);  // between torus and mesh, at most
  EXPECT_GE(pieces.pieces.size(), 6u);
  EXPECT_LE(pieces.pieces.size(), 16u);
  EXPECT_LE(pieces.reaches_out, 0.05 * pieces.size());
  const auto outside = [&](const Vec3& x) {
    return std::hypot(std::hypot(x.x(), x.y()) - R, x.z()) - r;
  };
  Dice dice(1);
  double farthest = 0;
  for (const Shape& piece : pieces.pieces)
    in_piece(piece, dice, 2000, [&](const Vec3& x) { farthest = std::max(farthest, outside(x)); });
  EXPECT_LE(farthest, pieces.reaches_out);
  EXPECT_GE(farthest, 0.3 * pieces.reaches_out - facets) << "the bound is far too large";
  for (const Vec3& vertex : solid.vertices)
    ASSERT_LE(distance_from_pieces(pieces, vertex), pieces.sticks_out + 1e-12);
}

TEST(Decomposition, KeepsToTheNumberOfPieces) {
  const Decomposition pieces = pieces_of(testing::torus(1, 0.3, 24, 12), 3, 0.02);
  EXPECT_EQ(pieces.pieces.size(), 3u);
  EXPECT_GT(pieces.reaches_out, 0.02 * pieces.size());
  // Bodies that are apart, too.
  Solid many;
  for (int i = 0; i < 5; ++i) many.add(testing::torus(0, 1, 8, 6), Vec3(10 * i, 0, 0));
  EXPECT_EQ(pieces_of(many).pieces.size(), 5u);
  EXPECT_EQ(pieces_of(many, 2).pieces.size(), 2u);
}

TEST(Decomposition, RepairsWhatIsWrong) {
  const Solid good = testing::u_shape();
  Solid bad;
  int turn = 0;
  for (std::array<int, 3> t : good.triangles) {  // as a file of loose triangles
    if (++turn % 3 == 0) std::swap(t[0], t[1]);
    bad.triangles.push_back({});
    for (std::size_t k = 0; k < 3; ++k) {
      bad.triangles.back()[k] = static_cast<int>(bad.vertices.size());
      bad.vertices.push_back(good.vertices[static_cast<std::size_t>(t[k])]);
    }
  }
  bad.triangles.push_back(bad.triangles.front());
  bad.triangles.push_back({0, 0, 1});
  const Decomposition pieces = pieces_of(bad);
  EXPECT_EQ(pieces.pieces.size(), 3u);
  EXPECT_NEAR(pieces.body_volume, 7, 1e-12);
  ASSERT_EQ(pieces.repairs.size(), 3u);
  EXPECT_TRUE(testing::has_all(pieces.repairs[0], "68 vertices|joined"));
  EXPECT_TRUE(testing::has_all(pieces.repairs[1], "2 triangles|dropped"));
  EXPECT_TRUE(testing::has_all(pieces.repairs[2], "triangles|turned"));
  Solid inside_out = good;
  for (std::array<int, 3>& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_NEAR(pieces_of(inside_out).body_volume, 7, 1e-12);
}

TEST(Decomposition, OfASurfaceWithAHoleIsThatOfWhatItMostlyEncloses) {
  Solid open = testing::u_shape();
  open.triangles.erase(open.triangles.begin());
  const Decomposition pieces = pieces_of(open);
  EXPECT_EQ(pieces.body_volume, 0);
  EXPECT_NEAR(pieces.volume, 7, 0.7);
  ASSERT_EQ(pieces.repairs.size(), 1u);
  EXPECT_TRUE(testing::has_all(pieces.repairs[0], "3 edges|holes"));
  // A sheet becomes a plate.
  const Decomposition sheet = decompose(std::vector<Vec3>{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}},
                                        std::vector<std::array<int, 3>>{{0, 1, 2}}, {});
  EXPECT_EQ(sheet.pieces.size(), 1u);
  EXPECT_NEAR(sheet.volume, 2 * 0.02 * 2, 1e-12);
}

TEST(Decomposition, MassIsThatOfTheMesh) {
  const Solid solid = testing::torus(1, 0.3, 24, 12);
  const MassProperties exact = mass_properties(triangle_mesh(solid.vertices, solid.triangles));
  const MassProperties moving = mass_properties(moving_mesh(pieces_of(solid, 8, 0.1)));
  EXPECT_NEAR(moving.volume, exact.volume, 1e-12);
  EXPECT_LE((moving.inertia - exact.inertia).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Decomposition, BadInputIsRefused) {
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}};
  using Triangles = std::vector<std::array<int, 3>>;
  const auto refused = [&](const Triangles& triangles, std::size_t count,
                           DecompositionOptions options = {}) {
    return testing::message_of(
        [&] { decompose(std::span(corners).first(count), triangles, options); });
  };
  EXPECT_TRUE(testing::mentions(refused({}, 3), "mesh", "no triangles"));
  EXPECT_TRUE(testing::mentions(refused({{0, 1, 2}}, 4), "mesh", "vertex 3|not finite"));
  EXPECT_TRUE(testing::mentions(refused({{0, 1, 3}}, 3), "mesh", "vertex 3|0 to 2"));
  EXPECT_TRUE(testing::mentions(refused({{0, 1, 1}}, 3), "mesh", "none|area"));
  EXPECT_TRUE(testing::mentions(refused({{0, 1, 2}}, 3, {0, 0.02}), "pieces", "0|at least 1"));
  EXPECT_TRUE(testing::mentions(refused({{0, 1, 2}}, 3, {8, 0}), "concavity", "0|0.001 to 1"));
}

}  // namespace
}  // namespace taut::collision
