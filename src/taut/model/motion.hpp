// Prescribed motions: a value that depends on time alone, with its first two time derivatives.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "taut/base/field.hpp"
#include "taut/base/types.hpp"
#include "taut/model/spline.hpp"

namespace taut {

template <class V>
struct MotionSample {
  V value, rate, acceleration;
};

/// The ways to prescribe a motion. V is double (a length, an angle) or Vec3 (a place).
template <class V>
struct LineMotion {
  static constexpr std::string_view type = "line";
  static constexpr std::string_view summary = "constant velocity: from + velocity·t";
  V from{}, velocity{};
  static constexpr auto fields() {
    return std::tuple{required("from", &LineMotion::from, "", "value at time 0"),
                      required("velocity", &LineMotion::velocity, "1/s", "change per second")};
  }
  MotionSample<V> at(double t) const { return {from + velocity * t, velocity, 0.0 * velocity}; }
};

template <class V>
struct SineMotion {
  static constexpr std::string_view type = "sine";
  static constexpr std::string_view summary = "center + amplitude·sin(2π·frequency·t + phase)";
  V center{}, amplitude{};
  double frequency = 1, phase = 0;
  static constexpr auto fields() {
    return std::tuple{
        required("center", &SineMotion::center, "", "middle of the swing"),
        required("amplitude", &SineMotion::amplitude, "", "largest excursion from it"),
        required("frequency", &SineMotion::frequency, "Hz", "swings per second", Range::positive),
        optional("phase", &SineMotion::phase, "rad", "angle of the sine at time 0")};
  }
  MotionSample<V> at(double t) const {
    const double w = 2 * M_PI * frequency;
    const double s = std::sin(w * t + phase), c = std::cos(w * t + phase);
    return {center + s * amplitude, (w * c) * amplitude, (-w * w * s) * amplitude};
  }
};

template <class V>
struct KeyframeMotion {
  static constexpr std::string_view type = "keyframes";
  static constexpr std::string_view summary =
      "a smooth (C²) curve through values at given times, at rest before the first and after the "
      "last";
  std::vector<double> times;
  std::vector<V> values;
  static constexpr auto fields() {
    return std::tuple{required("times", &KeyframeMotion::times, "s", "strictly increasing"),
                      required("values", &KeyframeMotion::values, "", "one for each time")};
  }
};

/// A function of time with its first two derivatives.
template <class V>
using TimeFunction = std::function<MotionSample<V>(double t)>;

template <class V>
struct FormulaMotion {
  static constexpr std::string_view type = "formula";
  static constexpr std::string_view summary = "an expression in t, differentiated exactly";
  TimeFunction<V> value;
  static constexpr auto fields() {
    return std::tuple{
        required("value", &FormulaMotion::value, "", "a formula \"=…\" in the time t")};
  }
  MotionSample<V> at(double t) const { return value(t); }
};

/// A constant, or one of the motions above.
template <class V>
class Motion {
 public:
  using Kinds = TypeList<LineMotion<V>, SineMotion<V>, KeyframeMotion<V>, FormulaMotion<V>>;

  /// Not given: whoever reads it measures the value at the start.
  Motion() { set_nan(); }
  Motion(const V& constant) : constant_(constant) {}  // NOLINT: on purpose
  Motion(const LineMotion<V>& line)                   // NOLINT: on purpose
      : track_(std::make_shared<Track<LineMotion<V>>>(line)), constant_(line.at(0).value) {}
  Motion(const SineMotion<V>& sine)  // NOLINT: on purpose
      : track_(std::make_shared<Track<SineMotion<V>>>(sine)), constant_(sine.at(0).value) {}
  Motion(const KeyframeMotion<V>& keys)  // NOLINT: on purpose
      : track_(std::make_shared<Track<Keys>>(
            Keys{CubicSpline<V>(keys.times, keys.values, SplineEnds::resting)})),
        constant_(keys.values.front()) {}
  Motion(const FormulaMotion<V>& formula)  // NOLINT: on purpose
      : track_(std::make_shared<Track<FormulaMotion<V>>>(formula)),
        constant_(formula.at(0).value) {}
  /// Anything that gives a MotionSample<V> for a time. Its derivatives must be right.
  template <class F>
  requires std::is_invocable_r_v < MotionSample<V>,
  const F&, double > Motion(F function)
      : Motion(FormulaMotion<V>{std::move(function)}) {}  // NOLINT: on purpose

  bool is_given() const { return track_ || is_finite(constant_); }
  bool is_constant() const { return !track_; }

  MotionSample<V> at(double t) const {
    if (!track_) [[likely]]
      return {constant_, 0.0 * constant_, 0.0 * constant_};
    return track_->at(t);
  }
  V value(double t) const { return track_ ? track_->at(t).value : constant_; }

 private:
  struct AnyTrack {
    virtual ~AnyTrack() = default;
    virtual MotionSample<V> at(double t) const = 0;
  };
  template <class Kind>
  struct Track final : AnyTrack {
    explicit Track(Kind k) : kind(std::move(k)) {}
    MotionSample<V> at(double t) const override { return kind.at(t); }
    Kind kind;
  };
  struct Keys {
    CubicSpline<V> spline;
    MotionSample<V> at(double t) const {
      const auto p = spline.piece(t);
      const double u = t - p.start;
      return {p.a + u * (p.b + u * (p.c + u * p.d)), p.b + u * (2 * p.c + 3 * u * p.d),
              2 * p.c + 6 * u * p.d};
    }
  };

  static bool is_finite(double x) { return std::isfinite(x); }
  static bool is_finite(const Vec3& x) { return x.allFinite(); }
  void set_nan() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if constexpr (std::is_same_v<V, double>) {
      constant_ = nan;
    } else {
      constant_.setConstant(nan);
    }
  }

  std::shared_ptr<const AnyTrack> track_;  // shared: motions are constant and copied freely
  V constant_;
};

}  // namespace taut
