#include "taut/constraints/rack.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/coordinate_row.hpp"

namespace taut {
namespace {

struct RackRows : CoordinatePair<Rack> {
  static constexpr std::string_view unit = "m";

  void prepare(const System&) {
    if (first.is_turn()) throw Error("rack: found a joint that turns, expected one that slides");
    if (!second.is_turn())
      throw Error("pinion: found a joint that slides, expected one that turns");
    if (!std::isfinite(radius) || radius == 0) throw Error("radius: it must not be zero");
    first_weight = 1;
    second_weight = -radius;
    period = second.period() * std::abs(radius);
  }
};

}  // namespace

void constrain(System& system, Rack constraint, std::string name) {
  add_constraint<RackRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_rack() {
  return describe_constraint(FieldList<Rack>()
                                 .required("rack", &Rack::first, "", "the joint that slides")
                                 .required("pinion", &Rack::second, "", "the joint that turns")
                                 .required("radius", &Rack::radius, "m",
                                           "of the pinion; negative if the rack moves backwards "
                                           "when the pinion turns forwards"));
}

}  // namespace taut
