#include "taut/cloth/seams.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {
namespace {

constexpr double same_place = 1e-4;  // of the shortest edge

double shortest_edge(const Mesh& mesh) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Face& face : mesh.faces)
    for (int k = 0; k < face.size(); ++k) {
      const Vec3& a = mesh.vertices[static_cast<std::size_t>(face.vertex[k])];
      const Vec3& b = mesh.vertices[static_cast<std::size_t>(face.vertex[(k + 1) % face.size()])];
      shortest = std::min(shortest, (b - a).norm());
    }
  return shortest;
}

}  // namespace

// Vertices in one cell of a fine lattice are at the same place. The second lattice is half a cell
// beside the first one, for those that a side of a cell divides.
std::optional<std::pair<int, int>> find_seam(const Mesh& mesh) {
  const double cell = same_place * shortest_edge(mesh);
  if (!(cell > 0) || !std::isfinite(cell)) return std::nullopt;
  struct Place {
    std::array<double, 3> cell;
    int vertex;
  };
  std::vector<Place> places(mesh.vertices.size());
  for (const double offset : {0.0, 0.5}) {
    for (std::size_t v = 0; v < places.size(); ++v) {
      for (std::size_t k = 0; k < 3; ++k)
        places[v].cell[k] =
            std::floor(mesh.vertices[v][static_cast<Eigen::Index>(k)] / cell + offset);
      places[v].vertex = static_cast<int>(v);
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.cell < b.cell; });
    const auto same =
        std::adjacent_find(places.begin(), places.end(),
                           [](const Place& a, const Place& b) { return a.cell == b.cell; });
    if (same != places.end()) return std::pair{same->vertex, std::next(same)->vertex};
  }
  return std::nullopt;
}

}  // namespace taut
