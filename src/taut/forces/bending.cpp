// Bending of a line at a point, or of two triangles about their common edge: a quadratic energy
//   E = ½ k |s|²,   s = Σ w_i x_i,   f_i = −w_i (k s + c ṡ),
// with weights w that are measured at the start and then constant. They are such that s = 0 where
// the points are in line or in a plane, wherever that is: Σ w_i = 0. So the force is linear, its
// stiffness k w_i w_j constant, and the mean force over a passage is the one half way.
//
// Line a – b – c with pieces of length l₁, l₂ and the stiffness k = EI (N·m²). The curvature at b
// is the change of the unit tangent over the length l̄ = ½(l₁ + l₂) that belongs to b,
//   κ = |(c − b)/l₂ − (b − a)/l₁| / l̄,   E = ½ k κ² l̄,
// so w = (1/l₁, −1/l₁ − 1/l₂, 1/l₂)/√l̄.
//
// Triangles a b c and c b d, bent about b – c, and the plate's stiffness k (N·m). With h the height
// of a over the edge of length e, its foot divides the edge into h cot β from b and h cot γ from c
// (β, γ the angles of the triangle there), so the slope from the edge to a, times e, is
//   (cot β + cot γ) a − cot γ b − cot β c.
// Added to that of d, which looks the other way, it is s·√A: the edge times the bend across it.
// With the area A = A₁ + A₂ of both triangles, E = ½ k |…|²/A. These are the weights of Bergou,
// Wardetzky, Harmon, Zorin, Grinspun (2006), A Quadratic Bending Model for Inextensible Surfaces,
// who have 3/A: the weight of an edge in a weak sense. Then a regular mesh bent to a cylinder has
// three times the energy ½ k κ² per area; with 1/A it has just that (Seung and Nelson 1988, Defects
// in flexible membranes with crystalline order). This is for sheets that are made to be cylinders;
// one that may choose its shape can be softer, docs/cloth.md.
//
// The same two triangles known by the middles of their edges (Crouzeix and Raviart), which need not
// agree along b – c. The middles of a b c are at the corners of a triangle of half its size, upside
// down, so the slopes of the surface out across the edge and along it are
//   ∂_n = 2 ((cot β + cot γ) m_bc − cot β m_ab − cot γ m_ca)/e,   ∂_t = 2 (m_ca − m_ab)/e,
// and both have a jump s to those of c b d. It is the change of the slope from the middle of one
// circumcircle to that of the other, which are d = e (cot α + cot δ)/2 apart, and the edge stands
// for a rhombus of area e d/2: E = ½ k (e/d) (|s_n|² + |s_t|²) has ½ k (κ₁² + κ₂²) per area on any
// mesh, exactly for quadratic surfaces (Kirchhoff's plate that does not contract across). Of the
// two jumps s_n alone would leave saddles free: triangles tilt until their s_n are zero. Where
// α + δ is near 180°, as at the diagonals of squares, d is bounded from below.
#include "taut/forces/bending.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

/// Data: a bending with its points and as many weights.
template <class Data>
struct BendTerms : Data {
  using Data::damping, Data::points, Data::stiffness, Data::weights;

  void add(const System&, const Pose& pose, const VecX& v, double, VecX& F) const {
    if (anchor_count > 3 && points.size() == 3)
      add_of<3>(pose, v, F);  // a line of cloth
    else
      add_of<anchor_count>(pose, v, F);
  }

  static constexpr int anchor_count = std::tuple_size_v<decltype(Data::weights)>;
  int couplings(const System&) const { return 1; }
  std::array<Anchor, anchor_count> anchors(const System&, int) const { return points.anchors(); }
  Eigen::Matrix<double, anchor_count, anchor_count> isotropic_stiffness(double rate) const {
    const Eigen::Map<const Eigen::Matrix<double, anchor_count, 1>> w(weights.data());
    return (stiffness + rate * damping) * w * w.transpose();
  }

  double potential(const System&, const Pose& pose) const {
    return 0.5 * stiffness * bend(pose).squaredNorm();
  }
  bool is_conservative() const { return damping == 0; }
  bool is_passive() const { return true; }
  bool depends_on_velocity() const { return damping > 0; }

