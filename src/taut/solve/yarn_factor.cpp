#include "taut/solve/yarn_factor.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "taut/base/share.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define TAUT_HAS_AVX2_YARNS 1
#endif
#define TAUT_OF_LOOP [[gnu::always_inline]] inline

namespace taut {
namespace {

using Eight [[gnu::vector_size(32), gnu::may_alias]] = float;
using EightSigns [[gnu::vector_size(32)]] = int;

constexpr int nodes_worth_sharing = 500;  // of eight yarns each

}  // namespace

void YarnFactor::begin_plan(const std::vector<Yarn>& yarns) {
  const auto length = [&](int i) { return static_cast<int>(yarns[i].particles.size()); };
  order_.resize(yarns.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return length(a) > length(b); });
  groups_.clear();
  int nodes = 0;
  for (int first = 0; first < static_cast<int>(order_.size()); first += lanes) {
    const int count = std::min(lanes, static_cast<int>(order_.size()) - first);
    groups_.push_back({first, count, nodes, length(order_[first])});
    nodes += groups_.back().nodes;
  }
  places_.assign(static_cast<std::size_t>(nodes), {});
  Indices none;
  std::fill_n(none.particle, lanes, -1);
  std::fill_n(none.row, lanes, -1);
  indices_.assign(static_cast<std::size_t>(nodes), none);
  nodes_.assign(static_cast<std::size_t>(nodes), {});
  between_.assign(4 * static_cast<std::size_t>(nodes), {});
}

void YarnFactor::set_place(int node, int lane, const Place& place) {
  places_[node].of[lane] = place;
  indices_[node].particle[lane] = place.particle;
  indices_[node].row[lane] = place.row;
}

/// The loops, written once; `always_inline` puts them into functions for each kind of processor.
struct YarnFactor::Kernels {
  /// A symmetric 3 × 3.
  struct Block {
    Eight xx, yy, zz, xy, xz, yz;
  };
  /// What is known of a node before anything is eliminated.
  struct Own {
    Block A;
    Eight l[3], r[3], compliance, next, second;
  };

  TAUT_OF_LOOP static void store(Lane& to, const Eight& from) {
    *reinterpret_cast<Eight*>(to.of) = from;
  }
  TAUT_OF_LOOP static const Eight& load(const Lane& from) {
    return *reinterpret_cast<const Eight*>(from.of);
  }

  TAUT_OF_LOOP static void gather(const Values& values, const Places& places, Own& own) {
    Lane all[15] = {};
    for (int lane = 0; lane < lanes; ++lane) {
      const Place& place = places.of[lane];
      const auto put = [&](int first, const Eigen::Array4f& from, int count) {
        for (int k = 0; k < count; ++k) all[first + k].of[lane] = from[k];
      };
      // Of nothing: x = 0, y = 0.
      all[0].of[lane] = all[1].of[lane] = all[2].of[lane] = all[12].of[lane] = 1;
      if (place.particle >= 0) {
        put(0, values.blocks[2 * place.particle], 3);
        put(3, values.blocks[2 * place.particle + 1], 3);
      }
      if (place.left >= 0) put(6, values.gradients[place.left], 3);
      if (place.row >= 0) {
        put(9, values.gradients[place.right], 3);
        all[12].of[lane] = values.compliance[place.row];
      }
      if (place.next >= 0) all[13].of[lane] = values.couplings[place.next];
      if (place.second >= 0) all[14].of[lane] = values.couplings[place.second];
    }
    own.A = {load(all[0]), load(all[1]), load(all[2]), load(all[3]), load(all[4]), load(all[5])};
    for (int k = 0; k < 3; ++k) {
      own.l[k] = load(all[6 + k]);
      own.r[k] = load(all[9 + k]);
    }
    own.compliance = load(all[12]);
    own.next = load(all[13]);
    own.second = load(all[14]);
  }

  /// good ← whether it is, and the pivots are positive.
  TAUT_OF_LOOP static Block inverse(const Block& A, EightSigns& good) {
    const Eight xx = A.yy * A.zz - A.yz * A.yz, xy = A.xz * A.yz - A.xy * A.zz,
                xz = A.xy * A.yz - A.xz * A.yy;
    const Eight yy = A.xx * A.zz - A.xz * A.xz, yz = A.xy * A.xz - A.xx * A.yz,
                zz = A.xx * A.yy - A.xy * A.xy;
    const Eight determinant = A.xx * xx + A.xy * xy + A.xz * xz;
    good &= (A.xx > 0) & (zz > 0) & (determinant > 0);
    const Eight over = 1 / determinant;
    return {xx * over, yy * over, zz * over, xy * over, xz * over, yz * over};
  }

  /// out = Q (v, w)
  TAUT_OF_LOOP static void multiply(const Node& node, const Eight (&v)[4], Eight (&out)[4]) {
    const Lane* Q = node.Q;
    out[0] = load(Q[0]) * v[0] + load(Q[3]) * v[1] + load(Q[4]) * v[2] + load(Q[6]) * v[3];
    out[1] = load(Q[3]) * v[0] + load(Q[1]) * v[1] + load(Q[5]) * v[2] + load(Q[7]) * v[3];
    out[2] = load(Q[4]) * v[0] + load(Q[5]) * v[1] + load(Q[2]) * v[2] + load(Q[8]) * v[3];
    out[3] = load(Q[6]) * v[0] + load(Q[7]) * v[1] + load(Q[8]) * v[2] + load(Q[9]) * v[3];
  }

