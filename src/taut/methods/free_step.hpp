// The step that forces alone would make, for methods that enforce constraints afterwards by
// changing its velocity: "velocity filters". With the velocity v⁺ at its end,
//
//   q⁺ = q ⊕ (offset + τ v⁺),   and v̂ = v_base + τ W F is the candidate for v⁺.
//
//   explicit   backward Euler (offset = 0, τ = h, v_base = v) with the forces of the start
//   implicit   with the forces of the end, linearised (Baraff and Witkin 1998):
//              (M/τ² + K) τ(v̂ − v_base) = F at the end that v_base leads to.
//              Forces so answer to a motion without constraints, and what a step does not resolve
//              rests where M(M + τ²K)⁻¹F, not F, is balanced. To let them know the constraint
//              forces of the last step, as with pressure in fluids (van Kan 1986), cures that and
//              is unstable: their direction turns too much in a step.
//              Where a step resolves all forces (τ² W K < 1), nothing is solved: what they are at
//              that end is what the solution makes of them, to first order.
//   bdf2       second order: τ = h (1+ω)/(1+2ω) and so on, see icd2.cpp; forces as in implicit
#pragma once

#include <array>

#include "taut/base/type_info.hpp"
#include "taut/methods/method.hpp"
#include "taut/methods/step_memory.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/solve/body_diagonal.hpp"
#include "taut/solve/krylov.hpp"

namespace taut {

class Archive;

enum class FreeBase { explicit_forces, implicit_forces, bdf2 };
template <>
struct Choices<FreeBase> {
  static constexpr std::array<std::string_view, 3> names{"explicit", "implicit", "bdf2"};
};
inline constexpr std::string_view free_base_doc =
    "the step without constraints: explicit or implicit in the forces, or second order";

class FreeStep {
 public:
  /// Where the system is divided among processes: of one of them.
  void divide(const Parts& parts) { parts_ = &parts; }
  /// v_base, the offset and τ.
  void begin(FreeBase base, double h, const State& state, const Workspace& w);
  /// … and v̂.
  void predict(FreeBase base, const System& system, double h, const State& state, Workspace& w,
               StepReport& report);
  /// The end of the step for a velocity there.
  void reach(const System& system, const State& state, const VecX& velocity, VecX& q_end);
  /// When the step is done, before `state` becomes its end.
  void remember(const System& system, double h, const State& state, const VecX& q_end,
                const VecX& v_end, const RowModes& modes);

  void archive(Archive& a, const System& system, const Workspace& w);

  const VecX& candidate() const { return candidate_; }  ///< v̂
  const VecX& offset() const { return offset_; }
  const VecX& base_velocity() const { return base_velocity_; }  ///< v_base
  double tau() const { return tau_; }
  /// Whether the forces were solved for, since the step does not resolve them.
  bool has_solved() const { return has_solved_; }

 private:
  void adapt(const System& system, const Workspace& w);
  void implicit_forces(const System& system, const State& state, double end, Workspace& w,
                       StepReport& report);
  bool resolves_forces(const System& system, double end, Workspace& w);
  void add_mass(const System& system, const std::vector<StiffnessBlock>& blocks);
  const Parts& parts() const;

  const Parts* parts_ = nullptr;  // nullptr: there is one
  FreeBase base_ = FreeBase::explicit_forces;
  StepMemory memory_;
  long topology_ = -1;
  Rows stiffness_;  // K, and then M/τ² + K, of which this is the …
  BodyDiagonal inverse_diagonal_;
  StiffnessProduct product_;
  double tau_ = 0;
  bool has_solved_ = false;
  bool resolves_ = false;  // forces: as of some steps ago
  int until_looked_ = 0;   // steps until that is looked at again
  double looked_tau_ = 0;
  VecX offset_, base_velocity_, candidate_, way_, q_, right_, change_;
  bool has_fastest_ = false;
  VecX fastest_;     // vibration that forces alone would make
  VecX resistance_;  // how much less forces achieve than without K; of the last step
  ConjugateGradientScratch scratch_;
};

inline ForceResponse force_response(FreeBase base) {
  return base == FreeBase::explicit_forces ? explicit_response
         : base == FreeBase::bdf2          ? bdf2_response
                                           : backward_euler_response;
}

/// What |C| of a row is permitted per strain: its rest length, or a tenth of the mean of those
/// there are, by their sum and their number.
void row_lengths(const RowPattern& pattern, double sum, double known, VecX& lengths);

/// What methods have in common that filter the velocity of a free step.
struct FilterMethod : Method {
  FilterMethod(double permitted, int most) : strain(permitted), max_iterations(most) {}

  FreeBase base = FreeBase::implicit_forces;
  double strain;
  int max_iterations;

  int order() const override { return base == FreeBase::bdf2 ? 2 : 1; }
  bool has_memory() const override { return base == FreeBase::bdf2; }
  ForceResponse force_response() const override { return taut::force_response(base); }

 protected:
  const VecX& row_lengths(const RowPattern& pattern);
  /// The largest |C| per that length.
  double worst_strain(const RowPattern& pattern, const VecX& C);

 private:
  VecX lengths_;
};

/// Its fields, for the list of a method M that is one.
template <class M>
FieldList<M> filter_fields() {
  return FieldList<M>()
      .optional("free_step", &FilterMethod::base, "", free_base_doc)
      .optional("strain", &FilterMethod::strain, "",
                "permitted |C| relative to the rest length; of rows without one, to a tenth of "
                "the others' mean",
                Range::positive)
      .optional("max_iterations", &FilterMethod::max_iterations, "", "of the filter",
                Range::positive);
}

}  // namespace taut
