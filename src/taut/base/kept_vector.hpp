// A vector like VecX that keeps its memory when it gets shorter, and takes more than it needs when
// it gets longer: what changes its size in every step allocates nothing, once it was that long.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "taut/base/types.hpp"

namespace taut {

/// A map of its own memory: whatever takes an expression of Eigen's takes it. What takes a
/// `const VecX&` gets a copy.
class KeptVec : public Eigen::Map<VecX> {
 public:
  using Map = Eigen::Map<VecX>;

  KeptVec() : Map(nullptr, 0) {}
  KeptVec(const KeptVec& other) : KeptVec() { *this = other; }
  KeptVec(KeptVec&& other) noexcept : KeptVec() { swap(other); }
  template <class Derived>
  KeptVec(const Eigen::MatrixBase<Derived>& other) : KeptVec() {  // NOLINT: as VecX has it
    *this = other;
  }
  KeptVec& operator=(const KeptVec& other) {
    resize(other.size());
    std::copy_n(other.data(), other.size(), data());
    return *this;
  }
  KeptVec& operator=(KeptVec&& other) noexcept {
    swap(other);
    return *this;
  }
  template <class Derived>
  KeptVec& operator=(const Eigen::MatrixBase<Derived>& other) {
    resize(other.size());
    Map::operator=(other);
    return *this;
  }
  /// The numbers are then anything.
  void resize(Eigen::Index size) {
    if (size > capacity_) {
      capacity_ = 2 * size;
      memory_.reset(new double[static_cast<std::size_t>(capacity_)]);
    }
    show(size);
  }
  /// Room for as many numbers. What they are is then anything.
  void reserve(Eigen::Index size) {
    const Eigen::Index shown = this->size();
    resize(std::max(size, shown));
    show(shown);
  }
  using Map::setZero;
  void setZero(Eigen::Index size) {
    resize(size);
    setZero();
  }
  void clear() { show(0); }
  /// The numbers stay, and `count` more follow.
  void append(const double* numbers, Eigen::Index count) {
    const Eigen::Index before = size();
    if (before + count > capacity_) {
      capacity_ = 2 * (before + count);
      std::unique_ptr<double[]> longer(new double[static_cast<std::size_t>(capacity_)]);
      std::copy_n(data(), before, longer.get());
      memory_ = std::move(longer);
    }
    show(before + count);
    std::copy_n(numbers, count, data() + before);
  }
  void swap(KeptVec& other) noexcept {
    const Eigen::Index mine = size(), its = other.size();
    std::swap(memory_, other.memory_);
    std::swap(capacity_, other.capacity_);
    show(its);
    other.show(mine);
  }
  friend void swap(KeptVec& a, KeptVec& b) noexcept { a.swap(b); }

 private:
  /// As Eigen's documentation has it: a map is moved by making it anew in its place.
  void show(Eigen::Index size) { new (static_cast<Map*>(this)) Map(memory_.get(), size); }

  std::unique_ptr<double[]> memory_;
  Eigen::Index capacity_ = 0;
};

}  // namespace taut
