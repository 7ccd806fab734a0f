// Joints about a point, such as hinges: points of two bodies coincide, and directions of the first
// body, a, stay square to directions of the second, b. Of such joints rows and their curvature are
// written for the two bodies at once. (The general way, from anchors to bodies, takes five times as
// many instructions.) With the arms r from the bodies to the point, n = e_k and T = R⁻¹:
//
//   C = x_b − x_a:  rows (−n, −T_a(r_a × n) | n, T_b(r_b × n))
//   C = u·w:        rows (0, T_a(u × w) | 0, −T_b(u × w)),  u of a, w of b
//
// All are bilinear. So their bias is that of products, and λᵀC curves where a body turns alone, as
// in anchor_stiffness.hpp, and, for two directions, where both turn: λ (u̇·ẇ) = λ θ_aᵀ [û]×ᵀ R_aᵀ
// R_b [ŵ]× θ_b, with û, ŵ as they are in the bodies.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/model/rotation.hpp"

namespace taut {

template <class C, class Data = C>
class PointJointBatch final : public Batch<C, Data> {
 public:
  using typename ConstraintBatch::Range, typename ConstraintBatch::Start;

  void linearize(const Pose& pose, double, RowForm, const RowPattern& pattern, Start start,
                 Range range, Rows& rows) const override {
    for (int i = range.begin; i < range.end; ++i) {
      const Ends ends((*this)[i].anchors(), pose);
      const int row = start.row + i * C::rows;
      double* to = rows.C.data() + row;
      for (int k = 0; k < 3; ++k) to[k] = ends.b.at[k] - ends.a.at[k];
      write_gradients(ends, pattern, start, i, rows.J,
                      [&](int r, const Vec3& u, const Vec3& w) { to[r] = u.dot(w); });
      rows.C_t.segment<C::rows>(row).setZero();
    }
  }
  void linearize_between(const Passage& passage, const RowPattern& pattern, Start start,
                         Rows& rows) const override {
    for (int i = 0; i < this->size(); ++i)
      write_gradients(Ends((*this)[i].anchors(), passage.mean), pattern, start, i, rows.J,
                      [](int, const Vec3&, const Vec3&) {});
  }

  // What is left of the accelerations of points and directions where nothing accelerates.
  void add_bias(const Pose& pose, const VecX& v, double, const RowPattern&, Start start,
                Rows& rows) const override {
    for (int i = 0; i < this->size(); ++i) {
      const Ends ends((*this)[i].anchors(), pose);
      const Turning a(ends.anchors[0], pose, v), b(ends.anchors[1], pose, v);
      double* to = rows.bias.data() + start.row + i * C::rows;
      const Vec3 apart = b.bend(ends.b.arm) - a.bend(ends.a.arm);
      for (int k = 0; k < 3; ++k) to[k] = apart[k];
      each_square([&](int r, int of_a, int of_b) {
        const Vec3 u = ends.a.turned(ends.local(of_a)), w = ends.b.turned(ends.local(of_b));
        to[r] = a.bend(u).dot(w) + 2 * a.rate(u).dot(b.rate(w)) + u.dot(b.bend(w));
      });
    }
  }

  void add_stiffness(const Pose& pose, double time, const VecX& lambda, RowForm form,
                     Definiteness wanted, const RowPattern& pattern, Start start,
                     Rows& rows) const override {
    if (wanted == Definiteness::exact)
      add_exact(pose, lambda, pattern, start, rows);
    else
      Batch<C, Data>::add_stiffness(pose, time, lambda, form, wanted, pattern, start, rows);
  }
  void add_stiffness_between(const Passage& passage, const VecX& lambda, Definiteness wanted,
                             const RowPattern& pattern, Start start, Rows& rows) const override {
    if (wanted == Definiteness::exact)
      add_exact(passage.mean, lambda, pattern, start, rows);
    else
      Batch<C, Data>::add_stiffness_between(passage, lambda, wanted, pattern, start, rows);
  }

 private:
  static constexpr int K = C::anchor_count;
  static_assert([] {
    for (int r = 0; r < C::rows; ++r) {
      const BilinearEquation& e = C::equations[static_cast<std::size_t>(r)];
      if (r < 3 ? !(e.kind == BilinearEquation::Kind::coincide && e.i == 0 && e.j == 1 && e.k == r)
                : e.kind != BilinearEquation::Kind::square)
        return false;
    }
    return true;
  }());

  /// One of the two bodies, or the world.
  struct End {
    const Mat3 *R = nullptr, *inverse = nullptr;
    Vec3 arm = Vec3::Zero(), at;  // of the point

    End(const Anchor& point, const Pose& pose) {
      if (point.body.is_world()) {
        at = point.local;
        return;
      }
      const BodySlot& slot = pose.slots[point.body.index];
      R = &pose.rotations[static_cast<std::size_t>(slot.rigid)];
      inverse = &pose.inverses[static_cast<std::size_t>(slot.rigid)];
      arm = *R * point.local;
      at = pose.position(slot.q) + arm;
    }
    Vec3 turned(const Vec3& local) const { return R ? Vec3(*R * local) : local; }
  };
  /// How fast it turns, in the world's axes.
  struct Turning {
    Vec3 omega = Vec3::Zero();

    Turning(const Anchor& point, const Pose& pose, const VecX& v) {
      if (point.body.is_world()) return;
      const BodySlot& slot = pose.slots[point.body.index];
      omega = pose.rotations[static_cast<std::size_t>(slot.rigid)] * v.segment<3>(slot.v + 3);
    }
    Vec3 rate(const Vec3& of) const { return omega.cross(of); }
    Vec3 bend(const Vec3& of) const { return omega.cross(omega.cross(of)); }
  };
  struct Ends {
    AnchorsOf<C> anchors;
    End a, b;
    Ends(const AnchorsOf<C>& of, const Pose& pose)
        : anchors(of), a(anchors[0], pose), b(anchors[1], pose) {}
    const Vec3& local(int anchor) const { return anchors[static_cast<std::size_t>(anchor)].local; }
  };

