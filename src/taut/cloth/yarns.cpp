// The part of the topology that finds how yarns run through the cells.
#include "taut/cloth/topology_internal.hpp"

namespace taut::cloth {

void Topology::join_edges() {
  first_yarn_.assign(vertex_area.size() + 1, 0);
  const auto each_end = [&](auto&& visit) {
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (!edges[e].is_diagonal)
        for (const int v : {edges[e].a, edges[e].b}) visit(v, static_cast<int>(e));
  };
  each_end([&](int v, int) { ++first_yarn_[v]; });
  start_buckets(first_yarn_);
  yarn_edges_.resize(static_cast<std::size_t>(first_yarn_.back()));
  std::vector<int> next = first_yarn_;
  each_end([&](int v, int e) { yarn_edges_[next[v]++] = e; });
}

// Yarns cross where four quadrilateral cells meet, or two at a border. At the corner of a border
// none goes on, but none would have to bend, either.
void Topology::find_woven_vertices() {
  is_woven.assign(vertex_area.size(), true);
  cell_share.assign(vertex_area.size(), 0);
  for (const Cell& cell : cells)
    for (const int v : cell.vertex) {
      if (v < 0) continue;
      if (cell.is_quad())
        cell_share[v] += 0.25 * cell.area;
      else
        is_woven[v] = false;
    }
  std::vector<int> borders(vertex_area.size(), 0);
  for (const Edge& edge : edges)
    if (edge.face[1] < 0)
      for (const int v : {edge.a, edge.b}) ++borders[v];
  for (std::size_t v = 0; v < is_woven.size(); ++v) {
    const int count = first_yarn_[v + 1] - first_yarn_[v];
    const bool inside = count == 4 && borders[v] == 0;
    const bool at_border = (count == 3 || count == 2) && borders[v] == 2;
    is_woven[v] = is_woven[v] && (inside || at_border);
  }
  bends_as_woven = is_woven;
  for (const Edge& edge : edges)
    if (edge.is_skew)
      for (const int face : edge.face)
        for (const int v : cells[cell_of_face_[face]].vertex) bends_as_woven[v] = false;
}

/// The edge that continues `edge` beyond `vertex`, −1 if none does: where yarns cross it is the one
/// that shares no cell with it.
int Topology::opposite(int edge, int vertex) const {
  if (!is_woven[vertex]) return -1;
  const int* begin = yarn_edges_.data() + first_yarn_[vertex];
  const int count = first_yarn_[vertex + 1] - first_yarn_[vertex];
  const auto cell = [&](int e, int side) {
    const int face = edges[e].face[side];
    return face < 0 ? -1 : cell_of_face_[face];
  };
  for (int i = 0; i < count; ++i) {
    if (begin[i] == edge) continue;
    bool shares = false;
    for (const int mine : {cell(edge, 0), cell(edge, 1)})
      shares = shares || (mine >= 0 && (mine == cell(begin[i], 0) || mine == cell(begin[i], 1)));
    if (!shares) return begin[i];
  }
  return -1;
}

/// Per edge 0 or 1: opposite edges of a quadrilateral have the same, neighbours another, as far as
/// the mesh allows.
std::vector<int> Topology::directions() const {
  std::vector<int> direction(edges.size(), -1), queue;
  std::vector<bool> seen(cells.size(), false);
  for (std::size_t seed = 0; seed < cells.size(); ++seed) {
    if (seen[seed] || !cells[seed].is_quad()) continue;
    seen[seed] = true;
    queue.assign(1, static_cast<int>(seed));
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Cell& cell = cells[queue[i]];
      int known = 0;  // the first edge's direction, found from any that has one
      for (int k = 0; k < 4; ++k)
        if (direction[cell.edge[k]] >= 0) {
          known = (direction[cell.edge[k]] + k) % 2;
          break;
        }
      for (int k = 0; k < 4; ++k) {
        int& own = direction[cell.edge[k]];
        if (own < 0) own = (known + k) % 2;
        for (const int face : edges[cell.edge[k]].face) {
          if (face < 0) continue;
          const int next = cell_of_face_[face];
          if (seen[next] || !cells[next].is_quad()) continue;
          seen[next] = true;
          queue.push_back(next);
        }
      }
    }
  }
  return direction;
}

void Topology::follow_yarns() {
  const std::vector<int> direction = directions();
  std::vector<bool> done(edges.size(), false);
  yarns.reserve(edges.size());
  const auto follow = [&](int seed) {
    // Back to where the yarn begins, or once around.
    int edge = seed, from = edges[seed].a;
    for (int before; (before = opposite(edge, from)) >= 0;) {
      edge = before;
      from = edges[edge].other(from);
      if (edge == seed) break;
    }
    bool continues = false;
    while (edge >= 0) {
      const int to = edges[edge].other(from);
      yarns.push_back({edge, from, to, continues, !done[edge]});
      if (done[edge]) break;  // closed
      done[edge] = true;
      continues = true;
      edge = opposite(edge, to);
      from = to;
    }
  };
  for (const int wanted : {0, 1, -1})
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (direction[e] == wanted && !edges[e].is_diagonal && !done[e]) follow(static_cast<int>(e));
}

}  // namespace taut::cloth
