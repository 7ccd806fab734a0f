// Cloths whose shape is a mesh from a file.
#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "support/objects.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/mesh/mesh_file.hpp"

namespace taut::io {
namespace {

class ClothMesh : public ScratchFolder {
 protected:
  /// A scene in the folder with a cloth that has these members.
  std::string scene_file(const std::string& members) const {
    return write("s.json", R"({"taut": 1, "cloths": [{"name": "c", )" + members + "}]}").string();
  }
  Scene load(const std::string& members) const { return load_scene(scene_file(members)); }
  std::string message(const std::string& members) const {
    const std::string text = load_message(scene_file(members)), folder = folder_.string() + "/";
    std::string without;
    for (std::size_t at = 0; at < text.size();)
      if (text.compare(at, folder.size(), folder) == 0)
        at += folder.size();
      else
        without += text[at++];
    return without;
  }
};

Vec3 place(const Scene& scene, int body) { return scene.system.initial_place(Point(BodyId{body})); }

testing::ConstraintsOf<Pin> mesh_pins(const Scene& scene) {
  return testing::constraints_of<Pin>(scene.system);
}

constexpr const char* two_squares =
    "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nf 1 2 5 4\nf 2 3 6 5\n";

TEST_F(ClothMesh, OfQuadrilateralsIsRead) {
  write("two.obj", two_squares);
  const Scene scene = load(R"("mesh": "two.obj", "density": 0.4)");
  ASSERT_EQ(scene.surfaces.size(), 1u);
  EXPECT_EQ(scene.surfaces[0].faces.size(), 2u);
  EXPECT_EQ(scene.surfaces[0].faces[1].vertex, (std::array{1, 2, 5, 4}));
  EXPECT_EQ(scene.system.body_count(), 6);
  EXPECT_EQ(scene.system.body_name({4}), "c_4");
  EXPECT_EQ(place(scene, 5), Vec3(2, 1, 0));
  EXPECT_DOUBLE_EQ(scene.system.mass({4}), 0.2);
  EXPECT_EQ(scene.system.constraint_count(), 7);
}

// The same sheet from a file and as a grid is the same cloth.
TEST_F(ClothMesh, OfTrianglesIsTheGridItWasWrittenFrom) {
  Grid grid;
  grid.columns = 5;
  grid.rows = 4;
  grid.pattern = GridPattern::triangles;
  MeshStyle style;
  style.double_precision = true;
  write_mesh(folder_ / "grid.ply", grid_mesh(grid), style);
  const Scene read = load(R"("mesh": "grid.ply")");
  const Scene made = load(R"("grid": {"columns": 5, "rows": 4, "pattern": "triangles"})");
  EXPECT_EQ(read.system.initial_state().q, made.system.initial_state().q);
  EXPECT_EQ(read.system.constraint_count(), made.system.constraint_count());
  const Pose pose(read.system, 1.1 * read.system.initial_state().q);
  EXPECT_EQ(read.system.potential_energy(pose), made.system.potential_energy(pose));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(read.system.mass({i}), made.system.mass({i}));
}

TEST_F(ClothMesh, IsPlaced) {
  std::filesystem::create_directory(folder_ / "meshes");
  write("meshes/two.obj", two_squares);
  const Scene scene = load(R"("mesh": "meshes/two.obj", "scale": 0.5, "position": [1, 2, 3],
    "orientation": {"axis": [0, 0, 1], "angle": "=pi/2"})");
  EXPECT_LT((place(scene, 0) - Vec3(1, 2, 3)).norm(), 1e-15);
  EXPECT_LT((place(scene, 2) - Vec3(1, 3, 3)).norm(), 1e-15);
  EXPECT_LT((place(scene, 3) - Vec3(0.5, 2, 3)).norm(), 1e-15);
  EXPECT_NEAR(scene.system.mass({1}), 0.15 / 8, 1e-15);  // half of each of two squares
}

TEST_F(ClothMesh, PinsHoldVertices) {
  write("two.obj", two_squares);
  const Scene scene = load(R"("mesh": "two.obj", "position": [10, 0, 0], "pins": [
    {"vertices": ["c_3", "c_4"], "displacement": [0, 1, 0]}, {"near": [12, 0.9, 0]},
    {"near": [10.5, 0, 0], "radius": 0.6}])");
  ASSERT_EQ(mesh_pins(scene).size(), 5);
  const int held[] = {3, 4, 5, 0, 1};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(mesh_pins(scene)[i].point.body.index, held[i]);
  EXPECT_EQ(mesh_pins(scene)[1].at.value(0), Vec3(11, 2, 0));
  EXPECT_EQ(scene.system.constraint_count(), 7 - 2 + 5);  // 3–4 and 0–1 are held as one
}

TEST_F(ClothMesh, MistakesAreNamed) {
  write("two.obj", two_squares);
  write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1\n");
  write("bad.ply", "plyy\n");
  write("loose.obj", std::string(two_squares) + "v 5 5 5\n");
  write("mesh.dae", "solid\n");
  EXPECT_EQ(message(R"("mesh": "none.obj")"),
            "s.json: /cloths/0/mesh: none.obj: cannot be read: No such file or directory");
  EXPECT_EQ(message(R"("mesh": "bad.obj")"),
            "s.json: /cloths/0/mesh: bad.obj: line 3: found nothing for z, expected a finite "
            "number");
  EXPECT_EQ(message(R"("mesh": "bad.ply")"),
            "s.json: /cloths/0/mesh: bad.ply: line 1: found \"plyy\", expected the word ply");
  EXPECT_EQ(message(R"("mesh": "loose.obj")"),
            "s.json: /cloths/0: cloth \"c\": vertex 6 belongs to no face, so it has no mass");
  EXPECT_EQ(message(R"("mesh": "mesh.dae")"),
            "s.json: /cloths/0/mesh: mesh.dae: found the extension \".dae\", expected a mesh: a "
            "file that ends in .obj or .ply or .stl");
  EXPECT_EQ(message(R"("mesh": 3)"),
            "s.json: /cloths/0/mesh: found the number 3, expected a "
            "string");
  EXPECT_EQ(message(R"("mesh": "two.obj", "grid": {"columns": 2, "rows": 2})"),
            "s.json: /cloths/0: found a \"grid\" and a \"mesh\", expected one of the two");
  EXPECT_EQ(message(R"("density": 1)"),
            "s.json: /cloths/0: found no \"grid\" and no \"mesh\", expected one of the two");
  EXPECT_EQ(message(R"("mesh": "two.obj", "scale": 0)"),
            "s.json: /cloths/0/scale: found the number 0, expected a number > 0");
  EXPECT_EQ(message(R"("position": [0, 0, 0], "grid": {"columns": 2, "rows": 2})"),
            "s.json: /cloths/0/position: found the place of a mesh, expected none: a grid has its "
            "own");
  EXPECT_EQ(message(R"("mesh": "two.obj", "pins": [{"part": "top"}])"),
            "s.json: /cloths/0/pins/0/part: found a part of a grid, expected \"vertices\" or "
            "\"near\": the cloth is a mesh");
  EXPECT_EQ(message(R"("mesh": "two.obj", "pins": [{"vertices": ["c_0_0"]}])"),
            "s.json: /cloths/0/pins/0/vertices/0: found \"c_0_0\", expected the name of a vertex "
            "of this cloth, \"c_0\" to \"c_5\"");
}

// Two squares side by side that do not share vertices would fall apart.
TEST_F(ClothMesh, WithVerticesAtOnePlaceIsRefused) {
  const std::string seam =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1.00001 0 0\nv 2 0 0\nv 1 1 0.00001\nv 2 1 0\n"
      "f 1 2 4 3\nf 5 6 8 7\n";
  write("seam.obj", seam);
  EXPECT_TRUE(says(message(R"("mesh": "seam.obj")"), "s.json: /cloths/0/mesh",
                   "the vertices 1 and 4|same place", "one|open_seams"));
  EXPECT_EQ(load(R"("mesh": "seam.obj", "open_seams": true)").system.body_count(), 8);
  write("two.obj", two_squares);
  EXPECT_EQ(load(R"("mesh": "two.obj")").system.body_count(), 6);
  EXPECT_TRUE(says(message(R"("open_seams": true, "grid": {"columns": 2, "rows": 2})"),
                   "s.json: /cloths/0/open_seams", "grid", "none"));
}

}  // namespace
}  // namespace taut::io
