#include "taut/model/motion.hpp"

#include <cmath>
#include <limits>

#include "taut/model/spline.hpp"

namespace taut {
namespace {

template <class V>
MotionSample<V> sample(const LineMotion<V>& line, double t) {
  return {line.from + line.velocity * t, line.velocity, 0.0 * line.velocity};
}

template <class V>
MotionSample<V> sample(const SineMotion<V>& sine, double t) {
  const double w = 2 * M_PI * sine.frequency;
  const double s = std::sin(w * t + sine.phase), c = std::cos(w * t + sine.phase);
  return {sine.center + s * sine.amplitude, (w * c) * sine.amplitude,
          (-w * w * s) * sine.amplitude};
}

template <class V>
MotionSample<V> sample(const CubicSpline<V>& spline, double t) {
  const auto p = spline.piece(t);
  const double u = t - p.start;
  return {p.a + u * (p.b + u * (p.c + u * p.d)), p.b + u * (2 * p.c + 3 * u * p.d),
          2 * p.c + 6 * u * p.d};
}

template <class V>
MotionSample<V> sample(const FormulaMotion<V>& formula, double t) {
  return formula.value(t);
}

bool is_finite(double x) { return std::isfinite(x); }
bool is_finite(const Vec3& x) { return x.allFinite(); }

}  // namespace

template <class V>
template <class Kind>
struct Motion<V>::TrackOf final : Track {
  explicit TrackOf(Kind k) : kind(std::move(k)) {}
  MotionSample<V> at(double t) const override { return sample(kind, t); }
  Kind kind;
};

template <class V>
template <class Kind>
void Motion<V>::follow(Kind kind) {
  constant_ = sample(kind, 0).value;
  track_ = std::make_shared<TrackOf<Kind>>(std::move(kind));
}

template <class V>
Motion<V>::Motion() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_same_v<V, double>) {
    constant_ = nan;
  } else {
    constant_.setConstant(nan);
  }
}
template <class V>
Motion<V>::Motion(const LineMotion<V>& line) {
  follow(line);
}
template <class V>
Motion<V>::Motion(const SineMotion<V>& sine) {
  follow(sine);
}
template <class V>
Motion<V>::Motion(const KeyframeMotion<V>& keys) {
  follow(CubicSpline<V>(keys.times, keys.values, SplineEnds::resting));
}
template <class V>
Motion<V>::Motion(const FormulaMotion<V>& formula) {
  follow(formula);
}
template <class V>
bool Motion<V>::is_given() const {
  return track_ || is_finite(constant_);
}

template class Motion<double>;
template class Motion<Vec3>;

namespace {

template <class Kind, class V>
MotionInfo<V> motion_type(std::string_view type, std::string_view summary,
                          const FieldList<Kind>& fields) {
  MotionInfo<V> info{describe(fields)};
  info.type = type;
  info.summary = summary;
  info.motion = [](const void* kind) { return Motion<V>(*static_cast<const Kind*>(kind)); };
  return info;
}

}  // namespace

template <class V>
const std::vector<MotionInfo<V>>& motion_types() {
  using Line = LineMotion<V>;
  using Sine = SineMotion<V>;
  using Keys = KeyframeMotion<V>;
  using Formula = FormulaMotion<V>;
  static const std::vector<MotionInfo<V>> all{
      motion_type<Line, V>("line", "constant velocity: from + velocity·t",
                           FieldList<Line>()
                               .required("from", &Line::from, "", "value at time 0")
                               .required("velocity", &Line::velocity, "1/s", "change per second")),
      motion_type<Sine, V>(
          "sine", "center + amplitude·sin(2π·frequency·t + phase)",
          FieldList<Sine>()
              .required("center", &Sine::center, "", "middle of the swing")
              .required("amplitude", &Sine::amplitude, "", "largest excursion from it")
              .required("frequency", &Sine::frequency, "Hz", "swings per second", Range::positive)
              .optional("phase", &Sine::phase, "rad", "angle of the sine at time 0")),
      motion_type<Keys, V>(
          "keyframes",
          "a curve through values at given times, at rest before the first and after the last; "
          "its acceleration is continuous (C²)",
          FieldList<Keys>()
              .required("times", &Keys::times, "s", "strictly increasing")
              .required("values", &Keys::values, "", "one for each time")),
      motion_type<Formula, V>("formula", "an expression in t, differentiated exactly",
                              FieldList<Formula>().required("value", &Formula::value, "",
                                                            "a formula \"=…\" in the time t"))};
  return all;
}
template const std::vector<MotionInfo<double>>& motion_types<double>();
template const std::vector<MotionInfo<Vec3>>& motion_types<Vec3>();

}  // namespace taut
