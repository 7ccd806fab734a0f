#include "taut/io/output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "taut/base/version.hpp"
#include "taut/io/whole_file_internal.hpp"

namespace taut::io {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities: null stands for them.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// A CSV field; quoted where a reader would stumble otherwise (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view text) {
  detail::WholeFile file(path);
  file.write(text);
  file.finish();
}

std::string report_json(const Scene& scene, std::string_view method, const RunReport& report) {
  Json json;
  json["taut"] = version;
  json["scene"] = scene.name;
  json["parameters"] = Json::object();
  for (const SceneParameter& parameter : scene.parameters)
    json["parameters"][parameter.name] = finite(parameter.value);
  json["method"] = method;
  json["step"] = finite(report.step);
  json["steps"] = report.steps;
  json["time"] = finite(report.time);
  json["status"] = status_text(report.status);
  json["reason"] = report.reason.empty() ? Json() : Json(report.reason);
  json["diverged_at_step"] = report.diverged_at_step < 0 ? Json() : Json(report.diverged_at_step);
  json["constraint_error"] = {{"accumulated", finite(report.constraint_error.accumulated)},
                              {"max", finite(report.constraint_error.max)},
                              {"final", finite(report.constraint_error.final)}};
  json["energy"] = {{"initial", finite(report.energy.initial)},
                    {"final", finite(report.energy.final)},
                    {"max_abs_error", finite(report.energy.max_abs_error)},
                    {"conservative", report.energy.conservative}};
  if (const auto& deviation = report.reference_deviation)
    json["reference_deviation"] = {{"point", deviation->point},
                                   {"axis", std::string(1, deviation->axis)},
                                   {"max", finite(deviation->max)},
                                   {"rms", finite(deviation->rms)},
                                   {"until", finite(deviation->until)}};
  json["cost"] = {{"wall_seconds", finite(report.cost.wall_seconds)},
                  {"cpu_seconds", finite(report.cost.cpu_seconds)},
                  {"microseconds_per_step", finite(report.cost.microseconds_per_step)},
                  {"linear_solves", report.cost.linear_solves},
                  {"iterations", report.cost.iterations},
                  {"regularized_steps", report.cost.regularized_steps},
                  {"unconverged_steps", report.cost.unconverged_steps},
                  {"solver", report.cost.solver}};
  // Names may come from C++ and be no UTF-8: that must not lose a report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct TrajectoryWriter::Impl {
  Impl(std::filesystem::path path, const System& of) : file(std::move(path)), system(of) {}

  template <class Vector>
  void add(const Vector& values) {
    for (const double value : values) fmt::format_to(std::back_inserter(line), ",{}", value);
  }
  void end_line() {
    line.push_back('\n');
    file.write({line.data(), line.size()});
    line.clear();
  }

  detail::WholeFile file;
  const System& system;
  fmt::memory_buffer line;
};

TrajectoryWriter::TrajectoryWriter(std::filesystem::path path, const System& system)
    : impl_(std::make_unique<Impl>(std::move(path), system)) {
  const std::string_view particle[] = {"x", "y", "z", "vx", "vy", "vz"};
  const std::string_view rigid[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                    "vx", "vy", "vz", "wx", "wy", "wz"};
  fmt::format_to(std::back_inserter(impl_->line), "time");
  for (int i = 0; i < system.body_count(); ++i)
    for (const std::string_view part :
         system.is_rigid({i}) ? std::span<const std::string_view>(rigid) : particle)
      fmt::format_to(std::back_inserter(impl_->line), ",{}",
                     csv_field(fmt::format("{}.{}", system.body_name({i}), part)));
  impl_->end_line();
}

TrajectoryWriter::~TrajectoryWriter() = default;

void TrajectoryWriter::record(const State& state) {
  fmt::format_to(std::back_inserter(impl_->line), "{}", state.time);
  for (const BodySlot& slot : impl_->system.slots()) {
    impl_->add(state.q.segment<3>(slot.q));
    if (slot.rigid >= 0) impl_->add(state.q.segment<4>(slot.q + 3));
    impl_->add(state.v.segment<3>(slot.v));
    if (slot.rigid >= 0) {  // in the world's directions, as in scenes
      const auto q = state.q.segment<4>(slot.q + 3);
      const Vec3 turning = state.v.segment<3>(slot.v + 3);
      impl_->add(Vec3(Quat(q[0], q[1], q[2], q[3]) * turning));
    }
  }
  impl_->end_line();
}

void TrajectoryWriter::finish() { impl_->file.finish(); }

}  // namespace taut::io
