#include "taut/robot/robot_files.hpp"

#include <algorithm>
#include <string_view>

namespace taut::io {

namespace fs = std::filesystem;

fs::path robot_file_path(const std::string& name, const std::string& folder) {
  constexpr std::string_view file = "file://";
  if (name.starts_with(file)) return name.substr(file.size());
  std::size_t scheme = 0;
  for (const std::string_view each : {"package://", "model://"})
    if (name.starts_with(each)) scheme = each.size();
  if (scheme == 0) return fs::path(folder) / name;
  const std::string in_package = name.substr(scheme);
  const std::string inside = in_package.substr(std::min(in_package.find('/'), in_package.size()));
  std::error_code no_throw;
  for (fs::path above = fs::absolute(folder, no_throw); !folder.empty();
       above = above.parent_path()) {
    if (fs::exists(above / in_package, no_throw)) return above / in_package;
    if (inside.size() > 1 && fs::exists(above / inside.substr(1), no_throw))
      return above / inside.substr(1);
    if (above == above.parent_path()) break;
  }
  return fs::path(folder) / in_package;
}

}  // namespace taut::io