  TAUT_OF_LOOP static bool factor(const Group& group, const Values& values, const Places* places,
                                  Node* nodes) {
    const Eight zero = {};
    EightSigns all_good = zero == zero;
    Block after{}, beyond{};  // what the nodes so far take from the next particle, and its next
    Eight row[4] = {};   // … from the row between these: beside the next particle, and its own
    Eight fill[9] = {};  // … and between the two particles: by columns of the latter
    Eight e[3] = {};     // between the row and the latter
    for (int i = 0; i < group.nodes; ++i) {
      Own own;
      gather(values, places[i], own);
      Node& node = nodes[i];
      Block A = own.A;
      A.xx -= after.xx, A.yy -= after.yy, A.zz -= after.zz;
      A.xy -= after.xy, A.xz -= after.xz, A.yz -= after.yz;
      const Eight r[3] = {own.r[0] - row[0], own.r[1] - row[1], own.r[2] - row[2]};
      const Block Z = inverse(A, all_good);
      const Eight t[3] = {Z.xx * r[0] + Z.xy * r[1] + Z.xz * r[2],
                          Z.xy * r[0] + Z.yy * r[1] + Z.yz * r[2],
                          Z.xz * r[0] + Z.yz * r[1] + Z.zz * r[2]};
      const Eight give = own.compliance + row[3] + r[0] * t[0] + r[1] * t[1] + r[2] * t[2];
      all_good &= give > 0;
      const Eight sigma = 1 / give;
      const Eight Q[10] = {Z.xx - sigma * t[0] * t[0],
                           Z.yy - sigma * t[1] * t[1],
                           Z.zz - sigma * t[2] * t[2],
                           Z.xy - sigma * t[0] * t[1],
                           Z.xz - sigma * t[0] * t[2],
                           Z.yz - sigma * t[1] * t[2],
                           sigma * t[0],
                           sigma * t[1],
                           sigma * t[2],
                           -sigma};
      for (int k = 0; k < 10; ++k) store(node.Q[k], Q[k]);

      Eight U[4][4];  // by columns: of x_{i+1}, and of the row to it
      for (int k = 0; k < 9; ++k) U[k / 3][k % 3] = -fill[k];
      for (int k = 0; k < 3; ++k) {
        U[k][k] += own.next;
        U[k][3] = e[k];
        U[3][k] = own.l[k];
      }
      U[3][3] = zero;
      for (int k = 0; k < 9; ++k) store(node.F[k], U[k / 3][k % 3]);
      for (int k = 0; k < 3; ++k) {
        store(node.l[k], own.l[k]);
        store(node.e[k], e[k]);
      }
      const Eight b = own.second;
      store(node.b, b);

      Eight QU[4][4];
      for (int k = 0; k < 4; ++k) multiply(node, U[k], QU[k]);
      const auto add = [&](Eight& to, int j, int k) {
        to += U[j][0] * QU[k][0] + U[j][1] * QU[k][1] + U[j][2] * QU[k][2] + U[j][3] * QU[k][3];
      };
      after = beyond;
      add(after.xx, 0, 0), add(after.yy, 1, 1), add(after.zz, 2, 2);
      add(after.xy, 0, 1), add(after.xz, 0, 2), add(after.yz, 1, 2);
      for (Eight& of_row : row) of_row = zero;
      for (int k = 0; k < 4; ++k) add(row[k], k, 3);
      const Eight bb = b * b;
      beyond = {bb * Q[0], bb * Q[1], bb * Q[2], bb * Q[3], bb * Q[4], bb * Q[5]};
      for (int k = 0; k < 9; ++k) fill[k] = b * QU[k % 3][k / 3];
      for (int k = 0; k < 3; ++k) e[k] = -b * QU[3][k];
    }
    bool good = true;
    for (int lane = 0; lane < lanes; ++lane) good = good && all_good[lane] != 0;
    return good;
  }

