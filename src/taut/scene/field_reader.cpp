#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/model/inertia.hpp"
#include "taut/scene/field_reader_internal.hpp"
#include "taut/scene/value_kinds_internal.hpp"

namespace taut::io::detail {
namespace {

/// A direction with its largest part ±1, so that no square of it overflows or vanishes.
template <class Vector>
Vector scaled(const At& at, const Vector& direction, const char* zero) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0)) fail(at, fmt::format("found {}, expected one that is not zero", zero));
  return direction / largest;
}

}  // namespace

void FieldReader::require_object(const At& at) {
  if (!at->members()) fail_found(at, "an object {…}");
}

void FieldReader::refuse_unknown_keys(const At& at, std::span<const std::string_view> known) {
  for (const Node::Member& member : *at->members()) {
    bool is_known = false;
    for (const std::string_view key : known) is_known = is_known || key == member.first;
    if (!is_known)
      fail(at.member(member.first), fmt::format("found an unknown key, expected a known one{}",
                                                suggestion(member.first, known)));
  }
}

const std::string* FieldReader::named_type(const At& at) {
  require_object(at);
  return at.has("type") ? at.member("type")->text() : nullptr;
}

void FieldReader::unknown_type(const At& at, std::string_view what,
                               std::span<const std::string_view> known) {
  std::string expected = fmt::format("a type of {}", what);
  if (what == "constraint" || what == "force")
    expected += fmt::format(", see `taut list {}s`", what);
  if (!at.has("type"))
    fail(at, fmt::format("found no \"type\", expected {}{}", expected, suggestion("", known)));
  const At type = at.member("type");
  if (!type->text()) fail_found(type, fmt::format("{}, a string", expected));
  fail_found(type, expected, suggestion(*type->text(), known));
}

void FieldReader::read_fields(const At& at, const TypeInfo& info, void* out,
                              std::initializer_list<std::string_view> also) {
  require_object(at);
  std::vector<std::string_view>& known = known_keys_;
  known.assign(also);
  for (const FieldInfo& field : info.fields) known.push_back(field.name);
  refuse_unknown_keys(at, known);
  for (const FieldInfo& field : info.fields) {
    if (at.has(field.name))
      read(at.member(field.name), *field.type, field.range, field.in(out));
    else if (field.required)
      fail(at, fmt::format("found no {}, expected {}", in_quotes(field.name),
                           expectation(*field.type, field.range)));
  }
}

void FieldReader::read_long(const At& at, Range range, long& out) {
  out = scope_.whole_number(at,
                            range == Range::any        ? -1'000'000'000'000
                            : range == Range::positive ? 1
                                                       : 0,
                            1'000'000'000'000);
}

void FieldReader::read_int(const At& at, Range range, int& out) {
  constexpr long most = std::numeric_limits<int>::max();
  const long least = range == Range::any ? -most : range == Range::positive ? 1 : 0;
  out = static_cast<int>(scope_.whole_number(at, least, most));
}

void FieldReader::read_vector(const At& at, Range range, Vec3& out) {
  if (!at->items() || at->items()->size() != 3) fail_found(at, expectation(value_type<Vec3>));
  for (int i = 0; i < 3; ++i) out[i] = scope_.number(at.item(static_cast<std::size_t>(i)), range);
}

BodyId FieldReader::body(const At& at) {
  const std::string name = scope_.name_text(at);
  if (const auto found = system_.find_body(name)) return *found;
  const std::vector<std::string_view> known(system_.body_names().begin(),
                                            system_.body_names().end());
  fail(at, fmt::format("found {}, expected the name of a body{}", in_quotes(name),
                       suggestion(name, known)));
}

const LinkPlace& FieldReader::link(const At& at) {
  const std::string name = scope_.name_text(at);
  if (const auto found = links_.find(name); found != links_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& each : links_) known.push_back(each.first);
  std::sort(known.begin(), known.end());
  fail(at, fmt::format("found {}, expected the name of a robot's link{}", in_quotes(name),
                       suggestion(name, known)));
}

void FieldReader::read_point(const At& at, Point& out) {
  out = {};
  if (at->text()) {
    out.body = body(at);
  } else if (at->items()) {
    read_vector(at, Range::any, out.local);
  } else if (at->members() && at.has("link")) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"link", "at"});
    const LinkPlace& place = link(at.member("link"));
    if (at.has("at")) read_vector(at.member("at"), Range::any, out.local);
    out = {place.body, place.frame * out.local};
  } else if (at->members()) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"body", "at"});
    if (!at.has("body")) fail(at, "found no \"body\", expected the name of a body");
    out.body = body(at.member("body"));
    if (!at.has("at")) return;
    if (!system_.is_rigid(out.body))
      fail(at.member("at"),
           fmt::format("found a place in the particle {}, expected a rigid body (a "
                       "particle has one place, its own)",
                       in_quotes(system_.body_name(out.body))));
    read_vector(at.member("at"), Range::any, out.local);
  } else {
    fail_found(at, expectation(value_type<Point>));
  }
}

