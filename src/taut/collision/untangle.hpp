// Cloth that starts tangled, moved apart: the nearest start without intersections that a search
// finds, which need not be the one that was meant.
//
// First what goes through each other comes out again, by the intersection contour minimisation of
// Volino and Magnenat-Thalmann (SIGGRAPH 2006). An edge along e goes through a triangle with the
// normal n. In each of the two faces at the edge a piece of contour begins there and runs along r.
// The contour gets shorter where the edge moves against the triangle along
//
//   g = Σ r − 2 (e·r)/(e·n) n.
//
// What is in a shape goes out by the shortest way. In between, edges get back their lengths. Then
// layers are moved apart until they have their thickness, and edges their lengths, only on ways on
// which nothing meets (SheetSource::free_part). Vertices that something else holds stay.
#pragma once

#include <span>

#include "taut/model/mesh.hpp"
#include "taut/model/system.hpp"

namespace taut::collision {

struct Untangling {
  bool is_done = false;  ///< no intersection is left
  int rounds = 0;        ///< of the first part
  double farthest = 0;   ///< m: how far a vertex was moved
  double strain = 0;     ///< of an edge, largest, against the start
};

/// Moves the cloths' vertices in q.
Untangling untangle(const System& system, std::span<const taut::Surface> cloths, VecX& q);

}  // namespace taut::collision
