// Air on faces. A face of area A and unit normal n moves with the mean velocity v̄ of its corners
// through air of velocity w(t). With u = w − v̄, its part u_n = u·n along the normal and the rest
// u_t,
//   F = ½ ρ A (c_n |u_n| u_n n + c_t |u_t| u_t),
// in equal parts at the corners: pressure drag of a plate and friction along it. What acts along
// the normal is lift and drag in one. The derivative with respect to the velocities is
//   −∂F/∂v̄ = ½ ρ A (2 c_n |u_n| n nᵀ + c_t (|u_t| (1 − n nᵀ) + u_t u_tᵀ/|u_t|)),
// which is positive; that with respect to the places, which is not and is small beside it in a wind
// that makes the step hard, is left out.
//
// One force has all faces of a surface, so that w(t) is found once.
#pragma once

#include <string_view>
#include <vector>

#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct Wind {
  static constexpr std::string_view type = "wind";
  static constexpr std::string_view summary = "drag, lift and friction of moving air on faces";

  std::vector<ParticleGroup> faces;
  Motion<Vec3> velocity{Vec3(0, 0, 0)};
  double air_density = 1.2;
  double normal_drag = 1.2;
  double tangential_drag = 0.05;
};
void apply(System& system, Wind force);

}  // namespace taut
