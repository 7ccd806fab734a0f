// Triangles as they are found in files, made into the surface of a body.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "taut/base/error.hpp"
#include "taut/collision/solid_internal.hpp"

namespace taut::collision::detail {

namespace {

using Triangle = std::array<int, 3>;

void require_triangles(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
  if (triangles.empty()) throw Error("mesh: it has no triangles, expected at least one");
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite()) throw Error(fmt::format("mesh: vertex {} is not finite", i));
  const int count = static_cast<int>(vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int v : triangles[t])
      if (v < 0 || v >= count)
        throw Error(
            fmt::format("mesh: triangle {} has vertex {}, expected 0 to {}", t, v, count - 1));
}

/// One number for all vertices at the same place. Returns how many were dropped.
int weld(std::span<const Vec3> vertices, std::span<const Triangle> triangles, CleanMesh& mesh) {
  const auto before = [&](int i, int j) {
    const Vec3 &a = vertices[static_cast<std::size_t>(i)],
               &b = vertices[static_cast<std::size_t>(j)];
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  std::vector<char> is_used(vertices.size(), 0);
  for (const Triangle& t : triangles)
    for (const int v : t) is_used[static_cast<std::size_t>(v)] = 1;
  std::vector<int> order;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (is_used[i]) order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(), before);
  std::vector<int> first(vertices.size(), -1);  // of those at the same place
  int joined = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || before(order[i - 1], order[i]);
    first[static_cast<std::size_t>(order[i])] =
        is_new ? order[i] : first[static_cast<std::size_t>(order[i - 1])];
    joined += !is_new;
  }
  std::vector<int> number(vertices.size(), -1);
  for (const Triangle& t : triangles) {
    Triangle renamed{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(first[static_cast<std::size_t>(t[k])]);
      if (number[v] < 0) {
        number[v] = static_cast<int>(mesh.vertices.size());
        mesh.vertices.push_back(vertices[v]);
      }
      renamed[k] = number[v];
    }
    mesh.triangles.push_back(renamed);
  }
  return joined;
}

/// Without those that have a vertex twice, and those that another one covers or cancels.
int drop_degenerate(std::vector<Triangle>& triangles) {
  std::map<Triangle, int> turns;  // by vertices in order: how often forwards, less backwards
  const auto key = [](Triangle t, int& turn) {
    turn = 1;
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 2), std::pair(0, 1)})
      if (t[static_cast<std::size_t>(i)] > t[static_cast<std::size_t>(j)]) {
        std::swap(t[static_cast<std::size_t>(i)], t[static_cast<std::size_t>(j)]);
        turn = -turn;
      }
    return t;
  };
  const auto has_twice = [](const Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
  };
  for (const Triangle& t : triangles) {
    int turn = 0;
    if (!has_twice(t)) turns[key(t, turn)] += turn;
  }
  const std::size_t before = triangles.size();
  std::erase_if(triangles, [&](const Triangle& t) {
    if (has_twice(t)) return true;
    int turn = 0;
    int& left = turns[key(t, turn)];
    if (left * turn <= 0) return true;
    left = 0;
    return false;
  });
  return static_cast<int>(before - triangles.size());
}

using Edge = std::pair<int, int>;

Edge undirected(int from, int to) { return std::minmax(from, to); }

/// The triangles at each edge, which need not be two.
std::map<Edge, std::vector<int>> edge_triangles(const std::vector<Triangle>& triangles) {
  std::map<Edge, std::vector<int>> beside;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      beside[undirected(triangles[t][k], triangles[t][(k + 1) % 3])].push_back(static_cast<int>(t));
  return beside;
}

bool goes(const Triangle& t, int from, int to) {
  for (std::size_t k = 0; k < 3; ++k)
    if (t[k] == from && t[(k + 1) % 3] == to) return true;
  return false;
}

