#include "taut/text/files_read.hpp"

#include "taut/base/checksum.hpp"

namespace taut::io {
namespace {

thread_local FilesRead* innermost = nullptr;

}  // namespace

FilesRead::FilesRead() : outer_(innermost) { innermost = this; }
FilesRead::~FilesRead() { innermost = outer_; }

void FilesRead::note(const std::string& path, std::string_view bytes) {
  if (!innermost) return;
  const std::uint64_t sum = checksum(bytes);
  for (FilesRead* each = innermost; each; each = each->outer_) each->files_.push_back({path, sum});
}

}  // namespace taut::io
