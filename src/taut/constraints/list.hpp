// Every constraint taut knows. Adding one: its header, and its name here.
#pragma once

#include "taut/base/field.hpp"
#include "taut/constraints/angle.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/cylindrical.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/drive.hpp"
#include "taut/constraints/gear.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/constraints/limit.hpp"
#include "taut/constraints/motor.hpp"
#include "taut/constraints/on_circle.hpp"
#include "taut/constraints/on_curve.hpp"
#include "taut/constraints/on_line.hpp"
#include "taut/constraints/on_moving_plane.hpp"
#include "taut/constraints/on_plane.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/constraints/planar.hpp"
#include "taut/constraints/point_on_spline.hpp"
#include "taut/constraints/rack.hpp"
#include "taut/constraints/screw.hpp"
#include "taut/constraints/slider.hpp"
#include "taut/constraints/universal.hpp"
#include "taut/constraints/weld.hpp"

#define TAUT_POINT_CONSTRAINTS(CONSTRAINT) \
  CONSTRAINT(Pin)                          \
  CONSTRAINT(Ball)                         \
  CONSTRAINT(Distance)                     \
  CONSTRAINT(OnPlane)                      \
  CONSTRAINT(OnMovingPlane)                \
  CONSTRAINT(OnLine)                       \
  CONSTRAINT(OnCircle)                     \
  CONSTRAINT(OnCurve)                      \
  CONSTRAINT(PointOnSpline)                \
  CONSTRAINT(Angle)
#define TAUT_JOINT_CONSTRAINTS(CONSTRAINT) \
  CONSTRAINT(Hinge)                        \
  CONSTRAINT(Slider)                       \
  CONSTRAINT(Cylindrical)                  \
  CONSTRAINT(Universal)                    \
  CONSTRAINT(Planar)                       \
  CONSTRAINT(Weld)                         \
  CONSTRAINT(Screw)                        \
  CONSTRAINT(Gear)                         \
  CONSTRAINT(Rack)                         \
  CONSTRAINT(Drive)                        \
  CONSTRAINT(Limit)                        \
  CONSTRAINT(Motor)
#define TAUT_CONSTRAINTS(CONSTRAINT) \
  TAUT_POINT_CONSTRAINTS(CONSTRAINT) \
  TAUT_JOINT_CONSTRAINTS(CONSTRAINT)

namespace taut {

#define TAUT_AND(Type) , Type
using ConstraintTypes = TypeListAfter<void TAUT_CONSTRAINTS(TAUT_AND)>::type;
#undef TAUT_AND

// Compiled once, in list_points.cpp and list_joints.cpp: templates this size would be slow to
// compile everywhere.
#define TAUT_EXTERN(Type) extern template class Batch<Type>;
TAUT_CONSTRAINTS(TAUT_EXTERN)
#undef TAUT_EXTERN

}  // namespace taut