void FieldReader::read_particles(const At& at, ParticleGroup& out) {
  if (!at->items() || at->items()->size() < 3 || at->items()->size() > 4)
    fail_found(at, expectation(value_type<ParticleGroup>));
  out = {};
  for (std::size_t i = 0; i < at->items()->size(); ++i) {
    const BodyId one = body(at.item(i));
    if (system_.is_rigid(one))
      fail(at.item(i), fmt::format("found the rigid body {}, expected a particle",
                                   in_quotes(system_.body_name(one))));
    for (std::size_t j = 0; j < i; ++j)
      if (out.body[j] == one)
        fail(at.item(i), fmt::format("found {} again, expected another particle",
                                     in_quotes(system_.body_name(one))));
    out.body[i] = one;
  }
}

void FieldReader::read_rigid_body(const At& at, BodyId& out) {
  if (!at->text()) fail_found(at, expectation(value_type<BodyId>));
  out = body(at);
  if (!system_.is_rigid(out))
    fail(at, fmt::format("found the particle {}, expected {}", in_quotes(system_.body_name(out)),
                         expectation(value_type<BodyId>)));
}

void FieldReader::read_body_name(const At& at, BodyName& out) {
  if (!at->text()) fail_found(at, expectation(value_type<BodyName>));
  out.text = system_.body_name(body(at));
}

void FieldReader::read_joint(const At& at, Coordinate& out) {
  if (!at->text()) fail_found(at, expectation(value_type<Coordinate>));
  const std::string name = scope_.name_text(at);
  out = with_place(at, [&] { return system_.joint_coordinate(name); });
}

void FieldReader::read_direction(const At& at, Direction& out) {
  out = {};
  if (at->members() && at.has("link")) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"link", "axis"});
    const LinkPlace& place = link(at.member("link"));
    if (!at.has("axis"))
      fail(at, fmt::format("found no \"axis\", expected {}", expectation(value_type<Vec3>)));
    read_vector(at.member("axis"), Range::any, out.local);
    out = {place.body, place.frame.linear() * out.local};
  } else if (at->members()) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"body", "axis"});
    for (const char* key : {"body", "axis"})
      if (!at.has(key))
        fail(at,
             fmt::format("found no \"{}\", expected {}", key, expectation(value_type<Direction>)));
    read_rigid_body(at.member("body"), out.body);
    read_vector(at.member("axis"), Range::any, out.local);
  } else if (at->items()) {
    read_vector(at, Range::any, out.local);
  } else {
    fail_found(at, expectation(value_type<Direction>));
  }
  const double size = out.local.squaredNorm();
  if (!(size > 1e-200 && size < 1e200)) out.local = scaled(at, out.local, "the zero direction");
}

void FieldReader::read_inertia(const At& at, Inertia& out) {
  if (!at->items() || at->items()->size() != 3) fail_found(at, expectation(value_type<Inertia>));
  if (at->items()->front().items()) {
    for (int row = 0; row < 3; ++row) {
      Vec3 values;
      read_vector(at.item(static_cast<std::size_t>(row)), Range::any, values);
      out.matrix.row(row) = values;
    }
  } else {
    Vec3 moments;
    read_vector(at, Range::positive, moments);
    out.matrix = moments.asDiagonal();
  }
  if (const std::string fault = inertia_fault(out.matrix); !fault.empty()) fail(at, fault);
}

void FieldReader::read_orientation(const At& at, Orientation& out) {
  if (at->items() && at->items()->size() == 4) {
    double part[4];
    for (std::size_t i = 0; i < 4; ++i) part[i] = scope_.number(at.item(i), Range::any);
    const Eigen::Vector4d unit =
        scaled(at, Eigen::Map<Eigen::Vector4d>(part).eval(), "the zero quaternion").normalized();
    out.rotation = Quat(unit[0], unit[1], unit[2], unit[3]);
    return;
  }
  if (!at->members()) fail_found(at, expectation(value_type<Orientation>));
  refuse_unknown_keys(at, std::array<std::string_view, 2>{"axis", "angle"});
  for (const char* key : {"axis", "angle"})
    if (!at.has(key))
      fail(at,
           fmt::format("found no \"{}\", expected {}", key, expectation(value_type<Orientation>)));
  Vec3 axis;
  read_vector(at.member("axis"), Range::any, axis);
  const double angle = scope_.number(at.member("angle"), Range::any);
  const Vec3 unit = scaled(at.member("axis"), axis, "the zero direction").normalized();
  out.rotation = Quat(Eigen::AngleAxisd(angle, unit));
}

