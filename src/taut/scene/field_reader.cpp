#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/scene/field_reader_internal.hpp"

namespace taut::io::detail {
namespace {

/// A direction with its largest part ±1, so that no square of it overflows or vanishes.
template <class Vector>
Vector scaled(const At& at, const Vector& direction, const char* zero) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0)) fail(at, fmt::format("found {}, expected one that is not zero", zero));
  return direction / largest;
}

/// Distances between neighbours must be such that their sums can tell them apart.
void check_spacing(const At& at, const std::vector<Vec3>& points, bool closed) {
  double length = 0, shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + (closed ? 0 : 1) < points.size(); ++i) {
    const double chord = (points[(i + 1) % points.size()] - points[i]).norm();
    length += chord;
    shortest = std::min(shortest, chord);
  }
  if (points.size() > 1 && !(std::isfinite(length) && shortest > 1e-12 * length))
    fail(at,
         fmt::format("found neighbours {} apart on a curve of length {}, expected them to differ",
                     shortest, length));
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

const std::string& FieldReader::type_of(const At& at, std::string_view what,
                                        std::span<const std::string_view> types) {
  require_object(at);
  if (!at.has("type"))
    fail(at,
         fmt::format("found no \"type\", expected a type of {}{}", what, suggestion("", types)));
  const At type = at.member("type");
  if (!type->text()) fail_found(type, fmt::format("a type of {}, a string", what));
  return *type->text();
}

void FieldReader::unknown_type(const At& at, std::string_view what,
                               std::span<const std::string_view> types) {
  const At type = at.member("type");
  fail_found(type, fmt::format("a type of {}", what), suggestion(*type->text(), types));
}

void FieldReader::read(const At& at, Range range, long& out) {
  out = scope_.whole_number(at,
                            range == Range::any        ? -1'000'000'000'000
                            : range == Range::positive ? 1
                                                       : 0,
                            1'000'000'000'000);
}

void FieldReader::read(const At& at, Range range, int& out) {
  constexpr long most = std::numeric_limits<int>::max();
  const long least = range == Range::any ? -most : range == Range::positive ? 1 : 0;
  out = static_cast<int>(scope_.whole_number(at, least, most));
}

void FieldReader::read(const At& at, Range, bool& out) {
  if (!at->boolean()) fail_found(at, expectation<bool>(Range::any));
  out = *at->boolean();
}

void FieldReader::read(const At& at, Range, std::string& out) {
  if (!at->text()) fail_found(at, expectation<std::string>(Range::any));
  out = *at->text();
}

void FieldReader::read(const At& at, Range range, Vec3& out) {
  if (!at->items() || at->items()->size() != 3) fail_found(at, expectation<Vec3>(range));
  for (int i = 0; i < 3; ++i) read(at.item(static_cast<std::size_t>(i)), range, out[i]);
}

BodyId FieldReader::body(const At& at) {
  const std::string name = scope_.name_text(at);
  if (const auto found = system_.find_body(name)) return *found;
  const std::vector<std::string_view> known(system_.body_names().begin(),
                                            system_.body_names().end());
  fail(at, fmt::format("found {}, expected the name of a body{}", quoted(name),
                       suggestion(name, known)));
}

const LinkPlace& FieldReader::link(const At& at) {
  const std::string name = scope_.name_text(at);
  if (const auto found = links_.find(name); found != links_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& each : links_) known.push_back(each.first);
  std::sort(known.begin(), known.end());
  fail(at, fmt::format("found {}, expected the name of a robot's link{}", quoted(name),
                       suggestion(name, known)));
}

void FieldReader::read(const At& at, Range range, Point& out) {
  out = {};
  if (at->text()) {
    out.body = body(at);
  } else if (at->items()) {
    read(at, range, out.local);
  } else if (at->members() && at.has("link")) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"link", "at"});
    const LinkPlace& place = link(at.member("link"));
    if (at.has("at")) read(at.member("at"), range, out.local);
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
                       quoted(system_.body_name(out.body))));
    read(at.member("at"), range, out.local);
  } else {
    fail_found(at, expectation<Point>(range));
  }
}

void FieldReader::read(const At& at, Range range, ParticleGroup& out) {
  if (!at->items() || at->items()->size() < 3 || at->items()->size() > 4)
    fail_found(at, expectation<ParticleGroup>(range));
  out = {};
  for (std::size_t i = 0; i < at->items()->size(); ++i) {
    const BodyId one = body(at.item(i));
    if (system_.is_rigid(one))
      fail(at.item(i), fmt::format("found the rigid body {}, expected a particle",
                                   quoted(system_.body_name(one))));
    for (std::size_t j = 0; j < i; ++j)
      if (out.body[j] == one)
        fail(at.item(i), fmt::format("found {} again, expected another particle",
                                     quoted(system_.body_name(one))));
    out.body[i] = one;
  }
}

