#include "taut/forces/spring.hpp"

#include <algorithm>
#include <cmath>

#include "taut/forces/along_joint.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct SpringTerms : Spring {
  ForceBatch::Along along(const Pose& pose, const VecX& v, double) const {
    const Vec3 d = pose.at(b) - pose.at(a);
    const double l = d.norm();
    double tension = stiffness * (l - length);
    if (l > 0) tension += damping * d.dot(pose.velocity(b, v) - pose.velocity(a, v)) / l;
    return {tension, "tension", "N"};
  }
  StiffForce stiff(const Pose& pose, const VecX&, double, VecX& along) const {
    const Vec3 d = pose.at(b) - pose.at(a);
    const double l = d.norm();
    if (!(l > 0)) return {0, 0};
    pose.add_force(a, d / l, along);
    pose.add_force(b, -d / l, along);
    return {stiffness, damping};
  }
  void add(const System&, const Pose& pose, const VecX& v, double, VecX& F) const {
    if (pose.is_particle(a.body) && pose.is_particle(b.body)) [[likely]] {
      // Springs of a cloth, of which there are as many as it has edges.
      const BodySlot &from = pose.slots[a.body.index], &to = pose.slots[b.body.index];
      const Vec3 d = pose.position(to.q) - pose.position(from.q);
      const Vec3 f = pull(d, [&] { return Vec3(v.segment<3>(to.v) - v.segment<3>(from.v)); });
      F.segment<3>(from.v) += f;
      F.segment<3>(to.v) -= f;
      return;
    }
    const Vec3 d = pose.at(b) - pose.at(a);
    const Vec3 f = pull(d, [&] { return Vec3(pose.velocity(b, v) - pose.velocity(a, v)); });
    pose.add_force(a, f, F);
    pose.add_force(b, -f, F);
  }
  // V₁ − V₀ = k (1 − 2L/(l₀ + l₁)) d̄·(d₁ − d₀), since l₁² − l₀² = 2 d̄·(d₁ − d₀).
  void add_between(const System&, const Passage& passage, const VecX& v_mean, VecX& F) const {
    const Vec3 d = passage.mean.at(b) - passage.mean.at(a);
    const double sum = (passage.from.at(b) - passage.from.at(a)).norm() +
                       (passage.to.at(b) - passage.to.at(a)).norm();
    if (!(sum > 0)) return;
    Vec3 pull = pull_per_length(0.5 * sum) * d;
    if (damping > 0) {
      const Vec3 speed = passage.mean.velocity(b, v_mean) - passage.mean.velocity(a, v_mean);
      if (d.squaredNorm() > 0) pull += damping * d.dot(speed) / d.squaredNorm() * d;
    }
    passage.mean.add_force(a, pull, F);
    passage.mean.add_force(b, -pull, F);
  }

  // Along the spring k + c·rate, across it tension/l, which only resists while it pulls.
  static constexpr int anchor_count = 2;
  int couplings(const System&) const { return 1; }
  std::array<Anchor, 2> anchors(const System&, int) const { return {a, b}; }
  AnchorStiffness<2> derivatives(const Columns<double, 2>& x, const Columns<double, 2>&,
                                 double rate) const {
    const Vec3 d = x.col(1) - x.col(0);
    AnchorStiffness<2> out;
    const Mat3 k = pair_stiffness(d, rate);
    out.curvature << k, -k, -k, k;
    const double l = d.norm();
    const Vec3 pull = l > 0 ? Vec3(pull_per_length(l) * d) : Vec3::Zero();
    out.gradient << -pull, pull;
    return out;
  }
  [[gnu::always_inline]] Mat3 pair_stiffness(const Vec3& d, double rate) const {
    const double l2 = d.squaredNorm();
    if (!(l2 > 0)) return Mat3::Zero();
    const double across = std::max(0.0, pull_per_length(std::sqrt(l2)));
    Mat3 k = ((stiffness + damping * rate - across) / l2) * d * d.transpose();
    k.diagonal().array() += across;
    return k;
  }

  double potential(const System&, const Pose& pose) const {
    const double stretch = (pose.at(b) - pose.at(a)).norm() - length;
    return 0.5 * stiffness * stretch * stretch;
  }
  bool is_conservative() const { return damping == 0; }
  bool is_passive() const { return true; }
  bool depends_on_velocity() const { return damping > 0; }

 private:
  /// The force on a, where `speed` gives ḋ.
  template <class Speed>
  [[gnu::always_inline]] Vec3 pull(const Vec3& d, const Speed& speed) const {
    const double l2 = d.squaredNorm();
    if (!(l2 > 0)) return Vec3::Zero();  // no direction
    double per_length = pull_per_length(std::sqrt(l2));
    if (damping > 0) per_length += damping * d.dot(speed()) / l2;
    return per_length * d;
  }
  double pull_per_length(double l) const { return stiffness * (1 - length / l); }
};

}  // namespace

void apply(System& system, Spring force) { add_force<SpringTerms>(system, std::move(force)); }

void apply(System& system, std::vector<Spring> forces) {
  add_forces<SpringTerms>(system, std::move(forces));
}

ForceInfo describe_spring() {
  return describe_force(
      FieldList<Spring>()
          .required("a", &Spring::a, "", "one end")
          .required("b", &Spring::b, "", "the other end")
          .required("stiffness", &Spring::stiffness, "N/m", "force per extension",
                    Range::non_negative)
          .optional("damping", &Spring::damping, "N·s/m", "along the spring", Range::non_negative)
          .optional("length", &Spring::length, "m", "rest length", Range::non_negative));
}

}  // namespace taut
