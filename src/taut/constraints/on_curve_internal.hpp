// The rows C(y) of a place y beside a wire, for constraints that are functions of such a place.
#pragma once

#include "taut/constraints/constraint_batch.hpp"
#include "taut/model/curve.hpp"

namespace taut::detail {

inline constexpr std::string_view past_the_end = "the point ran past the end of the curve";
inline constexpr const char* starts_past_the_end =
    "point: it starts past the end of the curve (\"ends\": \"extended\" makes the curve go on)";

void linearize_beside(const Curve& curve, const Columns<double, 1>& y, Linearization<2, 1>& out);
/// ẏᵀ C_yy ẏ, per row
Eigen::Vector2d bias_beside(const Curve& curve, const Columns<double, 1>& y,
                            const Columns<double, 1>& rate);
/// Σ λ_r ∂²C_r/∂y²
Mat3 curvature_beside(const Curve& curve, const Columns<double, 1>& y,
                      const Eigen::Vector2d& lambda);

}  // namespace taut::detail
