// A part of a scene of cloth, for one of several processes that divide it: see
// docs/distributed.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/cloth/cloth_part.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {

struct ClothShare : ClothPart {
  std::string name;
  int columns = 0;          ///< of a grid
  int first_body = 0;       ///< the number of its first vertex in the whole scene
  std::vector<int> pinned;  ///< vertices of the whole cloth, in the order of the pins
};

/// The scene has the bodies of this part and those around them, cloth by cloth.
struct SceneShare {
  Scene scene;
  std::vector<ClothShare> cloths;
  std::vector<double> releases;  ///< the times at which pins of the whole scene let go, ascending
  int whole_bodies = 0;
};

/// As load_scene(). Throws Error for a scene that is not of cloth alone, or has what cannot be
/// divided: it says what, and what to use instead.
SceneShare load_scene_share(const std::string& name_or_path, std::span<const Setting> settings,
                            int part, int parts);
/// As parse_scene().
SceneShare parse_scene_share(std::string_view text, const std::string& origin,
                             std::span<const Setting> settings, int part, int parts);

}  // namespace taut::io