  TAUT_OF_LOOP static void solve(const Group& group, const Node* nodes, const Indices* indices,
                                 Lane* between, const Eigen::Array4f* f, const float* c,
                                 Eigen::Array4f* x, float* y) {
    Eight next[4] = {}, second[3] = {};  // what the nodes so far take from the next two particles
    for (int i = 0; i < group.nodes; ++i) {
      const Indices& index = indices[i];
      Lane right[4] = {};
      for (int lane = 0; lane < lanes; ++lane) {
        if (const int particle = index.particle[lane]; particle >= 0)
          for (int k = 0; k < 3; ++k) right[k].of[lane] = f[particle][k];
        if (const int row = index.row[lane]; row >= 0) right[3].of[lane] = c[row];
      }
      const Eight v[4] = {load(right[0]) - next[0], load(right[1]) - next[1],
                          load(right[2]) - next[2], load(right[3]) - next[3]};
      const Node& node = nodes[i];
      Eight u[4];
      multiply(node, v, u);
      for (int k = 0; k < 4; ++k) store(between[4 * i + k], u[k]);
      const Eight b = load(node.b);
      for (int k = 0; k < 3; ++k) {
        next[k] = second[k] + load(node.F[3 * k]) * u[0] + load(node.F[3 * k + 1]) * u[1] +
                  load(node.F[3 * k + 2]) * u[2] + load(node.e[k]) * u[3];
        second[k] = b * u[k];
      }
      next[3] = load(node.l[0]) * u[0] + load(node.l[1]) * u[1] + load(node.l[2]) * u[2];
    }
    Eight after[4] = {}, beyond[3] = {};  // the next node, and x of that after it
    for (int i = group.nodes - 1; i >= 0; --i) {
      const Node& node = nodes[i];
      const Eight b = load(node.b);
      Eight v[4], taken[4];
      for (int k = 0; k < 3; ++k)
        v[k] = load(node.F[k]) * after[0] + load(node.F[3 + k]) * after[1] +
               load(node.F[6 + k]) * after[2] + load(node.l[k]) * after[3] + b * beyond[k];
      v[3] = load(node.e[0]) * after[0] + load(node.e[1]) * after[1] + load(node.e[2]) * after[2];
      multiply(node, v, taken);
      Lane found[4];
      for (int k = 0; k < 4; ++k) store(found[k], load(between[4 * i + k]) - taken[k]);
      for (int k = 0; k < 3; ++k) {
        beyond[k] = after[k];
        after[k] = load(found[k]);
      }
      after[3] = load(found[3]);
      const Indices& index = indices[i];
      for (int lane = 0; lane < lanes; ++lane) {
        if (const int particle = index.particle[lane]; particle >= 0)
          x[particle] = {found[0].of[lane], found[1].of[lane], found[2].of[lane], 0};
        if (const int row = index.row[lane]; row >= 0) y[row] = found[3].of[lane];
      }
    }
  }
};

namespace {

struct AnyProcessor {};
struct WithAvx2 {};

}  // namespace

template <class Target>
struct YarnFactor::Loops {
  static bool factor(const Group& group, const Values& values, const Places* places, Node* nodes) {
    return Kernels::factor(group, values, places, nodes);
  }
  static void solve(const Group& group, const Node* nodes, const Indices* indices, Lane* between,
                    const Eigen::Array4f* f, const float* c, Eigen::Array4f* x, float* y) {
    Kernels::solve(group, nodes, indices, between, f, c, x, y);
  }
};

#ifdef TAUT_HAS_AVX2_YARNS
template <>
struct YarnFactor::Loops<WithAvx2> {
  [[gnu::target("avx2")]] static bool factor(const Group& group, const Values& values,
                                             const Places* places, Node* nodes) {
    return Kernels::factor(group, values, places, nodes);
  }
  [[gnu::target("avx2")]] static void solve(const Group& group, const Node* nodes,
                                            const Indices* indices, Lane* between,
                                            const Eigen::Array4f* f, const float* c,
                                            Eigen::Array4f* x, float* y) {
    Kernels::solve(group, nodes, indices, between, f, c, x, y);
  }
};

#endif

namespace {

bool takes_eight_at_once() {
#ifdef TAUT_HAS_AVX2_YARNS
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  return has_avx2;
#else
  return false;
#endif
}

}  // namespace

bool YarnFactor::factor(const Values& values) {
  std::atomic<bool> good = true;
  const auto each = [&](int begin, int end) {
    for (int g = begin; g < end; ++g) {
      const Group& group = groups_[g];
      const Places* places = places_.data() + group.first_node;
      Node* nodes = nodes_.data() + group.first_node;
      if (!(takes_eight_at_once() ? Loops<WithAvx2>::factor(group, values, places, nodes)
                                  : Loops<AnyProcessor>::factor(group, values, places, nodes)))
        good = false;
    }
  };
  const int count = static_cast<int>(groups_.size());
  share(count, nodes_.size() < nodes_worth_sharing ? count + 1 : 0, each);
  return good;
}

void YarnFactor::solve(const Eigen::Array4f* f, const float* c, Eigen::Array4f* x, float* y) {
  const auto each = [&](int begin, int end) {
    for (int g = begin; g < end; ++g) {
      const Group& group = groups_[g];
      const Node* nodes = nodes_.data() + group.first_node;
      const Indices* indices = indices_.data() + group.first_node;
      Lane* between = between_.data() + 4 * static_cast<std::size_t>(group.first_node);
      if (takes_eight_at_once())
        Loops<WithAvx2>::solve(group, nodes, indices, between, f, c, x, y);
      else
        Loops<AnyProcessor>::solve(group, nodes, indices, between, f, c, x, y);
    }
  };
  const int count = static_cast<int>(groups_.size());
  share(count, nodes_.size() < nodes_worth_sharing ? count + 1 : 0, each);
}

}  // namespace taut
