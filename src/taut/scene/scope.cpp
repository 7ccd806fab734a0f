#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/scene/scope_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr double largest_whole = 9007199254740992.0;  // 2⁵³: beyond it doubles skip whole numbers

bool is_whole(double value) {
  return std::floor(value) == value && std::abs(value) <= largest_whole;
}

}  // namespace

void Scope::require_free(const At& at, const std::string& name) const {
  if (!is_identifier(name))
    fail(at,
         fmt::format("found the name {}, expected letters, digits and underscores, not starting "
                     "with a digit",
                     in_quotes(name)));
  const auto reserved = Expression::reserved_names();
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    fail(at, fmt::format("found the name {}, which means something else in expressions, expected "
                         "another name",
                         in_quotes(name)));
  bool is_taken = std::find(names_.begin(), names_.end(), name) != names_.end();
  for (int i = 0; i < inputs_.size(); ++i) is_taken = is_taken || inputs_.info(i).name == name;
  if (is_taken)
    fail(at, fmt::format("found the name {} again, expected a name that is not taken",
                         in_quotes(name)));
}

void Scope::push(const At& at, const std::string& name, double value) {
  require_free(at, name);
  names_.push_back(name);
  values_.push_back(value);
}

void Scope::pop() {
  names_.pop_back();
  values_.pop_back();
}

double Scope::evaluate(std::string_view expression) const {
  return Expression(expression, names_).evaluate(values_);
}

const Expression& Scope::compiled(const At& at, const std::string& text) {
  const auto known = expressions_.find(&text);
  if (known != expressions_.end()) return known->second;
  return with_place(at, [&]() -> const Expression& {
    return expressions_.emplace(&text, Expression(std::string_view(text).substr(1), names_))
        .first->second;
  });
}

double Scope::number(const At& at, Range range) {
  if (const double* number = at->number()) {
    if (!in_range(*number, range)) fail_found(at, range_text(range));
    return *number;
  }
  const std::string* text = at->text();
  if (!text || !text->starts_with('='))
    fail_found(at, fmt::format("{} or an expression \"=…\"", range_text(range)),
               text && is_identifier(*text) ? fmt::format(" (did you mean \"={}\"?)", *text) : "");
  const double value = compiled(at, *text).evaluate(values_);
  if (!in_range(value, range))
    fail(at, fmt::format("found {} = {}, expected {}", in_quotes(std::string_view(*text).substr(1)),
                         value, range_text(range)));
  return value;
}

Expression Scope::formula(const At& at, const std::string& variable, std::string_view meaning,
                          With with) const {
  const std::string* text = at->text();
  if (!text || !text->starts_with('='))
    fail_found(at, fmt::format("a number or a formula \"=…\" in {} {}", meaning, variable),
               text ? fmt::format(" (did you mean \"={}\"?)", printable(*text)) : "");
  if (std::find(names_.begin(), names_.end(), variable) != names_.end())
    fail(at, fmt::format("found a formula beside a parameter or index named \"{}\", expected "
                         "another name for it: in a formula {} is {}",
                         variable, variable, meaning));
  std::vector<std::string> names = names_;
  for (int i = 0; with == With::inputs && i < inputs_.size(); ++i)
    names.push_back(inputs_.info(i).name);
  names.push_back(variable);
  return with_place(at, [&] { return Expression(std::string_view(*text).substr(1), names); });
}

TimeFunction<double> Scope::time_function(const At& at) const {
  if (const double* number = at->number())
    return [value = *number](double) { return MotionSample<double>{value, 0, 0}; };
  return [formula = formula(at, "t", "the time", With::inputs), values = values_,
          inputs = inputs_](double t) {
    const Derived x = formula.differentiate(values, inputs.values(), t);
    return MotionSample<double>{x.a, x.g[0], x.H[0]};
  };
}

bool Scope::uses_input(const At& at) const {
  const auto count = static_cast<std::size_t>(inputs_.size());
  return count > 0 && at->text() && at->text()->starts_with('=') &&
         formula(at, "t", "the time", With::inputs).uses(names_.size(), count);
}

std::function<std::array<double, 4>(double s)> Scope::curve_function(const At& at) const {
  if (const double* number = at->number())
    return [value = *number](double) { return std::array<double, 4>{value, 0, 0, 0}; };
  return [formula = formula(at, "s", "the parameter of the curve", With::no_inputs),
          values = values_](double s) { return formula.differentiate_thrice(values, s); };
}

long Scope::whole_number(const At& at, long least, long most) {
  const double value = number(at, Range::any);
  if (!is_whole(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
    fail(at, fmt::format("found {}, expected a whole number from {} to {}", value, least, most));
  return static_cast<long>(value);
}

const Scope::Template& Scope::compiled_template(const At& at, const std::string& text) {
  const auto known = templates_.find(&text);
  if (known != templates_.end()) return known->second;
  Template made;
  std::string_view rest = text;
  for (;;) {
    const std::size_t open = rest.find_first_of("{}");
    made.literals.emplace_back(rest.substr(0, open));
    if (open == rest.npos) break;
    const std::size_t close = rest.find('}');
    if (close == rest.npos || close < open)
      fail(at, fmt::format("found {}, expected every \"{{\" to have its \"}}\"", in_quotes(text)));
    with_place(at,
               [&] { made.holes.emplace_back(rest.substr(open + 1, close - open - 1), names_); });
    rest.remove_prefix(close + 1);
  }
  return templates_.emplace(&text, std::move(made)).first->second;
}

std::string Scope::name_text(const At& at) {
  const std::string* text = at->text();
  if (!text) fail_found(at, "a name, a string");
  const Template& parts = compiled_template(at, *text);
  std::string name = parts.literals[0];
  for (std::size_t i = 0; i < parts.holes.size(); ++i) {
    const double value = parts.holes[i].evaluate(values_);
    if (!is_whole(value))
      fail(at,
           fmt::format("found {} in {}, expected whole numbers in {{}}", value, in_quotes(*text)));
    fmt::format_to(std::back_inserter(name), "{}", static_cast<long>(value));
    name += parts.literals[i + 1];
  }
  if (name.empty()) fail(at, "found an empty name, expected at least one character");
  if (std::any_of(name.begin(), name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    fail(at, fmt::format("found the name {}, expected one without control characters",
                         in_quotes(name)));
  return name;
}

}  // namespace taut::io::detail
