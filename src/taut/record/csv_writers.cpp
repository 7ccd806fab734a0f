// The tables a run leaves behind, line by line while it goes on.
#include <fmt/format.h>

#include <iterator>

#include "taut/record/output.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace detail {

struct CsvLines {
  CsvLines(std::filesystem::path path, const System& of) : file(std::move(path)), system(of) {}

  template <class Vector>
  void add(const Vector& values) {
    for (const double value : values) fmt::format_to(std::back_inserter(line), ",{}", value);
  }
  void end_line() {
    line.push_back('\n');
    file.write({line.data(), line.size()});
    line.clear();
  }

  WholeFile file;
  const System& system;
  fmt::memory_buffer line;
};

}  // namespace detail

namespace {

/// A CSV field; quoted where a reader would stumble otherwise (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(std::filesystem::path path, const System& system)
    : impl_(std::make_unique<detail::CsvLines>(std::move(path), system)) {
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

namespace {

/// What row `row` of a constraint is called.
std::string row_name(const ConstraintBatch& batch, int row) {
  const std::string_view name = batch.row_name(row);
  return name.empty() ? std::to_string(row + 1) : std::string(name);
}

}  // namespace

ForceWriter::ForceWriter(std::filesystem::path path, const System& system)
    : impl_(std::make_unique<detail::CsvLines>(std::move(path), system)) {
  fmt::format_to(std::back_inserter(impl_->line), "time");
  for (const auto& batch : system.constraints()) {
    for (int i = 0; i < batch->size(); ++i)
      for (int row = 0; row < batch->rows_per_constraint(); ++row)
        fmt::format_to(std::back_inserter(impl_->line), ",{}",
                       csv_field(fmt::format("{}.{} ({})", batch->name(i), row_name(*batch, row),
                                             batch->force_unit(i, row))));
  }
  impl_->end_line();
}

ForceWriter::~ForceWriter() = default;

void ForceWriter::record(const State& state, const VecX& lambda) {
  fmt::format_to(std::back_inserter(impl_->line), "{}", state.time);
  impl_->add(lambda);
  impl_->end_line();
}

void ForceWriter::finish() { impl_->file.finish(); }

JointWriter::JointWriter(std::filesystem::path path, const System& system)
    : impl_(std::make_unique<detail::CsvLines>(std::move(path), system)) {
  const auto to = std::back_inserter(impl_->line);
  fmt::format_to(to, "time");
  for (const Joint& joint : system.joints()) {
    for (const JointCoordinate& each : joint.coordinates) {
      const char* unit = each.coordinate.is_turn() ? "rad" : "m";
      fmt::format_to(to, ",{},{}",
                     csv_field(fmt::format("{}.{} ({})", joint.name, each.name, unit)),
                     csv_field(fmt::format("{}.{}_rate ({}/s)", joint.name, each.name, unit)));
    }
    for (const char* part : {"fx (N)", "fy (N)", "fz (N)", "tx (N·m)", "ty (N·m)", "tz (N·m)"})
      fmt::format_to(to, ",{}", csv_field(fmt::format("{}.{}", joint.name, part)));
  }
  impl_->end_line();
}

JointWriter::~JointWriter() = default;

void JointWriter::record(double time, const std::vector<JointSample>& joints) {
  fmt::format_to(std::back_inserter(impl_->line), "{}", time);
  for (const JointSample& joint : joints) {
    for (const JointSample::Moved& moved : joint.coordinates)
      impl_->add(std::array<double, 2>{moved.value, moved.rate});
    impl_->add(joint.force);
    impl_->add(joint.torque);
  }
  impl_->end_line();
}

void JointWriter::finish() { impl_->file.finish(); }

}  // namespace taut::io
