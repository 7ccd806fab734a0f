#include "taut/server/websocket_frames.hpp"

#include <array>
#include <bit>

#include "taut/text/json.hpp"

namespace taut::server {
namespace frames_detail {

/// SHA-1 (FIPS 180-4). It keeps nothing secret here; the protocol asks for it.
std::array<unsigned char, 20> sha1(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(text.size());
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);
  std::array<std::uint32_t, 5> hash{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(padded[block + i]);
    for (std::size_t i = 16; i < 80; ++i)
      w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = hash;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                                  : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                                  : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                           : (b ^ c ^ d) + 0xCA62C1D6;
      const std::uint32_t next = std::rotl(a, 5) + mixed + e + w[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    const std::array<std::uint32_t, 5> added{a, b, c, d, e};
    for (std::size_t i = 0; i < 5; ++i) hash[i] += added[i];
  }
  std::array<unsigned char, 20> out{};
  for (std::size_t i = 0; i < 20; ++i)
    out[i] = static_cast<unsigned char>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

/// Of 20 bytes: 27 letters and one that fills up.
std::string base64(const std::array<unsigned char, 20>& bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) {
      return k < bytes.size() ? static_cast<unsigned>(bytes[k]) : 0u;
    };
    const unsigned three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += letters[three >> shift & 63];
  }
  out.back() = '=';
  return out;
}

}  // namespace frames_detail

std::string frame_head(FrameType type, std::size_t size) {
  std::string head;
  head += static_cast<char>(0x80 | static_cast<unsigned>(type));
  if (size < 126) return head += static_cast<char>(size);
  const int width = size < 65536 ? 2 : 8;
  head += static_cast<char>(width == 2 ? 126 : 127);
  for (int i = width - 1; i >= 0; --i)
    head += static_cast<char>(static_cast<std::uint64_t>(size) >> (8 * i));
  return head;
}

std::string whole_frame(FrameType type, std::string_view content) {
  return frame_head(type, content.size()).append(content);
}

std::string close_frame(unsigned code) {
  const std::array<char, 2> bytes{static_cast<char>(code >> 8), static_cast<char>(code)};
  return whole_frame(FrameType::close, {bytes.data(), bytes.size()});
}

std::string accept_key(std::string_view key) {
  std::string text(key);
  return frames_detail::base64(
      frames_detail::sha1(text.append("258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
}

std::optional<FrameReader::Message> FrameReader::fail(unsigned code) {
  trouble_ = code;
  buffer_.clear();
  content_.clear();
  return std::nullopt;
}

std::optional<FrameReader::Message> FrameReader::next() {
  for (;;) {
    if (trouble_ || buffer_.size() < 2) return std::nullopt;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(buffer_[i]); };
    const bool is_last = at(0) & 0x80, is_masked = at(1) & 0x80;
    const unsigned code = at(0) & 0x0F;
    const auto type = static_cast<FrameType>(code);
    const bool is_control = code >= 8;
    std::uint64_t size = at(1) & 0x7F;
    std::size_t head = 2;
    const bool is_long = size >= 126;
    // Extensions were not agreed on, and clients mask what they send.
    if (at(0) & 0x70 || !is_masked || code > 10 || (code > 2 && code < 8) ||
        (is_control && (!is_last || is_long)))
      return fail(1002);
    if (is_long) {
      head = size == 126 ? 4 : 10;
      if (buffer_.size() < head) return std::nullopt;
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8 | at(i);
    }
    const bool is_continued = type == FrameType::more;
    if (!is_control && is_continued == (type_ == FrameType::more)) return fail(1002);
    if (!is_control && (size > most_bytes_ || content_.size() + size > most_bytes_))
      return fail(1009);
    const std::size_t whole = head + 4 + static_cast<std::size_t>(size);
    if (buffer_.size() < whole) return std::nullopt;
    std::string content = buffer_.substr(head + 4, static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < content.size(); ++i) content[i] ^= buffer_[head + i % 4];
    buffer_.erase(0, whole);
    if (is_control) return Message{type, std::move(content)};
    if (!is_continued) type_ = type;
    content_ += content;
    if (!is_last) continue;
    Message message{type_, std::move(content_)};
    content_.clear();
    type_ = FrameType::more;
    if (message.type == FrameType::text && io::valid_utf8(message.content) != message.content)
      return fail(1007);
    return message;
  }
}

}  // namespace taut::server
