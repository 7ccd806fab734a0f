// Two joints move in a fixed ratio: m₁ = ratio · m₂, of what they have moved since the start.
//
// Of two hinges the angles are known up to whole turns. The ratio is therefore taken as a fraction
// p/n, as that of two numbers of teeth always is: n m₁ − p m₂ is then known up to whole turns, too,
// and zero can be told from the next tooth. It is the first of the continued fraction that leaves
// no more than 1e-9 of the ratio, with at most a million teeth.
#include "taut/constraints/gear.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/coordinate_row.hpp"

namespace taut {
namespace {

struct GearRows : CoordinatePair<Gear> {
  static constexpr std::string_view unit = "rad";

  void prepare(const System&) {
    if (!std::isfinite(ratio) || ratio == 0) throw Error("ratio: it must not be zero");
    const auto [p, n] = fraction(ratio);
    const bool teeth = first.is_turn() && second.is_turn();
    first_weight = 1;
    second_weight = teeth ? -p / n : -ratio;
    period = teeth              ? first.period() / n
             : first.is_turn()  ? first.period()
             : second.is_turn() ? second.period() * std::abs(ratio)
                                : 0;
  }
};

}  // namespace

Gear::Fraction Gear::fraction(double value) {
  const double size = std::abs(value);
  double p = std::floor(size), n = 1, p_before = 1, n_before = 0;
  double rest = size - p;
  while (std::abs(p / n - size) > 1e-9 * size) {
    const double next = std::floor(1 / rest);
    rest = 1 / rest - next;
    const double p_next = next * p + p_before, n_next = next * n + n_before;
    if (!(n_next <= 1e6)) break;
    p_before = p;
    n_before = n;
    p = p_next;
    n = n_next;
  }
  if (p == 0) return {value, 1};  // slower than one in a million
  return {std::copysign(p, value), n};
}

void constrain(System& system, Gear constraint, std::string name) {
  add_constraint<GearRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_gear() {
  return describe_constraint(
      FieldList<Gear>()
          .required("first", &Gear::first, "", "one joint")
          .required("second", &Gear::second, "", "the other joint")
          .required(
              "ratio", &Gear::ratio, "",
              "displacement of the first per rad (or m) of the second; negative if they move in "
              "opposite directions"));
}

}  // namespace taut
