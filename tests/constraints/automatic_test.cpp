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
Eigen::Matrix<T, 2, 1> formula(const OnCurve& c, const Columns<T, 1>& x, const T& t) {
  return c.value(x, t);  // its derivatives are automatic: only the finite differences say more
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
Eigen::Matrix<T, 1, 1> pair(const CoordinatePair& c, const Columns<T, 6>& x) {
  return Eigen::Matrix<T, 1, 1>(
      T(c.first_weight) * (coordinate<T>(c.first, x.template leftCols<3>()) - c.first.start) +
      T(c.second_weight) * (coordinate<T>(c.second, x.template rightCols<3>()) - c.second.start));
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Gear& c, const Columns<T, 6>& x, const T&) {
  return pair<T>(c, x);
}
template <class T>
Eigen::Matrix<T, 1, 1> formula(const Rack& c, const Columns<T, 6>& x, const T&) {
  return pair<T>(c, x);
}
template <class T>
Eigen::Matrix<T, 5, 1> formula(const Screw& c, const Columns<T, 7>& x, const T& t) {
  Columns<T, 3> turn, slide;
  turn << x.col(3), x.col(4), x.col(5);
  slide << x.col(0), x.col(2), x.col(1);
  Eigen::Matrix<T, 5, 1> C;
  C << formula<T>(Cylindrical{}, x, t),
      coordinate<T>(c.slid, slide) - T(c.pitch / (2 * M_PI)) * coordinate<T>(c.turned, turn);
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
template <class T>
Eigen::Matrix<T, 2, 1> formula(const PointOnSpline& c, const Columns<T, 5>& x, const T& t) {
  return c.value(x, t);  // as on_curve
}

template <class C>
struct Twin : C {
  template <class T>
  Eigen::Matrix<T, C::rows, 1> value(const Columns<T, C::anchor_count>& x, const T& t) const {
    return formula(static_cast<const C&>(*this), x, t);
  }
};

template <class C>
void compare(const C& constraint, const PlacesOf<C>& x, testing::Random& random) {
  const Formula<Twin<C>> twin{{constraint}};
  const double t = 0.4;
  PlacesOf<C> rate;
  for (int i = 0; i < rate.size(); ++i) rate(i) = random.uniform(-1, 1);
  const RowVectorOf<C> lambda = random.vector_of(C::rows);

  LinearizationOf<C> mine, automatic;
  constraint.linearize(x, t, mine);
  twin.linearize(x, t, automatic);
  EXPECT_LT((mine.C - automatic.C).norm(), 1e-12);
  EXPECT_LT((mine.C_t - automatic.C_t).norm(), 1e-11);
  for (int r = 0; r < C::rows; ++r)
    EXPECT_LT((mine.gradient[r] - automatic.gradient[r]).norm(), 1e-10);
  const RowVectorOf<C> bias = twin.bias(x, rate, t);
  EXPECT_LT((constraint.bias(x, rate, t) - bias).norm(), 1e-9 * (1 + bias.norm()));
  const CurvatureOf<C> curvature = twin.curvature(x, t, lambda);
  EXPECT_LT((constraint.curvature(x, t, lambda) - curvature).norm(), 1e-9 * (1 + curvature.norm()));
}

TEST(EveryConstraint, AgreesWithAutomaticDifferentiation) {
  ConstraintTypes::for_each([]<class C>() {
    for (unsigned seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(std::string(C::type) + ", seed " + std::to_string(seed));
      testing::Random random(seed);
      const System system = testing::random_bodies(random);
      C constraint = testing::random_constraint<C>(system, random);
      const State state = system.initial_state();
      if constexpr (requires { constraint.prepare(system); })
        constraint.prepare(system);
      else if constexpr (requires(PlacesOf<C> x) { constraint.prepare(x); })
        constraint.prepare(places(constraint, Pose(system, state.q)));
      compare(constraint, places(constraint, Pose(system, state.q)), random);
    }
  });
}

}  // namespace
}  // namespace taut
