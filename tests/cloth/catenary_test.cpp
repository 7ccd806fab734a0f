// A chain at rest against the equilibrium of point masses on massless links.
#include <gtest/gtest.h>

#include "cloth/rest.hpp"
#include "support/builders.hpp"

namespace taut {
namespace {

constexpr double rope_length = 1, span = 0.6, mass = 0.2;

/// Vertices from the origin to (span, 0, 0), all links of one rope_length: straight down and up
/// again, with a level link in the middle.
System chain(int vertices) {
  System system;
  apply(system, Gravity{});
  const int links = vertices - 1, half = (links - 1) / 2;  // an odd number of links
  const double l = rope_length / links, down = std::acos((span / l - 1) / (2 * half));
  Vec3 place = Vec3::Zero();
  Point last;
  for (int i = 0; i < vertices; ++i) {
    const BodyId next = system.add(Particle{mass / vertices, place});
    if (i > 0) constrain(system, Distance{last, next, l});
    const double angle = i < half ? -down : i == half ? 0 : down;
    place += l * Vec3(std::cos(angle), std::sin(angle), 0);
    last = next;
  }
  constrain(system, Pin{BodyId{0}, Vec3(0, 0, 0)});
  constrain(system, Pin{BodyId{vertices - 1}, Vec3(span, 0, 0)});
  return system;
}

/// All links pull with the horizontal force H; the vertical one grows by m g from one to the next,
/// and is zero in the middle. H is the one that makes the links span the gap.
std::vector<Vec3> hanging(int vertices) {
  const int links = vertices - 1;
  const double l = rope_length / links, weight = mass / vertices * 9.81;
  const auto link = [&](int i, double H) {
    return Vec3(l * Vec3(H, weight * (i - 0.5 * (links - 1)), 0).normalized());
  };
  const auto spanned = [&](double H) {
    double sum = 0;
    for (int i = 0; i < links; ++i) sum += link(i, H).x();
    return sum;
  };
  double low = 0, high = 100 * weight * links;
  for (int i = 0; i < 200; ++i) {
    const double H = 0.5 * (low + high);
    (spanned(H) < span ? low : high) = H;
  }
  std::vector<Vec3> places{Vec3::Zero()};
  for (int i = 0; i < links; ++i) places.push_back(places.back() + link(i, low));
  return places;
}

class Chain : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Vertices, Chain, ::testing::Values(80, 10'000),
                         [](const auto& made) { return std::to_string(made.param); });

TEST_P(Chain, HangsAsACatenary) {
  const System system = chain(GetParam());
  const RunReport report = testing::come_to_rest(system, 1.0);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  const std::vector<Vec3> wanted = hanging(GetParam());
  double worst = 0;
  for (int i = 0; i < GetParam(); ++i)
    worst = std::max(
        worst,
        (report.final_state.q.segment<3>(3 * i) - wanted[static_cast<std::size_t>(i)]).norm());
  EXPECT_LT(worst, 1e-6 * rope_length);
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace taut
