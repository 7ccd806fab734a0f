// Every method taut knows. Adding one: its .cpp, which defines describe_<name>(), and its name
// here.
#include <cmath>

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
  METHOD(implicit_springs)

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

namespace detail {

std::string number_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

double parse_number(const std::string& option, const std::string& text, Range range) {
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !in_range(value, range))
    throw Error("option " + option + ": found \"" + text + "\", expected " +
                std::string(range_text(range)));
  return value;
}

}  // namespace detail
}  // namespace taut
