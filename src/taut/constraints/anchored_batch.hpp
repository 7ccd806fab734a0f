// Constraints evaluated one by one as functions of the places of their anchors; from there to rows
// on bodies by the chain rule, which is here, compiled once for all types.
#pragma once

#include <array>
#include <cstdint>

#include "taut/model/anchor_stiffness.hpp"
#include "taut/model/batches.hpp"

namespace taut {

inline constexpr int most_rows = 6;  ///< of one constraint

/// What one constraint says at the places of its anchors: where its numbers are in `storage`.
struct AnchorRows {
  const double *C = nullptr, *C_t = nullptr;
  const double* gradient = nullptr;  ///< row by row, three numbers per anchor
  alignas(16) unsigned char storage[(2 * most_rows + 2 + most_rows * 3 * most_anchors) *
                                    sizeof(double)];
};

/// Per anchor, a bit for each row that depends on it.
using RowMasks = std::array<std::uint8_t, most_anchors>;

class AnchoredBatch : public ConstraintBatch {
 public:
  void linearize(const Pose& pose, double time, RowForm form, const RowPattern& pattern,
                 Start start, Range range, Rows& rows) const override;
  void add_bias(const Pose& pose, const VecX& v, double time, const RowPattern& pattern,
                Start start, Rows& rows) const override;
  void add_stiffness(const Pose& pose, double time, const VecX& lambda, RowForm form,
                     Definiteness wanted, const RowPattern& pattern, Start start,
                     Rows& rows) const override;
  void linearize_between(const Passage& passage, const RowPattern& pattern, Start start,
                         Rows& rows) const override;
  void add_stiffness_between(const Passage& passage, const VecX& lambda, Definiteness wanted,
                             const RowPattern& pattern, Start start, Rows& rows) const override;
  void measure_way(const Way& way, WayJacobian wanted, const RowPattern& pattern, Start start,
                   Rows& rows) const final;
  void errors(const Pose& pose, double time, std::span<double> out) const final;

 protected:
  // Of constraint i, with x the places of its anchors, three numbers each.
  virtual void linearize_at(int i, const double* x, double time, RowForm form,
                            AnchorRows& out) const = 0;
  /// `centripetal`: ẍ of the anchors at v̇ = 0; nullptr where nothing turns.
  virtual void bias_at(int i, const double* x, const double* rate, const double* centripetal,
                       double time, double* out) const = 0;
  virtual void curvature_at(int i, const double* x, double time, const double* lambda, RowForm form,
                            Definiteness wanted, double* out) const = 0;
  /// Whether discrete gradients depend on x₀ and x₁ beside the mean, which else are not set.
  virtual bool gradient_needs_ends() const = 0;
  virtual void linearize_between_at(int i, const double* x0, const double* x1, const double* mean,
                                    double time, AnchorRows& out) const = 0;
  /// Per row, a bit for each that is on velocities; 0: none.
  virtual unsigned velocity_rows() const = 0;
  /// Of the rows on velocities, g·w + h c and its slope along x, for the way w of the anchors.
  virtual void way_at(int i, const double* x, const double* w, double h, double time, double* C,
                      double* slope) const = 0;
  virtual double error_at(int i, const double* x, double time) const = 0;
  virtual RowMasks row_masks() const = 0;

 private:
  struct Anchors;
  Anchors anchors_of(int i) const;
  void write_gradients(const Pose& pose, const Anchors& anchors, const AnchorRows& out,
                       const RowMasks& masks, const int* block_of_anchor, const RowPattern& pattern,
                       int row, VecX& J) const;
  void add_one_stiffness(const Pose& pose, const Anchors& anchors, const AnchorRows& out,
                         const double* curvature, const double* lambda, Definiteness wanted,
                         const RowPattern& pattern, Start start, int i, Rows& rows) const;
};

}  // namespace taut
