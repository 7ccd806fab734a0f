#include "taut/constraints/slider.hpp"

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct SliderRows : Slider, BilinearRows<SliderRows, 5, 7> {
  std::array<Anchor, 7> anchors() const { return {*a, b, ua, va, wa, vb, wb}; }
  static constexpr std::array equations{across(3, 0, 1), across(4, 0, 1), square(2, 5),
                                        square(2, 6), square(3, 6)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"slide", slide(system, ua, slide_at_start)}};
  }
};

}  // namespace

void constrain(System& system, Slider constraint, std::string name) {
  add_constraint<SliderRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_slider() {
  return describe_constraint(
      FieldList<Slider>()
          .inherit(joint_fields("direction of sliding, at the start; z if not given"))
          .optional("slide", &Slider::slide_at_start, "m",
                    "value of the displacement at the start; measured from a to b if not given"));
}

}  // namespace taut
