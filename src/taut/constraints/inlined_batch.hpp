// A batch whose arithmetic is compiled as one: the formula of the constraint, the chain rule from
// anchors to bodies and the loop over all constraints. Five times as slow to compile as
// constraint_batch.hpp, and worth it where a scene has a hundred thousand of them: distances.
#pragma once

#include "taut/constraints/constraint_batch.hpp"

namespace taut {

template <class C, class Data = C>
class InlinedBatch final : public BatchOf<C, Data, ConstraintBatch> {
 public:
  static constexpr int K = C::anchor_count;
  using typename ConstraintBatch::Range, typename ConstraintBatch::Start;

  void add(C constraint, std::string name) {
    if constexpr (makes_pairs) pairs_.push_back(constraint.pair());
    is_constant_ = is_constant_ && !constraint.depends_on_time();
    BatchOf<C, Data, ConstraintBatch>::add(std::move(constraint), std::move(name));
  }
  void reserve_more(std::size_t count) {
    if constexpr (makes_pairs) pairs_.reserve(pairs_.size() + count);
    BatchOf<C, Data, ConstraintBatch>::reserve_more(count);
  }

  void linearize(const Pose& pose, double time, RowForm form, const RowPattern& pattern,
                 Start start, Range range, Rows& rows) const override {
    if (range.begin == range.end) return;
    const bool has_pairs = makes_pairs && form == RowForm::smooth && is_constant_;
    if (has_pairs && are_pairs(pattern, start.row + range.begin, start.row + range.end))
      return linearize_pairs(pose, pattern, start, range, rows);
    int row = start.row + range.begin * C::rows;
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor + range.begin * K;
    const auto values = pattern.values_of(row, start.row + range.end * C::rows);
    rows.J.segment(values.begin, values.size).setZero();
    LinearizationOf<C> out;
    for (int i = range.begin; i < range.end; ++i) {
      if (has_pairs && are_pairs(pattern, row, row + 1)) {
        linearize_pairs(pose, pattern, start, {i, i + 1}, rows);
        ++row;
        block_of_anchor += K;
        continue;
      }
      const C& constraint = constraints_[static_cast<std::size_t>(i)];
      const AnchorsOf<C> anchors = constraint.anchors();
      linearize_form(constraint, places_at(pose, anchors), time, form, out);
      std::copy_n(out.C.data(), C::rows, rows.C.data() + row);
      std::copy_n(out.C_t.data(), C::rows, rows.C_t.data() + row);
      add_gradients(pose, anchors, out, block_of_anchor, pattern, row, rows.J);
      row += C::rows;
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
      const RowVectorOf<C> bias = constraint.bias(x, rate, time);
      std::copy_n(bias.data(), C::rows, rows.bias.data() + row);
      if (turning) {
        constraint.linearize(x, time, out);
        for (int r = 0; r < C::rows; ++r)
          rows.bias[row + r] += out.gradient[r].cwiseProduct(centripetal).sum();
      }
      row += C::rows;
    }
  }

  bool smooth_stiffness_is_isotropic() const override { return has_tension; }

  void add_stiffness(const Pose& pose, double time, const VecX& lambda, RowForm form,
                     Definiteness wanted, const RowPattern& pattern, Start start,
                     Rows& rows) const override {
    if (form == RowForm::smooth && add_tensions(lambda, wanted, pattern, start, rows)) return;
    for_each_stiffness(
        pattern, start,
        [&](const C& constraint, int row, const int* body_of, const PairBlocks& blocks) {
          const RowVectorOf<C> weights(lambda.data() + row);
          if (add_tension(constraint, time, weights, wanted, body_of, blocks, rows)) return;
          const AnchorsOf<C> anchors = constraint.anchors();
          const PlacesOf<C> x = places_at(pose, anchors);
          PlacesOf<C> gradient = PlacesOf<C>::Zero();
          if (!pose.rotations.empty()) {
            LinearizationOf<C> out;
            linearize_form(constraint, x, time, form, out);
            add_weighted(out, weights, gradient);
          }
          add_anchor_stiffness<K>(pose, anchors, body_of,
                                  curvature_form(constraint, x, time, weights, form, wanted),
                                  gradient, wanted, blocks, rows.G.data());
        });
  }

