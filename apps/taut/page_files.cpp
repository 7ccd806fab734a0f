#include "page_files.hpp"

#include <fmt/core.h>

#include "taut/base/error.hpp"

namespace taut::cli {

std::filesystem::path page_folder(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  const auto has_page = [&](const fs::path& folder) {
    return fs::is_regular_file(folder / "index.html", trouble);
  };
  if (!given.empty()) {
    if (!has_page(given))
      throw Error(
          fmt::format("--web: found no index.html in {}, expected the viewer's page", given));
    return given;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  if (trouble) return {};
  const fs::path folder = program.parent_path();
  // <prefix>/bin/taut, or build/<preset>/bin/taut
  for (const fs::path& candidate : {folder / "../share/taut/web", folder / "../../web"})
    if (has_page(candidate)) return candidate.lexically_normal();
  return {};
}

}  // namespace taut::cli
