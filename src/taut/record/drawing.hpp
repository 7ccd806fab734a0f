// What is drawn of a scene: solids that move with bodies, balls for bare particles, rods for links.
// Surfaces are drawn as they are. Meshes per frame and exports have it from here.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "taut/model/mesh.hpp"
#include "taut/record/recording.hpp"

namespace taut::io {

using Colour = std::array<double, 4>;  ///< red, green, blue, opacity, 0 to 1, as a screen has them

struct DrawnSolid {
  RecordingInfo::Shape shape;  ///< with its body and its place there; planes are cut to a square
  std::string own_name;        ///< what it is called on its body
  bool is_inertia = false;     ///< the box of a body without a shape
  Colour colour{};
};

struct Drawing {
  std::vector<DrawnSolid> solids;
  std::vector<int> balls;  ///< the particles that are nothing else
  std::vector<int> rods;   ///< the links that have two different ends
  double ball_radius = 0, rod_radius = 0;

  static constexpr Colour ball_colour{0.247, 0.357, 0.502, 1};
  static constexpr Colour rod_colour{0.522, 0.576, 0.647, 1};
  static constexpr Colour cloth_colour{0.357, 0.525, 0.769, 1};
};

/// `size`: of the scene, m; particles, links and planes are drawn as large as suits it. A body with
/// visuals that are no meshes is drawn as these, others by their shapes, or as a box.
Drawing drawing_of(const RecordingInfo& info, double size);

/// The name of a body, by its number in the recording.
std::string body_name(const RecordingInfo& info, int body);

/// In the shape's own frame.
Mesh mesh_of(const RecordingInfo::Shape& shape);
Mesh ball_mesh(double radius);
/// Along z from 0 to 1, of radius 1.
Mesh rod_mesh();

}  // namespace taut::io
