// Writes binary frames: a header, and sections of numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "taut/base/types.hpp"
#include "taut/server/protocol.hpp"

namespace taut::server {

static_assert(std::endian::native == std::endian::little,
              "frames are written as they are in memory");

class FrameBytes {
 public:
  explicit FrameBytes(const FrameHeader& header) { append(header); }

  void section(std::uint16_t kind, SectionNumbers numbers, std::uint32_t columns,
               std::uint64_t rows) {
    pad();
    append(SectionHeader{kind, numbers, columns, rows});
    ++sections_;
  }
  void section(SectionKind kind, SectionNumbers numbers, std::uint32_t columns,
               std::uint64_t rows) {
    section(static_cast<std::uint16_t>(kind), numbers, columns, rows);
  }
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  template <class T>
  void append(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void floats(const double* values, int count) {
    for (int i = 0; i < count; ++i) append(static_cast<float>(values[i]));
  }
  void floats(const Vec3& v) { floats(v.data(), 3); }
  void doubles(const double* values, int count) {
    bytes_.append(reinterpret_cast<const char*>(values),
                  static_cast<std::size_t>(count) * sizeof(double));
  }

  std::string take() {
    pad();
    std::memcpy(bytes_.data() + offsetof(FrameHeader, sections), &sections_, sizeof sections_);
    return std::move(bytes_);
  }

 private:
  void pad() { bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0'); }

  std::string bytes_;
  std::uint32_t sections_ = 0;
};

}  // namespace taut::server