void FieldReader::read(const At& at, Range range, BodyId& out) {
  if (!at->text()) fail_found(at, expectation<BodyId>(range));
  out = body(at);
  if (!system_.is_rigid(out))
    fail(at, fmt::format("found the particle {}, expected {}", quoted(system_.body_name(out)),
                         expectation<BodyId>(range)));
}

void FieldReader::read(const At& at, Range range, BodyName& out) {
  if (!at->text()) fail_found(at, expectation<BodyName>(range));
  out.text = system_.body_name(body(at));
}

void FieldReader::read(const At& at, Range range, Coordinate& out) {
  if (!at->text()) fail_found(at, expectation<Coordinate>(range));
  const std::string name = scope_.name_text(at);
  out = with_place(at, [&] { return system_.joint_coordinate(name); });
}

void FieldReader::read(const At& at, Range range, Direction& out) {
  out = {};
  if (at->members() && at.has("link")) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"link", "axis"});
    const LinkPlace& place = link(at.member("link"));
    if (!at.has("axis"))
      fail(at, fmt::format("found no \"axis\", expected {}", expectation<Vec3>(range)));
    read(at.member("axis"), range, out.local);
    out = {place.body, place.frame.linear() * out.local};
  } else if (at->members()) {
    refuse_unknown_keys(at, std::array<std::string_view, 2>{"body", "axis"});
    for (const char* key : {"body", "axis"})
      if (!at.has(key))
        fail(at, fmt::format("found no \"{}\", expected {}", key, expectation<Direction>(range)));
    read(at.member("body"), range, out.body);
    read(at.member("axis"), range, out.local);
  } else if (at->items()) {
    read(at, range, out.local);
  } else {
    fail_found(at, expectation<Direction>(range));
  }
  const double size = out.local.squaredNorm();
  if (!(size > 1e-200 && size < 1e200)) out.local = scaled(at, out.local, "the zero direction");
}

void FieldReader::read(const At& at, Range range, Curve& out) {
  if (!at->members()) fail_found(at, expectation<Curve>(range));
  refuse_unknown_keys(at, std::array<std::string_view, 2>{"points", "closed"});
  if (!at.has("points")) fail(at, "found no \"points\", expected an array, each [x, y, z]");
  std::vector<Vec3> points;
  bool closed = false;
  read(at.member("points"), range, points);
  if (at.has("closed")) read(at.member("closed"), range, closed);
  check_spacing(at.member("points"), points, closed);
  out = with_place(at.member("points"), [&] { return Curve(std::move(points), closed); });
}

void FieldReader::read(const At& at, Range range, Inertia& out) {
  if (!at->items() || at->items()->size() != 3) fail_found(at, expectation<Inertia>(range));
  if (at->items()->front().items()) {
    for (int row = 0; row < 3; ++row) {
      Vec3 values;
      read(at.item(static_cast<std::size_t>(row)), Range::any, values);
      out.matrix.row(row) = values;
    }
  } else {
    Vec3 moments;
    read(at, Range::positive, moments);
    out.matrix = moments.asDiagonal();
  }
}

void FieldReader::read(const At& at, Range range, Orientation& out) {
  if (at->items() && at->items()->size() == 4) {
    double part[4];
    for (std::size_t i = 0; i < 4; ++i) read(at.item(i), Range::any, part[i]);
    const Eigen::Vector4d unit =
        scaled(at, Eigen::Map<Eigen::Vector4d>(part).eval(), "the zero quaternion").normalized();
    out.rotation = Quat(unit[0], unit[1], unit[2], unit[3]);
    return;
  }
  if (!at->members()) fail_found(at, expectation<Orientation>(range));
  refuse_unknown_keys(at, std::array<std::string_view, 2>{"axis", "angle"});
  for (const char* key : {"axis", "angle"})
    if (!at.has(key))
      fail(at, fmt::format("found no \"{}\", expected {}", key, expectation<Orientation>(range)));
  Vec3 axis;
  double angle = 0;
  read(at.member("axis"), Range::any, axis);
  read(at.member("angle"), Range::any, angle);
  const Vec3 unit = scaled(at.member("axis"), axis, "the zero direction").normalized();
  out.rotation = Quat(Eigen::AngleAxisd(angle, unit));
}

void FieldReader::read(const At& at, Range, TimeFunction<double>& out) {
  out = scope_.time_function(at);
}

void FieldReader::read(const At& at, Range range, TimeFunction<Vec3>& out) {
  if (!at->items() || at->items()->size() != 3)
    fail_found(at, expectation<TimeFunction<Vec3>>(range));
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
void FieldReader::check_finite(const At&, const TimeFunction<Vec3>&) const {}  // part by part

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

}  // namespace taut::io::detail
