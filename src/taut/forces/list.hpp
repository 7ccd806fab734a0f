// Every force taut knows. Adding one: its header, and its name here.
#pragma once

#include "taut/base/field.hpp"
#include "taut/forces/bending.hpp"
#include "taut/forces/constant.hpp"
#include "taut/forces/drag.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/joint_forces.hpp"
#include "taut/forces/spring.hpp"
#include "taut/forces/wind.hpp"

namespace taut {

using ForceTypes = TypeList<Gravity, ConstantForce, ConstantTorque, Spring, Bending, Drag, Wind,
                            JointSpring, JointTorque>;

}  // namespace taut
