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
      const PlacesOf<C> x = places(constraint, Pose(system, state.q));
      if constexpr (requires { constraint.prepare(x); }) constraint.prepare(x);
      compare(constraint, places(constraint, Pose(system, state.q)), random);
    }
  });
}

}  // namespace
}  // namespace taut