  void linearize_between(const Passage& passage, const RowPattern& pattern, Start start,
                         Rows& rows) const override {
    int row = start.row;
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor;
    const auto values = pattern.values_of(row, row + this->size() * C::rows);
    rows.J.segment(values.begin, values.size).setZero();
    LinearizationOf<C> out;
    for (const C& constraint : constraints_) {
      const AnchorsOf<C> anchors = constraint.anchors();
      discrete_gradient(constraint, places_at(passage.from, anchors),
                        places_at(passage.to, anchors), places_at(passage.mean, anchors),
                        passage.time, out);
      add_gradients(passage.mean, anchors, out, block_of_anchor, pattern, row, rows.J);
      row += C::rows;
      block_of_anchor += K;
    }
  }

  void add_stiffness_between(const Passage& passage, const VecX& lambda, Definiteness wanted,
                             const RowPattern& pattern, Start start, Rows& rows) const override {
    for_each_stiffness(
        pattern, start,
        [&](const C& constraint, int row, const int* body_of, const PairBlocks& blocks) {
          const RowVectorOf<C> weights(lambda.data() + row);
          if (add_tension(constraint, passage.time, weights, wanted, body_of, blocks, rows)) return;
          const AnchorsOf<C> anchors = constraint.anchors();
          const CurvatureOf<C> second =
              curvature_form(constraint, places_at(passage.mean, anchors), passage.time, weights,
                             RowForm::smooth, wanted);
          PlacesOf<C> gradient = PlacesOf<C>::Zero();
          if (!passage.mean.rotations.empty()) {
            LinearizationOf<C> out;
            discrete_gradient(constraint, places_at(passage.from, anchors),
                              places_at(passage.to, anchors), places_at(passage.mean, anchors),
                              passage.time, out);
            add_weighted(out, weights, gradient);
          }
          add_anchor_stiffness<K>(passage.mean, anchors, body_of, second, gradient, wanted, blocks,
                                  rows.G.data());
        });
  }

  void errors(const Pose& pose, double time, std::span<double> out) const override {
    for (std::size_t i = 0; i < constraints_.size(); ++i)
      out[i] = constraints_[i].error(places_at(pose, constraints_[i].anchors()), time);
  }

 private:
  static constexpr bool has_tension = requires(const C& constraint, RowVectorOf<C> weights) {
    constraint.smooth_tension(0.0, weights, Definiteness::exact);
  };

  static constexpr bool makes_pairs = requires(const C& constraint) { constraint.pair(); };
  struct NoPair {};
  static auto pair_of(const C* constraint) {
    if constexpr (makes_pairs)
      return constraint->pair();
    else
      return NoPair{};
  }
  using Pair = decltype(pair_of(nullptr));

  /// Whether rows are each between two particles, the bulk of a cloth. (They have two blocks at
  /// most, and none of fewer than three numbers.)
  static bool are_pairs(const RowPattern& pattern, int begin, int end) {
    return pattern.first_block[end] - pattern.first_block[begin] == 2 * (end - begin) &&
           pattern.values_of(begin, end).size == 6 * (end - begin);
  }
  [[gnu::always_inline]] void linearize_pairs(const Pose& pose, const RowPattern& pattern,
                                              Start start, Range range, Rows& rows) const {
    if constexpr (makes_pairs) {
      const int first = start.row + range.begin, count = range.end - range.begin;
      double* J = rows.J.data() + pattern.blocks[pattern.first_block[first]].value;
      double* C_of_row = rows.C.data() + first;
      const Pair* pair = pairs_.data() + range.begin;
      for (int i = 0; i < count; ++i, ++pair, J += 6) {
        const double* a = pose.q + pose.slots[pair->a.index].q;
        const double* b = pose.q + pose.slots[pair->b.index].q;
        double n[3];
        for (int k = 0; k < 3; ++k) n[k] = b[k] - a[k];
        C_of_row[i] = pair->linearize(n);
        for (int k = 0; k < 3; ++k) J[k] = -n[k];
        for (int k = 0; k < 3; ++k) J[3 + k] = n[k];
      }
      rows.C_t.segment(first, count).setZero();
    }
  }

