// Newton's matrix along yarns: chains of particles, each joined to the next by a row,
//
//   A_i x_i + h_i x_{i+1} + b_i x_{i+2} + … + l_i y_i + r_{i−1} y_{i−1} = f_i     (…: of i−1, i−2)
//   l_iᵀ x_i + r_iᵀ x_{i+1} − ε_i y_i = c_i
//
// with one number h_i, b_i for what a particle has to do with the next (tension) and with the one
// after it (bending), and gradients l_i, r_i. It is factored as it is, node by node, without fill
// beyond two nodes. A node is a particle with the row that leads to it, so that a row is met in the
// place where it says what the particle cannot do; with its other particle, it would be a stiffness
// beyond single precision. With
//
//   Q_i = [ A_i       r_{i−1} ]⁻¹   U_i = [ F_i   l_i ]   what node i has to do with the next one,
//         [ r_{i−1}ᵀ −s_{i−1} ]           [ e_iᵀ  0   ]
//
// the elimination of node i takes U_iᵀ Q_i U_i from the next block (so that s_i is ε_i and what
// particle i gives way), b_i² Q_i from that after it, and b_i U_iᵀ Q_i from what these two have to
// do with each other: F_i is h_i at first, e_i is 0. Nothing is looked for: as the matrix is
// definite on the particles and on the rows, all pivots exist (quasi-definite: Vanderbei 1995).
//
// Eight yarns at a time, in single precision: the n-th nodes of eight yarns lie side by side, so
// that every operation is one on eight numbers. Shorter yarns end with nodes of nothing. The
// loops are compiled twice, for any processor and for those with AVX2, from the same operations in
// the same order: results are the same.
#pragma once

#include <span>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {

class YarnFactor {
 public:
  static constexpr int lanes = 8;

  /// Its particles, in order, and the rows between them: one less.
  struct Yarn {
    std::vector<int> particles, rows;
  };
  /// Where the numbers of a node are in Values. −1: none.
  struct Place {
    int particle = -1, row = -1;  ///< the row that leads to it
    int left = -1, right = -1;    ///< gradients: of the row to the next, of the one that leads here
    int next = -1, second = -1;   ///< couplings
  };
  struct Values {
    std::span<const Eigen::Array4f> blocks;  ///< A, two per particle: xx yy zz · and xy xz yz ·
    std::span<const Eigen::Array4f> gradients;  ///< l and r
    std::span<const float> compliance;          ///< ε, per row
    std::span<const float> couplings;           ///< h and b
  };

  /// `place(yarn, k)` is where the numbers of its k-th node are. Yarns go together by length.
  template <class PlaceOf>
  void plan(const std::vector<Yarn>& yarns, const PlaceOf& place) {
    begin_plan(yarns);
    for (Group& group : groups_)
      for (int lane = 0; lane < group.yarns; ++lane) {
        const int yarn = order_[group.first_yarn + lane];
        for (int k = 0; k < static_cast<int>(yarns[yarn].particles.size()); ++k)
          set_place(group.first_node + k, lane, place(yarns[yarn], k));
      }
  }
  /// False: a pivot is not what it must be, or not a number. The factors are then of no use.
  bool factor(const Values& values);
  /// x (per particle) and y (per row) of the yarns ← the solution for f and c; others are left as
  /// they are. The fourth number of f and x is not used.
  void solve(const Eigen::Array4f* f, const float* c, Eigen::Array4f* x, float* y);

 private:
  struct alignas(4 * lanes) Lane {
    float of[lanes];
  };
  /// Q (of the symmetric 4 × 4: xx yy zz xy xz yz, then x y z of the row, then the row's own), F by
  /// columns, l, e and b.
  struct Node {
    Lane Q[10], F[9], l[3], e[3], b;
  };
  struct Places {
    Place of[lanes];
  };
  struct Indices {
    int particle[lanes], row[lanes];
  };
  struct Group {
    int first_yarn, yarns, first_node, nodes;
  };
  struct Kernels;
  template <class Target>
  struct Loops;

  void begin_plan(const std::vector<Yarn>& yarns);
  void set_place(int node, int lane, const Place& place);

  std::vector<int> order_;  // of the yarns, by length
  std::vector<Group> groups_;
  std::vector<Places> places_;    // per node of a group
  std::vector<Indices> indices_;  // the same, as a solve reads it
  std::vector<Node> nodes_;
  std::vector<Lane> between_;  // four per node: a solution on its way
};

}  // namespace taut
