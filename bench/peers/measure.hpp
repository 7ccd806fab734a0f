// Errors, from the states alone and the same way for every engine. Overlaps are those of the true
// shapes, found by taut's exact distances.
#pragma once

#include "engine.hpp"

namespace peers {

struct Errors {
  double drift = 0;     ///< m: farthest that a body got from where it was when the window began
  double overlap = 0;   ///< m: deepest of two bodies, or of one and a plane
  double joints = 0;    ///< m: how far joints came apart, rods got longer or shorter, axes turned
  double gain = 0;      ///< largest rise of the energy above what it was before, per energy_scale()
  double loss = 0;      ///< of mechanisms: largest fall of the energy below that of the start
  double momentum = 0;  ///< of a scene without planes and gravity: its change, relative
  double deviation = 0;  ///< m: from where bodies are known to be
  double contacts = 0;   ///< mean number of points that touch, or nearly

  /// m: the largest of them. Those that are relative count as that part of a body's size.
  double worst(const Scene& scene, const Window& window) const;
};

class Measure {
 public:
  explicit Measure(const Scene& scene);
  /// The errors of what is seen from now on.
  void begin(const std::vector<BodyState>& states);
  void look(double time, const std::vector<BodyState>& states);
  Errors errors() const;

 private:
  double energy(const std::vector<BodyState>& states) const;
  void momenta(const std::vector<BodyState>& states, Vec3& linear, Vec3& angular) const;
  void overlaps(const std::vector<BodyState>& states);
  void joints(const std::vector<BodyState>& states);

  Scene scene_;
  std::vector<double> reach_;
  std::vector<BodyState> start_;
  std::vector<Vec3> known_;
  Vec3 linear_, angular_;
  double lowest_ = 0, linear_scale_ = 0, angular_scale_ = 0;
  int looks_ = 0;
  Errors errors_;
};

}  // namespace peers
