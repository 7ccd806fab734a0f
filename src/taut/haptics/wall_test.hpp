// A stylus that is pressed against a stiff wall, through the coupling: the test of what a device
// can render without shaking (its Z-width, Colgate and Brown 1994).
//
// The handle of the device, with the fingers that hold it, is a mass m with a friction b that is
// pushed by a constant force. Its place is sampled every T; the simulation does a step with the
// stylus coupled to it; the force K (x_tool − x) + B (v_tool − v) is then held for T. The velocity
// is the difference of two samples. Between them the handle moves as the differential equation
// says, exactly.
//
// Colgate and Schenkel 1997: with a wall that is a spring K and a damper B, sampled and held, the
// device is passive, and so stable whoever holds it, if b > K T/2 + |B|.
#pragma once

#include <cmath>

#include "taut/hand/stylus.hpp"

namespace taut::haptics {

struct WallTest {
  double stiffness = 1000;  ///< N/m: K
  double damping = 0;       ///< N·s/m: B, of the force that is sent
  double rate = 1000;       ///< Hz: 1/T
  double mass = 0.1;        ///< kg: m
  double friction = 1;      ///< N·s/m: b
  double push = 2;          ///< N
  double start = 0.0005;    ///< m from the wall, at rest
  double seconds = 2;       ///< how long it is pressed
  bool is_limited = false;  ///< by a PassivityLimiter
  hand::Tip tip = hand::Tip::point;

  bool is_passive() const { return friction > 0.5 * stiffness / rate + std::abs(damping); }
};

struct WallResult {
  bool is_stable = false;  ///< it has come to rest against the wall, or is coming to rest
  double swing = 0;        ///< m: how far the handle still moves in the last tenth of the time
  double depth = 0;        ///< m: how far it is behind the wall then, on average
  double given = 0;        ///< J: the most that the wall has given the handle and not taken before
};

/// Throws Error for numbers that are not above 0.
WallResult press(const WallTest& test);

}  // namespace taut::haptics
