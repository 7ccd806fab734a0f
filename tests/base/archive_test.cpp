#include "taut/base/archive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "taut/base/error.hpp"

namespace taut {
namespace {

struct Part {
  int number = 0;
  std::vector<std::string> names;
  void archive(Archive& a) { a(number, names); }
  bool operator==(const Part&) const = default;
};

struct All {
  double value = 0;
  bool is_on = false;
  VecX vector;
  Mat3 matrix = Mat3::Zero();
  Quat turn = Quat::Identity();
  std::optional<Part> some, none;
  std::vector<Part> parts;
  std::array<long, 3> three{};
  std::map<std::string, double> table;
  void archive(Archive& a) {
    a(value, is_on, vector, matrix, turn, some, none, parts, three, table);
  }
};

All full() {
  All all;
  all.value = -0.0;
  all.is_on = true;
  all.vector = VecX::LinSpaced(5, 1, 1.0 / 3);
  all.matrix << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  all.turn = Quat(0.5, -0.5, 0.5, -0.5);
  all.some = Part{7, {"a", "", std::string("b\0c", 3)}};
  all.parts = {{1, {}}, {2, {"x"}}};
  all.three = {-1, 0, std::numeric_limits<long>::max()};
  all.table = {{"one", 1}, {"nan", NAN}};
  return all;
}

std::string bytes_of(All& all) {
  Archive a;
  a(all);
  return a.take();
}

TEST(Archive, ReadsWhatItWrote) {
  All before = full(), after;
  after.none = Part{};  // which is to go
  after.vector.setOnes(9);
  after.table = {{"other", 1}};
  const std::string bytes = bytes_of(before);
  Archive a(bytes);
  a(after);
  EXPECT_TRUE(a.at_end());
  EXPECT_TRUE(std::signbit(after.value));
  EXPECT_EQ(after.vector, before.vector);
  EXPECT_EQ(after.matrix, before.matrix);
  EXPECT_EQ(after.turn.coeffs(), before.turn.coeffs());
  EXPECT_EQ(after.some, before.some);
  EXPECT_FALSE(after.none);
  EXPECT_EQ(after.parts, before.parts);
  EXPECT_EQ(after.three, before.three);
  ASSERT_EQ(after.table.size(), 2u);
  EXPECT_TRUE(std::isnan(after.table["nan"]));
  EXPECT_EQ(bytes_of(after), bytes);
}

TEST(Archive, RefusesWhatEndsTooEarly) {
  All all = full();
  const std::string bytes = bytes_of(all);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    All read;
    const std::string part = bytes.substr(0, size);
    Archive a(part);
    EXPECT_THROW(a(read), Error) << size << " of " << bytes.size() << " bytes";
  }
}

// A count that is damaged must not ask for more memory than there are bytes.
TEST(Archive, RefusesCountsOfMoreThanFollows) {
  for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Archive writing;
    std::uint64_t number = count;
    double two[2] = {1, 2};
    writing(number, two[0], two[1]);
    const std::string bytes = writing.take();
    std::vector<double> values;
    Archive reading(bytes);
    EXPECT_THROW(reading(values), Error) << count;
    std::string text;
    Archive as_text(bytes);
    if (count > 16) EXPECT_THROW(as_text(text), Error) << count;
  }
}

}  // namespace
}  // namespace taut
