// The header of a PLY file, and the values behind it.
//
// A PLY file declares elements ("vertex", "face", …) with their counts and properties, each a
// number or a list of numbers, and then holds the values in that order: as text, or as bytes in
// either order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/mesh/mesh_file.hpp"

namespace taut::io::detail {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
std::size_t byte_count(PlyType type);
inline bool is_whole(PlyType type) { return type < PlyType::float32; }

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  std::optional<PlyType> count_type;  ///< of a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  int find(std::string_view property) const;  ///< −1 when there is none
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t size = 0;  ///< of the header in bytes: where the values begin
};

/// Throws Error with the line for what is no header of a PLY file.
PlyHeader parse_ply_header(std::string_view content, const std::string& origin);

/// Reads the values behind a header one after the other. Throws Error where they end too early or
/// are no numbers; element() says what messages name as the place.
class PlyValues {
 public:
  PlyValues(std::string_view content, const PlyHeader& header, const std::string& origin);

  void element(const PlyElement& element, std::uint64_t number) {
    element_ = &element;
    number_ = number;
  }
  double number(const PlyProperty& property);
  std::int64_t whole(const PlyProperty& property, PlyType type);
  void skip(const PlyProperty& property);
  /// How many there are in a list.
  std::uint64_t list_size(const PlyProperty& property);

  /// Whether what is left can hold `count` times these properties: a file that promises more than
  /// it has is found out before memory is set aside for it.
  bool can_hold(const PlyElement& element) const;
  void require_end() const;
  [[noreturn]] void fail(std::string_view message) const;

 private:
  std::string_view word(const PlyProperty& property);
  const unsigned char* bytes(std::size_t count, const PlyProperty& property);
  double binary(PlyType type, const PlyProperty& property);
  [[noreturn]] void fail_end(const PlyProperty& property) const;

  std::string_view content_;
  const std::string& origin_;
  PlyEncoding encoding_;
  std::size_t at_;
  const PlyElement* element_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace taut::io::detail
