// Everything a program that uses taut needs.
#pragma once

#include "taut/analysis/diagnosis.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/constraints/formula.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/io/output.hpp"
#include "taut/io/scene.hpp"
#include "taut/methods/method.hpp"
#include "taut/reference/planar_pendulum.hpp"
#include "taut/simulate/simulation.hpp"