void FieldReader::read_function(const At& at, TimeFunction<Vec3>& out) {
  if (!at->items() || at->items()->size() != 3)
    fail_found(at, expectation(value_type<TimeFunction<Vec3>>));
  std::array<TimeFunction<double>, 3> part;
  for (std::size_t i = 0; i < 3; ++i) {
    part[i] = scope_.time_function(at.item(i));
    check_finite(at.item(i), part[i]);
  }
  out = [part](double t) {
    MotionSample<Vec3> place;
    for (int i = 0; i < 3; ++i) {
      const MotionSample<double> x = part[static_cast<std::size_t>(i)](t);
      place.value[i] = x.value;
      place.rate[i] = x.rate;
      place.acceleration[i] = x.acceleration;
    }
    return place;
  };
}

// Where a formula or a derivative of it is infinite no constraint can follow.
void FieldReader::check_finite(const At& at, const TimeFunction<double>& function) const {
  constexpr int samples = 1000;
  for (int i = 0; i <= samples; ++i) {
    const double time = duration_ * i / samples;
    const MotionSample<double> x = function(time);
    if (!std::isfinite(x.value))
      fail(at,
           fmt::format("found a formula that is {:.6g} at time {:.6g} s, expected a finite number",
                       x.value, time));
    if (!std::isfinite(x.rate) || !std::isfinite(x.acceleration))
      fail(at, fmt::format("found a formula whose derivatives are not finite at time {:.6g} s, "
                           "expected finite ones: constraints need them",
                           time));
  }
}

// By sampling: a spline may leave the range between keyframes that are in it.
void FieldReader::check_range(const At& at, Range range, const Motion<double>& motion) const {
  constexpr int samples = 1000;
  for (int i = 0; i <= samples; ++i) {
    const double time = duration_ * i / samples, value = motion.value(time);
    if (!in_range(value, range))
      fail(at,
           fmt::format("found a motion that is {:.6g} at time {:.6g} s, expected {} all the time",
                       value, time, range_text(range)));
  }
}

namespace {

template <class V>
void check_keyframes(const At& at, const KeyframeMotion<V>& keys) {
  if (keys.times.size() != keys.values.size() || keys.times.size() < 2)
    fail(at, fmt::format("found {} times and {} values, expected as many values as times, at "
                         "least 2",
                         keys.times.size(), keys.values.size()));
  for (std::size_t i = 1; i < keys.times.size(); ++i)
    if (const double gap = keys.times[i] - keys.times[i - 1]; !(gap > 0 && std::isfinite(gap)))
      fail(at.member("times"), fmt::format("found {} after {}, expected strictly increasing times",
                                           keys.times[i], keys.times[i - 1]));
}

}  // namespace

// What depends on an input changes while the run goes on, without being called a motion.
bool FieldReader::read_of_inputs(const At& at, Range range, Motion<double>& out) {
  if (!scope_.uses_input(at)) return false;
  const TimeFunction<double> value = scope_.time_function(at);
  check_finite(at, value);
  out = FormulaMotion<double>{value};
  check_range(at, range, out);
  return true;
}
bool FieldReader::read_of_inputs(const At& at, Range, Motion<Vec3>& out) {
  bool is_one = false;
  for (std::size_t i = 0; at->items() && i < at->items()->size(); ++i)
    is_one = is_one || scope_.uses_input(at.item(i));
  if (!is_one) return false;
  FormulaMotion<Vec3> formula;
  read_function(at, formula.value);
  out = formula;
  return true;
}

template <class V>
void FieldReader::read_motion(const At& at, Range range, Motion<V>& out) {
  if (!at->members()) {
    if (!at->number() && !at->text() && !at->items())
      fail_found(at, expectation(value_type<Motion<V>>, range));
    if (read_of_inputs(at, range, out)) return;
    V constant{};
    read(at, range, constant);
    out = constant;
    return;
  }
  const MotionInfo<V>& info = chosen_type(at, "motion", motion_types<V>());
  const std::shared_ptr<void> kind = info.make();
  read_fields(at, info, kind.get(), {"type"});
  if (info.type == "keyframes") check_keyframes(at, *static_cast<KeyframeMotion<V>*>(kind.get()));
  if constexpr (std::is_same_v<V, double>)
    if (info.type == "formula")  // of a vector it was done part by part
      check_finite(at.member("value"), static_cast<FormulaMotion<V>*>(kind.get())->value);
  out = info.motion(kind.get());
  if constexpr (std::is_same_v<V, double>) check_range(at, range, out);
}
template void FieldReader::read_motion(const At& at, Range range, Motion<double>& out);
template void FieldReader::read_motion(const At& at, Range range, Motion<Vec3>& out);

}  // namespace taut::io::detail
