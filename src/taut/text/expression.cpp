#include "taut/text/expression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/text/at.hpp"
#include "taut/text/expression_functions.hpp"

namespace taut::io {
namespace {

constexpr auto all_reserved = [] {
  std::array<std::string_view, std::size(functions1) + std::size(functions2) + 1> names{};
  std::size_t count = 0;
  for (const Function1& function : functions1) names[count++] = function.name;
  for (const Function2& function : functions2) names[count++] = function.name;
  names[count] = "pi";
  return names;
}();

// Not std::isalpha: it depends on the locale.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Functions>
int index_of(const Functions& functions, std::string_view name) {
  for (std::size_t i = 0; i < std::size(functions); ++i)
    if (functions[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::span<const std::string_view> Expression::reserved_names() { return all_reserved; }

/// Recursive descent; emits postfix code.
class ExpressionCompiler {
 public:
  ExpressionCompiler(std::string_view text, std::span<const std::string> names, Expression& out)
      : text_(text), names_(names), out_(out) {}
  ExpressionCompiler(std::string_view text, const Expression::Find& find, Expression& out)
      : text_(text), find_(&find), out_(out) {}

  void compile() {
    sum();
    if (peek() != '\0') fail("an operator or the end");
  }

 private:
  using Op = Expression::Op;
  using Instruction = Expression::Instruction;

  void sum() {
    product();
    for (;;) {
      if (accept('+')) {
        product();
        emit({Op::add});
      } else if (accept('-')) {
        product();
        emit({Op::subtract});
      } else {
        return;
      }
    }
  }

  void product() {
    factor();
    for (;;) {
      if (accept('*')) {
        factor();
        emit({Op::multiply});
      } else if (accept('/')) {
        factor();
        emit({Op::divide});
      } else {
        return;
      }
    }
  }

  void factor() {
    const Deeper deeper(*this);
    if (accept('-')) {
      factor();
      emit({Op::negate});
    } else if (accept('+')) {
      factor();
    } else {
      primary();
      if (accept('^')) {
        factor();
        emit({Op::power});
      }
    }
  }

  void primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (find_ && (is_letter(c) || c == '\'')) return reference();
    if (find_ && c == '|') return between_bars();
    if (is_letter(c)) return name();
    if (!accept('(')) fail("a number, a name or \"(\"");
    sum();
    if (!accept(')')) fail("\")\"");
  }

  void number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number that is finite");
    at_ += static_cast<std::size_t>(end - begin);
    emit({Op::number, 0, value});
  }

  void name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (const int f = index_of(functions1, name); f >= 0) return call(name, f, 1, 1);
    if (const int f = index_of(functions2, name); f >= 0)
      return call(name, f, 2, functions2[f].takes_more ? Expression::deepest : 2);
    if (name == "pi") return emit({Op::number, 0, M_PI});
    // From the back: what was declared last is innermost.
    for (std::size_t i = names_.size(); i-- > 0;)
      if (names_[i] == name) return emit({Op::value, static_cast<int>(i)});
    std::vector<std::string_view> known(names_.begin(), names_.end());
    known.insert(known.end(), all_reserved.begin(), all_reserved.end());
    throw Error(fmt::format("found the unknown name {} in {}, expected a parameter or function{}",
                            in_quotes(name), in_quotes(text_), suggestion(name, known)));
  }

  /// Parts with dots between them, each an identifier or in quotes, and what is in parentheses
  /// after it.
  void reference() {
    const std::size_t start = at_;
    const auto rest = [&] { return at_ < text_.size() ? text_[at_] : '\0'; };
    do {
      if (at_ > start) ++at_;  // the dot
      if (rest() == '\'') {
        at_ = text_.find('\'', at_ + 1);
        if (at_ == text_.npos) {
          at_ = start;
          fail("a closing ' after it");
        }
        ++at_;
      } else {
        while (is_letter(rest()) || is_digit(rest())) ++at_;
      }
      if (at_ < text_.size() && rest() == '(') {
        const std::string_view called = text_.substr(start, at_ - start);
        if (index_of(functions1, called) >= 0 || index_of(functions2, called) >= 0) break;
        skip_parentheses();
      }
    } while (rest() == '.' && at_ + 1 < text_.size() &&
             (is_letter(text_[at_ + 1]) || is_digit(text_[at_ + 1]) || text_[at_ + 1] == '\''));
    const std::string_view found = text_.substr(start, at_ - start);
    const bool is_called = peek() == '(';
    if (found == "pi" || (is_called && is_identifier(found))) {
      at_ = start;
      return name();
    }
    const std::optional<int> index = (*find_)(found);
    TAUT_CHECK(index);
    emit({Op::value, *index});
  }

  void skip_parentheses() {
    const std::size_t start = at_;
    int open = 0;
    do {
      if (at_ >= text_.size()) {
        at_ = start;
        fail("a \")\" after it");
      }
      open += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
      ++at_;
    } while (open > 0);
  }

  void between_bars() {
    const std::size_t end = text_.find('|', at_ + 1);
    if (end != text_.npos)
      if (const auto index = (*find_)(text_.substr(at_, end + 1 - at_))) {
        at_ = end + 1;
        return emit({Op::value, *index});
      }
    ++at_;
    sum();
    if (!accept('|')) fail("\"|\"");
    emit({Op::call1, index_of(functions1, "abs")});
  }

  void call(std::string_view name, int function, int least, int most) {
    if (!accept('(')) fail(fmt::format("\"(\" after {}", name));
    int count = 0;
    do {
      sum();
      if (++count > most) fail(fmt::format("{} of {}", arguments(most), name));
      if (least == 1 || count >= 2) emit({least == 1 ? Op::call1 : Op::call2, function});
    } while (accept(','));
    if (count < least) fail(fmt::format("{} of {}", arguments(least), name));
    if (!accept(')')) fail("\",\" or \")\"");
  }

  static std::string arguments(int count) {
    return fmt::format("{} argument{}", count, count == 1 ? "" : "s");
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void emit(Instruction instruction) {
    const Op op = instruction.op;
    if (op == Op::number || op == Op::value) ++height_;
    if (op != Op::number && op != Op::value && op != Op::negate && op != Op::call1) --height_;
    if (height_ > Expression::deepest) too_deep();
    out_.program_.push_back(instruction);
  }

  struct Deeper {
    explicit Deeper(ExpressionCompiler& c) : compiler(c) {
      if (++compiler.depth_ > Expression::deepest) compiler.too_deep();
    }
    ~Deeper() { --compiler.depth_; }
    ExpressionCompiler& compiler;
  };

  [[noreturn]] void too_deep() {
    throw Error(fmt::format("found nesting deeper than {} in {}, expected a shorter expression",
                            Expression::deepest, in_quotes(text_)));
  }

  [[noreturn]] void fail(const std::string& expected) {
    const std::string found =
        peek() == '\0' && at_ >= text_.size() ? "the end" : in_quotes(text_.substr(at_, 20));
    throw Error(fmt::format("found {} at character {} of {}, expected {}", found, at_ + 1,
                            in_quotes(text_), expected));
  }

  std::string_view text_;
  std::span<const std::string> names_;
  const Expression::Find* find_ = nullptr;
  Expression& out_;
  std::size_t at_ = 0;
  int depth_ = 0, height_ = 0;
};

Expression::Expression(std::string_view text, std::span<const std::string> names) {
  ExpressionCompiler(text, names, *this).compile();
}

Expression::Expression(std::string_view text, const Find& find) {
  ExpressionCompiler(text, find, *this).compile();
}

// T is double, or a number with derivatives: see expression_functions.hpp.
template <class T, class Value>
T Expression::run(const Value& value_at) const {
  std::array<T, deepest> stack;  // the compiler has checked the height
  std::size_t height = 0;
  for (const Instruction& instruction : program_) {
    const auto index = static_cast<std::size_t>(instruction.index);
    if (instruction.op == Op::number || instruction.op == Op::value) {
      stack[height++] = instruction.op == Op::number ? T(instruction.number) : value_at(index);
      continue;
    }
    const bool unary = instruction.op == Op::negate || instruction.op == Op::call1;
    if (!unary) --height;
    T& left = stack[height - 1];
    const T& right = stack[unary ? height - 1 : height];
    switch (instruction.op) {
      case Op::add:
        left += right;
        break;
      case Op::subtract:
        left -= right;
        break;
      case Op::multiply:
        left *= right;
        break;
      case Op::divide:
        left /= right;
        break;
      case Op::power:
        left = power(left, right);
        break;
      case Op::negate:
        left = -left;
        break;
      case Op::call1:
        if constexpr (std::is_same_v<T, double>)
          left = functions1[index].call(left);
        else if constexpr (std::is_same_v<T, Derived>)
          left = functions1[index].derived(left);
        else
          left = functions1[index].thrice(left);
        break;
      case Op::call2:
        if constexpr (std::is_same_v<T, double>)
          left = functions2[index].call(left, right);
        else if constexpr (std::is_same_v<T, Derived>)
          left = functions2[index].derived(left, right);
        else
          left = functions2[index].thrice(left, right);
        break;
      default:
        TAUT_CHECK(false);
    }
  }
  return stack[0];
}

double Expression::evaluate(std::span<const double> values) const {
  return run<double>([&](std::size_t i) { return values[i]; });
}

Derived Expression::differentiate(std::span<const double> values, double last) const {
  return run<Derived>([&](std::size_t i) {
    return i < values.size() ? Derived(values[i]) : Derived::variable(last, 0);
  });
}

Derived Expression::differentiate(std::span<const double> values, std::span<const double> more,
                                  double last) const {
  return run<Derived>([&](std::size_t i) {
    if (i < values.size()) return Derived(values[i]);
    i -= values.size();
    return i < more.size() ? Derived(more[i]) : Derived::variable(last, 0);
  });
}

bool Expression::uses(std::size_t first, std::size_t count) const {
  return std::any_of(program_.begin(), program_.end(), [&](const Instruction& instruction) {
    const auto index = static_cast<std::size_t>(instruction.index);
    return instruction.op == Op::value && index >= first && index < first + count;
  });
}

std::array<double, 4> Expression::differentiate_thrice(std::span<const double> values,
                                                       double last) const {
  const ThriceDerived x = run<ThriceDerived>([&](std::size_t i) {
    return i < values.size() ? ThriceDerived(values[i]) : ThriceDerived::variable(last);
  });
  return {x.value.a, x.value.g[0], x.value.H[0], x.third()};
}

}  // namespace taut::io
