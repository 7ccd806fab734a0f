// Finite rotations as unit quaternions and as vectors. Increments are in the body's frame:
// R⁺ = R·exp(θ) or R·cay(a). For a further small turn η of the end, R⁺·exp(η), the vector changes
// by a matrix times η: the inverse tangents below.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

inline Quat quaternion_at(const double* wxyz) { return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]}; }

Mat3 cross_matrix(const Vec3& a);

/// The turn by |θ| about θ.
Quat exponential(const Vec3& theta);
/// θ with exp(θ) = q, |θ| ≤ π.
Vec3 logarithm(const Quat& q);
/// dθ = T η for exp(θ + dθ) = exp(θ)·exp(η): 1 + ½θ× + c θ×θ×, c = (1 − (|θ|/2)cot(|θ|/2))/|θ|².
Mat3 logarithm_tangent(const Vec3& theta);

/// a with cay(a) = (1 − ½a×)⁻¹(1 + ½a×) = q: along the axis, 2 tan(angle/2) long.
Vec3 inverse_cayley(const Quat& q);
/// da = T η for cay(a + da) = cay(a)·exp(η): 1 + ½a× + ¼a aᵀ.
Mat3 inverse_cayley_tangent(const Vec3& a);

}  // namespace taut
