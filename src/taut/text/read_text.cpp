#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "taut/text/at.hpp"
#include "taut/text/files_read.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {
namespace {

Error too_large(const std::string& shown, const std::string& found, std::string_view expected,
                std::size_t most) {
  return Error(fmt::format(
      "{}: found {}, expected at most {} MiB{}", shown, found, most >> 20,
      expected.starts_with("a scene") ? " (large scenes are written with \"repeat\")" : ""));
}

}  // namespace

std::string read_text(const std::string& path, std::string_view expected, std::size_t most) {
  const std::string shown = shown_file(path);
  std::error_code no_throw;
  if (std::filesystem::is_directory(path, no_throw))
    throw Error(fmt::format("{}: found a directory, expected {}", shown, expected));

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw Error(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));

  // The size of a regular file is known before reading; of a pipe or device it is not.
  const auto size = std::filesystem::file_size(path, no_throw);
  const bool known = !no_throw && std::filesystem::is_regular_file(path, no_throw);
  std::string text;
  bool too_long = known && size > most;
  if (!too_long) {
    if (known) text.reserve(size);
    char buffer[1 << 16];
    std::size_t count = 0;
    while (!too_long && (count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
      text.append(buffer, count);
      too_long = text.size() > most;
    }
    if (std::ferror(file.get()))
      throw Error(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  }
  if (too_long)
    throw too_large(shown, known ? fmt::format("{} MiB", size >> 20) : "no end", expected, most);
  FilesRead::note(path, text);
  return text;
}

void refuse_unreadable(std::string_view text, const std::string& origin, std::string_view expected,
                       std::string_view language, std::size_t most) {
  const std::string file = shown_file(origin);
  if (text.size() > most)
    throw too_large(file, fmt::format("{} MiB", text.size() >> 20), expected, most);
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw Error(fmt::format("{}: found an empty file, expected {}", file, expected));
  // Control characters other than white space: says more than a parser would about a file that was
  // never meant to be text.
  const auto binary = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (binary != text.end())
    throw Error(fmt::format("{}: found binary data (byte {:#04x} at offset {}), expected {} text",
                            file, static_cast<unsigned char>(*binary), binary - text.begin(),
                            language));
}

}  // namespace taut::io
