// Newton's matrix K of cloth, nearly inverted: along all yarns of one direction (warp), then along
// those of the other (weft) for what that leaves. What the weft leaves is for the preconditioner of
// all cloth (kkt_krylov.hpp), which knows rows of both directions, and bodies one by one.
//
// With bodies one by one, an iteration carries news along a yarn by one particle at a time, so that
// the number of iterations grows with that of the particles along a side where steps are large.
// Along yarns nothing has to be carried: their part of K is factored as it is (yarn_factor.hpp).
//
// What is not of a yarn itself:
//
//   Rows across it, from its particle i to particle k of another yarn, let i go as far as k gives
//   way: with m_k = g_kᵀ D_k⁻¹ g_k and s_i = ε + m_k,
//
//     g_iᵀ x_i − s_i y = c/2,   seen from i, so that y_i = (g_iᵀ x_i − c/2)/s_i,
//
//   and a force of g_i g_iᵀ/s_i x_i is in i's block. k sees the same row so, and y = y_i + y_k. A
//   row with one particle is met as it is, and alone. Stiffness between yarns (shear, tension and
//   bending of the other direction) is not in it, beside the diagonal blocks of H.
//
// So what is left of f and c when the yarns are solved is known from these two alone:
//
//   f_i ← − Σ (rows across) g_i y_k − Σ (others) H_ij x_j,   c ← c − J x + ε y   (0 of the yarns'
//   own rows).
//
// Shear is left aside between the two sweeps, and taken off after them, for both together.
//
// Yarns follow the paths of rows that path_factor.hpp finds: a path becomes a chain of particles,
// and is of the first of the two directions in which none of its particles has a yarn yet. A
// particle without a yarn in a direction is one by itself there. Needs B = J, particles alone, and
// nothing that touches.
#pragma once

#include <array>
#include <vector>

#include "taut/solve/body_matrix.hpp"
#include "taut/solve/path_factor.hpp"
#include "taut/solve/single_kkt.hpp"
#include "taut/solve/yarn_factor.hpp"

namespace taut {

class YarnSweeps {
 public:
  struct Terms {
    const System& system;
    const BodyMatrix& H;
    double mass;  ///< a, H's factor of the masses
    const SingleKkt& single;
    const PathFactor& paths;
  };
  /// Factors K along the yarns. False: that was not possible, or they are no yarns but a plate, so
  /// stiff in bending that it moves as one. What is left of the equations then tells little of how
  /// far all of it still has to go, and yarns leave just that.
  bool factor(const Terms& terms);
  void clear() { is_factored_ = false; }
  void restore() { is_factored_ = true; }  ///< after clear(): the factors are still there
  bool empty() const { return !is_factored_; }

  /// `left` ← what K z, with z of both sweeps, leaves of v. (Vectors as of SingleKkt.)
  void solve(const SingleKkt& single, Eigen::Ref<const Eigen::VectorXf> v, Eigen::VectorXf& left);
  /// Adds the z of the last solve().
  void add_to(VecX& z) const;

 private:
  using Quad = Eigen::Array4f;
  /// Of one direction.
  struct Direction {
    std::vector<YarnFactor::Yarn> yarns;
    YarnFactor factors;
    std::vector<char> is_own;  // per row: of a yarn
    std::vector<int> across;   // the other rows
    // Per particle, one after the other: gradients of rows across it, and couplings that are not
    // along its yarn.
    struct Pull {
      Quad along;
      int gradient;
    };
    struct Rest {
      int column, source;
      float value;
    };
    struct Bend {
      int particle, source;
    };
    std::vector<Bend> bends;  // couplings with the particle after the next
    std::vector<int> pull_begin, rest_begin;
    std::vector<Pull> pulls;
    std::vector<Rest> rest;
    std::vector<float> inverse;  // per gradient: 1/s, and 0 where there is no particle
    std::vector<float> share;    // … times the part of c
    std::vector<float> seen;     // y_i, y_k
    std::vector<Quad> x;         // one more, of the world, which is 0
    std::vector<Quad> blocks;    // of the particles, as YarnFactor wants them
  };
  void find_yarns(const PathFactor& paths, const SingleKkt& single);
  void plan(Direction& direction, const SingleKkt& single) const;
  bool factor(Direction& direction, const SingleKkt& single) const;
  bool is_plate(const Terms& terms) const;
  void sweep(Direction& direction, const SingleKkt& single);

  bool is_factored_ = false;
  const BlockMatrix* planned_ = nullptr;
  int particles_ = 0, rows_ = 0;
  std::array<Direction, 2> directions_;
  std::vector<Quad> diagonal_;  // D, as YarnFactor wants it
  std::vector<float> give_;     // m, per gradient
  std::vector<Quad> f_, pulled_;
  Eigen::VectorXf c_, y_, found_;
};

}  // namespace taut
