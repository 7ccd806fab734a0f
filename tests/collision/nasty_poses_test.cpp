// Poses on which such algorithms are known to fail: faces in one plane, edges in one line, vertices
// that meet, thin plates, needles, and bodies of very different size.
#include <limits>

#include "support/contact_reference.hpp"
#include "taut/collision/cast.hpp"
#include "taut/collision/contacts.hpp"

namespace taut::collision {
namespace {

void expect_right(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                  double gap) {
  const double size = std::max(reach(a), reach(b));
  for (const bool is_swapped : {false, true}) {
    const Distance d = is_swapped ? distance(b, at_b, a, at_a) : distance(a, at_a, b, at_b);
    EXPECT_NEAR(d.gap, gap, 1e-12 * size) << name(a.type) << " " << name(b.type);
    const std::string fault = is_swapped
                                  ? testing::wrong_distance(b, at_b, a, at_a, d, 1e-10 * size)
                                  : testing::wrong_distance(a, at_a, b, at_b, d, 1e-10 * size);
    EXPECT_EQ(fault, "") << name(a.type) << " " << name(b.type);
  }
}

TEST(NastyPoses, ShallowAndTouching) {
  const Shape cube = box({0.5, 0.5, 0.5});
  for (const double gap :
       {0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3}) {
    expect_right(cube, Pose3(), cube, Pose3(Vec3(0, 0, 1 + gap)), gap);
    expect_right(cube, Pose3(), cube, Pose3(Vec3(0.3, 0.2, 1 + gap)), gap);
    expect_right(cube, Pose3(), cube, Pose3(Vec3(1, 0, 1 + gap)), std::max(gap, 0.0));
    expect_right(capsule(0.5, 0.1), Pose3(), cube, Pose3(Vec3(0.6 + gap, 0, 0)), gap);
    expect_right(capsule(0.5, 0.1), Pose3(), capsule(0.5, 0.1), Pose3(Vec3(0.2 + gap, 0, 0)), gap);
    expect_right(sphere(0.5), Pose3(), cube, Pose3(Vec3(0, 1 + gap, 0)), gap);
    expect_right(cylinder(0.5, 0.5), Pose3(), cube, Pose3(Vec3(0, 0, 1 + gap)), gap);
    expect_right(cylinder(0.5, 0.5), Pose3(), cylinder(0.5, 0.5), Pose3(Vec3(1 + gap, 0, 0)), gap);
    expect_right(cone(0.5, 0.5), Pose3(), cube, Pose3(Vec3(0, 0, 1 + gap)), gap);
    expect_right(rounded(cube, 0.1), Pose3(), rounded(cube, 0.1), Pose3(Vec3(0, 1.2 + gap, 0.1)),
                 gap);
  }
}

TEST(NastyPoses, SameCentre) {
  const Shape cube = box({0.5, 0.5, 0.5});
  expect_right(cube, Pose3(), cube, Pose3(), -1);
  expect_right(sphere(0.5), Pose3(), cube, Pose3(), -1);
  expect_right(capsule(0.3, 0.2), Pose3(), cube, Pose3(), -0.7);
  expect_right(cylinder(0.5, 2), Pose3(), cylinder(0.25, 2), Pose3(), -0.75);
  expect_right(ellipsoid({1, 1, 1}), Pose3(), ellipsoid({0.5, 0.5, 0.5}), Pose3(), -1.5);
  expect_right(box({1, 2, 3}), Pose3(), box({0.1, 0.1, 0.1}), Pose3(), -1.1);
}

TEST(NastyPoses, ThinLongTinyHuge) {
  const Shape plate = box({1, 1, 1e-6}), needle = box({1e-6, 1e-6, 1}), rod = cylinder(1e-6, 1);
  expect_right(plate, Pose3(), plate, Pose3(Vec3(0.2, 0.1, 0)), -2e-6);
  expect_right(plate, Pose3(), plate, Pose3(Vec3(0.2, 0.1, 1e-3)), 1e-3 - 2e-6);
  expect_right(needle, Pose3(), plate, Pose3(), -1e-6 - 1);
  expect_right(needle, Pose3(Vec3(0.5, 0.5, 1.5)), plate, Pose3(), 0.5 - 1e-6);
  expect_right(rod, Pose3(), plate, Pose3(Vec3(0, 0, 1.5)), 0.5 - 1e-6);
  expect_right(box({1e4, 1e4, 1e4}), Pose3(Vec3(0, 0, -1e4)), box({0.01, 0.01, 0.01}),
               Pose3(Vec3(0.3, 0.2, 0.01)), 0);
  expect_right(box({1e-9, 1e-9, 1e-9}), Pose3(), sphere(1e-9), Pose3(Vec3(0, 0, 3e-9)), 1e-9);
  expect_right(box({1e9, 1e9, 1e9}), Pose3(), sphere(1e9), Pose3(Vec3(0, 0, 3e9)), 1e9);
}

TEST(NastyPoses, WhatIsNotFiniteEndsToo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Shape shapes[] = {sphere(1), capsule(1, 1), box({1, 1, 1}), cylinder(1, 1),
                          ellipsoid({1, 2, 3})};
  std::vector<ContactPoint> out;
  RayHit hit;
  for (const Shape& a : shapes)
    for (const Shape& b : shapes) {
      distance(a, Pose3(), b, Pose3(Vec3(nan, 0, 0)));
      contacts(a, Pose3(), b, Pose3(Vec3(nan, 0, 0)), 0.1, out);
      ray_cast(a, Pose3(Vec3(nan, 0, 0)), Vec3(3, 3, 3), Vec3(1, 0, 0), 1, hit);
      const Impact impact =
          time_of_impact(a, Motion3(Pose3()), b, Motion3(Pose3(Vec3(nan, 0, 0))), 1e-3);
      EXPECT_TRUE(impact.t <= 1);
    }
}

}  // namespace
}  // namespace taut::collision
