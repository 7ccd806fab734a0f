// Small systems that many tests use.
#pragma once

#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {

/// Point masses on massless links of length L along +x from the origin, under gravity along −y.
System arm(int links, double L, double mass = 1, DistanceForm form = DistanceForm::length);

/// Nodes along x between two places exactly their links' length apart: a taut line, whose rows are
/// dependent where it is straight.
System taut_line(int links, double L, const Vec3& gravity);

/// A uniform thin rod of length L, hung by its end at the origin, at an angle from the vertical.
System rod_pendulum(double L, double angle);

/// A run from the system's initial state.
RunReport run(const System& system, std::string_view method, double step, double duration,
              std::vector<OptionValue> options = {}, Recorder record = {},
              std::string solver = "auto");

/// The same, with the method left alone: nothing is settled, and a failed step stays failed.
RunReport run_as_is(const System& system, std::string_view method, double step, double duration,
                    std::vector<OptionValue> options = {}, Recorder record = {});

/// A square of n × n particles in the x–z plane, its edges along rows and columns constraints; the
/// corners of its first row pinned, one width apart, so that this row is taut; or just one of them.
System square_cloth(int n, int pins = 2, double width = 1, double density = 0.15);

/// Whether a method, with its default options, leaves constraints violated on purpose: springs do,
/// and so does what permits strain.
bool gives_way(std::string_view method);
std::vector<std::string> method_names();

}  // namespace taut::testing
