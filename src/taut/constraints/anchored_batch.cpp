#include "taut/constraints/anchored_batch.hpp"

#include <algorithm>
#include <bit>

namespace taut {
namespace {

using Places = double[3 * most_anchors];

}  // namespace

/// The anchors of one constraint, and where they are.
struct AnchoredBatch::Anchors {
  int count;
  Anchor all[most_anchors];
  Vec3 arm[most_anchors];  // R l, of those on rigid bodies, where they were last placed

  /// x = s·p + R l of each, three numbers.
  void place(const Pose& pose, double* x) {
    for (int k = 0; k < count; ++k, x += 3) {
      const Anchor& anchor = all[k];
      const int rigid = anchor.body.is_world() ? -1 : pose.slots[anchor.body.index].rigid;
      Vec3 at;
      if (rigid < 0) {
        at = pose.at(anchor);
      } else {
        at = arm[k] = pose.rotations[static_cast<std::size_t>(rigid)] * anchor.local;
        if (!anchor.is_direction) at += pose.position(pose.slots[anchor.body.index].q);
      }
      std::copy_n(at.data(), 3, x);
    }
  }
};

AnchoredBatch::Anchors AnchoredBatch::anchors_of(int i) const {
  Anchors found;
  found.count = anchors_per_constraint();
  anchors(i, {found.all, static_cast<std::size_t>(found.count)});
  return found;
}

/// Writes the gradients of one constraint, whose anchors were placed in `pose`, into its rows of J:
/// n·δx = s·n·δp + R⁻¹(Rl × n)·δθ. All its rows touch the same bodies, so the blocks of an anchor
/// are equally far from each other.
void AnchoredBatch::write_gradients(const Pose& pose, const Anchors& anchors, const AnchorRows& out,
                                    const RowMasks& masks, const int* block_of_anchor,
                                    const RowPattern& pattern, int row, VecX& J) const {
  const int row_count = rows_per_constraint();
  const auto values = pattern.values_of(row, row + row_count);
  std::fill_n(J.data() + values.begin, values.size, 0.0);
  const int width = values.size / row_count;
  const JacobianBlock* blocks = pattern.blocks.data() + pattern.first_block[row];
  for (int k = 0; k < anchors.count; ++k) {
    if (block_of_anchor[k] < 0) continue;
    const Anchor& anchor = anchors.all[k];
    const int rigid = pose.slots[anchor.body.index].rigid;
    const Vec3 arm = anchors.arm[k];
    const double* inverse =
        rigid < 0 ? nullptr : pose.inverses[static_cast<std::size_t>(rigid)].data();
    double* first = J.data() + blocks[block_of_anchor[k]].value;
    for (unsigned left = masks[static_cast<std::size_t>(k)]; left != 0; left &= left - 1) {
      const int r = std::countr_zero(left);
      const Vec3 n(out.gradient + 3 * (r * anchors.count + k));
      double* to = first + r * width;
      if (!anchor.is_direction)
        for (int c = 0; c < 3; ++c) to[c] += n[c];
      if (rigid < 0) continue;
      const Vec3 turning = anchor.is_spin ? n : Vec3(arm.cross(n));
      for (int c = 0; c < 3; ++c)
        to[3 + c] +=
            inverse[c] * turning[0] + inverse[3 + c] * turning[1] + inverse[6 + c] * turning[2];
    }
  }
}

void AnchoredBatch::linearize(const Pose& pose, double time, RowForm form,
                              const RowPattern& pattern, Start start, Range range,
                              Rows& rows) const {
  if (range.begin == range.end) return;
  const int row_count = rows_per_constraint(), anchor_count = anchors_per_constraint();
  int row = start.row + range.begin * row_count;
  const int* block_of_anchor =
      pattern.anchor_block.data() + start.anchor + range.begin * anchor_count;
  const RowMasks masks = row_masks();
  for (int i = range.begin; i < range.end; ++i) {
    Anchors anchors = anchors_of(i);
    Places x;
    anchors.place(pose, x);
    AnchorRows out;
    linearize_at(i, x, time, form, out);
    std::copy_n(out.C, row_count, rows.C.data() + row);
    std::copy_n(out.C_t, row_count, rows.C_t.data() + row);
    write_gradients(pose, anchors, out, masks, block_of_anchor, pattern, row, rows.J);
    row += row_count;
    block_of_anchor += anchor_count;
  }
}

void AnchoredBatch::add_bias(const Pose& pose, const VecX& v, double time, const RowPattern&,
                             Start start, Rows& rows) const {
  for (int i = 0; i < size(); ++i) {
    Anchors anchors = anchors_of(i);
    Places x, rate, centripetal;
    anchors.place(pose, x);
    bool turning = false;
    for (int k = 0; k < anchors.count; ++k) {
      const Anchor& anchor = anchors.all[k];
      const Vec3 speed = pose.velocity(anchor, v), turn = pose.centripetal(anchor, v);
      std::copy_n(speed.data(), 3, rate + 3 * k);
      std::copy_n(turn.data(), 3, centripetal + 3 * k);
      turning = turning || (!anchor.body.is_world() && pose.slots[anchor.body.index].rigid >= 0);
    }
    bias_at(i, x, rate, turning ? centripetal : nullptr, time,
            rows.bias.data() + start.row + i * rows_per_constraint());
  }
}

/// Adds the part of one constraint to G, from its curvature and the sum of its gradients.
void AnchoredBatch::add_one_stiffness(const Pose& pose, const Anchors& anchors,
                                      const AnchorRows& out, const double* curvature,
                                      const double* lambda, Definiteness wanted,
                                      const RowPattern& pattern, Start start, int i,
                                      Rows& rows) const {
  const int size = 3 * anchors.count;
  Places gradient{};
  if (!pose.rotations.empty())
    for (int r = 0; r < rows_per_constraint(); ++r)
      for (int c = 0; c < size; ++c) gradient[c] += lambda[r] * out.gradient[r * size + c];
  const std::size_t number = static_cast<std::size_t>(start.constraint + i);
  add_anchor_stiffness(
      pose, anchors.all, anchors.count,
      pattern.anchor_block.data() + start.anchor + i * anchors.count, curvature, gradient, wanted,
      PairBlocks{pattern.stiffness_blocks.data() + pattern.first_stiffness_block[number]},
      rows.G.data());
}

void AnchoredBatch::add_stiffness(const Pose& pose, double time, const VecX& lambda, RowForm form,
                                  Definiteness wanted, const RowPattern& pattern, Start start,
                                  Rows& rows) const {
  for (int i = 0; i < size(); ++i) {
    Anchors anchors = anchors_of(i);
    const double* weights = lambda.data() + start.row + i * rows_per_constraint();
    Places x;
    anchors.place(pose, x);
    AnchorRows out;
    if (!pose.rotations.empty()) linearize_at(i, x, time, form, out);
    double curvature[9 * most_anchors * most_anchors];
    curvature_at(i, x, time, weights, form, wanted, curvature);
    add_one_stiffness(pose, anchors, out, curvature, weights, wanted, pattern, start, i, rows);
  }
}

void AnchoredBatch::linearize_between(const Passage& passage, const RowPattern& pattern,
                                      Start start, Rows& rows) const {
  const RowMasks masks = row_masks();
  const bool ends = gradient_needs_ends();
  for (int i = 0; i < size(); ++i) {
    Anchors anchors = anchors_of(i);
    Places x0, x1, mean;
    if (ends) {
      anchors.place(passage.from, x0);
      anchors.place(passage.to, x1);
    }
    anchors.place(passage.mean, mean);
    AnchorRows out;
    linearize_between_at(i, x0, x1, mean, passage.time, out);
    write_gradients(passage.mean, anchors, out, masks,
                    pattern.anchor_block.data() + start.anchor + i * anchors.count, pattern,
                    start.row + i * rows_per_constraint(), rows.J);
  }
}

void AnchoredBatch::add_stiffness_between(const Passage& passage, const VecX& lambda,
                                          Definiteness wanted, const RowPattern& pattern,
                                          Start start, Rows& rows) const {
  const bool ends = gradient_needs_ends();
  for (int i = 0; i < size(); ++i) {
    Anchors anchors = anchors_of(i);
    const double* weights = lambda.data() + start.row + i * rows_per_constraint();
    Places x0, x1, mean;
    anchors.place(passage.mean, mean);
    AnchorRows out;
    if (!passage.mean.rotations.empty()) {
      if (ends) {
        anchors.place(passage.from, x0);
        anchors.place(passage.to, x1);
      }
      linearize_between_at(i, x0, x1, mean, passage.time, out);
    }
    double curvature[9 * most_anchors * most_anchors];
    curvature_at(i, mean, passage.time, weights, RowForm::smooth, wanted, curvature);
    add_one_stiffness(passage.mean, anchors, out, curvature, weights, wanted, pattern, start, i,
                      rows);
  }
}

// With x̄ = ½(x₀ + x₁), dC = (g + ½ ∂(g·w + h c)/∂x)·dx₁. The turn of a spin is w = R₀θ with
// dθ = T η, so its part of dC is g·R₀ T η.
void AnchoredBatch::measure_way(const Way& way, WayJacobian wanted, const RowPattern& pattern,
                                Start start, Rows& rows) const {
  const unsigned on_velocities = velocity_rows();
  if (on_velocities == 0) return;
  const int row_count = rows_per_constraint();
  for (int i = 0; i < size(); ++i) {
    Anchors anchors = anchors_of(i);
    const int columns = 3 * anchors.count;
    Places x, w;
    for (int k = 0; k < anchors.count; ++k) {
      const Anchor& anchor = anchors.all[k];
      const Vec3 first = way.from.at(anchor), second = way.to.at(anchor);
      const Vec3 mean = 0.5 * (first + second);
      const Vec3 moved =
          anchor.is_spin ? way.to.velocity(anchor, way.increment) : Vec3(second - first);
      std::copy_n(mean.data(), 3, x + 3 * k);
      std::copy_n(moved.data(), 3, w + 3 * k);
    }
    double C[most_rows], slope[most_rows * 3 * most_anchors];
    way_at(i, x, w, way.h, way.time, C, slope);
    AnchorRows out;
    if (wanted == WayJacobian::derive) linearize_at(i, x, way.time, RowForm::given, out);
    const int* block_of_anchor = pattern.anchor_block.data() + start.anchor + i * anchors.count;
    for (int r = 0; r < row_count; ++r) {
      if (!((on_velocities >> r) & 1)) continue;
      const int row = start.row + i * row_count + r;
      rows.C[row] = C[r];
      if (wanted == WayJacobian::keep) continue;
      const auto values = pattern.values_of(row, row + 1);
      std::fill_n(rows.J.data() + values.begin, values.size, 0.0);
      for (int k = 0; k < anchors.count; ++k) {
        if (block_of_anchor[k] < 0) continue;
        const Anchor& anchor = anchors.all[k];
        const JacobianBlock& block = pattern.blocks[pattern.first_block[row] + block_of_anchor[k]];
        const Vec3 g(out.gradient + r * columns + 3 * k);
        const Vec3 n = g + 0.5 * Vec3(slope + r * columns + 3 * k);
        double* to = rows.J.data() + block.value;
        if (!anchor.is_direction)
          for (int c = 0; c < 3; ++c) to[c] += n[c];
        if (block.size == 3) continue;
        const int rigid = way.to.slots[anchor.body.index].rigid;
        const auto number = static_cast<std::size_t>(rigid);
        const Vec3 turning =
            anchor.is_spin ? Vec3(way.tangent[number].transpose() * (way.from.inverses[number] * g))
                           : way.to.torque(rigid, anchor.local, n);
        for (int c = 0; c < 3; ++c) to[3 + c] += turning[c];
      }
    }
  }
}

void AnchoredBatch::errors(const Pose& pose, double time, std::span<double> out) const {
  for (int i = 0; i < size(); ++i) {
    Places x;
    anchors_of(i).place(pose, x);
    out[static_cast<std::size_t>(i)] = error_at(i, x, time);
  }
}

}  // namespace taut