 private:
  template <int count>
  [[gnu::always_inline]] void add_of(const Pose& pose, const VecX& v, VecX& F) const {
    double pull[3] = {0, 0, 0};
    const BodySlot* slots[count];
    for (int k = 0; k < count; ++k) {
      slots[k] = pose.slots + points.body[k].index;
      const double* x = pose.q + slots[k]->q;
      for (int c = 0; c < 3; ++c) pull[c] += weights[k] * x[c];
    }
    for (double& of : pull) of *= stiffness;
    if (damping > 0)
      for (int k = 0; k < count; ++k)
        for (int c = 0; c < 3; ++c) pull[c] += damping * weights[k] * v[slots[k]->v + c];
    for (int k = 0; k < count; ++k) {
      double* f = F.data() + slots[k]->v;
      for (int c = 0; c < 3; ++c) f[c] -= weights[k] * pull[c];
    }
  }
  Vec3 bend(const Pose& pose) const {
    Vec3 s = Vec3::Zero();
    for (int k = 0; k < points.size(); ++k)
      s += weights[k] * pose.position(pose.slots[points.body[k].index].q);
    return s;
  }
};

struct BendingTerms : BendTerms<Bending> {
  void prepare(const System& system) {
    if (weights != std::array<double, 4>{}) return;
    Columns<double, 4> x;
    for (int k = 0; k < 4; ++k) x.col(k) = system.initial_place(Point(points.body[k]));
    weights = points.size() == 3 ? line_weights(x) : hinge_weights(x);
    for (const double weight : weights)
      if (!std::isfinite(weight))
        throw Error("bending: its points coincide or are in line at the start");
  }

  static std::array<double, 4> line_weights(const Columns<double, 4>& x) {
    const double l1 = (x.col(1) - x.col(0)).norm(), l2 = (x.col(2) - x.col(1)).norm();
    const double scale = 1 / std::sqrt(0.5 * (l1 + l2));
    return {scale / l1, -scale / l1 - scale / l2, scale / l2, 0};
  }
  static std::array<double, 4> hinge_weights(const Columns<double, 4>& x) {
    const Vec3 edge = x.col(2) - x.col(1);
    std::array<double, 4> w{};
    double area = 0;
    for (const int wing : {0, 3}) {
      const Vec3 from_b = x.col(wing) - x.col(1), from_c = x.col(wing) - x.col(2);
      const double twice = edge.cross(from_b).norm();
      const double cot_b = edge.dot(from_b) / twice, cot_c = -edge.dot(from_c) / twice;
      w[static_cast<std::size_t>(wing)] = cot_b + cot_c;
      w[1] -= cot_c;
      w[2] -= cot_b;
      area += 0.5 * twice;
    }
    for (double& weight : w) weight /= std::sqrt(area);
    return w;
  }
};

}  // namespace

void apply(System& system, Bending force) { add_force<BendingTerms>(system, std::move(force)); }

void apply(System& system, std::vector<Bending> forces) {
  add_forces<BendingTerms>(system, std::move(forces));
}

void apply(System& system, std::vector<MidpointBending> forces) {
  add_forces<BendTerms<MidpointBending>>(system, std::move(forces));
}

std::array<std::array<double, 5>, 2> midpoint_weights(const std::array<Vec3, 5>& at) {
  constexpr double least_distance = 0.05;  // of circumcentres, per length of the edge
  std::array<double, 5> across{}, along{};
  double distance = 0, sign = 1;
  for (const std::size_t side : {1u, 3u}) {
    // Half of c a, and half of a b; the small triangle has the same angles as the large one.
    const Vec3 to_c = at[side] - at[0], to_b = at[side + 1] - at[0], edge = to_b - to_c;
    const double twice = to_c.cross(to_b).norm(), e = 2 * edge.norm();
    const double cot_c = edge.dot(to_b) / twice, cot_b = -edge.dot(to_c) / twice;
    across[0] += 2 * (cot_b + cot_c) / e;
    across[side] -= 2 * cot_c / e;
    across[side + 1] -= 2 * cot_b / e;
    along[side] = 2 * sign / e;
    along[side + 1] = -2 * sign / e;
    distance += 0.5 * to_c.dot(to_b) / twice;
    sign = -1;
  }
  const double scale = 1 / std::sqrt(std::max(distance, least_distance));
  for (std::size_t k = 0; k < 5; ++k) {
    across[k] *= scale;
    along[k] *= scale;
  }
  return {across, along};
}

ForceInfo describe_bending() {
  return describe_force(
      FieldList<Bending>()
          .required("points", &Bending::points, "",
                    "a b c: a line, bent at b; a b c d: the triangles a b c and c b d, bent about "
                    "their edge b c")
          .required("stiffness", &Bending::stiffness, "N·m, of a line N·m²", "",
                    Range::non_negative)
          .optional("damping", &Bending::damping, "s × unit of the stiffness",
                    "resists changes of the bend", Range::non_negative));
}

}  // namespace taut
