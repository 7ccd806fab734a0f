#include "taut/constraints/knife_edge.hpp"

#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/velocity_formula.hpp"

namespace taut {
namespace {

constexpr double no_edge = 1e-6;  // of what the plane sees of it

struct KnifeEdgeFormula : KnifeEdge {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 3;  // x, e, n
  static constexpr std::string_view ending = "the edge stands upright on the plane";

  std::array<Anchor, 3> anchors() const { return {point, edge, normal}; }
  bool depends_on_time() const { return false; }
  bool has_ended(const Columns<double, 3>& x) const {
    return x.col(2).cross(x.col(1)).norm() < no_edge;
  }

  void prepare(const System& system) {
    edge = unit_direction(fixed_in(system, point.body, edge, "edge"), "edge");
    normal = unit_direction(normal, "normal");
    const Vec3 e = system.initial_place(edge), n = system.initial_place(normal);
    if (n.cross(e).norm() < no_edge)
      throw Error("edge: it must not be parallel to the normal of the plane");
  }

  template <class T>
  Eigen::Matrix<T, 1, 1> rate(const Columns<T, 3>& x, const Columns<T, 3>& v, const T&) const {
    using std::sqrt;
    const Eigen::Matrix<T, 3, 1> across = Eigen::Matrix<T, 3, 1>(x.col(2)).cross(x.col(1));
    return Eigen::Matrix<T, 1, 1>(across.dot(v.col(0)) / sqrt(across.dot(across)));
  }
};

}  // namespace

void constrain(System& system, KnifeEdge constraint, std::string name) {
  add_constraint<VelocityFormula<KnifeEdgeFormula>>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_knife_edge() {
  return describe_constraint(
      FieldList<KnifeEdge>()
          .required("point", &KnifeEdge::point, "", "where the edge is, on a rigid body")
          .required("edge", &KnifeEdge::edge, "",
                    "direction of the edge at the start; it turns with the body")
          .optional("normal", &KnifeEdge::normal, "",
                    "direction perpendicular to the plane on which the edge moves"));
}

}  // namespace taut
