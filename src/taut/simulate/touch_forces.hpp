// The forces where cloth touches, as a law that Newton's method can use.
//
// Of a touch with the displacement U = Σ weight·δx of its places in this step, and a gap g + n·U at
// the end, Coulomb's law with complementarity is (Alart and Curnier 1991), for any ρ > 0,
//
//   f = Φ(f − ρ d),   d = (g + n·U) n + U_T,
//
//   Φ(p) = N n + T,   N = max(0, n·p),   T = p_T, or cut to |T| = μ N where it is longer.
//
// With a guess f̂ on the right, and its N in the bound of T, f(U) = Φ(f̂ − ρ d(U)) is the slope of a
// convex function, so that Newton's method with a line search finds the motion. Then f̂ ← f: the
// method of multipliers. Where it ends, f = f̂, the law holds exactly; (f − f̂)/ρ, a length, tells
// how far it is from that.
//
// Touches of a cloth that lies flat on something depend on each other. With a finite ρ that does no
// harm: of all forces that hold it, some are found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taut/model/sheet_source.hpp"
#include "taut/model/system.hpp"
#include "taut/simulate/free_zones.hpp"
#include "taut/solve/added_stiffness.hpp"

namespace taut {

class Archive;

/// A touch that pushes.
struct SheetLoad {
  SheetTouch touch;
  Vec3 force = Vec3::Zero();  ///< N, on its first side
};

class TouchForces final : public AddedStiffness {
 public:
  struct Setting {
    const System& system;
    const Pose& start;      ///< of the step: friction resists displacements since then
    const Pose& here;       ///< where the touches were found
    const VecX& stiffness;  ///< per body: that which resists a displacement in the step, N/m
    bool has_friction = true;
    bool opens = false;  ///< what was too near at the start is moved apart; else it gets no nearer
    /// At the start of the step, and what of it separates, m/s: releases touches that hold.
    const VecX* velocity = nullptr;
    double separating = 0;
    bool is_first = true;  ///< of the step; later what holds goes on to
  };
  /// Forces of touches that were there before are the first guesses.
  void set(const Setting& setting, std::span<const SheetTouch> touches);
  void clear();
  /// Adds −Hᵀf to r. `displacement`, per velocity, is from `here`.
  void evaluate(const VecX& displacement, VecX& r);
  /// f̂ ← f.
  void update();
  /// The largest |f − f̂|/ρ of the last evaluate(), and the largest motion that friction does not
  /// resist yet, in thicknesses.
  double error() const { return error_; }
  /// … and in the mean of the touches with a force, or of these weighted with their forces: where
  /// something heavy lies on cloth, few of them bear it.
  double mean_error() const;

  /// What those that push join: between two bodies, or to the world.
  void join(FreeZones& zones) const;

  void add_to(BodyDiagonal& diagonal) const override;
  void add_product(const VecX& x, VecX& out) const override;
  void add_beside_diagonal(const VecX& x, VecX& out) const override;

  /// Replaces `out` by those with a force, of the touches that were set.
  void loads(std::span<const SheetTouch> touches, std::vector<SheetLoad>& out) const;
  int loaded() const { return loaded_; }  ///< touches with a force
  double largest_force() const { return largest_; }
  /// J done by friction over the displacements of the last evaluate().
  double friction_work() const { return friction_work_; }
  /// For the next step.
  void remember();
  void archive(Archive& a);
  void forget() { known_.clear(); }

 private:
  struct Block {
    int body;
    int dof;
    double weight;
    int turn;  // of a rigid body: where in turns_ its 3 × 3 part is; else −1
  };
  enum class State : std::uint8_t { open, stick, slip };
  struct Touch {
    int number;  // of those that were set
    int first_block, end_block;
    std::uint64_t feature;
    Vec3 normal;
    double gap, thickness, friction, rho;
    double mobility;       // m/N
    bool holds;            // it pulls where it must
    double most_friction;  // μ times the normal force of the guess
    Vec3 moved;            // tangential displacement, from the start of the step to `here`
    Vec3 guess, force;
    Vec3 error;  // of the last guess, in thicknesses
    Mat3 stiffness;
    State state;
  };
  struct Known {
    std::uint64_t feature;
    Vec3 force;
    bool holds;
    void archive(Archive& a);
  };
  Vec3 displacement_of(const Touch& touch, const VecX& x) const;
  Vec3 part(const Block& block, const VecX& x) const;
  void add_part(const Block& block, const Vec3& f, VecX& out) const;
  const Known* find_known(std::uint64_t feature) const;
  bool holds(const Setting& setting, const SheetTouch& touch, const Known& known) const;
  void apply_law(Touch& touch, const Vec3& displacement);

  std::vector<Touch> touches_;
  std::vector<Block> blocks_;
  std::vector<Mat3> turns_;
  std::vector<Known> known_;  // by feature
  // Of the last evaluate(): touches that push, and those of them between several bodies.
  std::vector<int> pushing_, coupling_;
  double error_ = 0, squares_ = 0, weighed_ = 0, weight_ = 0, largest_ = 0, friction_work_ = 0;
  int loaded_ = 0;
};

}  // namespace taut
