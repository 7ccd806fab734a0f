// An export as an output of a run, without a recording in between.
#include <fmt/core.h>

#include "taut/record/export.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/record/run_writer.hpp"

namespace taut::io {
namespace {

RunWriterOption to_option() {
  RunWriterOption option{"to", "format of the export; auto takes that of its extension", {"auto"}};
  for (const ExportFormat& format : export_formats()) option.choices.push_back(format.name);
  return option;
}

const ExportFormat& wanted_format(const RunTarget& target) {
  const RunWriterOption option = to_option();
  return find_export_format(option.choices[chosen(target, option)], target.path);
}

class ExportOutput final : public RunWriter {
 public:
  explicit ExportOutput(const RunTarget& target)
      : system_(target.scene.system),
        number_(detail::recorded_numbers(system_)),
        info_(described(target)),
        export_(wanted_format(target), {.info = info_,
                                        .path = target.path,
                                        .size = spread(system_, system_.initial_state()),
                                        .interval = target.interval,
                                        .has_velocities = true}) {
    frame_.positions.resize(info_.body_count());
    frame_.velocities.resize(info_.body_count());
    frame_.orientations.resize(info_.rigid_names.size());
    frame_.angular_velocities.resize(info_.rigid_names.size());
  }

  void record(const RunSample& sample) override {
    const State& state = sample.state;
    frame_.time = state.time;
    for (std::size_t i = 0; i < number_.size(); ++i) {
      const BodySlot& slot = system_.slots()[i];
      const auto body = static_cast<std::size_t>(number_[i]);
      frame_.positions[body] = state.q.segment<3>(slot.q);
      frame_.velocities[body] = state.v.segment<3>(slot.v);
      if (slot.rigid < 0) continue;
      const auto q = state.q.segment<4>(slot.q + 3);
      const std::size_t rigid = body - info_.particle_count;
      frame_.orientations[rigid] = Quat(q[0], q[1], q[2], q[3]);
      frame_.angular_velocities[rigid] =
          frame_.orientations[rigid] * Vec3(state.v.segment<3>(slot.v + 3));
    }
    frame_.contacts.clear();
    for (const ContactSample& contact : sample.contacts)
      frame_.contacts.push_back({number(contact.body_a), number(contact.body_b),
                                 contact.point.cast<float>(), contact.normal.cast<float>(),
                                 contact.force.cast<float>(), contact.slip.cast<float>(),
                                 contact.torque.cast<float>(), static_cast<float>(contact.gap)});
    export_.record(frame_);
    place_ = export_.format().is_folder() ? export_.path() : std::filesystem::path();
  }
  void finish(const RunReport&) override {
    export_.finish();
    place_ = export_.path();
  }
  std::filesystem::path place() const override { return place_; }
  std::string details() const override {
    return fmt::format("{}, {}", export_.format().name, export_.details());
  }

 private:
  RecordingInfo described(const RunTarget& target) const {
    RecordingInfo info = detail::recording_info(target.scene, number_);
    info.method = target.method;
    info.frame_interval = target.interval;
    return info;
  }
  int number(BodyId body) const {
    return body.is_world() ? -1 : number_[static_cast<std::size_t>(body.index)];
  }

  const System& system_;
  const std::vector<int> number_;  // per body of the system
  const RecordingInfo info_;
  Export export_;
  ExportFrame frame_;
  std::filesystem::path place_;
};

}  // namespace

RunWriterInfo describe_export_output() {
  return {.name = "export",
          .file = "NAME.glb",
          .summary = "the motion for another program: glTF, USD, VTK, CSV or NumPy",
          .place = RunWriterInfo::Place::file,
          .takes_contacts = true,
          .options = {to_option()},
          .check = [](const RunTarget& target) { wanted_format(target); },
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<ExportOutput>(target);
          }};
}

}  // namespace taut::io
