// Frames: the surfaces at every frame as a mesh, as an output of a run.
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

class FrameWriter final : public RunWriter {
 public:
  explicit FrameWriter(const RunTarget& target)
      : system_(target.scene.system),
        frames_(target.path, chosen_format(target), target.scene.surfaces) {}

  void record(const RunSample& sample) override {
    frames_.write(sample.state.time, [&](BodyId body) -> Vec3 {
      return sample.state.q.segment<3>(system_.slot(body).q);
    });
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
          .summary = "the surfaces as one mesh per frame; scenes with surfaces only",
          .place = RunWriterInfo::Place::folder,
          .needs = {.surfaces = true},
          .options = {format_option()},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<FrameWriter>(target);
          }};
}

}  // namespace taut::io
