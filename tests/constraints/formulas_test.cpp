// Every constraint's hand-written derivatives against automatic differentiation of its formula,
// written here a second time.
#include <gtest/gtest.h>

#include "support/random_scene.hpp"
#include "taut/constraints/formula.hpp"
#include "taut/constraints/list.hpp"

namespace taut {
namespace {

// The formulas, once more, generic in the number type.
template <class T>
using V3 = Eigen::Matrix<T, 3, 1>;

template <class T>
V3<T> formula(const Pin& c, const Columns<T, 1>& x, const T& t) {
  return x - differentiable(c.at, t);
}
template <class T>
V3<T> formula(const Ball&, const Columns<T, 2>& x, const T&) {
  return x.col(1) - x.col(0);
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Distance& c, const Columns<T, 2>& x, const T& t) {
  using std::sqrt;
  const V3<T> d = x.col(1) - x.col(0);
  const T L = differentiable(c.length, t);
  if (c.form == DistanceForm::length) return Eigen::Matrix<T, 1, 1>(sqrt(d.dot(d)) - L);
  return Eigen::Matrix<T, 1, 1>((d.dot(d) - L * L) / (L * T(2.0)));
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const OnPlane&, const Columns<T, 3>& x, const T&) {
  return Eigen::Matrix<T, 1, 1>(x.col(2).dot(x.col(0) - x.col(1)));
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const OnMovingPlane& c, const Columns<T, 1>& x, const T& t) {
  const V3<T> d = x - differentiable(c.through, t);
  return Eigen::Matrix<T, 1, 1>(differentiable(c.normal, t).dot(d));
}
template <class T>
Eigen::Matrix<T, 2, 1> formula(const OnLine&, const Columns<T, 4>& x, const T&) {
  return {x.col(2).dot(x.col(0) - x.col(1)), x.col(3).dot(x.col(0) - x.col(1))};
}
template <class T>
Eigen::Matrix<T, 2, 1> formula(const OnCircle& c, const Columns<T, 3>& x, const T&) {
  using std::sqrt;
  const V3<T> d = x.col(0) - x.col(1);
  return {x.col(2).dot(d), sqrt(d.dot(d)) - T(c.radius)};
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Angle& c, const Columns<T, 3>& x, const T& t) {
  using std::acos;
  using std::sqrt;
  const V3<T> u = x.col(0) - x.col(1), w = x.col(2) - x.col(1);
  return Eigen::Matrix<T, 1, 1>(acos(u.dot(w) / sqrt(u.dot(u) * w.dot(w))) -
                                differentiable(c.angle, t));
}

// Joints, as what must vanish between two bodies with the frames (o, U) and (o', U'): d = o' − o.
template <class T>
T dot(const V3<T>& a, const V3<T>& b) {
  return a.dot(b);
}
template <class T>
Eigen::Matrix<T, 5, 1> formula(const Hinge&, const Columns<T, 5>& x, const T&) {
  Eigen::Matrix<T, 5, 1> C;
  C << x.col(1) - x.col(0), dot<T>(x.col(2), x.col(3)), dot<T>(x.col(2), x.col(4));
  return C;
}
template <class T>
Eigen::Matrix<T, 4, 1> formula(const Universal&, const Columns<T, 4>& x, const T&) {
  Eigen::Matrix<T, 4, 1> C;
  C << x.col(1) - x.col(0), dot<T>(x.col(2), x.col(3));
  return C;
}
template <class T>
Eigen::Matrix<T, 3, 1> formula(const Planar&, const Columns<T, 5>& x, const T&) {
  return {dot<T>(x.col(1) - x.col(0), x.col(2)), dot<T>(x.col(2), x.col(3)),
          dot<T>(x.col(2), x.col(4))};
}
template <class T>
Eigen::Matrix<T, 4, 1> formula(const Cylindrical&, const Columns<T, 7>& x, const T&) {
  const V3<T> d = x.col(1) - x.col(0);
  return {dot<T>(d, x.col(3)), dot<T>(d, x.col(4)), dot<T>(x.col(2), x.col(5)),
          dot<T>(x.col(2), x.col(6))};
}
template <class T>
Eigen::Matrix<T, 5, 1> formula(const Slider&, const Columns<T, 7>& x, const T& t) {
  Eigen::Matrix<T, 5, 1> C;
  C << formula<T>(Cylindrical{}, x, t), dot<T>(x.col(3), x.col(6));
  return C;
}
template <class T>
Eigen::Matrix<T, 6, 1> formula(const Weld&, const Columns<T, 6>& x, const T&) {
  Eigen::Matrix<T, 6, 1> C;
  C << x.col(1) - x.col(0), dot<T>(x.col(2), x.col(4)), dot<T>(x.col(2), x.col(5)),
      dot<T>(x.col(3), x.col(5));
  return C;
}
template <class T>
T coordinate(const Coordinate& c, const Columns<T, 3>& x) {
  using std::atan2;
  if (!c.is_turn()) return T(c.shift) + dot<T>(x.col(1), x.col(2) - x.col(0));
  return T(c.shift) + atan2(dot<T>(x.col(1), x.col(2)), dot<T>(x.col(0), x.col(2)));
}
template <class T>
Eigen::Matrix<T, 1, 1> pair(const Coordinate& first, const Coordinate& second, double ratio,
                            const Columns<T, 6>& x) {
  return Eigen::Matrix<T, 1, 1>(
      coordinate<T>(first, x.template leftCols<3>()) - first.start -
      T(ratio) * (coordinate<T>(second, x.template rightCols<3>()) - second.start));
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Gear& c, const Columns<T, 6>& x, const T&) {
  return pair<T>(c.first, c.second, c.ratio, x);
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Rack& c, const Columns<T, 6>& x, const T&) {
  return pair<T>(c.first, c.second, c.radius, x);
}
template <class T>
Eigen::Matrix<T, 5, 1> formula(const Screw& c, const Columns<T, 7>& x, const T& t) {
  Columns<T, 3> turn;
  turn << x.col(3), x.col(4), x.col(5);
  const T slide = dot<T>(x.col(2), x.col(1) - x.col(0));  // since the start, which is here
  Eigen::Matrix<T, 5, 1> C;
  C << formula<T>(Cylindrical{}, x, t),
      slide - T(value_of(slide)) - T(c.pitch / (2 * M_PI)) * coordinate<T>(c.turn(0), turn);
  return C;
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Drive& c, const Columns<T, 3>& x, const T& t) {
  return Eigen::Matrix<T, 1, 1>(coordinate<T>(c.joint, x) - differentiable(c.position, t));
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Limit& c, const Columns<T, 3>& x, const T&) {
  return Eigen::Matrix<T, 1, 1>(coordinate<T>(c.joint, x));
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Motor& c, const Columns<T, 3>& x, const T& t) {
  // Only its rates mean anything: the speed's integral, to second order.
  const T dt = t - T(value_of(t));
  const MotionSample<double> u = c.speed.at(value_of(t));
  return Eigen::Matrix<T, 1, 1>(coordinate<T>(c.joint, x) - dt * u.value -
                                dt * dt * (0.5 * u.rate));
}
/// The formula of a constraint that is in a system already, of the same anchors.
template <class C, int Rows, int K>
struct Twin {
  static constexpr std::string_view type = "twin", unit = "m";
  static constexpr int rows = Rows, anchor_count = K;

