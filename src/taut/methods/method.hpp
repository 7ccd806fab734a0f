// A method advances a state by one step. It sees rows, masses and forces, never a constraint by
// name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"
#include "taut/methods/step_trace.hpp"
#include "taut/methods/workspace.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/linear_cost.hpp"

namespace taut {

class Archive;

enum class StepStatus {
  ok,
  not_converged,  ///< an iteration of the method did not reach its tolerance
  not_finite,     ///< the new state is not finite
  compromise,     ///< the constraints contradict each other: met as well as they can be, by least
                  ///< squares
};
std::string_view status_text(StepStatus status);

/// What a step cost.
struct StepCost : LinearCost {
  int iterations = 0;  ///< of the method

  void add(const StepCost& other) {
    iterations += other.iterations;
    linear_solves += other.linear_solves;
    linear_iterations += other.linear_iterations;
  }
};

/// How a step went. Numerical trouble never throws and never hides: it is here.
struct StepReport : StepCost {
  StepStatus status = StepStatus::ok;
  /// Of the equations that the step iterates on, a plain number: what is left of lengths over the
  /// scene's size (model/scale.hpp), of angles in rad.
  double residual = 0;
  /// Of a step whose dynamics were not solved: how far the next iteration would still have moved
  /// bodies, a number as above. The constraints may hold all the same.
  double unsolved = 0;
  int halvings = 0;           ///< how often the step had to be halved to be solved
  bool regularized = false;   ///< a linear system was singular
  bool has_estimate = false;  ///< workspace.error_q and error_v hold the estimated local error
  double work = 0;            ///< J done on the system by constraints that depend on time, and by
                              ///< slipping motors and friction, where it is known exactly
  bool has_unknown_work = false;   ///< a motor kept its speed: its torque was not constant
  bool has_close_impacts = false;  ///< a stop was hit, and another would have been in that step
  int impacts = 0;                 ///< how often joints hit their stops, or shapes each other
  double impact_energy = 0;        ///< J that changed by impacts, below 0
  double friction_energy = 0;      ///< J that sliding contacts changed, below 0
  int contacts = 0;                ///< that bear a load at the end
  double contact_force = 0;        ///< N, the largest of them
  double rolling_time = 0;  ///< s in which contacts went on as they were, though with first order
  double overlap = 0;       ///< m: how deep things were in each other, before it was corrected
  int active_limits = 0;    ///< rows of stops and strings that were equations
  double impact_shift = 0;  ///< of the scene's size: how far off they may be where they were hit at
                            ///< a moment that is not known
  std::span<const StepEvent> trace;  ///< what was done beside plain steps; until the next step
};
/// Adds what a part of a step cost, and what happened in it, to the whole.
void add_part(StepReport& whole, const StepReport& part);
/// … only what it cost: it was in vain.
void add_costs(StepReport& whole, const StepReport& part);

/// What a method promises: a run is measured by it (simulate/verdict.hpp).
struct Promises {
  enum class Energy {
    follows,     ///< as accurately as its order and step let it
    dissipates,  ///< loses some by design, and gains none
    conserves,   ///< exactly, at any step
  };
  Energy energy = Energy::follows;
  bool exact_constraints = false;  ///< to the tolerance of an iteration
  bool exact_rates = false;        ///< J v + C_t = 0 at the end of each step, to round-off
  bool passes_singular = false;    ///< positions in which rows become dependent
  bool solves_rows = true;    ///< for multipliers with which they hold; false: springs or sweeps
                              ///< stand for them, and a stop gives way
  bool decides_laws = false;  ///< in its solve, which stops and strings act (RowModes::in_solve)
  bool takes_stiff_forces = false;  ///< by their derivatives: they may be as stiff as they like
  /// Where what forces do that a step does not resolve, such as stiff springs, is what their laws
  /// say.
  enum class Forces {
    at_states,           ///< at the states that it goes through
    in_mean,             ///< nowhere: it is right in the mean over each step
    before_constraints,  ///< in steps without constraints, after which these change it
  };
  Forces forces = Forces::at_states;
  /// Contacts are rows of its own (Workspace::contacts), and laws are bounds of its impulses: both
  /// for whole steps, by as many sweeps as it has, whether or not they suffice.
  bool solves_contacts = false;
};

/// What a force f that acts all through a step of length h does at its end:
///   (m M + a h² K + b h D) Δv = h f,   Δq = c h Δv,
/// where K and D are the stiffness and damping of the other forces. Whoever looks for such a force
/// needs it (simulate/contact_hold.hpp); roughly is enough.
struct ForceResponse {
  double mass, stiffness, damping, way;  // m, a, b, c
};
inline constexpr ForceResponse explicit_response{1, 0, 0, 1};
inline constexpr ForceResponse backward_euler_response{1, 1, 1, 1};
inline constexpr ForceResponse bdf2_response{1.5, 2.0 / 3, 1, 2.0 / 3};
inline constexpr ForceResponse midpoint_response{1, 0.25, 0.5, 0.5};
/// That of the motion itself, where K and D are neither weak nor stiff.
inline constexpr ForceResponse exact_response{1, 1.0 / 3, 2.0 / 3, 0.5};

class Method {
 public:
  Promises promises;  ///< those of its MethodInfo
  /// The largest error of a step, by its own estimate and of the scene's size, that is let pass: a
  /// step beyond it is done in parts (simulate/step_policy.hpp). 0: any.
  double step_error = 0;

  virtual ~Method() = default;
  /// A method that remembers earlier steps checks that `state` is the one it left, and starts anew
  /// where it is not. A step may so be repeated from its start with another h.
  virtual StepReport step(const System& system, double h, State& state, Workspace& workspace) = 0;
  /// Of convergence, in positions and velocities.
  virtual int order() const { return 1; }
  /// Whether a step depends on earlier ones, so that it is another when it starts anew.
  virtual bool has_memory() const { return false; }
  virtual ForceResponse force_response() const {
    return has_memory() ? bdf2_response : order() >= 2 ? exact_response : explicit_response;
  }
  /// What it remembers of earlier steps, of this system and workspace: reading, it goes on from
  /// there, and all else that it had is forgotten. Throws Error where it has a memory and does not
  /// know how to.
  virtual void archive(Archive& a, const System& system, Workspace& workspace);
  /// The state at a time within the last step, to the method's order; false if the method has no
  /// formula of its own for that.
  virtual bool interpolate(const System&, double /*time*/, State& /*out*/) { return false; }
};

/// A parameter given by name: a number or one of the choices, as text.
struct OptionValue {
  std::string name;
  std::string value;
};

struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  Promises promises;
  std::vector<FieldInfo> options;
  const void* defaults = nullptr;  ///< a method as it is made
  std::unique_ptr<Method> (*create)(const MethodInfo&, std::span<const OptionValue>) = nullptr;

  /// A method that serves any number of systems, each as if it were the only one. Throws Error for
  /// an unknown name or a value that does not fit.
  std::unique_ptr<Method> make(std::span<const OptionValue> given = {}) const;
};

/// Stands for the method that suits a scene: analysis/method_choice.hpp. Not in the list.
inline constexpr std::string_view auto_method = "auto";

/// Every method, in the order in which tables show them.
const std::vector<MethodInfo>& methods();
/// Throws Error, with the nearest name, when there is none.
const MethodInfo& find_method(std::string_view name);
std::unique_ptr<Method> make_method(std::string_view name,
                                    std::span<const OptionValue> options = {});

}  // namespace taut
