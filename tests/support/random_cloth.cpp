#include "support/random_cloth.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "support/dice.hpp"

namespace taut::testing {
namespace {

std::string text(const Vec3& v) {
  return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", v.x(), v.y(), v.z());
}

std::string shape_text(Dice& dice, double size) {
  switch (dice.below(4)) {
    case 0:
      return fmt::format(R"({{ "type": "sphere", "radius": {} }})", size);
    case 1:
      return fmt::format(R"({{ "type": "box", "size": [{}, {}, {}] }})", 2 * size,
                         2 * size * dice.between(0.2, 1), 2 * size * dice.between(0.2, 1));
    case 2:
      return fmt::format(R"({{ "type": "capsule", "radius": {}, "length": {} }})",
                         size * dice.between(0.2, 0.7), 2 * size);
    default:
      return fmt::format(R"({{ "type": "cylinder", "radius": {}, "height": {} }})",
                         size * dice.between(0.3, 1), 2 * size * dice.between(0.2, 1));
  }
}

}  // namespace

// Everything starts apart: each thing has a slice of space of its own, and is thrown at the middle.
RandomCloth random_cloth(unsigned seed) {
  Dice dice(seed);
  RandomCloth out;
  const int cloths = 1 + dice.below(2), bodies = dice.below(3);
  const bool has_ground = dice.below(3) > 0;
  const double friction = dice.below(4) == 0 ? 0 : dice.between(0, 1);
  const double fastest = dice.below(2) ? dice.between(0, 3) : dice.power(0, 1.7);
  const double slice = 0.8;
  std::string cloth_list, body_list;
  double height = has_ground ? 0.45 : 0;
  std::vector<Vec3> velocities;
  for (int c = 0; c < cloths; ++c) {
    const bool is_ribbon = dice.below(3) == 0;
    const int columns = is_ribbon ? 3 + dice.below(2) : 6 + dice.below(7);
    const int rows = is_ribbon ? 15 + dice.below(16) : 6 + dice.below(7);
    const double width = is_ribbon ? 0.06 : dice.between(0.3, 0.6);
    const double length = is_ribbon ? 0.6 : dice.between(0.3, 0.6);
    const Mat3 turn = Mat3(dice.rotation());
    const Vec3 centre(dice.between(-0.1, 0.1), dice.between(-0.1, 0.1), height);
    const Vec3 across = turn.col(0), along = turn.col(1);
    const Vec3 origin = centre - 0.5 * width * across - 0.5 * length * along;
    const std::array<const char*, 3> patterns{"quads", "triangles", "crossed"};
    cloth_list += fmt::format(
        R"({}{{ "name": "cloth{}", "grid": {{ "columns": {}, "rows": {}, "width": {}, "height": {}, "origin": {}, "across": {}, "along": {}, "pattern": "{}" }}, "density": {}, "bending_stiffness": {}, "friction": {}, "touches": "all"{} }})",
        c ? ", " : "", c, columns, rows, width, length, text(origin), text(across), text(along),
        patterns[static_cast<std::size_t>(dice.below(3))], dice.power(-1.3, 0), dice.power(-6, -3),
        friction, dice.below(4) == 0 ? R"(, "pins": [{ "part": "top_left" }])" : "");
    velocities.push_back(dice.between(0, fastest) * dice.vector());
    height += slice;
  }
  for (int b = 0; b < bodies; ++b) {
    const Vec3 centre(dice.between(-0.1, 0.1), dice.between(-0.1, 0.1), height);
    const Vec3 velocity(dice.between(-0.2, 0.2) * fastest, dice.between(-0.2, 0.2) * fastest,
                        -dice.between(0, 1) * fastest);
    body_list += fmt::format(
        R"({}{{ "type": "rigid", "name": "body{}", "mass": {}, "position": {}, "velocity": {}, "angular_velocity": {}, "shapes": [{}] }})",
        b ? ", " : "", b, dice.power(-2, 1), text(centre), text(velocity),
        text(dice.between(0, 10) * dice.vector()), shape_text(dice, dice.between(0.05, 0.18)));
    height += 0.5;
  }
  const std::string scene = fmt::format(
      R"({{ "taut": 1, "name": "random", "bodies": [{}], "cloths": [{}],{} "forces": [{{ "type": "gravity", "acceleration": [0, 0, -9.81] }}], "simulation": {{ "step": {}, "duration": 0.4 }} }})",
      body_list, cloth_list,
      has_ground ? R"( "shapes": [{ "type": "plane", "name": "ground" }],)" : "",
      dice.below(3) ? "0.016666666666666666" : "0.005");
  out.scene = io::parse_scene(scene, "random");
  const std::array<const char*, 4> methods{"icd", "icd", "icd2", "fast_projection"};
  out.method = methods[static_cast<std::size_t>(dice.below(4))];
  out.what = fmt::format("{} cloths, {} bodies{}, up to {:.3g} m/s, µ {:.2g}, h {:.3g}, {}", cloths,
                         bodies, has_ground ? ", ground" : "", fastest, friction, out.scene.step,
                         out.method);
  // Cloths are thrown as a whole, but for what is pinned.
  out.start = out.scene.system.initial_state();
  for (std::size_t c = 0; c < out.scene.surfaces.size(); ++c)
    for (const BodyId vertex : out.scene.surfaces[c].vertices)
      out.start.v.segment<3>(out.scene.system.slot(vertex).v) = velocities[c];
  return out;
}

}  // namespace taut::testing
