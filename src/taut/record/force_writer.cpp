// forces.csv: time, then the constraint force of every row, named constraint.row (unit). For a
// distance it is the tension; for a pin or a ball the components along the world axes.
#include "taut/record/csv_writer_internal.hpp"

namespace taut::io {
namespace {

class ForceWriter final : public detail::CsvWriter {
 public:
  explicit ForceWriter(const RunTarget& target) : CsvWriter(target) {
    for (const auto& batch : system_.constraints())
      for (int i = 0; i < batch->size(); ++i)
        for (int row = 0; row < batch->rows_per_constraint(); ++row) {
          const std::string_view name = batch->row_name(row);
          add_column(fmt::format("{}.{} ({})", batch->name(i),
                                 name.empty() ? std::to_string(row + 1) : std::string(name),
                                 batch->force_unit(i, row)));
        }
    end_header();
  }

  void record(const RunSample& sample) override {
    begin_line(sample.state.time);
    add(sample.lambda);
    end_record();
  }
};

}  // namespace

RunWriterInfo describe_force_writer() {
  return {.name = "forces",
          .file = "forces.csv",
          .summary = "constraint forces over time",
          .needs = {.forces = true},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<ForceWriter>(target);
          }};
}

}  // namespace taut::io
