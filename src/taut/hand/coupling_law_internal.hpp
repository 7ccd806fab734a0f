// The spring and the damper between a body and its ghost (hand/coupling.hpp), for one body.
#pragma once

#include "taut/hand/coupling.hpp"
#include "taut/model/system.hpp"

namespace taut::hand::detail {

/// In the world's directions.
LimbForce force_on(const LimbCoupling& law, const LimbState& ghost, const LimbState& limb);
LimbState limb_at(const System& system, const Pose& pose, const VecX& v, BodyId body);
/// m/s²
Vec3 gravity_of(const System& system);
/// F += what the ghost does to the body, and what bears its weight.
void add_force(const System& system, const Pose& pose, const VecX& v, BodyId body,
               const LimbCoupling& law, const LimbState& ghost, const Vec3& gravity, VecX& F);
/// Of the coupling with that number, to K: k + rate · d.
void add_stiffness(const LimbCoupling& law, double rate, const RowPattern& pattern,
                   std::size_t number, VecX& K);

}  // namespace taut::hand::detail
