// Which inertias a rigid body can have.
#pragma once

#include <string>

#include "taut/base/types.hpp"

namespace taut {

/// What is wrong with an inertia about the centre of mass, as "found …, expected …"; empty where
/// nothing is. No principal moment of a body exceeds the sum of the other two, since
/// I₁ + I₂ − I₃ = 2 ∫ x₃² dm; in a flat plate it equals the sum. What has been rounded to three
/// digits passes.
std::string inertia_fault(const Mat3& inertia);

/// The part of it that also holds for a link that adds its inertia to that of others, and may have
/// none itself: no moment is below 0, and none exceeds the sum of the other two.
std::string moments_fault(const Mat3& inertia);

/// What a point mass `arm` away adds to an inertia: Steiner's m (r² 1 − r rᵀ).
inline Mat3 steiner(double mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

}  // namespace taut