double enclosed(const CleanMesh& mesh, std::span<const int> triangles) {
  double volume = 0;
  const Vec3 origin = mesh.vertices[0];
  for (const int t : triangles) {
    const auto corner = [&](std::size_t k) {
      const Triangle& corners = mesh.triangles[static_cast<std::size_t>(t)];
      return Vec3(mesh.vertices[static_cast<std::size_t>(corners[k])] - origin);
    };
    volume += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  return volume;
}

/// Makes neighbours agree on what is outside, part by part, each with a volume above 0. Returns how
/// many triangles were turned.
int orient(CleanMesh& mesh, const std::map<Edge, std::vector<int>>& beside) {
  std::vector<char> is_done(mesh.triangles.size(), 0);
  int turned = 0;
  for (std::size_t start = 0; start < mesh.triangles.size(); ++start) {
    if (is_done[start]) continue;
    std::vector<int> part{static_cast<int>(start)};
    is_done[start] = 1;
    std::vector<int> flipped;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Triangle t = mesh.triangles[static_cast<std::size_t>(part[i])];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::vector<int>& both = beside.at(undirected(t[k], t[(k + 1) % 3]));
        if (both.size() != 2) continue;
        const int other = both[0] == part[i] ? both[1] : both[0];
        if (is_done[static_cast<std::size_t>(other)]) continue;
        is_done[static_cast<std::size_t>(other)] = 1;
        Triangle& neighbour = mesh.triangles[static_cast<std::size_t>(other)];
        if (goes(neighbour, t[k], t[(k + 1) % 3])) {
          std::swap(neighbour[1], neighbour[2]);
          flipped.push_back(other);
        }
        part.push_back(other);
      }
    }
    turned += static_cast<int>(flipped.size());
    if (enclosed(mesh, part) >= 0) continue;
    for (const int t : part)
      std::swap(mesh.triangles[static_cast<std::size_t>(t)][1],
                mesh.triangles[static_cast<std::size_t>(t)][2]);
    turned += static_cast<int>(part.size()) - 2 * static_cast<int>(flipped.size());
  }
  return turned;
}

}  // namespace

CleanMesh clean_mesh(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
  require_triangles(vertices, triangles);
  CleanMesh mesh;
  const auto repaired = [&](int count, const char* what) {
    if (count > 0) mesh.repairs.push_back(fmt::format("{} {}", count, what));
  };
  repaired(weld(vertices, triangles, mesh), "vertices at the place of another were joined with it");
  repaired(drop_degenerate(mesh.triangles), "triangles without area or there twice were dropped");
  if (mesh.triangles.empty())
    throw Error("mesh: none of its triangles has an area, expected a surface");

  const auto beside = edge_triangles(mesh.triangles);
  const auto agree = [&] {
    return std::all_of(beside.begin(), beside.end(), [&](const auto& edge) {
      int sum = 0;
      for (const int t : edge.second)
        sum +=
            goes(mesh.triangles[static_cast<std::size_t>(t)], edge.first.first, edge.first.second)
                ? 1
                : -1;
      return std::abs(sum) <= (edge.second.size() % 2 == 1 ? 1 : 0);
    });
  };
  if (!agree()) repaired(orient(mesh, beside), "triangles were turned: their order was clockwise");
  int open = 0;
  for (const auto& [edge, list] : beside) open += list.size() % 2 == 1;
  mesh.is_closed = open == 0 && agree();
  if (!mesh.is_closed)
    mesh.repairs.push_back(
        open > 0 ? fmt::format("{} edges have a triangle on one side only: the surface has holes, "
                               "and the body is what it mostly encloses",
                               open)
                 : "its sides cannot be told apart: the body is what it mostly encloses");
  std::vector<int> all(mesh.triangles.size());
  std::iota(all.begin(), all.end(), 0);
  mesh.volume = enclosed(mesh, all);
  if (mesh.volume < 0) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    mesh.volume = -mesh.volume;
    mesh.repairs.push_back("its inside was outside: all triangles were turned");
  }
  if (!mesh.is_closed) mesh.volume = 0;
  return mesh;
}

}  // namespace taut::collision::detail
