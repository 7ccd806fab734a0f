// How curves are read: the points of a spline, or a formula.
#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/scene/field_reader_internal.hpp"
#include "taut/scene/value_kinds_internal.hpp"

namespace taut::io::detail {
namespace {

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

void FieldReader::read_curve(const At& at, Curve& out) {
  if (!at->members()) fail_found(at, expectation(value_type<Curve>));
  if (at.has("formula")) return read_formula_curve(at, out);
  refuse_unknown_keys(at, std::array<std::string_view, 3>{"points", "closed", "ends"});
  if (!at.has("points")) fail(at, "found no \"points\" and no \"formula\", expected one of them");
  std::vector<Vec3> points;
  read(at.member("points"), Range::any, points);
  const auto [closed, ends] = read_curve_ends(at);
  check_spacing(at.member("points"), points, closed);
  out = with_place(at.member("points"), [&] { return Curve(std::move(points), closed, ends); });
}

void FieldReader::read_formula_curve(const At& at, Curve& out) {
  refuse_unknown_keys(at,
                      std::array<std::string_view, 5>{"formula", "from", "to", "closed", "ends"});
  const At formula = at.member("formula");
  if (!formula->items() || formula->items()->size() != 3)
    fail_found(formula, "[x, y, z], each a number or a formula \"=…\" in the parameter s");
  std::array<std::function<std::array<double, 4>(double)>, 3> part;
  for (std::size_t i = 0; i < 3; ++i) part[i] = scope_.curve_function(formula.item(i));
  double from = 0, to = 0;
  for (const auto& [key, value] : {std::pair{"from", &from}, std::pair{"to", &to}}) {
    if (!at.has(key)) fail(at, fmt::format("found no \"{}\", expected a number", key));
    read(at.member(key), Range::any, *value);
  }
  const auto [closed, ends] = read_curve_ends(at);
  const auto place = [part](double s) {
    std::array<Vec3, 4> c;
    for (int i = 0; i < 3; ++i) {
      const std::array<double, 4> x = part[static_cast<std::size_t>(i)](s);
      for (std::size_t k = 0; k < 4; ++k) c[k][i] = x[k];
    }
    return c;
  };
  out = with_place(
      at, [&, closed = closed, ends = ends] { return Curve(place, from, to, closed, ends); });
}

FieldReader::CurveForm FieldReader::read_curve_ends(const At& at) {
  CurveForm form;
  if (at.has("closed")) read(at.member("closed"), Range::any, form.closed);
  if (!at.has("ends")) return form;
  if (form.closed) fail(at.member("ends"), "found \"ends\" of a closed curve, which has none");
  read(at.member("ends"), Range::any, form.ends);
  return form;
}

}  // namespace taut::io::detail
