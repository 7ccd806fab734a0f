// report.json: the report object of the run, when it is over.
#include "taut/record/output.hpp"
#include "taut/record/run_writer.hpp"

namespace taut::io {
namespace {

class ReportWriter final : public RunWriter {
 public:
  explicit ReportWriter(const RunTarget& target)
      : scene_(target.scene), method_(target.method), path_(target.path) {}

  void record(const RunSample&) override {}
  void finish(const RunReport& report) override {
    write_file(path_, report_json(scene_, method_, report));
    is_written_ = true;
  }
  std::filesystem::path place() const override {
    return is_written_ ? path_ : std::filesystem::path();
  }

 private:
  const Scene& scene_;
  std::string method_;
  std::filesystem::path path_;
  bool is_written_ = false;
};

}  // namespace

RunWriterInfo describe_report_writer() {
  return {.name = "report",
          .file = "report.json",
          .summary = "the report: errors, energy, forces, cost",
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<ReportWriter>(target);
          }};
}

}  // namespace taut::io
