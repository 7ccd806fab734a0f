#include "taut/record/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "taut/base/error.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {

ExportFormat describe_csv_export();
ExportFormat describe_gltf_export();
ExportFormat describe_npz_export();
ExportFormat describe_usd_export();
ExportFormat describe_vtk_export();
std::vector<ExportFormat> describe_mesh_exports();

std::span<const ExportFormat> export_formats() {
  static const std::vector<ExportFormat> all = [] {
    std::vector<ExportFormat> formats = describe_mesh_exports();
    for (const auto describe : {describe_gltf_export, describe_usd_export, describe_vtk_export,
                                describe_csv_export, describe_npz_export})
      formats.push_back(describe());
    return formats;
  }();
  return all;
}

namespace {

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool has(const ExportFormat& format, const std::string& extension) {
  return std::find(format.extensions.begin(), format.extensions.end(), extension) !=
         format.extensions.end();
}

const ExportFormat& named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return format;
    known.push_back(format.name);
  }
  throw Error(fmt::format("--to: found \"{}\"{}", name, suggestion(name, known)));
}

const ExportFormat& of_extension(const std::filesystem::path& path) {
  std::vector<std::string_view> known;
  for (const ExportFormat& format : export_formats()) {
    if (has(format, extension_of(path))) return format;
    known.insert(known.end(), format.extensions.begin(), format.extensions.end());
  }
  throw Error(fmt::format("{}: found {}, expected one of {}, or --to with the name of a format",
                          shown_file(path.string()),
                          path.has_extension()
                              ? fmt::format("the extension \"{}\"", path.extension().string())
                              : "no extension",
                          fmt::join(known, ", ")));
}

}  // namespace

const ExportFormat& find_export_format(std::string_view name, const std::filesystem::path& path) {
  if (name.empty() || name == "auto") return of_extension(path);
  const ExportFormat& format = named(name);
  if (!format.is_folder() && !has(format, extension_of(path)))
    throw Error(fmt::format("{}: expected a name that ends in {}, for --to {}",
                            shown_file(path.string()), fmt::join(format.extensions, " or "), name));
  return format;
}

Vec3 ExportFrame::at(const RecordingInfo& info, const Point& point) const {
  if (point.body.is_world()) return point.local;
  const auto body = static_cast<std::size_t>(point.body.index);
  if (body < info.particle_count) return positions[body];
  return positions[body] + orientations[body - info.particle_count] * point.local;
}

// What is larger would leave no room for differences of two float32.
bool ExportFrame::is_finite() const {
  constexpr double largest = 1e38;
  return std::all_of(positions.begin(), positions.end(),
                     [&](const Vec3& place) { return (place.array().abs() < largest).all(); }) &&
         std::all_of(orientations.begin(), orientations.end(),
                     [](const Quat& turn) { return turn.coeffs().allFinite(); });
}

void to_export(const RecordedFrame& from, ExportFrame& to) {
  to.time = from.time;
  to.positions.resize(from.positions.size());
  for (std::size_t i = 0; i < from.positions.size(); ++i)
    to.positions[i] = from.positions[i].cast<double>();
  to.orientations.resize(from.orientations.size());
  for (std::size_t i = 0; i < from.orientations.size(); ++i)
    to.orientations[i] = from.orientations[i].cast<double>();
  to.contacts = from.contacts;
}

Export::Export(const ExportFormat& format, ExportTarget target)
    : format_(format), target_(std::move(target)) {
  make_directory(format.is_folder() ? target_.path : target_.path.parent_path());
  writer_ = format.make(format, target_);
}

Export::~Export() = default;

void Export::record(const ExportFrame& frame) {
  if (!format_.takes_nan && !frame.is_finite()) {
    ++left_out_;
    return;
  }
  writer_->record(frame);
  ++count_;
}

void Export::finish() {
  if (count_ == 0)
    throw WriteError(fmt::format("{}: found no frame whose positions are numbers, nothing was written",
                            shown_file(target_.path.string())));
  writer_->finish();
}

std::string Export::details() const {
  if (left_out_ == 0) return writer_->details();
  return fmt::format("{}, without {} frames that are not finite", writer_->details(), left_out_);
}

}  // namespace taut::io
