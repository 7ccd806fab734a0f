// From the formula of a constraint to rows: all constraints of one type in a flat vector, one
// virtual call per batch, and the chain rule from anchors to bodies written once.
//
// A constraint type is a plain struct with
//   type, summary, unit        its names, and the unit of its reported error ("m" or "rad")
//   rows, anchor_count         how many scalar rows, functions of how many anchors
//   fields()                   its parameters (base/field.hpp)
//   anchors()                  std::array<Anchor, anchor_count>
//   linearize(x, t, out)       C, ∂C/∂x and ∂C/∂t where the anchors are at the columns of x
//   bias(x, ẋ, t)              ẋᵀ C_xx ẋ + 2 C_xt ẋ + C_tt, per row
//   curvature(x, t, λ)         Σ λ_r ∂²C_r/∂x², symmetric, 3K × 3K
//   error(x, t)                how far it is from being met, in `unit`
//   depends_on_time()
//   prepare(x)                 optional: completes it from the start positions (rest lengths, unit
//                              normals); throws Error when that is not possible
// Or write only the formula and wrap it in Formula<…>: see constraints/formula.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/model/batch.hpp"
#include "taut/model/system.hpp"

namespace taut {

template <int Rows, int K>
struct Linearization {
  Eigen::Matrix<double, Rows, 1> C, C_t;
  std::array<Columns<double, K>, Rows> gradient;  ///< gradient[r].col(k) = ∂C_r/∂x_k
};

template <class C>
using LinearizationOf = Linearization<C::rows, C::anchor_count>;
template <class C>
using AnchorsOf = std::array<Anchor, C::anchor_count>;
template <class C>
using PlacesOf = Columns<double, C::anchor_count>;
template <class C>
using RowVectorOf = Eigen::Matrix<double, C::rows, 1>;
template <class C>
using CurvatureOf = Eigen::Matrix<double, 3 * C::anchor_count, 3 * C::anchor_count>;

/// The same direction with length one; throws Error when it is zero.
inline Direction unit_direction(const Direction& direction, const char* name) {
  const double length = direction.local.norm();
  if (!(length > 0)) throw Error(std::string(name) + ": a direction must not be the zero vector");
  return {direction.body, direction.local / length};
}

/// Where the anchors of a constraint are.
template <class C>
PlacesOf<C> places(const C& constraint, const Pose& pose) {
  PlacesOf<C> x;
  const AnchorsOf<C> anchors = constraint.anchors();
  for (int k = 0; k < C::anchor_count; ++k) x.col(k) = pose.at(anchors[k]);
  return x;
}

template <class C>
class Batch final : public ConstraintBatch {
 public:
  static constexpr int K = C::anchor_count;

  void add(C constraint, std::string name) {
    constraints_.push_back(std::move(constraint));
    names_.push_back(std::move(name));
  }
  const C& operator[](int i) const { return constraints_[static_cast<std::size_t>(i)]; }

  std::string_view type() const override { return C::type; }
  std::string_view unit() const override { return C::unit; }
  int size() const override { return static_cast<int>(constraints_.size()); }
  int rows_per_constraint() const override { return C::rows; }
  int anchors_per_constraint() const override { return K; }
  const std::string& name(int i) const override { return names_[static_cast<std::size_t>(i)]; }
  void anchors(int i, std::span<Anchor> out) const override {
    const AnchorsOf<C> anchors = (*this)[i].anchors();
    std::copy(anchors.begin(), anchors.end(), out.begin());
  }
  bool depends_on_time() const override {
    return std::any_of(constraints_.begin(), constraints_.end(),
                       [](const C& c) { return c.depends_on_time(); });
  }

  void linearize(const Pose& pose, double time, const RowPattern& pattern, Start start,
                 Rows& rows) const override {
    int row = start.row;
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor;
    LinearizationOf<C> out;
    for (const C& constraint : constraints_) {
      const AnchorsOf<C> anchors = constraint.anchors();
      PlacesOf<C> x;
      for (int k = 0; k < K; ++k) x.col(k) = pose.at(anchors[k]);
      constraint.linearize(x, time, out);
      for (int r = 0; r < C::rows; ++r, ++row) {
        rows.C[row] = out.C[r];
        rows.C_t[row] = out.C_t[r];
        const JacobianBlock* blocks = pattern.blocks.data() + pattern.first_block[row];
        for (int k = 0; k < K; ++k)
          if (block_of_anchor[k] >= 0)
            add_gradient(pose, anchors[k], out.gradient[r].col(k), blocks[block_of_anchor[k]],
                         rows.J);
      }
      block_of_anchor += K;
    }
  }

  // d²C/dt² = ẋᵀC_xx ẋ + 2 C_xt ẋ + C_tt + C_x ẍ, and ẍ = J_x v̇ + the centripetal part, which
  // belongs to the bias.
  void add_bias(const Pose& pose, const VecX& v, double time, const RowPattern&, Start start,
                Rows& rows) const override {
    int row = start.row;
    LinearizationOf<C> out;
    for (const C& constraint : constraints_) {
      const AnchorsOf<C> anchors = constraint.anchors();
      PlacesOf<C> x, rate, centripetal;
      bool turning = false;
      for (int k = 0; k < K; ++k) {
        x.col(k) = pose.at(anchors[k]);
        rate.col(k) = pose.velocity(anchors[k], v);
        centripetal.col(k) = pose.centripetal(anchors[k], v);
        turning = turning ||
                  (!anchors[k].body.is_world() && pose.slots[anchors[k].body.index].rigid >= 0);
      }
      rows.bias.template segment<C::rows>(row) = constraint.bias(x, rate, time);
      if (turning) {
        constraint.linearize(x, time, out);
        for (int r = 0; r < C::rows; ++r)
          rows.bias[row + r] += out.gradient[r].cwiseProduct(centripetal).sum();
      }
      row += C::rows;
    }
  }