  C data;
  std::array<Anchor, K> places;

  std::array<Anchor, K> anchors() const { return places; }
  template <class T>
  Eigen::Matrix<T, Rows, 1> value(const Columns<T, K>& x, const T& t) const {
    return formula(data, x, t);
  }
};

struct Evaluated {
  Rows rows;
  MatX J, G;
};

Evaluated evaluate(const System& system, const VecX& v, const VecX& lambda) {
  const RowPattern pattern(system);
  const State state = system.initial_state();
  const Pose pose(system, state.q);
  Evaluated at;
  at.rows.resize(pattern);
  at.rows.linearize(system, pattern, pose, 0.4);
  at.rows.add_bias(system, pattern, pose, v, 0.4);
  at.rows.add_stiffness(system, pattern, pose, 0.4, lambda);
  at.J = dense_jacobian(pattern, at.rows.J, system.velocity_size());
  at.G = dense_stiffness(pattern.stiffness_blocks, at.rows.G, system.velocity_size());
  return at;
}

template <class C, int Rows, int K>
void compare() {
  const ConstraintInfo& info = *find_type(constraint_types(), C::type);
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(std::string(C::type) + ", seed " + std::to_string(seed));
    testing::Random random(seed), again(seed);
    System mine = testing::random_bodies(random), automatic = testing::random_bodies(again);
    testing::add_random_constraint(info, mine, random);
    const ConstraintBatch& batch = *mine.constraints()[0];
    ASSERT_EQ(batch.rows_per_constraint(), Rows);
    ASSERT_EQ(batch.anchors_per_constraint(), K);
    Formula<Twin<C, Rows, K>> twin{{*static_cast<const C*>(batch.object(0)), {}}};
    batch.anchors(0, twin.places);
    constrain(automatic, twin);

    const VecX v = random.vector_of(mine.velocity_size()), lambda = random.vector_of(Rows);
    const Evaluated a = evaluate(mine, v, lambda), b = evaluate(automatic, v, lambda);
    EXPECT_LT((a.rows.C - b.rows.C).norm(), 1e-12);
    EXPECT_LT((a.rows.C_t - b.rows.C_t).norm(), 1e-11);
    EXPECT_LT((a.J - b.J).norm(), 1e-10);
    EXPECT_LT((a.rows.bias - b.rows.bias).norm(), 1e-9 * (1 + b.rows.bias.norm()));
    EXPECT_LT((a.G - b.G).norm(), 1e-9 * (1 + b.G.norm()));
  }
}

// All but the wires, whose derivatives are automatic: only the finite differences say more.
TEST(EveryConstraint, AgreesWithAutomaticDifferentiation) {
  compare<Pin, 3, 1>();
  compare<Ball, 3, 2>();
  compare<Distance, 1, 2>();
  compare<OnPlane, 1, 3>();
  compare<OnMovingPlane, 1, 1>();
  compare<OnLine, 2, 4>();
  compare<OnCircle, 2, 3>();
  compare<Angle, 1, 3>();
  compare<Hinge, 5, 5>();
  compare<Slider, 5, 7>();
  compare<Cylindrical, 4, 7>();
  compare<Universal, 4, 4>();
  compare<Planar, 3, 5>();
  compare<Weld, 6, 6>();
  compare<Screw, 5, 7>();
  compare<Gear, 1, 6>();
  compare<Rack, 1, 6>();
  compare<Drive, 1, 3>();
  compare<Limit, 1, 3>();
  compare<Motor, 1, 3>();
  EXPECT_EQ(constraint_types().size(), 20u + 2u) << "a new one is to be compared, too";
}

}  // namespace
}  // namespace taut
