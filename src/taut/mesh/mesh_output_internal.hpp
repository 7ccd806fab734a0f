// What the writers of meshes share.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include "taut/mesh/mesh_file.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io::detail {

/// On one line whatever it is called.
inline std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '_');
  return text;
}

/// As far as a float can hold it: a state that has blown up can still be read.
template <class Real>
Real rounded(double value) {
  constexpr double largest = std::numeric_limits<Real>::max();
  return static_cast<Real>(std::clamp(value, -largest, largest));
}

/// A file that is being written, in large pieces.
class MeshOutput {
 public:
  explicit MeshOutput(const std::filesystem::path& path) : file_(path) {}

  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer()), format, std::forward<Values>(values)...);
    buffer_.push_back('\n');
  }
  template <class T>
  void bytes(T value, bool is_little) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (is_little != (std::endian::native == std::endian::little))
      std::reverse(raw, raw + sizeof(T));
    buffer().append(raw, raw + sizeof(T));
  }
  void finish() {
    flush();
    file_.finish();
  }

 private:
  std::string& buffer() {
    constexpr std::size_t enough = 1 << 16;
    if (buffer_.size() > enough) flush();
    return buffer_;
  }
  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  WholeFile file_;
  std::string buffer_;
};

}  // namespace taut::io::detail
