// joints.csv: time, then per joint its coordinates (full turns are counted) with their rates, and
// what a exerts on b: the force, and the torque about the joint's point on b, in world axes.
#include <array>

#include "taut/record/csv_writer_internal.hpp"

namespace taut::io {
namespace {

class JointWriter final : public detail::CsvWriter {
 public:
  explicit JointWriter(const RunTarget& target) : CsvWriter(target) {
    for (const Joint& joint : system_.joints()) {
      for (const JointCoordinate& each : joint.coordinates) {
        const char* unit = each.coordinate.is_turn() ? "rad" : "m";
        add_column(fmt::format("{}.{} ({})", joint.name, each.name, unit));
        add_column(fmt::format("{}.{}_rate ({}/s)", joint.name, each.name, unit));
      }
      for (const char* part : {"fx (N)", "fy (N)", "fz (N)", "tx (N·m)", "ty (N·m)", "tz (N·m)"})
        add_column(fmt::format("{}.{}", joint.name, part));
    }
    end_header();
  }

  void record(const RunSample& sample) override {
    begin_line(sample.state.time);
    for (const JointSample& joint : sample.joints) {
      for (const JointSample::Moved& moved : joint.coordinates)
        add(std::array<double, 2>{moved.value, moved.rate});
      add(joint.force);
      add(joint.torque);
    }
    end_record();
  }
};

}  // namespace

RunWriterInfo describe_joint_writer() {
  return {.name = "joints",
          .file = "joints.csv",
          .summary = "joint coordinates, forces and torques over time; scenes with joints only",
          .needs = {.joints = true},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<JointWriter>(target);
          }};
}

}  // namespace taut::io
