// Every method taut knows. Adding one: its .cpp, which defines describe_<name>(), and its name
// here.
#include "taut/base/error.hpp"
#include "taut/methods/method.hpp"
#include "taut/methods/options.hpp"

#define TAUT_METHODS(METHOD)        \
  METHOD(penalty)                   \
  METHOD(lagrange)                  \
  METHOD(baumgarte)                 \
  METHOD(post)                      \
  METHOD(implicit1)                 \
  METHOD(implicit2)                 \
  METHOD(shake)                     \
  METHOD(rattle)                    \
  METHOD(rk4_projected)             \
  METHOD(dop853)                    \
  METHOD(icd)                       \
  METHOD(icd2)                      \
  METHOD(energy_momentum)           \
  METHOD(sap)                       \
  METHOD(fast_projection)           \
  METHOD(strain_limit_jacobi)       \
  METHOD(strain_limit_gauss_seidel) \
  METHOD(implicit_springs)          \
  METHOD(sequential_impulse)        \
  METHOD(tgs_soft)                  \
  METHOD(generalized_alpha)         \
  METHOD(gear_stabilised)           \
  METHOD(soft_convex)               \
  METHOD(pbd)                       \
  METHOD(xpbd)                      \
  METHOD(vbd)                       \
  METHOD(avbd)                      \
  METHOD(projective_dynamics)

namespace taut {

#define TAUT_DECLARE(name) MethodInfo describe_##name();
TAUT_METHODS(TAUT_DECLARE)
#undef TAUT_DECLARE

const std::vector<MethodInfo>& methods() {
#define TAUT_CALL(name) describe_##name(),
  static const std::vector<MethodInfo> all{TAUT_METHODS(TAUT_CALL)};
#undef TAUT_CALL
  return all;
}

const MethodInfo& find_method(std::string_view name) {
  std::vector<std::string_view> known;
  for (const MethodInfo& method : methods()) {
    if (method.name == name) return method;
    known.push_back(method.name);
  }
  throw Error("there is no method \"" + std::string(name) + "\"" + suggestion(name, known));
}

std::unique_ptr<Method> make_method(std::string_view name, std::span<const OptionValue> options) {
  return find_method(name).make(options);
}

std::string_view status_text(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::not_converged:
      return "did not converge";
    case StepStatus::not_finite:
      return "not finite";
    case StepStatus::compromise:
      return "is a compromise between constraints that contradict each other";
  }
  return "";
}

void detail::set_options(const MethodInfo& info, std::span<const OptionValue> given, void* method) {
  for (const OptionValue& option : given) {
    std::vector<std::string_view> known;
    const FieldInfo* found = nullptr;
    for (const FieldInfo& field : info.options) {
      known.push_back(field.name);
      if (field.name == option.name) found = &field;
    }
    if (!found)
      throw Error("method " + std::string(info.name) + " has no option \"" + option.name + "\"" +
                  (known.empty() ? " (it has none)" : suggestion(option.name, known)));
    set_from_text(*found, method, option.value);
  }
}

}  // namespace taut
