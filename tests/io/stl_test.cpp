// STL files.
#include <cstring>

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "taut/mesh/mesh_file.hpp"

namespace taut::io {
namespace {

class StlFile : public ScratchFolder {};

const MeshFormat& stl_format = find_mesh_format("stl");

Mesh tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.5}},
          {{{0, 2, 1, -1}}, {{0, 1, 3, -1}}, {{1, 2, 3, -1}}, {{2, 0, 3, -1}}}};
}

const std::string text_form =
    "solid a name with words\n"
    "  facet normal 0 0 1\n outer loop\n"
    "   vertex 0 0 0\n   vertex 1 0 0\n   vertex +0 1e0 0\n"
    "  endloop\n endfacet\n"
    "facet normal 0 0 1 outer loop vertex 1 0 0 vertex 1 1 0 vertex -0.0 1 0 endloop endfacet\n"
    "facet normal 0 0 0 outer loop vertex 1 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n"
    "endsolid a name\n";

std::string message(std::string_view content) {
  return message_of([&] { parse_mesh(content, stl_format, "f.stl"); });
}

TEST_F(StlFile, WrittenAndReadBack) {
  const auto path = std::filesystem::path(folder_) / "a.STL";
  write_mesh(path, tetrahedron());
  EXPECT_EQ(std::filesystem::file_size(path), 84u + 4 * 50);
  const Mesh found = read_mesh(path);
  ASSERT_EQ(found.vertices.size(), 4u);
  ASSERT_EQ(found.faces.size(), 4u);
  // Vertices are numbered as they come: the same places, in the same order.
  const Mesh wanted = tetrahedron();
  for (std::size_t f = 0; f < 4; ++f)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(found.vertices[static_cast<std::size_t>(found.faces[f].vertex[k])],
                wanted.vertices[static_cast<std::size_t>(wanted.faces[f].vertex[k])]);
}

TEST_F(StlFile, QuadrilateralsAreDivided) {
  const auto path = std::filesystem::path(folder_) / "a.stl";
  write_mesh(path, {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{{0, 1, 2, 3}}}});
  const Mesh found = read_mesh(path);
  EXPECT_EQ(found.vertices.size(), 4u);
  EXPECT_EQ(found.faces.size(), 2u);
}

TEST(Stl, TextWithCommonCorners) {
  const Mesh mesh = parse_mesh(text_form, stl_format, "f.stl");
  EXPECT_EQ(mesh.vertices.size(), 4u);  // −0 is 0
  EXPECT_EQ(mesh.faces.size(), 2u);     // the third has no area
}

TEST(Stl, BinaryThatBeginsWithSolid) {
  std::string bytes = "solid";
  bytes.resize(84 + 50, '\0');
  bytes[80] = 1;
  const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  std::memcpy(bytes.data() + 96, corner, sizeof(corner));
  EXPECT_EQ(parse_mesh(bytes, stl_format, "f.stl").faces.size(), 1u);
  const float wrong = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + 100, &wrong, 4);
  EXPECT_TRUE(says(message(bytes), "f.stl: byte 100", "inf", "finite number"));
}

TEST(Stl, MistakesAreNamed) {
  const auto with = [](const char* from, const char* to) {
    return message(Mistake{from, to, "", "", ""}.in(text_form));
  };
  EXPECT_TRUE(
      says(with("vertex 1 0 0", "vertex 1 x 0"), "f.stl: line 5", R"("x")", "finite number"));
  EXPECT_TRUE(says(with("vertex 1 0 0", "vertex 1 nan 0"), "f.stl: line 5", R"("nan")", "finite"));
  EXPECT_TRUE(
      says(with("  endloop", "vertex 3 3 3 endloop"), "f.stl: line 7", R"("vertex")", "endloop"));
  EXPECT_TRUE(
      says(with("endsolid a name\n", ""), "f.stl: line 11", "end of the file", "facet|endsolid"));
  EXPECT_TRUE(says(message("nothing of the kind"), "f.stl", "19 bytes", "solid|84"));
  EXPECT_TRUE(says(message(std::string(90, 'x')), "f.stl: byte 80", "2021161080 triangles|90 bytes",
                   "solid"));
  EXPECT_TRUE(says(message("solid a\nendsolid\n"), "f.stl", "no vertices", "surface"));
}

}  // namespace
}  // namespace taut::io
