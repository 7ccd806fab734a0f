// Bending of a line at a point, or of two triangles about their common edge: a quadratic energy.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Bending {
  static constexpr std::string_view type = "bending";
  static constexpr std::string_view summary =
      "resists bending of a line of three particles, or of two triangles about their edge";

  ParticleGroup points;
  double stiffness = 0;
  double damping = 0;
  std::array<double, 4> weights{};  ///< measured when all are 0
};
void apply(System& system, Bending force);
/// Many at once.
void apply(System& system, std::vector<Bending> forces);

/// The middles of the edges of two triangles a b c and c b d: of b c, where they bend, of c a and
/// a b, of d c and b d.
struct MidpointPair {
  std::array<BodyId, 5> body;

  static constexpr int size() { return 5; }
  std::array<Anchor, 5> anchors() const {
    return {Point(body[0]), Point(body[1]), Point(body[2]), Point(body[3]), Point(body[4])};
  }
};
/// The same of triangles that are known by the middles of their edges: cloth of nonconforming
/// elements. The weights must be given.
struct MidpointBending {
  static constexpr std::string_view type = "midpoint_bending";

  MidpointPair points;
  double stiffness = 0;
  double damping = 0;
  std::array<double, 5> weights{};
};
void apply(System& system, std::vector<MidpointBending> forces);
/// Of two bendings, across the edge and along it, of triangles whose middles are at these five
/// places while they are flat; see bending.cpp.
std::array<std::array<double, 5>, 2> midpoint_weights(const std::array<Vec3, 5>& at);

}  // namespace taut
