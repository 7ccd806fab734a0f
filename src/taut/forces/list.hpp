// Every force taut knows. Adding one: its header, its .cpp, which defines describe_<name>(), and
// its name in the list of list.cpp. Here stands its header, for programs that want them all.
#pragma once

#include "taut/forces/bending.hpp"
#include "taut/forces/drag.hpp"
#include "taut/forces/force_info.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/joint_forces.hpp"
#include "taut/forces/point_force.hpp"
#include "taut/forces/pull.hpp"
#include "taut/forces/servo.hpp"
#include "taut/forces/spring.hpp"
#include "taut/forces/wind.hpp"
