// Every constraint taut knows. Adding one: its header, and its name here.
#pragma once

#include "taut/base/field.hpp"
#include "taut/constraints/angle.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/on_circle.hpp"
#include "taut/constraints/on_curve.hpp"
#include "taut/constraints/on_line.hpp"
#include "taut/constraints/on_moving_plane.hpp"
#include "taut/constraints/on_plane.hpp"
#include "taut/constraints/pin.hpp"

#define TAUT_CONSTRAINTS(CONSTRAINT) \
  CONSTRAINT(Pin)                    \
  CONSTRAINT(Ball)                   \
  CONSTRAINT(Distance)               \
  CONSTRAINT(OnPlane)                \
  CONSTRAINT(OnMovingPlane)          \
  CONSTRAINT(OnLine)                 \
  CONSTRAINT(OnCircle)               \
  CONSTRAINT(OnCurve)                \
  CONSTRAINT(Angle)

namespace taut {

#define TAUT_AND(Type) , Type
using ConstraintTypes = TypeListAfter<void TAUT_CONSTRAINTS(TAUT_AND)>::type;
#undef TAUT_AND

// Compiled once, in list.cpp: templates this size would be slow to compile everywhere.
#define TAUT_EXTERN(Type) extern template class Batch<Type>;
TAUT_CONSTRAINTS(TAUT_EXTERN)
#undef TAUT_EXTERN

}  // namespace taut
