// Prescribed motions: a value that depends on time alone, with its first two time derivatives.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"

namespace taut {

template <class V>
struct MotionSample {
  V value, rate, acceleration;
};

/// A function of time with its first two derivatives.
template <class V>
using TimeFunction = std::function<MotionSample<V>(double t)>;

// The ways to prescribe a motion. V is double (a length, an angle) or Vec3 (a place).

/// from + velocity·t
template <class V>
struct LineMotion {
  V from{}, velocity{};
};
/// center + amplitude·sin(2π·frequency·t + phase)
template <class V>
struct SineMotion {
  V center{}, amplitude{};
  double frequency = 1, phase = 0;
};
/// A C² curve through values at given times, at rest before the first and after the last.
template <class V>
struct KeyframeMotion {
  std::vector<double> times;
  std::vector<V> values;
};
template <class V>
struct FormulaMotion {
  TimeFunction<V> value;
};

/// A constant, or one of the motions above.
template <class V>
class Motion {
 public:
  /// Not given: whoever reads it measures the value at the start.
  Motion();
  Motion(const V& constant) : constant_(constant) {}  // NOLINT: on purpose
  Motion(const LineMotion<V>& line);                  // NOLINT: on purpose
  Motion(const SineMotion<V>& sine);                  // NOLINT: on purpose
  Motion(const KeyframeMotion<V>& keys);              // NOLINT: on purpose
  Motion(const FormulaMotion<V>& formula);            // NOLINT: on purpose
  /// Anything that gives a MotionSample<V> for a time. Its derivatives must be right.
  template <class F>
  requires std::is_invocable_r_v < MotionSample<V>,
  const F&, double > Motion(F function)
      : Motion(FormulaMotion<V>{std::move(function)}) {}  // NOLINT: on purpose

  bool is_given() const;
  bool is_constant() const { return !track_; }

  MotionSample<V> at(double t) const {
    if (!track_) [[likely]]
      return {constant_, 0.0 * constant_, 0.0 * constant_};
    return track_->at(t);
  }
  V value(double t) const { return track_ ? track_->at(t).value : constant_; }

 private:
  struct Track {
    virtual ~Track() = default;
    virtual MotionSample<V> at(double t) const = 0;
  };
  template <class Kind>
  struct TrackOf;
  template <class Kind>
  void follow(Kind kind);

  std::shared_ptr<const Track> track_;  // shared: motions are constant and copied freely
  V constant_;
};
extern template class Motion<double>;
extern template class Motion<Vec3>;

/// One of the ways to prescribe a motion, with its fields.
template <class V>
struct MotionInfo : TypeInfo {
  /// The motion of what make() made, when its fields are set.
  Motion<V> (*motion)(const void* fields) = nullptr;
};
/// All of them, for double and Vec3.
template <class V>
const std::vector<MotionInfo<V>>& motion_types();

template <>
inline constexpr ValueType value_type<TimeFunction<double>>{ValueKind::number_function};
template <>
inline constexpr ValueType value_type<TimeFunction<Vec3>>{ValueKind::vector_function};
template <>
inline constexpr ValueType value_type<Motion<double>>{ValueKind::number_motion};
template <>
inline constexpr ValueType value_type<Motion<Vec3>>{ValueKind::vector_motion};

}  // namespace taut
