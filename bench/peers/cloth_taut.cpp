// Cloth as taut has it: yarns of exact length, from a mesh.
#include "cloth_taut.hpp"

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"

namespace peers {

using namespace taut;

System cloth_system(const Scene& scene, std::vector<BodyId>& moving) {
  System system;
  apply(system, Gravity{scene.gravity});
  const int n = scene.cloth_side;
  Grid grid;
  grid.columns = grid.rows = n;
  grid.along = Vec3::UnitZ();
  const Mesh mesh = grid_mesh(grid);
  std::vector<int> held(mesh.vertices.size(), 0);
  for (const int vertex : scene.held) held[static_cast<std::size_t>(vertex)] = 1;
  ClothMaterial material;
  material.shear_stiffness = scene.springs.front().stiffness;
  material.bending_stiffness = 0;
  const Surface surface = add_cloth(system, mesh, material, "cloth", n, held);
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0)
      moving.push_back(surface.vertices[i]);
    else
      constrain(system, Pin{Point(surface.vertices[i]), {}, {}});
  }
  return system;
}

}  // namespace peers