  // ∂²(λᵀC)/∂q² = Pᵀ C_xx P + Σ_k ∂²(n_k·x_k)/∂q² with P = ∂x/∂q, n_k = Σ_r λ_r ∂C_r/∂x_k. For a
  // turn θ of the body, x'' = R θ×(θ×l), so the last term is sym(m lᵀ) − (m·l) 1, m = Rᵀn.
  void add_stiffness(const Pose& pose, double time, const VecX& lambda, const RowPattern& pattern,
                     Start start, Rows& rows) const override {
    int row = start.row;
    std::size_t number = static_cast<std::size_t>(start.constraint);
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor;
    LinearizationOf<C> out;
    for (const C& constraint : constraints_) {
      const AnchorsOf<C> anchors = constraint.anchors();
      PlacesOf<C> x;
      for (int k = 0; k < K; ++k) x.col(k) = pose.at(anchors[k]);
      const RowVectorOf<C> weights = lambda.template segment<C::rows>(row);
      const CurvatureOf<C> curvature = constraint.curvature(x, time, weights);
      constraint.linearize(x, time, out);
      const StiffnessBlock* blocks =
          pattern.stiffness_blocks.data() + pattern.first_stiffness_block[number];
      for (int k = 0; k < K; ++k) {
        const int body = block_of_anchor[k];
        if (body < 0) continue;
        const Map36 P = motion_map(pose, anchors[k]);
        for (int l = 0; l < K; ++l) {
          const int other = block_of_anchor[l];
          if (other < 0 || other > body) continue;  // the lower half, block by block
          add_block(P.transpose() * curvature.template block<3, 3>(3 * k, 3 * l) *
                        motion_map(pose, anchors[l]),
                    blocks[body * (body + 1) / 2 + other], rows.G);
        }
        const BodySlot& slot = pose.slots[anchors[k].body.index];
        if (slot.rigid >= 0) {
          Vec3 n = Vec3::Zero();
          for (int r = 0; r < C::rows; ++r) n += weights[r] * out.gradient[r].col(k);
          const Vec3 m = pose.rotations[static_cast<std::size_t>(slot.rigid)].transpose() * n;
          const Vec3& arm = anchors[k].local;
          Mat6 turn = Mat6::Zero();
          turn.template bottomRightCorner<3, 3>() =
              0.5 * (m * arm.transpose() + arm * m.transpose()) - m.dot(arm) * Mat3::Identity();
          add_block(turn, blocks[body * (body + 1) / 2 + body], rows.G);
        }
      }
      row += C::rows;
      block_of_anchor += K;
      ++number;
    }
  }

  void errors(const Pose& pose, double time, std::span<double> out) const override {
    for (std::size_t i = 0; i < constraints_.size(); ++i)
      out[i] = constraints_[i].error(places(constraints_[i], pose), time);
  }

 private:
  using Map36 = Eigen::Matrix<double, 3, 6>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;

  // n·δx = s·n·δp + (l × Rᵀn)·δθ
  static void add_gradient(const Pose& pose, const Anchor& anchor, const Vec3& n,
                           const JacobianBlock& block, VecX& J) {
    if (!anchor.is_direction) J.segment<3>(block.value) += n;
    if (block.size == 3) [[likely]]
      return;
    const BodySlot& slot = pose.slots[anchor.body.index];
    J.segment<3>(block.value + 3) +=
        anchor.local.cross(pose.rotations[static_cast<std::size_t>(slot.rigid)].transpose() * n);
  }

  // δx = s·δp − R [l]× δθ; a particle uses the first three columns.
  static Map36 motion_map(const Pose& pose, const Anchor& anchor) {
    Map36 P = Map36::Zero();
    const BodySlot& slot = pose.slots[anchor.body.index];
    if (!anchor.is_direction) P.leftCols<3>().setIdentity();
    if (slot.rigid >= 0) {
      const Vec3& l = anchor.local;
      Mat3 cross;
      cross << 0, -l.z(), l.y(), l.z(), 0, -l.x(), -l.y(), l.x(), 0;
      P.rightCols<3>() = -pose.rotations[static_cast<std::size_t>(slot.rigid)] * cross;
    }
    return P;
  }

  static void add_block(const Mat6& full, const StiffnessBlock& block, VecX& G) {
    Eigen::Map<MatX>(G.data() + block.value, block.rows, block.cols) +=
        full.topLeftCorner(block.rows, block.cols);
  }

  std::vector<C> constraints_;
  std::vector<std::string> names_;
};

/// Adds a constraint. An empty name is replaced by "<type><number>". What the constraint leaves to
/// be measured (a rest length, say) is measured at the bodies' initial positions.
template <class C>
void constrain(System& system, C constraint, std::string name = "") {
  if constexpr (requires(C c, PlacesOf<C> x) { c.prepare(x); }) {
    PlacesOf<C> x;
    const AnchorsOf<C> anchors = constraint.anchors();
    for (int k = 0; k < C::anchor_count; ++k) x.col(k) = system.initial_place(anchors[k]);
    constraint.prepare(x);
  }
  auto& batch = system.constraint_batch<Batch<C>>();
  if (name.empty()) name = std::string(C::type) + std::to_string(batch.size());
  batch.add(std::move(constraint), std::move(name));
}

}  // namespace taut
