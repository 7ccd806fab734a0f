// The names that expressions may use, with their values: the parameters of the scene and the
// indices of the repeats around an item.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/model/inputs.hpp"
#include "taut/model/motion.hpp"
#include "taut/text/at.hpp"
#include "taut/text/expression.hpp"

namespace taut::io::detail {

class Scope {
 public:
  /// Declares a name; the innermost one must be removed first. Fails at `at` when the name is not
  /// an identifier or is taken.
  void push(const At& at, const std::string& name, double value);
  void pop();
  void set_last(double value) { values_.back() = value; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& values() const { return values_; }

  /// What formulas may use beside the names, and other expressions may not.
  void set_inputs(Inputs inputs) { inputs_ = std::move(inputs); }
  /// Fails at `at` unless `name` is an identifier that means nothing yet.
  void require_free(const At& at, const std::string& name) const;
  /// Whether it is an expression "=…" that uses an input: then it is a formula, and no number.
  bool uses_input(const At& at) const;

  /// A JSON number, or the value of an expression "=…". Fails for anything else, and for what is
  /// not finite or not in `range`.
  double number(const At& at, Range range);
  /// The same, and whole.
  long whole_number(const At& at, long least, long most);
  /// A number, or an expression "=…" that may use the time t besides the names.
  TimeFunction<double> time_function(const At& at) const;
  /// The same in the parameter s of a curve, with three derivatives.
  std::function<std::array<double, 4>(double s)> curve_function(const At& at) const;
  /// A string, in which {…} is replaced by the value of the expression, a whole number.
  std::string name_text(const At& at);

  /// The value of an expression that is not in the file. Throws Error without a place.
  double evaluate(std::string_view expression) const;

 private:
  /// Text with holes: literal, expression, literal, …
  struct Template {
    std::vector<std::string> literals;
    std::vector<Expression> holes;
  };
  const Expression& compiled(const At& at, const std::string& text);
  /// An expression "=…" that may use one name more, the variable, which is `meaning`; before it
  /// the inputs, if it may use them.
  enum class With { inputs, no_inputs };
  Expression formula(const At& at, const std::string& variable, std::string_view meaning,
                     With with) const;
  const Template& compiled_template(const At& at, const std::string& text);

  std::vector<std::string> names_;
  std::vector<double> values_;
  Inputs inputs_;
  // By address in the file's tree: inside a repeat the same text comes again and again, always with
  // the same names around it.
  std::unordered_map<const std::string*, Expression> expressions_;
  std::unordered_map<const std::string*, Template> templates_;
};

}  // namespace taut::io::detail
