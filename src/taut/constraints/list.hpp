// Every constraint taut knows. Adding one: its header, and its name here.
#pragma once

#include "taut/base/field.hpp"
#include "taut/constraints/angle.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/on_circle.hpp"
#include "taut/constraints/on_curve.hpp"
#include "taut/constraints/on_line.hpp"
#include "taut/constraints/on_plane.hpp"
#include "taut/constraints/pin.hpp"

namespace taut {

using ConstraintTypes =
    TypeList<Pin, Ball, Distance, OnPlane, OnLine, OnCircle, OnCurve, Angle>;

// Compiled once, in list.cpp.
extern template class Batch<Pin>;
extern template class Batch<Ball>;
extern template class Batch<Distance>;
extern template class Batch<OnPlane>;
extern template class Batch<OnLine>;
extern template class Batch<OnCircle>;
extern template class Batch<OnCurve>;
extern template class Batch<Angle>;

}  // namespace taut
