#include "support/ccd_queries.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace taut::testing {
namespace {

/// Three rational numbers and the truth.
struct Row {
  Vec3 place;
  bool collides;
};

Row parse(const std::string& line) {
  std::array<double, 7> number{};
  const char* at = line.c_str();
  for (double& n : number) {
    char* end = nullptr;
    n = std::strtod(at, &end);
    at = *end == ',' ? end + 1 : end;
  }
  return {Vec3(number[0] / number[1], number[2] / number[3], number[4] / number[5]),
          number[6] == 1};
}

}  // namespace

std::vector<CcdQuery> read_ccd_queries(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<CcdQuery> queries;
  for (const fs::path& path : files) {
    std::ifstream file(path);
    const bool is_edges = path.string().find("edge-edge") != std::string::npos;
    std::string line;
    for (std::size_t row = 0; std::getline(file, line); ++row) {
      if (row % 8 == 0) queries.push_back({{}, {}, is_edges, false});
      CcdQuery& query = queries.back();
      const Row values = parse(line);
      (row % 8 < 4 ? query.from : query.to)[row % 4] = values.place;
      query.collides = values.collides;
    }
  }
  return queries;
}

}  // namespace taut::testing
