// What an object keeps, as bytes: one function of the object both writes it and reads it back, so
// that the two cannot differ.
//
//   void archive(Archive& a) { a(time_, q_, steps_); }
//
// or, beside a plain struct, `void archive(Archive& a, Sample& sample)`. Bytes are those of this
// machine and of this build: for checkpoints (simulate/checkpoint.hpp), not for exchange.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "taut/base/kept_vector.hpp"
#include "taut/base/types.hpp"

namespace taut {

class Archive {
 public:
  /// Writes.
  Archive() = default;
  /// Reads, from bytes that outlive it.
  explicit Archive(std::string_view from) : from_(from), is_reading_(true) {}

  bool is_reading() const { return is_reading_; }
  /// What was written.
  std::string take() { return std::move(written_); }
  bool at_end() const { return from_.empty(); }

  template <class... Each>
  void operator()(Each&... each) {
    (one(each), ...);
  }
  /// Throws Error where there is less to read.
  void raw(void* data, std::size_t size);
  /// Of what follows: how many there are. Throws Error for more than can follow.
  std::size_t count(std::size_t mine, std::size_t least_size = 1);

 private:
  template <class T>
  static constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
  template <class T>
  static constexpr bool is_dense = std::is_base_of_v<Eigen::PlainObjectBase<T>, T>;

  template <class T>
  void one(T& value) {
    if constexpr (is_plain<T>)
      raw(&value, sizeof value);
    else if constexpr (requires { value.archive(*this); })
      value.archive(*this);
    else if constexpr (is_dense<T>)
      matrix(value);
    else
      archive(*this, value);
  }
  template <class T>
  void matrix(T& value) {
    if constexpr (T::SizeAtCompileTime == Eigen::Dynamic) {
      static_assert(T::ColsAtCompileTime == 1);
      value.resize(static_cast<Eigen::Index>(
          count(static_cast<std::size_t>(value.size()), sizeof(typename T::Scalar))));
    }
    raw(value.data(), static_cast<std::size_t>(value.size()) * sizeof(typename T::Scalar));
  }

  friend void archive(Archive& a, Quat& value) { a.matrix(value.coeffs()); }
  friend void archive(Archive& a, KeptVec& value) {
    value.resize(
        static_cast<Eigen::Index>(a.count(static_cast<std::size_t>(value.size()), sizeof(double))));
    a.raw(value.data(), static_cast<std::size_t>(value.size()) * sizeof(double));
  }
  friend void archive(Archive& a, std::string& value) {
    value.resize(a.count(value.size()));
    a.raw(value.data(), value.size());
  }
  template <class T>
  friend void archive(Archive& a, std::vector<T>& values) {
    values.resize(a.count(values.size(), is_plain<T> ? sizeof(T) : 1));
    if constexpr (is_plain<T>)
      a.raw(values.data(), values.size() * sizeof(T));
    else
      for (T& value : values) a.one(value);
  }
  template <class T, std::size_t size>
  friend void archive(Archive& a, std::array<T, size>& values) {
    for (T& value : values) a.one(value);
  }
  template <class T>
  friend void archive(Archive& a, std::optional<T>& value) {
    bool has = value.has_value();
    a.one(has);
    if (a.is_reading()) {
      if (has)
        value.emplace();
      else
        value.reset();
    }
    if (has) a.one(*value);
  }
  template <class Key, class T>
  friend void archive(Archive& a, std::map<Key, T>& values) {
    std::vector<std::pair<Key, T>> all(values.begin(), values.end());
    all.resize(a.count(all.size()));
    for (auto& [key, value] : all) a(key, value);
    if (a.is_reading()) values = {all.begin(), all.end()};
  }

  std::string written_;
  std::string_view from_;
  bool is_reading_ = false;
};

}  // namespace taut
