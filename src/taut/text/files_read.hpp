// Which files something was made of: all that were read in the meantime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taut::io {

struct FileRead {
  std::string path;
  std::uint64_t sum = 0;  ///< of its bytes: base/checksum.hpp
  bool operator==(const FileRead&) const = default;
};

/// Notes the files that read_text() reads on this thread while it exists.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  const std::vector<FileRead>& files() const { return files_; }
  /// For whoever reads a file.
  static void note(const std::string& path, std::string_view bytes);

 private:
  std::vector<FileRead> files_;
  FilesRead* outer_;
};

}  // namespace taut::io
