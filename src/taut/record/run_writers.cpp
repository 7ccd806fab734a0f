#include <fmt/core.h>

#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {

RunWriterInfo describe_report_writer();
RunWriterInfo describe_trajectory_writer();
RunWriterInfo describe_force_writer();
RunWriterInfo describe_joint_writer();
RunWriterInfo describe_contact_writer();
RunWriterInfo describe_event_writer();
RunWriterInfo describe_sensor_writer();
RunWriterInfo describe_recording_writer();
RunWriterInfo describe_frame_writer();
RunWriterInfo describe_export_output();

std::span<const RunWriterInfo> run_writers() {
  static const RunWriterInfo all[] = {
      describe_report_writer(), describe_trajectory_writer(), describe_force_writer(),
      describe_joint_writer(),  describe_contact_writer(),    describe_event_writer(),
      describe_sensor_writer(), describe_recording_writer(),  describe_frame_writer(),
      describe_export_output(),
  };
  return all;
}

namespace {

bool has_laws(const System& system) {
  for (const auto& batch : system.constraints())
    for (int c = 0; c < batch->size(); ++c)
      for (int r = 0; r < batch->rows_per_constraint(); ++r)
        if (!batch->law(c, r).holds_always()) return true;
  return false;
}

}  // namespace

bool RunWriterInfo::suits(const Scene& scene) const {
  return !(needs.joints && scene.system.joints().empty()) &&
         !(needs.contacts && !scene.system.may_touch()) &&
         !(needs.sensors && scene.sensors.empty()) &&
         !(needs.laws && !has_laws(scene.system) && !scene.system.may_touch());
}

const RunWriterInfo& find_run_writer(std::string_view name) {
  std::vector<std::string_view> known;
  for (const RunWriterInfo& writer : run_writers()) {
    if (writer.name == name) return writer;
    known.push_back(writer.name);
  }
  throw Error(fmt::format("there is no output \"{}\"{}", name, suggestion(name, known)));
}

std::size_t chosen(const RunTarget& target, const RunWriterOption& option) {
  const auto given = target.options.find(option.name);
  if (given == target.options.end()) return 0;
  const auto& known = option.choices;
  const auto found = std::find(known.begin(), known.end(), given->second);
  if (found == known.end())
    throw Error(fmt::format("--{}: found \"{}\"{}", option.name, given->second,
                            suggestion(given->second, known)));
  return static_cast<std::size_t>(found - known.begin());
}

void make_directory(const std::filesystem::path& directory) {
  if (directory.empty()) return;  // the current one
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw WriteError(fmt::format("{}: cannot make this directory: {}",
                                 shown_file(directory.string()), error.message()));
}

}  // namespace taut::io
