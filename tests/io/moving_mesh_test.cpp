// Meshes on bodies: convex pieces, their mass, and the cache.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/messages.hpp"
#include "support/solids.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/scene/mesh_pieces.hpp"

namespace taut::io {
namespace {

namespace fs = std::filesystem;

/// With a cache of its own.
class MovingMesh : public ::testing::Test {
 protected:
  MovingMesh() {
    fs::create_directories(folder_);
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    const testing::Solid u = testing::u_shape();
    mesh_.vertices = u.vertices;
    for (const auto& [a, b, c] : u.triangles) mesh_.faces.push_back({{a, b, c, -1}});
    write_mesh(folder_ / "u.obj", mesh_, {.double_precision = true});
  }
  ~MovingMesh() override {
    ::unsetenv("XDG_CACHE_HOME");
    fs::remove_all(folder_);
  }
  Scene scene(const std::string& more, const std::string& end = "") const {
    return parse_scene(
        R"({"taut": 1, "name": "u", "bodies": [{"type": "rigid", "name": "u", "position": [0, 0, 0],
      "shapes": [{"type": "mesh", "file": "u.obj", "density": 2)" +
            more + "}]" + end + "}]}",
        (folder_ / "u.json").string());
  }

  fs::path folder_ = fs::temp_directory_path() / ("taut_moving_mesh_" + std::to_string(::getpid()));
  Mesh mesh_;
};

TEST_F(MovingMesh, HasTheMassOfItsMesh) {
  const Scene u = scene(R"(, "centred": true)");
  EXPECT_NEAR(u.system.mass({0}), 14, 1e-9);
  const auto& source =
      dynamic_cast<const collision::ShapeContacts&>(*u.system.contact_sources()[0]);
  EXPECT_EQ(source.shapes()[0].shape.pieces->size(), 3u);
  EXPECT_TRUE(u.remarks.empty());
}

TEST_F(MovingMesh, SaysWhatIsRoughAndWhatIsWrong) {
  EXPECT_TRUE(testing::says(testing::message_of([&] { scene(""); }),
                            (folder_ / "u.json").string() + ": /bodies/0/shapes",
                            "centre of mass at [1.5", "origin"));
  const Scene rough = scene(R"(, "centred": true, "pieces": 2)");
  ASSERT_EQ(rough.remarks.size(), 1u);
  EXPECT_TRUE(testing::has_all(rough.remarks[0], "u.obj|2 pieces|0.02"));
}

TEST_F(MovingMesh, PiecesComeFromTheCache) {
  const collision::DecompositionOptions options{3, 0.05};
  const auto file = pieces_file(mesh_, options);
  ASSERT_TRUE(file && file->string().starts_with(folder_.string()));
  const collision::Decomposition made = mesh_pieces(mesh_, options);
  ASSERT_TRUE(fs::exists(*file));
  const auto written = fs::last_write_time(*file);
  const collision::Decomposition kept = mesh_pieces(mesh_, options);
  EXPECT_EQ(fs::last_write_time(*file), written);
  ASSERT_EQ(kept.pieces.size(), made.pieces.size());
  for (std::size_t i = 0; i < made.pieces.size(); ++i)
    EXPECT_EQ(kept.pieces[i].hull->face_vertex, made.pieces[i].hull->face_vertex);
  EXPECT_EQ(kept.reaches_out, made.reaches_out);
  EXPECT_EQ(kept.vertices, made.vertices);
  EXPECT_EQ(kept.triangles, made.triangles);
  // Another mesh, and other options, have a file of their own.
  Mesh longer = mesh_;
  longer.vertices[0].x() -= 1e-12;
  EXPECT_NE(pieces_file(longer, options), file);
  EXPECT_NE(pieces_file(mesh_, {3, 0.06}), file);
}

TEST_F(MovingMesh, AHalfWrittenCacheIsNotUsed) {
  const collision::DecompositionOptions options{3, 0.05};
  const auto size = mesh_pieces(mesh_, options).pieces.size();
  const fs::path file = *pieces_file(mesh_, options);
  const auto whole = fs::file_size(file);
  for (const std::uintmax_t length : {std::uintmax_t{0}, std::uintmax_t{5}, whole / 2, whole - 8}) {
    fs::resize_file(file, length);
    EXPECT_EQ(mesh_pieces(mesh_, options).pieces.size(), size);
    EXPECT_EQ(fs::file_size(file), whole) << "it was not written again";
  }
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(200) << "x";
  EXPECT_EQ(mesh_pieces(mesh_, options).pieces.size(), size);
  // Nor does a place that cannot be written matter.
  ::setenv("XDG_CACHE_HOME", (folder_ / "u.obj").c_str(), 1);
  EXPECT_EQ(mesh_pieces(mesh_, options).pieces.size(), size);
}

}  // namespace
}  // namespace taut::io
