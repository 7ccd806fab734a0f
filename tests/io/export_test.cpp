// Exports that cannot be written, and the archive of .npz. What is in the files is checked by the
// test `exports`, with other readers.
#include "taut/record/export.hpp"

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "io/small_disk.hpp"
#include "taut/record/zip_file.hpp"

namespace taut::io {
namespace {

using ExportFile = ScratchFolder;

std::string file_name(const ExportFormat& format) {
  return format.is_folder() ? "frames" : "motion" + std::string(format.extensions.front());
}

/// A body and a sheet of one triangle.
RecordingInfo some_info() {
  RecordingInfo info;
  info.scene = "some";
  info.particle_count = 3;
  info.particle_names = {"a", "b", "c"};
  info.rigid_names = {"body"};
  info.rigid_boxes.resize(1);
  info.rigid_boxes[0].size = {1, 2, 3};
  info.surfaces.push_back({"sheet", {BodyId{0}, BodyId{1}, BodyId{2}}, {{{0, 1, 2, -1}}}});
  return info;
}

ExportFrame frame_at(double time) {
  ExportFrame frame;
  frame.time = time;
  frame.positions = {{0, 0, time}, {1, 0, time}, {0, 1, time}, {2, 0, 0}};
  frame.orientations = {Quat::Identity()};
  return frame;
}

TEST_F(ExportFile, OnAFullDiskThereIsOneErrorAndNoFile) {
  const RecordingInfo info = some_info();
  for (const ExportFormat& format : export_formats()) {
    const auto path = folder_ / std::string(format.name) / file_name(format);
    const std::string message = message_of([&] {
      const SmallDisk disk(150);
      Export output(format, {.info = info, .path = path});
      for (int i = 0; i < 10; ++i) output.record(frame_at(0.1 * i));
      output.finish();
    });
    EXPECT_TRUE(testing::has_all(message, "cannot be written|File too large")) << format.name;
    std::error_code no_throw;
    for (const auto& left : std::filesystem::recursive_directory_iterator(folder_))
      EXPECT_TRUE(left.is_directory()) << left.path();
    std::filesystem::remove_all(folder_ / std::string(format.name), no_throw);
  }
}

TEST_F(ExportFile, WhatIsNotFiniteIsLeftOutOrSaid) {
  const RecordingInfo info = some_info();
  for (const ExportFormat& format : export_formats()) {
    const auto path = folder_ / file_name(format);
    Export output(format, {.info = info, .path = path});
    ExportFrame bad = frame_at(1);
    bad.positions[1].y() = std::nan("");
    output.record(bad);
    if (format.takes_nan) {
      EXPECT_EQ(output.count(), 1);
      continue;
    }
    EXPECT_TRUE(testing::has_all(message_of([&] { output.finish(); }), "no frame|numbers"));
    EXPECT_FALSE(std::filesystem::exists(path));
    output.record(frame_at(2));
    output.finish();
    EXPECT_EQ(output.left_out(), 1);
    EXPECT_TRUE(testing::has_all(output.details(), "without 1 frame"));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
}

TEST_F(ExportFile, IsFoundByNameAndByExtension) {
  EXPECT_EQ(find_export_format("auto", "a/b.GLB").name, "gltf");
  EXPECT_EQ(find_export_format("", "b.usda").name, "usd");
  EXPECT_EQ(find_export_format("ply", "b.usda").name, "ply");
  EXPECT_TRUE(testing::has_all(message_of([] { find_export_format("gltv", "b.glb"); }), "gltv|gltf"));
  EXPECT_TRUE(testing::has_all(message_of([] { find_export_format("csv", "b.glb"); }), "b.glb|.csv"));
  EXPECT_TRUE(testing::has_all(message_of([] { find_export_format("", "glb"); }), "no extension|.glb"));
}

TEST(ZipArchive, CyclicRedundancyCheckIsTheCommonOne) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xCBF43926u);
  EXPECT_EQ(crc32(""), 0u);
}

}  // namespace
}  // namespace taut::io
