// sensors.csv: time, then one column for each sensor of the scene, named with its unit. What is no
// number is written as nan or inf.
#include "taut/record/csv_writer_internal.hpp"

namespace taut::io {
namespace {

class SensorWriter final : public detail::CsvWriter {
 public:
  explicit SensorWriter(const RunTarget& target) : CsvWriter(target) {
    const SensorSet& sensors = target.scene.sensors;
    for (int i = 0; i < sensors.size(); ++i) add_column(sensors.label(i));
    end_header();
  }

  void record(const RunSample& sample) override {
    begin_line(sample.state.time);
    add(sample.sensors);
    end_record();
  }
};

}  // namespace

RunWriterInfo describe_sensor_writer() {
  return {.name = "sensors",
          .file = "sensors.csv",
          .summary = "the scene's sensors over time; scenes with sensors only",
          .needs = {.sensors = true},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<SensorWriter>(target);
          }};
}

}  // namespace taut::io
