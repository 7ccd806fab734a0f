#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "taut/io/at_internal.hpp"
#include "taut/io/json_text_internal.hpp"

namespace taut::io::detail {

std::string read_text(const std::string& path) {
  const std::string shown = shown_file(path);
  std::error_code no_throw;
  if (std::filesystem::is_directory(path, no_throw))
    throw Error(shown + ": found a directory, expected a scene file");

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw Error(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));

  // The size of a regular file is known before reading; of a pipe or device it is not.
  const auto size = std::filesystem::file_size(path, no_throw);
  const bool known = !no_throw && std::filesystem::is_regular_file(path, no_throw);
  std::string text;
  bool too_long = known && size > largest_file;
  if (!too_long) {
    if (known) text.reserve(size);
    char buffer[1 << 16];
    std::size_t count = 0;
    while (!too_long && (count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
      text.append(buffer, count);
      too_long = text.size() > largest_file;
    }
    if (std::ferror(file.get()))
      throw Error(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  }
  if (too_long)
    throw Error(fmt::format(
        "{}: found {}, expected at most {} MiB (large scenes are written with "
        "\"repeat\")",
        shown, known ? fmt::format("{} MiB", size >> 20) : "no end", largest_file >> 20));
  return text;
}

}  // namespace taut::io::detail
