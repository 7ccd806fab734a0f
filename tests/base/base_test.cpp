#include <gtest/gtest.h>

#include "taut/base/error.hpp"
#include "taut/base/type_info.hpp"
#include "taut/base/jet.hpp"

namespace taut {
namespace {

TEST(Suggestion, NamesTheNearest) {
  const std::array<std::string_view, 3> known{"distance", "ball", "on_curve"};
  EXPECT_EQ(nearest_name("distnace", known), "distance");
  EXPECT_EQ(nearest_name("Ball", known), "ball");
  EXPECT_EQ(nearest_name("zzzzzz", known), "");
  EXPECT_EQ(suggestion("on_curv", known), " (did you mean \"on_curve\"?)");
  EXPECT_EQ(suggestion("zzzzzz", known), " (known: distance, ball, on_curve)");
  EXPECT_EQ(suggestion("x", {}), "");
}

TEST(Range, ExcludesWhatIsNotFinite) {
  for (Range range : {Range::any, Range::positive, Range::non_negative}) {
    EXPECT_FALSE(in_range(NAN, range));
    EXPECT_FALSE(in_range(INFINITY, range));
    EXPECT_TRUE(in_range(1, range));
  }
  EXPECT_FALSE(in_range(0, Range::positive));
  EXPECT_TRUE(in_range(0, Range::non_negative));
  EXPECT_FALSE(in_range(-1, Range::non_negative));
  EXPECT_TRUE(in_range(-1, Range::any));
}

// Each function of a jet against differences of the plain function.
using J2 = Jet<2, 2>;
template <class F>
void check_jet(const F& f, double x, double y) {
  const J2 z = f(J2::variable(x, 0), J2::variable(y, 1));
  const double e = 1e-4;
  const auto at = [&](double dx, double dy) { return f(x + dx, y + dy); };
  EXPECT_NEAR(z.a, at(0, 0), 1e-14);
  EXPECT_NEAR(z.g[0], (at(e, 0) - at(-e, 0)) / (2 * e), 1e-6);
  EXPECT_NEAR(z.g[1], (at(0, e) - at(0, -e)) / (2 * e), 1e-6);
  EXPECT_NEAR(z.H[0], (at(e, 0) - 2 * at(0, 0) + at(-e, 0)) / (e * e), 1e-5);
  EXPECT_NEAR(z.H[3], (at(0, e) - 2 * at(0, 0) + at(0, -e)) / (e * e), 1e-5);
  const double mixed = (at(e, e) - at(e, -e) - at(-e, e) + at(-e, -e)) / (4 * e * e);
  EXPECT_NEAR(z.H[1], mixed, 1e-5);
  EXPECT_NEAR(z.H[2], mixed, 1e-5);
}

TEST(Jet, Functions) {
  using std::abs, std::acos, std::atan2, std::cos, std::exp, std::log, std::pow, std::sin,
      std::sqrt;
  for (double x : {0.3, 0.8}) {
    for (double y : {-0.6, 0.5}) {
      check_jet([](auto a, auto b) { return a * b - a / b + 2.0 * a - b * 3.0 + 1.0; }, x, y);
      check_jet([](auto a, auto b) { return sin(a * b) * cos(a - b); }, x, y);
      check_jet([](auto a, auto b) { return sqrt(a + b * b) * exp(-b); }, x, y);
      check_jet([](auto a, auto b) { return log(a) * pow(a + b * b, 2.5); }, x, y);
      check_jet([](auto a, auto b) { return atan2(b, a) + atan2(a, b * 0.1); }, x, y);
      check_jet([](auto a, auto b) { return acos(a * b) + abs(b); }, x, y);
    }
  }
}

}  // namespace
}  // namespace taut
