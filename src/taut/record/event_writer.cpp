// events.csv: a line for each thing that was done beside plain steps of the method: when a stop was
// hit, where a step was cut or done again. Scenes with stops, strings, motors or friction only.
#include "taut/record/csv_writer_internal.hpp"

namespace taut::io {
namespace {

class EventWriter final : public detail::CsvWriter {
 public:
  explicit EventWriter(const RunTarget& target) : CsvWriter(target) {
    for (const char* column : {"event", "constraint", "amount"}) add_column(column);
    end_header();
    for (const auto& batch : system_.constraints())
      for (int c = 0; c < batch->size(); ++c)
        for (int r = 0; r < batch->rows_per_constraint(); ++r) names_.push_back(batch->name(c));
  }

  void record(const RunSample&) override {}
  void note(const StepEvent& event) override {
    begin_line(event.time);
    add_column(event_text(event.kind));
    add_column(event.row < 0 ? "" : names_[static_cast<std::size_t>(event.row)]);
    add(std::array{event.amount});
    end_record();
  }

 private:
  std::vector<std::string> names_;  // per row, of its constraint
};

}  // namespace

RunWriterInfo describe_event_writer() {
  return {.name = "events",
          .file = "events.csv",
          .summary = "when stops were hit and steps cut; scenes with stops, strings, motors only",
          .needs = {.laws = true},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<EventWriter>(target);
          }};
}

}  // namespace taut::io
