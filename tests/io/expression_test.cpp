#include "taut/text/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.hpp"

namespace taut::io::detail {
namespace {

const std::vector<std::string> names{"L", "i"};
const std::vector<double> values{10, 3};

double value(std::string_view text) { return Expression(text, names).evaluate(values); }

std::string message(std::string_view text) {
  try {
    value(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Expression, FollowsTheUsualRules) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("1.5e-1"), 0.15);
  EXPECT_EQ(value(".5"), 0.5);
}

TEST(Expression, KnowsNamesAndFunctions) {
  EXPECT_EQ(value("2*L+i"), 23);
  EXPECT_EQ(value("cos(pi)"), -1);
  EXPECT_EQ(value("min(4, i, L)"), 3);
  EXPECT_EQ(value("max(4, L/5)"), 4);
  EXPECT_EQ(value("mod(-1, 4)"), 3);
  EXPECT_EQ(value("abs(-2) + sqrt(9) + floor(1.9)"), 6);
  EXPECT_EQ(value("log(exp(2))"), 2);
  EXPECT_TRUE(std::isinf(value("1/0")));
  EXPECT_TRUE(std::isnan(value("log(-1)")));
}

const std::vector<std::string> with_time{"L", "i", "t"};

Derived derived(std::string_view text, double t) {
  return Expression(text, with_time).differentiate(values, t);
}

TEST(Expression, ItsDerivativesAreExact) {
  const double t = 0.3, s = std::sin(10 * t), c = std::cos(10 * t);
  // The wheel of the car axis: x² + y² = 1 gives x' = −y y'/x, x'' = −(x'² + y'² + y y'')/x.
  const double y = 0.1 * s, y1 = c, y2 = -10 * s, x = std::sqrt(1 - y * y);
  const double x1 = -y * y1 / x, x2 = -(x1 * x1 + y1 * y1 + y * y2) / x;
  const Derived wheel = derived("sqrt(1-(0.1*sin(L*t))^2)", t);
  EXPECT_NEAR(wheel.a, x, 1e-15);
  EXPECT_NEAR(wheel.g[0], x1, 1e-14);
  EXPECT_NEAR(wheel.H[0], x2, 1e-13);
  const Derived cubic = derived("t^3 - i*t", t);
  EXPECT_NEAR(cubic.g[0], 3 * t * t - 3, 1e-15);
  EXPECT_NEAR(cubic.H[0], 6 * t, 1e-15);
}

TEST(Expression, DerivativesOfEveryFunction) {
  for (const char* text :
       {"sin(2*t)", "cos(t)/t", "tan(t)", "asin(t/2)", "acos(t^2)", "atan(1/t)", "sqrt(1+t)",
        "abs(-t)*t", "exp(-t*t)", "log(2*t)", "floor(7*t)*t", "min(t, 2, t^2)", "max(t^2, -t)",
        "mod(7*t, 2)", "t^2.5", "2^t", "t^t", "(t-1)^3", "-t^-2"}) {
    const Expression formula(text, with_time);
    const double t = 0.4, e = 1e-4;
    const auto at = [&](double time) {
      const std::vector<double> all{10, 3, time};
      return formula.evaluate(all);
    };
    const Derived x = formula.differentiate(values, t);
    EXPECT_DOUBLE_EQ(x.a, at(t)) << text;
    EXPECT_NEAR(x.g[0], (at(t + e) - at(t - e)) / (2 * e), 1e-6 * (1 + std::abs(x.g[0]))) << text;
    EXPECT_NEAR(x.H[0], (at(t + e) - 2 * at(t) + at(t - e)) / (e * e),
                1e-5 * (1 + std::abs(x.H[0])))
        << text;
    const auto thrice = [&](double time) { return formula.differentiate_thrice(values, time); };
    const auto y = thrice(t);
    EXPECT_DOUBLE_EQ(y[0], x.a) << text;
    EXPECT_NEAR(y[1], x.g[0], 1e-14 * (1 + std::abs(y[1]))) << text;
    EXPECT_NEAR(y[2], x.H[0], 1e-13 * (1 + std::abs(y[2]))) << text;
    EXPECT_NEAR(y[3], (thrice(t + e)[2] - thrice(t - e)[2]) / (2 * e), 1e-5 * (1 + std::abs(y[3])))
        << text;
  }
}

TEST(Expression, ConstantsHaveNoDerivative) {
  // Where the function's own derivative is infinite: 0·∞ must not spoil the rest.
  for (const char* text : {"t + sqrt(0)", "t + asin(1)", "t + 0^0.5", "t^1", "t + 0*L^t"}) {
    const Derived x = derived(text, 0);
    EXPECT_EQ(x.g[0], 1) << text;
    EXPECT_EQ(x.H[0], 0) << text;
    EXPECT_EQ(Expression(text, with_time).differentiate_thrice(values, 0),
              (std::array<double, 4>{x.a, 1, 0, 0}))
        << text;
  }
  EXPECT_EQ(derived("t^2", 0).H[0], 2);
  EXPECT_FALSE(std::isfinite(derived("sqrt(t)", 0).g[0]));
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(message("2*"),
            "found the end at character 3 of \"2*\", expected a number, a name or \"(\"");
  EXPECT_EQ(message(""),
            "found the end at character 1 of \"\", expected a number, a name or \"(\"");
  EXPECT_EQ(message("(1"), "found the end at character 3 of \"(1\", expected \")\"");
  EXPECT_EQ(message("1 2"),
            "found \"2\" at character 3 of \"1 2\", expected an operator or the end");
  EXPECT_EQ(message("sin 1"), "found \"1\" at character 5 of \"sin 1\", expected \"(\" after sin");
  EXPECT_NE(message("sin(1, 2)").find("expected 1 argument of sin"), std::string::npos);
  EXPECT_NE(message("mod(1)").find("expected 2 arguments of mod"), std::string::npos);
  EXPECT_NE(message("sqr(2)").find("(did you mean \"sqrt\"?)"), std::string::npos);
  EXPECT_NE(message("1e999").find("expected a number that is finite"), std::string::npos);
}

TEST(Expression, RefusesWhatIsTooDeep) {
  const std::string open(100'000, '('), minus(100'000, '-');
  EXPECT_NE(message(open).find("nesting deeper"), std::string::npos);
  EXPECT_NE(message(minus + "1").find("nesting deeper"), std::string::npos);
  std::string power = "2";
  for (int i = 0; i < 1000; ++i) power += "^1";
  EXPECT_NE(message(power).find("nesting deeper"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_EQ(value(sum), 1001);
}

}  // namespace
}  // namespace taut::io::detail
