#include "taut/record/zip_file.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "taut/record/recording_internal.hpp"

namespace taut::io {
namespace {

using detail::LittleEndianBytes;

constexpr std::uint64_t most32 = 0xffffffff;

std::uint32_t fitting(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min(value, most32));
}

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320u : 0u);
  }
  return table;
}();

void for_pieces(Spool& content, const std::function<void(std::string_view)>& take) {
  std::string piece(1 << 20, '\0');
  for (std::uint64_t at = 0; at < content.size(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(1 << 20, content.size() - at)));
    content.read(at, piece);
    take(piece);
  }
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (const char c : bytes)
    crc = crc >> 8 ^ crc_table[(crc ^ static_cast<unsigned char>(c)) & 255];
  return ~crc;
}

void ZipFile::write(std::string_view bytes) {
  file_.write(bytes);
  size_ += bytes.size();
}

// The fields up to the name are those of APPNOTE.TXT 4.3.7: version needed, flags (UTF-8 names),
// method, time, date, CRC, sizes, length of the name and of what follows it.
void ZipFile::add(const std::string& name, std::string_view head, Spool& content) {
  Entry entry{name, crc32(head), head.size() + content.size(), size_};
  for_pieces(content, [&](std::string_view piece) { entry.crc = crc32(piece, entry.crc); });
  const bool is_large = entry.size >= most32;
  LittleEndianBytes local;
  local.add(std::uint32_t{0x04034b50});
  for (const int field : {is_large ? 45 : 20, 0x800, 0, 0, 0x21})
    local.add(static_cast<std::uint16_t>(field));
  local.add(entry.crc);
  local.add(is_large ? fitting(most32) : fitting(entry.size));
  local.add(is_large ? fitting(most32) : fitting(entry.size));
  local.add(static_cast<std::uint16_t>(name.size()));
  local.add(static_cast<std::uint16_t>(is_large ? 20 : 0));
  write(local.text());
  write(name);
  if (is_large) {
    local.clear();
    local.add(std::uint16_t{1});
    local.add(std::uint16_t{16});
    local.add(entry.size);
    local.add(entry.size);
    write(local.text());
  }
  write(head);
  for_pieces(content, [&](std::string_view piece) { write(piece); });
  entries_.push_back(std::move(entry));
}

// The directory (4.3.12), the end of a ZIP64 directory where it is needed (4.3.14, 4.3.15), and the
// end of the directory (4.3.16).
void ZipFile::finish() {
  const std::uint64_t begin = size_;
  for (const Entry& entry : entries_) {
    const bool is_large = entry.size >= most32 || entry.offset >= most32;
    LittleEndianBytes bytes;
    bytes.add(std::uint32_t{0x02014b50});
    for (const int field : {45, is_large ? 45 : 20, 0x800, 0, 0, 0x21})
      bytes.add(static_cast<std::uint16_t>(field));
    bytes.add(entry.crc);
    for (int i = 0; i < 2; ++i) bytes.add(is_large ? fitting(most32) : fitting(entry.size));
    bytes.add(static_cast<std::uint16_t>(entry.name.size()));
    for (const int field : {is_large ? 28 : 0, 0, 0, 0})
      bytes.add(static_cast<std::uint16_t>(field));
    bytes.add(std::uint32_t{0});
    bytes.add(is_large ? fitting(most32) : fitting(entry.offset));
    write(bytes.text());
    write(entry.name);
    if (!is_large) continue;
    bytes.clear();
    bytes.add(std::uint16_t{1});
    bytes.add(std::uint16_t{24});
    for (const std::uint64_t field : {entry.size, entry.size, entry.offset}) bytes.add(field);
    write(bytes.text());
  }
  const std::uint64_t end = size_, count = entries_.size();
  LittleEndianBytes bytes;
  if (end >= most32) {
    bytes.add(std::uint32_t{0x06064b50});
    bytes.add(std::uint64_t{44});
    for (int i = 0; i < 2; ++i) bytes.add(std::uint16_t{45});
    for (int i = 0; i < 2; ++i) bytes.add(std::uint32_t{0});
    for (const std::uint64_t field : {count, count, end - begin, begin}) bytes.add(field);
    bytes.add(std::uint32_t{0x07064b50});
    bytes.add(std::uint32_t{0});
    bytes.add(end);
    bytes.add(std::uint32_t{1});
  }
  bytes.add(std::uint32_t{0x06054b50});
  for (int i = 0; i < 2; ++i) bytes.add(std::uint16_t{0});
  for (int i = 0; i < 2; ++i) bytes.add(static_cast<std::uint16_t>(count));
  bytes.add(fitting(end - begin));
  bytes.add(fitting(begin));
  bytes.add(std::uint16_t{0});
  write(bytes.text());
  file_.finish();
}

}  // namespace taut::io
