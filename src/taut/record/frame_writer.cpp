// Frames: what is drawn of the scene, as a mesh per frame, as an output of a run.
#include "taut/record/recording_internal.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/record/surface_frames.hpp"

namespace taut::io {
namespace {

RunWriterOption format_option() {
  RunWriterOption option{"frame-format", "format of the frames", {"ply"}};
  for (const MeshFormat& format : mesh_formats())
    if (format.name != option.choices.front()) option.choices.push_back(format.name);
  return option;
}

const MeshFormat& chosen_format(const RunTarget& target) {
  const RunWriterOption option = format_option();
  return find_mesh_format(option.choices[chosen(target, option)]);
}

/// The skin of a scene, with the bodies numbered as in its system.
std::vector<SkinPart> scene_skin(const Scene& scene) {
  const System& system = scene.system;
  const std::vector<int> numbers = detail::recorded_numbers(system);
  std::vector<BodyId> bodies(numbers.size());
  for (int i = 0; i < system.body_count(); ++i)
    bodies[static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)])] = {i};
  std::vector<SkinPart> parts =
      skin_of(detail::recording_info(scene, numbers), spread(system, system.initial_state()));
  for (SkinPart& part : parts)
    for (SkinVertex& vertex : part.vertices)
      if (BodyId& body = vertex.point.body; !body.is_world())
        body = bodies[static_cast<std::size_t>(body.index)];
  return parts;
}

class FrameWriter final : public RunWriter {
 public:
  explicit FrameWriter(const RunTarget& target)
      : system_(target.scene.system),
        frames_(target.path, chosen_format(target), scene_skin(target.scene)) {}

  void record(const RunSample& sample) override {
    const Pose pose(system_, sample.state.q);
    frames_.write(sample.state.time, [&](const Point& point) { return pose.at(point); });
  }
  void finish(const RunReport&) override { frames_.finish(); }
  std::filesystem::path place() const override { return frames_.folder(); }

 private:
  const System& system_;
  SurfaceFrames frames_;
};

}  // namespace

RunWriterInfo describe_frame_writer() {
  return {.name = "frames",
          .file = "frame_00000.ply, …",
          .summary = "surfaces, shapes, particles and links as one mesh per frame",
          .place = RunWriterInfo::Place::folder,
          .options = {format_option()},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<FrameWriter>(target);
          }};
}

}  // namespace taut::io
