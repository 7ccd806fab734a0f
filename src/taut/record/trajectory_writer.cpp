// trajectory.csv: time, then per body its position (and quaternion) and velocities. The angular
// velocity is in world axes, as in scenes.
#include "taut/record/csv_writer_internal.hpp"

namespace taut::io {
namespace {

class TrajectoryWriter final : public detail::CsvWriter {
 public:
  explicit TrajectoryWriter(const RunTarget& target) : CsvWriter(target) {
    const std::string_view particle[] = {"x", "y", "z", "vx", "vy", "vz"};
    const std::string_view rigid[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                      "vx", "vy", "vz", "wx", "wy", "wz"};
    for (int i = 0; i < system_.body_count(); ++i)
      for (const std::string_view part :
           system_.is_rigid({i}) ? std::span<const std::string_view>(rigid) : particle)
        add_column(fmt::format("{}.{}", system_.body_name({i}), part));
    end_header();
  }

  void record(const RunSample& sample) override {
    const State& state = sample.state;
    begin_line(state.time);
    for (const BodySlot& slot : system_.slots()) {
      add(state.q.segment<3>(slot.q));
      if (slot.rigid >= 0) add(state.q.segment<4>(slot.q + 3));
      add(state.v.segment<3>(slot.v));
      if (slot.rigid >= 0) {
        const auto q = state.q.segment<4>(slot.q + 3);
        const Vec3 turning = state.v.segment<3>(slot.v + 3);
        add(Vec3(Quat(q[0], q[1], q[2], q[3]) * turning));
      }
    }
    end_record();
  }
};

}  // namespace

RunWriterInfo describe_trajectory_writer() {
  return {.name = "trajectory",
          .file = "trajectory.csv",
          .summary = "position and velocity of every body over time",
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<TrajectoryWriter>(target);
          }};
}

}  // namespace taut::io
