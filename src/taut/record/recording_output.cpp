// The recording as an output of a run.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "taut/record/recording.hpp"
#include "taut/record/run_writer.hpp"

namespace taut::io {
namespace {

const RunWriterOption& positions_option() {
  static const RunWriterOption option{
      "recorded-positions",
      "how positions are stored; uint16 takes half the space, auto is float32 up to 1000 particles "
      "and uint16 above",
      {"auto", "float32", "uint16"}};
  return option;
}

std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e6) return fmt::format("{:.3g} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.3g} MB", size / 1e6) : fmt::format("{:.3g} GB", size / 1e9);
}

class RecordingOutput final : public RunWriter {
 public:
  explicit RecordingOutput(const RunTarget& target)
      : scene_(target.scene),
        writer_(target.path, target.scene, target.method, target.interval,
                static_cast<RecordedPositions>(chosen(target, positions_option()))) {}

  void record(const RunSample& sample) override { writer_.record(sample.state, sample.contacts); }
  void flush() override { writer_.flush(); }
  void finish(const RunReport&) override { writer_.finish(); }
  std::filesystem::path place() const override { return writer_.place(); }
  std::string details() const override {
    return fmt::format(
        "{}, {:.3g} bytes per {} and frame", size_text(writer_.file_size()),
        static_cast<double>(writer_.frame_size()) / std::max(1, scene_.system.body_count()),
        scene_.surfaces.empty() ? "body" : "vertex");
  }

 private:
  const Scene& scene_;
  RecordingWriter writer_;
};

}  // namespace

RunWriterInfo describe_recording_writer() {
  return {.name = "recording",
          .file = "NAME.taut",
          .summary = "the motion in one binary file, for players and taut export",
          .place = RunWriterInfo::Place::file,
          .takes_contacts = true,
          .options = {positions_option()},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<RecordingOutput>(target);
          }};
}

}  // namespace taut::io
