// b turns about an axis of a and is moved along it by `pitch` per turn.
//
// The first four rows are those of the cylindrical joint; the fifth is d − pitch·θ/2π. θ is known
// up to a whole turn, so that row is known up to a pitch, and taken nearest to zero, which is where
// a nut is on its thread.
#include "taut/constraints/screw.hpp"

#include <cmath>
#include <numbers>

#include "taut/base/error.hpp"
#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct ScrewRows : Screw {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 5;
  static constexpr int anchor_count = 7;
  using Places = Columns<double, 7>;
  using Curvature = Eigen::Matrix<double, 21, 21>;
  Coordinate turned, slid;  // since the start; made by prepare()

  std::array<Anchor, 7> anchors() const { return {*a, b, ua, va, wa, vb, wb}; }
  bool depends_on_time() const { return false; }
  bool is_angle(int row) const { return row == 2 || row == 3; }

  void prepare(const System& system) {
    if (!std::isfinite(pitch) || pitch == 0) throw Error("pitch: it must not be zero");
    complete(system, type);
    turned = turn(0);
    slid = slide(system, ua, 0);
  }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"turn", turn(turn_at_start)}, {"slide", slide(system, ua, std::nullopt)}};
  }

  void linearize(const Places& x, double, Linearization<5, 7>& out) const {
    for (int r = 0; r < 4; ++r) equations[static_cast<std::size_t>(r)].linearize(x, r, out);
    const Columns<double, 3> t = of_turn(x), s = of_slide(x);
    out.C[4] = std::remainder(slid.value(s) - per_radian() * turned.value(t), pitch);
    out.C_t[4] = 0;
    add_gradients(turned.gradient(t), slid.gradient(s), out);
  }
  Eigen::Matrix<double, 5, 1> bias(const Places& x, const Places& rate, double) const {
    Eigen::Matrix<double, 5, 1> bias;
    for (int r = 0; r < 4; ++r) bias[r] = equations[static_cast<std::size_t>(r)].bias(rate);
    bias[4] = slid.bias(of_slide(x), of_slide(rate)) -
              per_radian() * turned.bias(of_turn(x), of_turn(rate));
    return bias;
  }
  Curvature curvature(const Places& x, double, const Eigen::Matrix<double, 5, 1>& lambda) const {
    Curvature H = Curvature::Zero();
    for (int r = 0; r < 4; ++r)
      equations[static_cast<std::size_t>(r)].add_curvature(lambda[r], Definiteness::exact, H);
    add(lambda[4] * slid.curvature(of_slide(x)), slide_places, H);
    add(-lambda[4] * per_radian() * turned.curvature(of_turn(x)), turn_places, H);
    return H;
  }
  void gradient_between(const Places& x0, const Places& x1, const Places& mean,
                        Linearization<5, 7>& out) const {
    for (int r = 0; r < 4; ++r) equations[static_cast<std::size_t>(r)].linearize(mean, r, out);
    add_gradients(turned.gradient_between(of_turn(x0), of_turn(x1), of_turn(mean)),
                  slid.gradient(of_slide(mean)), out);
  }
  double error(const Places& x, double t) const {
    Linearization<5, 7> out;
    linearize(x, t, out);
    return out.C.norm();
  }

 private:
  static constexpr std::array equations{across(3, 0, 1), across(4, 0, 1), square(2, 5),
                                        square(2, 6)};
  // Which anchors the coordinates are functions of.
  static constexpr std::array<int, 3> turn_places{3, 4, 5}, slide_places{0, 2, 1};

  double per_radian() const { return pitch / (2 * std::numbers::pi); }
  static Columns<double, 3> of_turn(const Places& x) { return x.middleCols<3>(3); }
  static Columns<double, 3> of_slide(const Places& x) {
    Columns<double, 3> places;
    places << x.col(0), x.col(2), x.col(1);
    return places;
  }
  void add_gradients(const Columns<double, 3>& turn, const Columns<double, 3>& slide,
                     Linearization<5, 7>& out) const {
    out.gradient[4].setZero();
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      out.gradient[4].col(turn_places[i]) -= per_radian() * turn.col(k);
      out.gradient[4].col(slide_places[i]) += slide.col(k);
    }
  }
  static void add(const Coordinate::Curvature& H, const std::array<int, 3>& places,
                  Curvature& all) {
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        all.block<3, 3>(3 * places[k], 3 * places[l]) +=
            H.block<3, 3>(3 * static_cast<int>(k), 3 * static_cast<int>(l));
  }
};

}  // namespace

void constrain(System& system, Screw constraint, std::string name) {
  add_constraint<ScrewRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_screw() {
  return describe_constraint(
      FieldList<Screw>()
          .inherit(joint_fields("axis of the thread, at the start; z if not given"))
          .required("pitch", &Screw::pitch, "m",
                    "displacement per turn; negative for a left-handed thread")
          .optional("turn", &Screw::turn_at_start, "rad", "value of the angle at the start"));
}

}  // namespace taut
