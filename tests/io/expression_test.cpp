#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/io/expression_internal.hpp"

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
