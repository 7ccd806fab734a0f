// Every constraint's value against its formula, written here a second time. (derivatives_test.cpp
// compares the derivatives with differences of the value.)
#include <gtest/gtest.h>

#include "support/random_scene.hpp"
#include "taut/constraints/list.hpp"

namespace taut {
namespace {

constexpr double formula_time = 0.4;

using Values = std::vector<double>;
/// Where the anchors are.
using Places = std::vector<Vec3>;

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Values joined(std::initializer_list<Values> parts) {
  Values all;
  for (const Values& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
Values difference(const Vec3& to, const Vec3& from) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

Values formula(const Pin& c, const Places& x) { return difference(x[0], c.at.value(formula_time)); }
Values formula(const HeldSum& c, const Places& x) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < c.points.size(); ++k) sum += c.weights[k] * x[k];
  return difference(sum, c.at.value(formula_time));
}
/// A unit vector of the triangle's plane, as a sum of two sides at the start, and what has become
/// of it.
Values formula(const Stretch& c, const Places& x, const Places& start) {
  const Vec3 u = start[1] - start[0], v = start[2] - start[0];
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
  double a = (vv * dot(u, c.direction) - uv * dot(v, c.direction)) / det;
  double b = (uu * dot(v, c.direction) - uv * dot(u, c.direction)) / det;
  const Vec3 t = a * u + b * v;
  const Vec3 w = (a * (x[1] - x[0]) + b * (x[2] - x[0])) / std::sqrt(dot(t, t));
  return {std::sqrt(std::sqrt(det)) * (dot(w, w) - c.ratio * c.ratio) / (2 * c.ratio)};
}
Values formula(const Ball&, const Places& x) { return difference(x[1], x[0]); }
Values formula(const Distance& c, const Places& x) {
  const Vec3 d = x[1] - x[0];
  const double L = c.length.value(formula_time);
  if (c.form == DistanceForm::length) return {std::sqrt(dot(d, d)) - L};
  return {(dot(d, d) - L * L) / (2 * L)};
}
Values formula(const OnPlane&, const Places& x) { return {dot(x[2], x[0] - x[1])}; }
Values formula(const OnMovingPlane& c, const Places& x) {
  return {dot(c.normal.value(formula_time), x[0] - c.through.value(formula_time))};
}
Values formula(const OnLine&, const Places& x) {
  return {dot(x[2], x[0] - x[1]), dot(x[3], x[0] - x[1])};
}
Values formula(const OnCircle& c, const Places& x) {
  const Vec3 d = x[0] - x[1];
  return {dot(x[2], d), std::sqrt(dot(d, d)) - c.radius};
}
Values formula(const Angle& c, const Places& x) {
  const Vec3 u = x[0] - x[1], w = x[2] - x[1];
  return {std::acos(dot(u, w) / std::sqrt(dot(u, u) * dot(w, w))) - c.angle.value(formula_time)};
}

// Joints, as what must vanish between two bodies with the frames (o, U) and (o', U'): d = o' − o.
Values formula(const Hinge&, const Places& x) {
  return joined({difference(x[1], x[0]), {dot(x[2], x[3]), dot(x[2], x[4])}});
}
Values formula(const Universal&, const Places& x) {
  return joined({difference(x[1], x[0]), {dot(x[2], x[3])}});
}
Values formula(const Planar&, const Places& x) {
  return {dot(x[1] - x[0], x[2]), dot(x[2], x[3]), dot(x[2], x[4])};
}
Values formula(const Cylindrical&, const Places& x) {
  const Vec3 d = x[1] - x[0];
  return {dot(d, x[3]), dot(d, x[4]), dot(x[2], x[5]), dot(x[2], x[6])};
}
Values formula(const Slider&, const Places& x) {
  return joined({formula(Cylindrical{}, x), {dot(x[3], x[6])}});
}
Values formula(const Weld&, const Places& x) {
  return joined({difference(x[1], x[0]), {dot(x[2], x[4]), dot(x[2], x[5]), dot(x[3], x[5])}});
}
double coordinate(const Coordinate& c, const Places& x) {
  if (!c.is_turn()) return c.shift + dot(x[1], x[2] - x[0]);
  return c.shift + std::atan2(dot(x[1], x[2]), dot(x[0], x[2]));
}
Values pair(const Coordinate& first, const Coordinate& second, double ratio, const Places& x) {
  return {coordinate(first, {x[0], x[1], x[2]}) - first.start -
          ratio * (coordinate(second, {x[3], x[4], x[5]}) - second.start)};
}
Values formula(const Gear& c, const Places& x) { return pair(c.first, c.second, c.ratio, x); }
Values formula(const Rack& c, const Places& x) { return pair(c.first, c.second, c.radius, x); }
Values formula(const Screw& c, const Places& x, const Places& start) {
  const auto slide = [](const Places& at) { return dot(at[2], at[1] - at[0]); };
  const double turn = coordinate(c.turn(0), {x[3], x[4], x[5]});
  return joined(
      {formula(Cylindrical{}, x), {slide(x) - slide(start) - c.pitch / (2 * M_PI) * turn}});
}
Values formula(const Drive& c, const Places& x) {
  return {coordinate(c.joint, x) - c.position.value(formula_time)};
}
Values formula(const KnifeEdge&, const Places&) { return {0}; }  // on velocities: there is no C
Values formula(const Rolling& c, const Places& x) {
  const Vec3 n = x[4].cross(x[5]);
  const double up = c.axis ? std::sqrt(1 - dot(n, x[1]) * dot(n, x[1])) : 1;
  return {dot(n, x[0] - x[3]) - c.radius * up, 0, 0};
}
Values formula(const Limit& c, const Places& x) { return {coordinate(c.joint, x)}; }
Values formula(const Motor& c, const Places& x) { return {coordinate(c.joint, x)}; }

Places places(const ConstraintBatch& batch, const Pose& pose) {
  std::vector<Anchor> anchors(static_cast<std::size_t>(batch.anchors_per_constraint()));
  batch.anchors(0, anchors);
  Places x;
  for (const Anchor& anchor : anchors) x.push_back(pose.at(anchor));
  return x;
}

/// Compares where nothing is satisfied: random bodies, moved a little from where they start.
template <class C>
void compare() {
  const ConstraintInfo& info = *find_type(constraint_types(), C::type);
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(std::string(C::type) + ", seed " + std::to_string(seed));
    testing::Random random(seed);
    System system = testing::random_bodies(random);
    testing::add_random_constraint(info, system, random);
    const State start = system.initial_state();
    VecX q;
    system.advance(start.q, random.vector_of(system.velocity_size()), 0.1, q);
    const Pose pose(system, q);
    const RowPattern pattern(system);
    Rows rows;
    rows.resize(pattern);
    rows.linearize(system, pattern, pose, formula_time);

    const ConstraintBatch& batch = *system.constraints()[0];
    const C& constraint = *static_cast<const C*>(batch.object(0));
    const Places x = places(batch, pose);
    Values expected;
    if constexpr (requires { formula(constraint, x, x); })
      expected = formula(constraint, x, places(batch, Pose(system, start.q)));
    else
      expected = formula(constraint, x);
    ASSERT_EQ(static_cast<std::size_t>(rows.C.size()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(rows.C[static_cast<int>(i)], expected[i], 1e-12) << "row " << i;
  }
}

// All but the wires, whose formula is their spline.
TEST(EveryConstraint, HasTheValueOfItsFormula) {
  compare<Pin>();
  compare<HeldSum>();
  compare<Stretch>();
  compare<Ball>();
  compare<Distance>();
  compare<OnPlane>();
  compare<OnMovingPlane>();
  compare<OnLine>();
  compare<OnCircle>();
  compare<Angle>();
  compare<KnifeEdge>();
  compare<Rolling>();
  compare<Hinge>();
  compare<Slider>();
  compare<Cylindrical>();
  compare<Universal>();
  compare<Planar>();
  compare<Weld>();
  compare<Screw>();
  compare<Gear>();
  compare<Rack>();
  compare<Drive>();
  compare<Limit>();
  compare<Motor>();
  EXPECT_EQ(constraint_types().size(), 24u + 2u) << "a new one is to be compared, too";
}

}  // namespace
}  // namespace taut
