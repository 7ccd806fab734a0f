// The part of the topology that reads pairs of triangles as quadrilaterals.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

#include "taut/cloth/topology_internal.hpp"

namespace taut::cloth {
namespace {

constexpr double right_enough = 0.4;      // skew: corners of 66° to 114° pass for warp and weft
constexpr double nearly_straight = 2.88;  // rad: a corner of 165° is none

/// How well two triangles make a quadrilateral, and which way its diagonal runs.
struct Pair {
  double skew = 2;  ///< |cos| of its worst corner: 0 for a rectangle; 2 where there is no pair
  Vec3 along = Vec3::Zero();
};

double cosine(const Vec3& u, const Vec3& v) { return u.dot(v) / (u.norm() * v.norm()); }

double angle(const Vec3& u, const Vec3& v) { return std::atan2(u.cross(v).norm(), u.dot(v)); }

int wing(const Face& face, const Edge& edge) {
  for (int i = 0; i < 3; ++i)
    if (const int v = face.vertex[i]; v != edge.a && v != edge.b) return v;
  return -1;
}

Pair pair_at(const Mesh& mesh, const Edge& edge) {
  if (edge.face[1] < 0) return {};
  const Face &first = mesh.faces[edge.face[0]], &second = mesh.faces[edge.face[1]];
  if (first.size() != 3 || second.size() != 3) return {};
  const Vec3 &a = mesh.vertices[edge.a], &b = mesh.vertices[edge.b];
  const Vec3 &c = mesh.vertices[wing(first, edge)], &d = mesh.vertices[wing(second, edge)];
  // Angles of the two triangles add up at the ends of the diagonal_.
  const double at_a = angle(b - a, c - a) + angle(b - a, d - a);
  const double at_b = angle(a - b, c - b) + angle(a - b, d - b);
  if (std::max(at_a, at_b) > nearly_straight) return {};
  const double skew = std::max({std::abs(std::cos(at_a)), std::abs(std::cos(at_b)),
                                std::abs(cosine(a - c, b - c)), std::abs(cosine(a - d, b - d))});
  return {skew, (b - a).normalized()};
}

class Pairing {
 public:
  Pairing(const Mesh& mesh, const std::vector<Edge>& edges)
      : edges_(edges), sides_(mesh.faces.size()), diagonal_(mesh.faces.size(), -1) {
    pairs_.reserve(edges.size());
    for (const Edge& edge : edges) {
      pairs_.push_back(pair_at(mesh, edge));
      if (pairs_.back().skew > 1) continue;
      for (const int face : edge.face) sides_[face].push_back(static_cast<int>(pairs_.size()) - 1);
    }
  }

  /// From the best pair to its neighbours, and on; of all choices at hand the best first.
  void spread() {
    std::vector<int> seeds(edges_.size());
    std::iota(seeds.begin(), seeds.end(), 0);
    std::stable_sort(seeds.begin(), seeds.end(),
                     [&](int e, int f) { return pairs_[e].skew < pairs_[f].skew; });
    for (const int seed : seeds) {
      if (!is_possible(seed)) continue;
      next_.push({0, seed});
      while (!next_.empty()) {
        const int e = next_.top().second;
        next_.pop();
        if (is_possible(e)) join(e);
      }
    }
  }

  /// Where one triangle is left on either side of a pair, two pairs can be made of the four.
  void split_pairs() {
    for (int face = 0; face < static_cast<int>(diagonal_.size()); ++face) {
      if (diagonal_[face] >= 0) continue;
      double best = 3;
      int mine = -1, others = -1;
      for (const int e : sides_[face]) {
        const int beyond = across(diagonal_[across(e, face)], across(e, face));
        for (const int f : sides_[beyond])
          if (is_free(across(f, beyond)) && across(f, beyond) != face &&
              pairs_[e].skew + pairs_[f].skew < best) {
            best = pairs_[e].skew + pairs_[f].skew;
            mine = e;
            others = f;
          }
      }
      for (const int e : {mine, others})
        if (e >= 0) mark(e);
    }
  }

  void mark_diagonals(std::vector<Edge>& edges) const {
    for (const int e : diagonal_)
      if (e >= 0) {
        edges[e].is_diagonal = true;
        edges[e].is_skew = pairs_[e].skew > right_enough;
      }
  }

 private:
  using Choice = std::pair<double, int>;  // the lower the better; of equals the first edge

  bool is_free(int face) const { return diagonal_[face] < 0; }
  bool is_possible(int e) const {
    return pairs_[e].skew <= 1 && is_free(edges_[e].face[0]) && is_free(edges_[e].face[1]);
  }
  int across(int e, int face) const {
    return edges_[e].face[0] == face ? edges_[e].face[1] : edges_[e].face[0];
  }
  void mark(int e) {
    for (const int face : edges_[e].face) diagonal_[face] = e;
  }
  void join(int e) {
    mark(e);
    for (const int face : edges_[e].face)
      for (const int side : sides_[face])
        for (const int other : sides_[across(side, face)])
          if (is_possible(other))
            next_.push({pairs_[other].skew + 1 - std::abs(pairs_[other].along.dot(pairs_[e].along)),
                        other});
  }

  const std::vector<Edge>& edges_;
  std::vector<std::vector<int>> sides_;  // per triangle: the edges where it could be joined
  std::vector<Pair> pairs_;              // per edge
  std::vector<int> diagonal_;            // per triangle: the edge to its partner, or −1
  std::priority_queue<Choice, std::vector<Choice>, std::greater<>> next_;
};

}  // namespace

// A sheet of triangles whose edges all keep their length can hardly bend: it has as many edges as
// its vertices have coordinates. Read as quadrilaterals it has two thirds of them. Where the mesh
// is a grid that was cut, the pairs are plain to see. Elsewhere, as among equilateral triangles,
// many choices are as good as each other, and what matters is that neighbours agree: so pairs
// spread from the best one, and those whose diagonal runs like that of a neighbour come first.
void Topology::pair_triangles(const Mesh& mesh) {
  Pairing pairing(mesh, edges);
  pairing.spread();
  pairing.split_pairs();
  pairing.mark_diagonals(edges);
}

}  // namespace taut::cloth
