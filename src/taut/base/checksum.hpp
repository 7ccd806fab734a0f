// A checksum that finds damage and changes, not malice (FNV-1a, 64 bits, by words).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace taut {

inline constexpr std::uint64_t checksum_start = 0xcbf29ce484222325u;

/// Of bytes that follow those that `before` is of.
inline std::uint64_t checksum(std::string_view bytes, std::uint64_t before = checksum_start) {
  constexpr std::uint64_t prime = 0x100000001b3u;
  std::uint64_t sum = before;
  const auto add = [&](std::uint64_t word) {
    sum = (sum ^ word) * prime;
    sum ^= sum >> 32;
  };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    add(word);
  }
  for (; i < bytes.size(); ++i) add(static_cast<unsigned char>(bytes[i]));
  add(bytes.size());
  return sum;
}

}  // namespace taut
