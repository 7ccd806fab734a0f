// What a sweep varies, as users write it:
//
//   R=1:10000:log20      20 values from 1 to 10000, each the same factor after the one before
//   L=0.5:2:lin7         7 values from 0.5 to 2, evenly; 0.5:2:7 is the same
//   N=2:10:int           the whole numbers from 2 to 10; int4: every fourth
//   N=10,100,1000        these; one value alone is set in all cases
//   x=uniform(0, 1)      samples: also log_uniform(a, b), normal(mean, deviation), integer(a, b)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taut::sweep {

struct Axis {
  enum class Kind { values, uniform, log_uniform, normal, integer };
  std::string name;
  Kind kind = Kind::values;
  std::vector<std::string> values;  ///< of kind values, as they are set
  double a = 0, b = 1;              ///< of the others: bounds; or mean and deviation

  bool is_random() const { return kind != Kind::values; }
  /// Of a number in (0, 1), evenly distributed: the sample that has it as its rank.
  std::string sample(double rank) const;
};

/// `option` is for messages: "--set". Throws Error.
Axis parse_axis(std::string_view text, std::string_view option = "--set");
/// The values of one axis alone, without its name.
std::vector<std::string> parse_values(std::string_view text, const std::string& where);

/// Numbers in (0, 1), evenly distributed: the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double next();
  /// 0 … below − 1
  std::uint64_t next_below(std::uint64_t below);

 private:
  std::uint64_t word();
  std::uint64_t state_;
};

/// `count` points in the unit cube. latin: of each coordinate, every count-th part of (0, 1) has
/// just one.
std::vector<std::vector<double>> random_points(std::size_t count, std::size_t dimensions,
                                               bool latin, std::uint64_t seed);

}  // namespace taut::sweep
