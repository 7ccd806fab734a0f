// What the writer and the reader of recordings share: see docs/recording.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "taut/record/recording.hpp"

namespace taut::io::detail {

inline constexpr std::string_view recording_magic = "\x89TAUT\r\n\x1a";
inline constexpr std::string_view recording_end = "TAUTEND\n";
inline constexpr std::uint32_t recording_version = 1;
inline constexpr std::size_t preamble_size = 16, chunk_head_size = 16, trailer_size = 16;
inline constexpr std::size_t frame_head_size = 16, index_entry_size = 16, link_size = 36;
inline constexpr std::size_t contact_size = 60;
inline constexpr std::size_t torque_size = 12;
inline constexpr std::size_t block_size = 256;  ///< particles that share a box
inline constexpr std::size_t box_size = 24;
inline constexpr std::size_t rigid_size = 28;

enum class FrameEncoding : std::uint32_t { float32 = 0, uint16 = 1 };

inline std::uint64_t block_count(std::uint64_t particles) {
  return (particles + block_size - 1) / block_size;
}
inline std::uint64_t frame_payload(std::uint64_t particles, std::uint64_t rigid,
                                   FrameEncoding encoding) {
  return frame_head_size + rigid_size * rigid +
         (encoding == FrameEncoding::float32 ? 12 * particles
                                             : box_size * block_count(particles) + 6 * particles);
}
/// Chunks begin at multiples of 8, so that arrays in them can be used where they are.
inline std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

/// Bytes in the order of the file, which is little-endian.
class LittleEndianBytes {
 public:
  template <class T>
  void add(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  /// As a float, and what is too large for one as the largest.
  void add_float(double value) {
    constexpr double largest = std::numeric_limits<float>::max();
    add(static_cast<float>(std::clamp(value, -largest, largest)));
  }
  void add_floats(const Vec3& v) {
    for (const double value : v) add_float(value);
  }
  void clear() { bytes_.clear(); }
  const std::string& text() const { return bytes_; }

 private:
  std::string bytes_;
};

template <class T>
T little_endian(const char* bytes) {
  char raw[sizeof(T)];
  std::memcpy(raw, bytes, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

/// The number in a recording of each body of the system: particles come first.
std::vector<int> recorded_numbers(const System& system);

/// What a recording of the scene says about it, with bodies by their numbers in the recording.
/// The shapes of all bodies and of the world.
std::vector<RecordingInfo::Shape> recorded_shapes(const System& system,
                                                  const std::vector<int>& recorded_number);

RecordingInfo recording_info(const Scene& scene, const std::vector<int>& recorded_number);
/// The JSON of the chunk HEAD.
std::string header_json(const RecordingInfo& info);
/// What the chunk HEAD tells; surfaces and links are as many as they should be, and empty. Throws
/// Error without the file's name.
struct RecordingHeader {
  RecordingInfo info;
  std::vector<std::uint32_t> face_counts, vertex_counts;  // of the surfaces
};
RecordingHeader parse_header(std::string_view json);

}  // namespace taut::io::detail
