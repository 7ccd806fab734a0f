// What something looks like. Kept with the scene for whoever draws it; the simulation ignores it.
#pragma once

#include <array>
#include <string>

#include "taut/base/types.hpp"

namespace taut::io {

struct Visual {
  enum class Shape { box, cylinder, sphere, mesh, capsule, ellipsoid };

  std::string body;                     ///< that it moves with; empty: the world
  Vec3 position = Vec3::Zero();         ///< of the shape's centre or the mesh's origin, in the
  Quat orientation = Quat::Identity();  ///< body's frame (at its centre of mass)
  Shape shape = Shape::box;
  Vec3 size = Vec3::Ones();  ///< box: edges; cylinder (along z): radius, radius, length; capsule:
                             ///< the same, without its caps; sphere: radius three times;
                             ///< ellipsoid: its radii; mesh: scale. In m
  std::string mesh;          ///< the file as the robot names it, such as "package://arm/base.stl"
  std::string folder;        ///< where a relative name starts; empty for what is built in
  std::array<double, 4> color{0.7, 0.7, 0.7, 1};  ///< red, green, blue, opacity, 0 to 1
};

}  // namespace taut::io
