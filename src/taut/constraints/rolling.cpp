#include "taut/constraints/rolling.hpp"

#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/joint_frame.hpp"
#include "taut/constraints/velocity_formula.hpp"

namespace taut {
namespace {

constexpr double flat = 1e-6;  // sine of the angle between a disc and the plane

struct RollingFormula : Rolling {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 3, position_rows = 1;
  static constexpr int anchor_count = 7;  // c, u, ω, o, t₁, t₂, Ω
  static constexpr std::string_view ending = "the disc lies flat on the plane";

  Direction disc_axis, first, second;

  static std::string_view row_name(int row) {
    constexpr std::array<std::string_view, 3> names{"normal", "first", "second"};
    return names[static_cast<std::size_t>(row)];
  }
  std::array<Anchor, 7> anchors() const {
    return {center, disc_axis, Spin{center.body}, through, first, second, Spin{through.body}};
  }
  bool depends_on_time() const { return false; }
  bool has_ended(const Columns<double, 7>& x) const {
    return axis && x.col(1).cross(x.col(4).cross(x.col(5))).norm() < flat;
  }

  void prepare(const System& system) {
    if (center.body == through.body)
      throw Error("through: the plane must not belong to the body that rolls on it");
    if (!axis)
      fixed_in(system, center.body, {center.body, Vec3::UnitX()}, "center");
    else
      disc_axis = unit_direction(fixed_in(system, center.body, *axis, "axis"), "axis");
    if (!normal.body.is_world() && normal.body != through.body)
      throw Error(
          "normal: it is a direction of another body; expected one of the world, or of the body "
          "that the plane belongs to");
    const Vec3 n = JointFrame::unit_along(system.initial_place(normal), "normal");
    // Of all points of a plane in the world, the one below the centre, as in on_plane.cpp.
    if (through.body.is_world()) {
      const Vec3 way = system.initial_place(center) - through.local;
      through.local += way - n.dot(way) * n;
    }
    const Vec3 t = any_square_to(n);
    first = system.direction_along(through.body, t);
    second = system.direction_along(through.body, n.cross(t));
    if (axis && system.initial_place(disc_axis).cross(n).norm() < flat)
      throw Error("axis: the disc must not lie flat on the plane");
  }

  template <class T>
  static Vector3<T> column(const Columns<T, 7>& x, int k) {
    return {x(0, k), x(1, k), x(2, k)};
  }

  /// What m is made of: n, n·m, and m itself.
  template <class T>
  struct Contact {
    Vector3<T> normal, up;
    T reach;
  };
  template <class T>
  Contact<T> contact(const Columns<T, 7>& x) const {
    using std::sqrt;
    Contact<T> at;
    at.normal = column(x, 4).cross(column(x, 5));
    if (!axis) {
      at.up = at.normal;
      at.reach = T(1.0);
      return at;
    }
    const Vector3<T> u = column(x, 1);
    at.up = at.normal - at.normal.dot(u) * u;
    at.reach = sqrt(at.up.dot(at.up));
    at.up = at.up / at.reach;
    return at;
  }

  template <class T>
  Eigen::Matrix<T, 1, 1> value(const Columns<T, 7>& x, const T&) const {
    const Contact<T> at = contact(x);
    return Eigen::Matrix<T, 1, 1>(at.normal.dot(column(x, 0) - column(x, 3)) - radius * at.reach);
  }
  template <class T>
  Eigen::Matrix<T, 2, 1> rate(const Columns<T, 7>& x, const Columns<T, 7>& v, const T&) const {
    const Contact<T> at = contact(x);
    const Vector3<T> arm = T(-radius) * at.up;
    const Vector3<T> place = column(x, 0) + arm - column(x, 3);
    const Vector3<T> slip =
        column(v, 0) + column(v, 2).cross(arm) - column(v, 3) - column(v, 6).cross(place);
    return {column(x, 4).dot(slip), column(x, 5).dot(slip)};
  }
};

}  // namespace

void constrain(System& system, Rolling constraint, std::string name) {
  add_constraint<VelocityFormula<RollingFormula>>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_rolling() {
  return describe_constraint(
      FieldList<Rolling>()
          .required("center", &Rolling::center, "", "centre of the ball or disc, on a rigid body")
          .required("radius", &Rolling::radius, "m", "of the ball or disc", Range::positive)
          .required("through", &Rolling::through, "",
                    "a point of the plane; the plane moves with its body")
          .required("normal", &Rolling::normal, "",
                    "direction at the start perpendicular to the plane, towards the centre")
          .optional("axis", &Rolling::axis, "",
                    "axis of the disc at the start; it turns with the body. Not given: a ball"));
}

}  // namespace taut