  /// G of pairs of particles, three numbers each. False: not all are that.
  bool add_tensions(const VecX& lambda, Definiteness wanted, const RowPattern& pattern, Start start,
                    Rows& rows) const {
    if constexpr (makes_pairs) {
      const int count = this->size();
      const int* first = pattern.first_stiffness_block.data() + start.constraint;
      if (!is_constant_ || count == 0 || first[count] - first[0] != 3 * count) return false;
      const StiffnessBlock* blocks = pattern.stiffness_blocks.data();
      const int begin = blocks[first[0]].value;
      if (blocks[first[count] - 1].value != begin + 3 * count - 1) return false;
      double* G = rows.G.data() + begin;
      for (int i = 0; i < count; ++i, G += 3) {
        const double k = pairs_[static_cast<std::size_t>(i)].tension(lambda[start.row + i], wanted);
        G[0] += k;
        G[1] -= k;
        G[2] += k;
      }
      return true;
    }
    return false;
  }

  /// Of particles whose blocks are single numbers. False: they are not.
  [[gnu::always_inline]] static bool add_tension(const C& constraint, double time,
                                                 const RowVectorOf<C>& weights, Definiteness wanted,
                                                 const int* body_of, const PairBlocks& blocks,
                                                 Rows& rows) {
    if constexpr (has_tension) {
      if (body_of[0] < 0 && body_of[1] < 0) return true;  // it has no blocks
      if (!blocks[0].is_scalar) return false;
      if (body_of[0] == body_of[1]) return true;  // nothing changes its length
      const double k = constraint.smooth_tension(time, weights, wanted);
      rows.G[blocks[0].value] += k;
      if (body_of[0] < 0 || body_of[1] < 0) return true;
      rows.G[blocks[1].value] -= k;
      rows.G[blocks[2].value] += k;
      return true;
    }
    return false;
  }

  [[gnu::always_inline]] static PlacesOf<C> places_at(const Pose& pose,
                                                      const AnchorsOf<C>& anchors) {
    PlacesOf<C> x;
    for (int k = 0; k < K; ++k) x.col(k) = pose.at(anchors[k]);
    return x;
  }

  /// Calls visit(constraint, its first row, bodies of its anchors, stiffness blocks) for each.
  template <class Visit>
  void for_each_stiffness(const RowPattern& pattern, Start start, Visit&& visit) const {
    const int* body_of = pattern.anchor_block.data() + start.anchor;
    for (std::size_t i = 0; i < constraints_.size(); ++i, body_of += K) {
      const std::size_t number = static_cast<std::size_t>(start.constraint) + i;
      visit(constraints_[i], start.row + static_cast<int>(i) * C::rows, body_of,
            PairBlocks{pattern.stiffness_blocks.data() + pattern.first_stiffness_block[number]});
    }
  }

  /// gradient += λᵀ ∂C/∂x
  static void add_weighted(const LinearizationOf<C>& out, const RowVectorOf<C>& weights,
                           PlacesOf<C>& gradient) {
    for (int r = 0; r < C::rows; ++r)
      for (int i = 0; i < 3 * K; ++i)
        gradient.data()[i] += weights[r] * out.gradient[static_cast<std::size_t>(r)].data()[i];
  }

  static constexpr bool depends_on(int row, int anchor) {
    if constexpr (requires { C::depends_on(row, anchor); }) return C::depends_on(row, anchor);
    return true;
  }

  /// Writes the gradients of one constraint into its rows of J.
  [[gnu::always_inline]] static void add_gradients(const Pose& pose, const AnchorsOf<C>& anchors,
                                                   const LinearizationOf<C>& out,
                                                   const int* block_of_anchor,
                                                   const RowPattern& pattern, int row, VecX& J) {
    for (int r = 0; r < C::rows; ++r, ++row) {
      const JacobianBlock* blocks = pattern.blocks.data() + pattern.first_block[row];
      for (int k = 0; k < K; ++k)
        if (depends_on(r, k) && block_of_anchor[k] >= 0)
          add_gradient(pose, anchors[k], out.gradient[r].col(k), blocks[block_of_anchor[k]], J);
    }
  }

  // n·δx = s·n·δp + R⁻¹(Rl × n)·δθ
  [[gnu::always_inline]] static void add_gradient(const Pose& pose, const Anchor& anchor,
                                                  const Vec3& n, const JacobianBlock& block,
                                                  VecX& J) {
    if (!anchor.is_direction) J.segment<3>(block.value) += n;
    if (block.size == 3) [[likely]]
      return;
    J.segment<3>(block.value + 3) +=
        pose.torque(pose.slots[anchor.body.index].rigid, anchor.local, n);
  }

  using BatchOf<C, Data, ConstraintBatch>::constraints_;
  std::vector<Pair> pairs_;  // where C makes them, one of each: a fraction of its size
  bool is_constant_ = true;
};

}  // namespace taut