  /// Calls visit(row, u, w) for each pair of directions, with their anchors.
  template <class Visit>
  [[gnu::always_inline]] static void each_square(const Visit& visit) {
    [&]<int... r>(std::integer_sequence<int, r...>) {
      (visit(r + 3, C::equations[r + 3].i, C::equations[r + 3].j), ...);
    }
    (std::make_integer_sequence<int, C::rows - 3>());
  }

  /// visit(row, u, w): of each pair of directions.
  template <class Visit>
  [[gnu::always_inline]] static void write_gradients(const Ends& ends, const RowPattern& pattern,
                                                     Start start, int i, VecX& J,
                                                     const Visit& visit) {
    const int row = start.row + i * C::rows;
    const int* block = pattern.anchor_block.data() + start.anchor + i * K;
    const JacobianBlock* blocks = pattern.blocks.data() + pattern.first_block[row];
    const int width = 6 * ((block[0] >= 0) + (block[1] >= 0));
    double* a = block[0] < 0 ? nullptr : J.data() + blocks[block[0]].value;
    double* b = block[1] < 0 ? nullptr : J.data() + blocks[block[1]].value;
    if (a) write_point(ends.a, -1, a, width);
    if (b) write_point(ends.b, 1, b, width);
    each_square([&](int r, int of_a, int of_b) {
      const Vec3 u = ends.a.turned(ends.local(of_a)), w = ends.b.turned(ends.local(of_b));
      const Vec3 torque = u.cross(w);
      visit(r, u, w);
      if (a) write_row(Vec3(*ends.a.inverse * torque), a + r * width);
      if (b) write_row(Vec3(*ends.b.inverse * Vec3(-torque)), b + r * width);
    });
  }
  [[gnu::always_inline]] static void write_row(const Vec3& turning, double* to) {
    for (int c = 0; c < 3; ++c) to[c] = 0;
    for (int c = 0; c < 3; ++c) to[3 + c] = turning[c];
  }
  [[gnu::always_inline]] static void write_point(const End& end, double sign, double* to,
                                                 int width) {
    const double* T = end.inverse->data();
    for (int k = 0; k < 3; ++k, to += width) {
      const int next = (k + 1) % 3, last = (k + 2) % 3;  // arm × e_k = arm[last] e_next − …
      const double p = sign * end.arm[last], q = sign * end.arm[next];
      for (int c = 0; c < 3; ++c) to[c] = c == k ? sign : 0;
      for (int c = 0; c < 3; ++c) to[3 + c] = p * T[3 * next + c] - q * T[3 * last + c];
    }
  }

  void add_exact(const Pose& pose, const VecX& lambda, const RowPattern& pattern, Start start,
                 Rows& rows) const {
    for (int i = 0; i < this->size(); ++i) {
      const Ends ends((*this)[i].anchors(), pose);
      const int* body = pattern.anchor_block.data() + start.anchor + i * K;
      const double* weight = lambda.data() + start.row + i * C::rows;
      const PairBlocks blocks{
          pattern.stiffness_blocks.data() +
          pattern.first_stiffness_block[static_cast<std::size_t>(start.constraint + i)]};
      const bool has_a = body[0] >= 0, has_b = body[1] >= 0;
      const Vec3 force(weight);
      Mat3 of_a = Mat3::Zero(), of_b = Mat3::Zero(), between = Mat3::Zero();
      if (has_a) add_turning(*ends.a.inverse * Vec3(-force), ends.local(0), of_a);
      if (has_b) add_turning(*ends.b.inverse * force, ends.local(1), of_b);
      const Mat3 relative =
          has_a && has_b ? Mat3(ends.a.R->transpose() * *ends.b.R) : Mat3(Mat3::Zero());
      each_square([&](int r, int u_of_a, int w_of_b) {
        const Vec3 &u = ends.local(u_of_a), &w = ends.local(w_of_b);
        if (has_a) add_turning(*ends.a.inverse * Vec3(weight[r] * ends.b.turned(w)), u, of_a);
        if (has_b) add_turning(*ends.b.inverse * Vec3(weight[r] * ends.a.turned(u)), w, of_b);
        if (has_a && has_b)
          between -= cross_matrix(weight[r] * u) * Mat3(relative * cross_matrix(w));
      });
      double* G = rows.G.data();
      if (has_a) add_part(of_a, blocks[body[0] * (body[0] + 3) / 2], G);
      if (has_b) add_part(of_b, blocks[body[1] * (body[1] + 3) / 2], G);
      if (!(has_a && has_b)) continue;
      if (body[0] > body[1])
        add_part(between, blocks[body[0] * (body[0] + 1) / 2 + body[1]], G);
      else
        add_part(Mat3(between.transpose()), blocks[body[1] * (body[1] + 1) / 2 + body[0]], G);
    }
  }
  /// sym(m lᵀ) − (m·l) 1
  [[gnu::always_inline]] static void add_turning(const Vec3& m, const Vec3& l, Mat3& to) {
    const Vec3 half = 0.5 * m;
    const double along = m.dot(l);
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) to(r, c) += half[r] * l[c] + l[r] * half[c];
    for (int c = 0; c < 3; ++c) to(c, c) -= along;
  }
  /// To the part of a block in which bodies turn.
  [[gnu::always_inline]] static void add_part(const Mat3& part, const StiffnessBlock& block,
                                              double* values) {
    double* to = values + block.value + 3 * block.rows + 3;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) to[c * block.rows + r] += part(r, c);
  }
};

}  // namespace taut
