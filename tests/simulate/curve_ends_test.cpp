// A point that runs past the end of an open wire has left it, and the run says so.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/base/error.hpp"
#include "taut/constraints/on_curve.hpp"
#include "taut/constraints/point_on_spline.hpp"

namespace taut {
namespace {

/// From x = 0 to x = 2, nearly straight.
Curve wire(CurveEnds ends) { return Curve({{0, 0, 0}, {1, 0.1, 0}, {2, 0, 0}}, false, ends); }

System bead(CurveEnds ends) {
  System system;
  const BodyId body = system.add(Particle{1, {1, 0.1, 0}, {1, 0, 0}}, "bead");
  constrain(system, OnCurve{body, wire(ends)}, "wire");
  return system;
}

/// The same on a body that stands still, and is heavy.
System bead_on_body(CurveEnds ends) {
  System system;
  RigidBody frame;
  frame.mass = 1e6;
  frame.inertia = 1e6 * Mat3::Identity();
  const BodyId holder = system.add(frame, "frame");
  const BodyId body = system.add(Particle{1, {1, 0.1, 0}, {1, 0, 0}}, "bead");
  constrain(system, PointOnSpline{body, holder, wire(ends)}, "wire");
  return system;
}

void expect_left(const RunReport& report, const std::string& type) {
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_EQ(
      report.reason.find(type + " \"wire\": the point ran past the end of the curve at t = 1."), 0u)
      << report.reason;
  EXPECT_NEAR(report.time, 1.005, 0.01);
}

TEST(CurveEnds, LeavingTheWireIsReported) {
  expect_left(testing::run(bead(CurveEnds::finite), "rattle", 1e-3, 3), "on_curve");
  expect_left(testing::run(bead_on_body(CurveEnds::finite), "rattle", 1e-3, 3), "point_on_spline");
}

TEST(CurveEnds, AnExtendedWireGoesOn) {
  for (System (*make)(CurveEnds) : {bead, bead_on_body}) {
    const RunReport report = testing::run(make(CurveEnds::extended), "rattle", 1e-3, 3);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    EXPECT_GT(report.final_state.q[report.final_state.q.size() - 3], 3.5);
  }
}

TEST(CurveEnds, AStartBeyondTheEndIsRefused) {
  System system;
  const BodyId body = system.add(Particle{1, {3, 0, 0}}, "bead");
  EXPECT_THROW(constrain(system, OnCurve{body, wire(CurveEnds::finite)}), Error);
  EXPECT_NO_THROW(constrain(system, OnCurve{body, wire(CurveEnds::extended)}));
}

}  // namespace
}  // namespace taut
