// How the faces of a cloth hang together: edges, cells, and the yarns that run through them.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "taut/model/mesh.hpp"

namespace taut::cloth {

struct Edge {
  int a, b;                         ///< vertices, a < b
  std::array<int, 2> face{-1, -1};  ///< the second is −1 at a border
  bool is_diagonal = false;         ///< of two triangles that make one cell
  bool is_skew = false;             ///< … which is far from a rectangle

  int other(int vertex) const { return vertex == a ? b : a; }
};

/// What the yarns of the cloth enclose: a quadrilateral, two triangles joined at a diagonal, or a
/// single triangle. Edge i leads from vertex i to the next.
struct Cell {
  std::array<int, 4> vertex{-1, -1, -1, -1}, edge{-1, -1, -1, -1};
  double area = 0;

  bool is_quad() const { return vertex[3] >= 0; }
};

/// One edge of a yarn, in the direction in which the yarn is followed.
struct YarnStep {
  int edge, from, to;
  bool continues;  ///< the previous step's yarn
  bool is_new;     ///< false where a closed yarn has come around to its first edge
};

/// Makes of the numbers of things in each bucket where the bucket starts.
inline void start_buckets(std::vector<int>& counts) {
  int sum = 0;
  for (int& count : counts) sum += std::exchange(count, sum);
}

/// Which triangles are read as halves of quadrilaterals.
enum class TrianglePairs {
  none,
  plain,  ///< where the edge between them is the longest of both
  all     ///< as many as there are
};

struct Topology {
  /// Throws Error for a mesh that is no surface.
  Topology(const Mesh& mesh, TrianglePairs pairs);

  int edge_between(int a, int b) const;

  std::vector<Edge> edges;  ///< by a, then b
  std::vector<Cell> cells;
  std::vector<double> face_area, vertex_area;
  std::vector<bool> is_woven;        ///< per vertex: yarns cross there, between quadrilateral cells
  std::vector<bool> bends_as_woven;  ///< … that are nearly rectangles, as far as they were cut
  std::vector<double> cell_share;    ///< per vertex: a quarter of the area of its quadrilaterals
  std::vector<YarnStep> yarns;       ///< all edges but the diagonals, yarn by yarn, those of one
                                     ///< direction first

 private:
  void check_and_measure(const Mesh& mesh);
  void find_edges(const Mesh& mesh);
  void find_diagonals(const Mesh& mesh);
  void pair_triangles(const Mesh& mesh);
  void make_cells(const Mesh& mesh);
  void join_edges();
  void follow_yarns();

  void find_woven_vertices();
  int opposite(int edge, int vertex) const;
  std::vector<int> directions() const;

  std::vector<int> first_edge_;               // per vertex: its edges as their a
  std::vector<int> cell_of_face_;             // per face
  std::vector<int> first_yarn_, yarn_edges_;  // per vertex: its edges that are no diagonals
};

}  // namespace taut::cloth
