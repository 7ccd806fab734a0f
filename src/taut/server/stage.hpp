// What stays while a scene is shown, in the words of the protocol: its message `scene`, and the
// binary frames with surfaces, links and meshes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taut/record/recording.hpp"
#include "taut/scene/scene.hpp"
#include "taut/server/snapshot.hpp"
#include "taut/text/json.hpp"

namespace taut::server {

std::shared_ptr<const Frame> make_frame(const io::Scene& scene);

/// Everything a client needs to draw states.
struct StageMessages {
  std::string scene;                ///< JSON
  std::vector<std::string> frames;  ///< binary
};

/// What is known beside the scene itself; goes into the JSON as it is.
struct StageFacts {
  std::uint32_t generation = 0;
  io::Json more = io::Json::object();
};
StageMessages describe_stage(const io::Scene& scene, const StageFacts& facts);
StageMessages describe_stage(const io::RecordingInfo& info, const io::RecordedFrame& start,
                             const StageFacts& facts);

io::Json hands_json(const io::Scene& scene, const BodyOrder& order);
io::Json vector_json(const Vec3& v);
io::Json parameter_json(const io::SceneParameter& parameter);

}  // namespace taut::server
