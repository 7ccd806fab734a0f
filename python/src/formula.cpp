#include "formula.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "failures.hpp"
#include "laws.hpp"
#include "taut/constraints/formula.hpp"

namespace taut::python {
namespace {

constexpr int most_points = 4;

/// One row, a function of K points.
template <int K>
struct FormulaRow {
  static constexpr std::string_view type = "formula";
  static constexpr std::string_view summary = "a formula of points is zero";
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1, anchor_count = K;

  std::array<Anchor, K> points;
  std::shared_ptr<const Formula> formula;

  const std::array<Anchor, K>& anchors() const { return points; }
  bool depends_on_time() const { return formula->depends_on_time; }
  template <class T>
  Eigen::Matrix<T, 1, 1> value(const Columns<T, K>& x, const T& t) const {
    return Eigen::Matrix<T, 1, 1>(
        formula->evaluate<T>([&](int i) -> const T& { return i < 3 * K ? x.data()[i] : t; }));
  }
  void prepare(const Columns<double, K>& x) const {
    taut::Formula<FormulaRow> row{*this};
    Linearization<1, K> at;
    row.linearize(x, 0, at);
    if (!std::isfinite(at.C[0]))
      throw Error(
          fmt::format("found the value {} at the start, expected a finite number", at.C[0]));
    if (!at.gradient[0].allFinite() || at.gradient[0].norm() < 1e-12)
      throw Error(
          fmt::format("found the gradient [{}] at the start, expected one that is finite and not "
                      "zero: a constraint needs a direction to act along",
                      fmt::join(at.gradient[0].data(), at.gradient[0].data() + 3 * K, ", ")));
  }
};

template <int K>
void add_row(System& system, const std::vector<Point>& points,
             std::shared_ptr<const Formula> formula, const std::string& name) {
  taut::Formula<FormulaRow<K>> row;
  for (std::size_t k = 0; k < K; ++k) row.points[k] = points[k];
  row.formula = std::move(formula);
  constrain(system, std::move(row), name);
}

Formula read_formula(const py::list& program, int result, int variables) {
  Formula formula;
  for (const py::handle item : program) {
    const auto [op, a, b, number] = item.cast<std::tuple<int, int, int, double>>();
    const int made = static_cast<int>(formula.instructions.size());
    const bool is_variable = op == static_cast<int>(Formula::Op::variable);
    if (op < 0 || op > static_cast<int>(Formula::Op::maximum) || a < 0 || b < 0 ||
        (is_variable ? a >= variables : made > 0 && (a >= made || b >= made)) ||
        (made == 0 && op > static_cast<int>(Formula::Op::variable)))
      throw Error("found an instruction that refers to nothing");
    formula.depends_on_time |= is_variable && a == variables - 1;
    formula.instructions.push_back({static_cast<Formula::Op>(op), a, b, number});
  }
  if (result < 0 || static_cast<std::size_t>(result) >= formula.instructions.size())
    throw Error("found a formula without a result");
  formula.result = result;
  return formula;
}

}  // namespace

BodyId find_body(const System& system, const std::string& name) {
  if (const auto found = system.find_body(name)) return *found;
  const std::vector<std::string_view> known(system.body_names().begin(), system.body_names().end());
  const std::string_view near = nearest_name(name, known);
  throw Error(fmt::format("found the body \"{}\", expected one of the scene{}", name,
                          near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
}

Point find_point(const System& system, const NamedPoint& point) {
  const auto& [name, at] = point;
  if (at.size() != 3 || !Eigen::Map<const Vec3>(at.data()).allFinite())
    throw Error("found a place that is not three finite numbers, expected [x, y, z]");
  const BodyId body = name.empty() ? world_body : find_body(system, name);
  if (!body.is_world() && !system.is_rigid(body) && at != std::vector<double>(3, 0.0))
    throw Error(fmt::format("found a place in the particle \"{}\", expected a rigid body", name));
  return {body, Eigen::Map<const Vec3>(at.data())};
}

void add_formula(ReadScene& scene, const std::string& name, const std::vector<NamedPoint>& points,
                 const py::list& program, int result) {
  System& system = scene.get().system;
  std::vector<Point> places;
  for (const NamedPoint& point : points) places.push_back(find_point(system, point));
  const int count = static_cast<int>(places.size());
  if (count < 1 || count > most_points)
    throw Error(fmt::format("found {} points, expected 1 to {}", count, most_points));
  for (const auto& batch : system.constraints())
    for (int i = 0; i < batch->size(); ++i)
      if (batch->name(i) == name)
        throw Error(
            fmt::format("found \"{}\" again, expected a name that no other constraint has", name));
  auto formula = std::make_shared<const Formula>(read_formula(program, result, 3 * count + 1));
  try {
    switch (count) {
      case 1:
        return add_row<1>(system, places, std::move(formula), name);
      case 2:
        return add_row<2>(system, places, std::move(formula), name);
      case 3:
        return add_row<3>(system, places, std::move(formula), name);
      default:
        return add_row<4>(system, places, std::move(formula), name);
    }
  } catch (const Error& error) {
    throw Error(fmt::format("the formula \"{}\": {}", name, error.what()));
  }
}

}  // namespace taut::python
