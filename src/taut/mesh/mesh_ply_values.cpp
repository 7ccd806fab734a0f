#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_internal.hpp"
#include "taut/mesh/mesh_ply_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view space = " \t\r\n";

/// What the bytes of a file mean, whatever the order is on this machine.
template <class T>
T from_bytes(const unsigned char* bytes, bool is_little) {
  unsigned char in_order[sizeof(T)];
  std::memcpy(in_order, bytes, sizeof(T));
  if (is_little != (std::endian::native == std::endian::little))
    std::reverse(in_order, in_order + sizeof(T));
  T value;
  std::memcpy(&value, in_order, sizeof(T));
  return value;
}

}  // namespace

PlyValues::PlyValues(std::string_view content, const PlyHeader& header, const std::string& origin)
    : content_(content), origin_(origin), encoding_(header.encoding), at_(header.size) {}

bool PlyValues::can_hold(const PlyElement& element) const {
  std::size_t least = 0;  // bytes for one of them; an empty list is only its size
  for (const PlyProperty& property : element.properties)
    least += encoding_ == PlyEncoding::ascii
                 ? 2
                 : byte_count(property.count_type.value_or(property.type));
  if (least == 0) return true;
  // The last value of a text needs no space behind it.
  return element.count <= (content_.size() - at_ + 1) / least;
}

double PlyValues::number(const PlyProperty& property) {
  if (encoding_ != PlyEncoding::ascii) return binary(property.type, property);
  const std::string_view text = word(property);
  double value = NAN;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size())
    fail(fmt::format("found {} for {}, expected a number", in_quotes(text), property.name));
  return value;
}

std::int64_t PlyValues::whole(const PlyProperty& property, PlyType type) {
  if (encoding_ != PlyEncoding::ascii) return static_cast<std::int64_t>(binary(type, property));
  const std::string_view text = word(property);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size())
    fail(fmt::format("found {} in {}, expected a whole number", in_quotes(text), property.name));
  return value;
}

std::uint64_t PlyValues::list_size(const PlyProperty& property) {
  const std::int64_t size = whole(property, *property.count_type);
  if (size < 0)
    fail(fmt::format("found {} for the size of {}, expected a number ≥ 0", size, property.name));
  const std::size_t least = encoding_ == PlyEncoding::ascii ? 1 : byte_count(property.type);
  if (static_cast<std::uint64_t>(size) > (content_.size() - at_) / least) fail_end(property);
  return static_cast<std::uint64_t>(size);
}

void PlyValues::skip(const PlyProperty& property) {
  std::uint64_t count = property.count_type ? list_size(property) : 1;
  if (encoding_ == PlyEncoding::ascii)
    for (; count > 0; --count) word(property);
  else
    bytes(count * byte_count(property.type), property);
}

std::string_view PlyValues::word(const PlyProperty& property) {
  at_ = std::min(content_.find_first_not_of(space, at_), content_.size());
  if (at_ == content_.size()) fail_end(property);
  std::size_t end = at_;
  while (end < content_.size() && space.find(content_[end]) == space.npos) ++end;
  const std::string_view text = content_.substr(at_, end - at_);
  at_ = end;
  return text;
}

const unsigned char* PlyValues::bytes(std::size_t count, const PlyProperty& property) {
  if (count > content_.size() - at_) fail_end(property);
  const auto* found = reinterpret_cast<const unsigned char*>(content_.data()) + at_;
  at_ += count;
  return found;
}

double PlyValues::binary(PlyType type, const PlyProperty& property) {
  const unsigned char* found = bytes(byte_count(type), property);
  const bool is_little = encoding_ == PlyEncoding::binary_little_endian;
  switch (type) {
    case PlyType::int8:
      return from_bytes<std::int8_t>(found, is_little);
    case PlyType::uint8:
      return from_bytes<std::uint8_t>(found, is_little);
    case PlyType::int16:
      return from_bytes<std::int16_t>(found, is_little);
    case PlyType::uint16:
      return from_bytes<std::uint16_t>(found, is_little);
    case PlyType::int32:
      return from_bytes<std::int32_t>(found, is_little);
    case PlyType::uint32:
      return from_bytes<std::uint32_t>(found, is_little);
    case PlyType::float32:
      return from_bytes<float>(found, is_little);
    case PlyType::float64:
      return from_bytes<double>(found, is_little);
  }
  return 0;
}

void PlyValues::require_end() const {
  const std::size_t more = encoding_ == PlyEncoding::ascii
                               ? std::min(content_.find_first_not_of(space, at_), content_.size())
                               : at_;
  if (more == content_.size()) return;
  throw Error(fmt::format("{}: found {} bytes after the last element, expected the end of the file",
                          shown_file(origin_), content_.size() - more));
}

void PlyValues::fail_end(const PlyProperty& property) const {
  fail(fmt::format("found the end of the file, expected {}", in_quotes(property.name)));
}

void PlyValues::fail(std::string_view message) const {
  throw Error(fmt::format("{}: {} {}: {}", shown_file(origin_), printable(element_->name), number_,
                          message));
}

}  // namespace taut::io::detail
