// L U factorisation of M + HᵀGH for bodies that nothing but contacts ties together, and not too
// many of them: in blocks, in place, in an order of least degree.
//
// Contacts come and go, so that the pattern changes in many steps. Here a new one costs little more
// than to list it, and no memory. (KktLu, which also knows equations, makes a plan that pays when
// it is used for long.) No pivoting: M is positive definite, and G adds to it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taut {

class ConeLu {
 public:
  static constexpr int most_bodies = 64;  ///< the neighbours of each are the bits of a number

  /// A block of the matrix: `place` is where its numbers begin, by rows.
  struct Blocks {
    std::span<const int> body_size;
    std::span<const int> diagonal;              ///< place, per body
    std::span<const std::array<int, 2>> pairs;  ///< first < second, sorted
    std::span<const int> pair;                  ///< place of each: (first, second), transposed
    int storage = 0;                            ///< where they end
  };
  void analyze(const Blocks& blocks);
  /// How many numbers there are with those that the elimination adds, which begin at
  /// Blocks::storage and are 0 at first.
  int storage() const { return storage_; }

  /// Replaces the blocks by the factors. False: a pivot is not above 0.
  bool factor(double* values) const;
  /// x ← A⁻¹ x, with the factors.
  void solve(const double* values, double* x) const;

 private:
  struct Step {  // a body that is eliminated, and its neighbours that still are there
    int size, velocity, diagonal, first_link, link_count;
  };
  struct Link {
    int body, size, velocity;
    int row, column;  // places of the blocks (eliminated, neighbour) and (neighbour, eliminated)
  };
  int& place(int row, int column) { return places_[static_cast<std::size_t>(row * n_ + column)]; }
  int place(int row, int column) const {
    return places_[static_cast<std::size_t>(row * n_ + column)];
  }
  template <int Size>
  bool factor_blocks(double* values) const;
  template <int Size>
  void solve_blocks(const double* values, double* x) const;

  int n_ = 0, storage_ = 0;
  bool all_are_six_ = false;
  std::vector<int> places_, velocity_;
  std::vector<std::uint64_t> neighbours_;
  std::vector<Step> steps_;
  std::vector<Link> links_;
};

}  // namespace taut
