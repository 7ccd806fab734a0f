#include "taut/mesh/mesh_file.hpp"

#include <fmt/format.h>

#include <chrono>

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"

namespace taut::io {
namespace {

class MeshFile : public ScratchFolder {};

/// A triangle and a quadrilateral; vertex 2 is in neither.
Mesh some_mesh() {
  return {{{0, 0, 0}, {1, 0, 0.25}, {9, 9, 9}, {1, 1, -1e-3}, {0, 1, 1.0 / 3}, {0.5, 2, 1e10}},
          {{{0, 1, 3, 4}}, {{4, 3, 5, -1}}}};
}

void expect_same(const Mesh& found, const Mesh& wanted, double accuracy) {
  ASSERT_EQ(found.vertices.size(), wanted.vertices.size());
  ASSERT_EQ(found.faces.size(), wanted.faces.size());
  for (std::size_t i = 0; i < wanted.vertices.size(); ++i)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(found.vertices[i][k], wanted.vertices[i][k],
                  accuracy * std::abs(wanted.vertices[i][k]))
          << i;
  for (std::size_t i = 0; i < wanted.faces.size(); ++i)
    EXPECT_EQ(found.faces[i].vertex, wanted.faces[i].vertex) << i;
}

const MeshFormat& obj_format = find_mesh_format("obj");
const MeshFormat& ply_format = find_mesh_format("ply");

std::string message(std::string_view content, const MeshFormat& format) {
  return message_of([&] { parse_mesh(content, format, "f"); });
}
std::string obj(std::string_view text) { return message(text, obj_format); }
std::string ply(std::string_view text) { return message(text, ply_format); }

TEST_F(MeshFile, EveryFormatReadsWhatItWrites) {
  for (const MeshFormat& format : mesh_formats()) {
    SCOPED_TRACE(format.name);
    const auto path = folder_ / fmt::format("all.{}", format.name);
    EXPECT_EQ(&mesh_format(path), &format);
    EXPECT_FALSE(format.summary.empty());
    write_mesh(path, some_mesh());
    if (format.name == "stl") continue;  // has triangles only: io/stl_test.cpp
    expect_same(read_mesh(path), some_mesh(), 1e-7);
    expect_same(parse_mesh(content(path), format, "f"), some_mesh(), 1e-7);
  }
  EXPECT_NE(message_of([] { find_mesh_format("obi"); }).find("obj"), std::string::npos);
}

TEST_F(MeshFile, WhatIsWrittenReadsBack) {
  for (const char* name : {"a.obj", "a.ply", "A.OBJ", "a.Ply"})
    for (const bool in_full : {false, true})
      for (const auto encoding : {PlyEncoding::ascii, PlyEncoding::binary_little_endian,
                                  PlyEncoding::binary_big_endian}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, in_full, static_cast<int>(encoding)));
        MeshStyle style;
        style.double_precision = in_full;
        style.ply = encoding;
        style.comment = "two\nlines";
        style.parts = {{"first", 0}, {"second part", 1}};
        write_mesh(folder_ / name, some_mesh(), style);
        // tinyobjloader's numbers are off in the last bits.
        expect_same(read_mesh(folder_ / name), some_mesh(), in_full ? 1e-15 : 1e-7);
      }
  EXPECT_EQ(file_count(), 4u);
}

TEST_F(MeshFile, PlyInDoublePrecisionIsExact) {
  for (const auto encoding :
       {PlyEncoding::ascii, PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian}) {
    MeshStyle style;
    style.double_precision = true;
    style.ply = encoding;
    write_mesh(folder_ / "a.ply", some_mesh(), style);
    expect_same(read_mesh(folder_ / "a.ply"), some_mesh(), 0);
  }
}

TEST_F(MeshFile, ObjectsHaveTheirNames) {
  MeshStyle style;
  style.comment = "time 0.5 s";
  style.parts = {{"flag", 0}, {"sail", 1}};
  write_mesh(folder_ / "a.obj", some_mesh(), style);
  EXPECT_EQ(content(folder_ / "a.obj"),
            "# time 0.5 s\nv 0 0 0\nv 1 0 0.25\nv 9 9 9\nv 1 1 -0.001\nv 0 1 0.33333334\n"
            "v 0.5 2 10000000000\no flag\nf 1 2 4 5\no sail\nf 5 4 6\n");
}

TEST(ObjText, AllThatIsCommonIsRead) {
  const Mesh mesh = parse_mesh(
      "\xef\xbb\xbf# made by hand\r\n"
      "mtllib none.mtl\r\no one\ng a b\nv +1 .5 -.25 1.0\n  v 1e1 2E-1 3.\t\nvt 0 0\nvn 0 0 1\n"
      "v 0 0 7 0.1 0.2 0.3\nusemtl red\ns off\nf 1/1/1 2//1 3/1\n\no two\nv 4 4 4\n"
      "f -4 -3 -2 -1\nl 1 2\nf 4 3 1\nv 8 8 8",
      obj_format, "f");
  expect_same(mesh,
              {{{1, 0.5, -0.25}, {10, 0.2, 3}, {0, 0, 7}, {4, 4, 4}, {8, 8, 8}},
               {{{0, 1, 2, -1}}, {{0, 1, 2, 3}}, {{3, 2, 0, -1}}}},
              1e-15);
  // Faces may come before their vertices, and lines end with \r on old machines.
  EXPECT_EQ(parse_mesh("f 1 2 3\rv 0 0 0\rv 1 0 0\rv 0 1 0", obj_format, "f").faces.size(), 1u);
}

TEST(ObjText, MistakesAreTold) {
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_EQ(obj(""), "f: found an empty file, expected a mesh in OBJ");
  EXPECT_EQ(obj(" \n\n"), "f: found an empty file, expected a mesh in OBJ");
  EXPECT_EQ(obj("# nothing\n"), "f: found no vertices, expected a surface");
  EXPECT_EQ(obj(three), "f: found no faces, expected a surface");
  EXPECT_EQ(obj("f 1 2 3\n"), "f: line 1: found vertex 3, expected one of the 0 vertices");
  EXPECT_EQ(obj(three + "f 1 2 4"), "f: line 4: found vertex 4, expected one of the 3 vertices");
  EXPECT_EQ(obj(three + "f 1 2 -4"),
            "f: line 4: found vertex -4, expected one of the 3 vertices before");
  EXPECT_EQ(obj(three + "f 1 2 0"),
            "f: line 4: found vertex 0, expected numbers from 1 on, or from -1 back");
  EXPECT_EQ(obj(three + "f 1 2 99999999999999999999"),
            "f: line 4: found \"99999999999999999999\", expected a vertex such as 7, 7/1 or 7/1/3");
  for (const char* bad : {"x", "1x", "1/x", "1/2/3/4", "1/2/3x", "/1", "--1", "\\", "1.5", "#"})
    EXPECT_NE(obj(three + "f 2 3 " + bad).find("expected a vertex such as"), std::string::npos)
        << bad;
  EXPECT_EQ(obj(three + "f 1 2"),
            "f: line 4: found a face of 2 vertices, expected triangles and quadrilaterals");
  EXPECT_EQ(obj(three + "v 5 5 5\nv 6 6 6\nf 1 2 3 4 5"),
            "f: line 6: found a face of 5 vertices, expected triangles and quadrilaterals");
  EXPECT_EQ(obj(three + "f"),
            "f: line 4: found a face of 0 vertices, expected triangles and quadrilaterals");
  EXPECT_EQ(obj(three + "f 1 2 -2"),
            "f: line 4: found a face with vertex 2 twice, expected different vertices");
  EXPECT_EQ(obj("v 0 0\n"), "f: line 1: found nothing for z, expected a finite number");
  for (const char* bad : {"nan", "inf", "-inf", "1e999", "1,5", "0x10", "+-1", "1e", "abc", "\\"})
    EXPECT_EQ(obj(std::string("#\r\nv 0 ") + bad + " 0\n"),
              fmt::format("f: line 2: found \"{}\" for y, expected a finite number", bad));
  EXPECT_NE(obj(three + "v 0e999 0 0\nf 1 2 3").find("vertex 4"), std::string::npos);
  EXPECT_EQ(obj(three + "face 1 2 3"),
            "f: line 4: found \"face\", expected a statement of OBJ such as v or f");
  EXPECT_EQ(obj(three + "vt 1 \\\n2\nf 1 2 3"),
            "f: line 4: found a continued line (\\), expected it in one line");
  EXPECT_EQ(obj(std::string_view("v 0 0 0\0", 8)),
            "f: found binary data (byte 0x00 at offset 7), expected OBJ text");
  EXPECT_NE(obj("\x7f"
                "ELF garbage")
                .find("expected a statement of OBJ"),
            std::string::npos);
}

TEST(ObjText, VeryLongLinesAreNoTrouble) {
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const std::string spaces(1 << 20, ' '), letters(1 << 20, 'x');
  EXPECT_EQ(parse_mesh("g " + letters + "\n" + three + "f 1" + spaces + "2 3\n# " + letters,
                       obj_format, "f")
                .faces.size(),
            1u);
  std::string polygon = "f";
  for (int i = 0; i < 100'000; ++i) polygon += i % 2 == 0 ? " 1" : " 2";
  EXPECT_NE(obj(three + polygon).find("twice"), std::string::npos);
  EXPECT_NE(obj("v " + letters + " 0 0").find("expected a finite number"), std::string::npos);
  EXPECT_NE(obj("v " + std::string(1 << 20, '9') + " 0 0").find("expected a finite number"),
            std::string::npos);
}

const std::string ply_head =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
const std::string ply_vertices = "0 0 0\n1 0 0\n0 1 0\n";

TEST(PlyText, OtherPropertiesAndElementsAreSkipped) {
  const Mesh mesh = parse_mesh(
      "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info 7\r\n"
      "element material 1\r\nproperty list int uchar name\r\nproperty double shine\r\n"
      "element empty 1000000000000\r\n"
      "element face 2\r\nproperty int32 flags\r\nproperty list uint16 uint32 vertex_index\r\n"
      "property list uchar float texcoord\r\n"
      "element vertex 4\r\nproperty uchar red\r\nproperty int16 z\r\nproperty float64 x\r\n"
      "property char y\r\nproperty list char char more\r\nend_header\r\n"
      "3 65 66 67 0.5\r\n7 3 0 1 2 2 0.5 0.5\r\n7 4 3 2 1 0 0\r\n"
      "255 -3 0.1 1 0\r\n0 0 1 0 1 1\r\n0 0 0 1 0\r\n0 2 3 4 0\r\n \r\n",
      ply_format, "f");
  expect_same(mesh,
              {{{0.1, 1, -3}, {1, 0, 0}, {0, 1, 0}, {3, 4, 2}}, {{{0, 1, 2, -1}}, {{3, 2, 1, 0}}}},
              0);
}

TEST(PlyText, MistakesAreTold) {
  EXPECT_EQ(obj(ply_head).substr(0, 9), "f: line 1");
  EXPECT_EQ(ply(""), "f: found an empty file, expected PLY");
  EXPECT_EQ(ply("\x7f"
                "ELF\n"),
            "f: line 1: found \"\\x7fELF\", expected the word ply");
  EXPECT_EQ(ply("ply\n"), "f: line 1: found the end of the file, expected end_header");
  EXPECT_NE(ply("ply" + std::string(1 << 20, 'x')).find("expected a header in lines"),
            std::string::npos);
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text = ply_head + ply_vertices + "3 0 1 2\n";
    text.replace(text.find(from), from.size(), to);
    return ply(text);
  };
  EXPECT_EQ(with("ascii", "ascii"), "no error");
  EXPECT_NE(with("1.0", "2.0").find("line 2: expected \"format\""), std::string::npos);
  EXPECT_NE(with("ascii", "binary").find("line 2: expected \"format\""), std::string::npos);
  EXPECT_NE(with("format ascii 1.0\n", "").find("expected a format before"), std::string::npos);
  EXPECT_NE(with("format", "formt").find("line 2: found \"formt\""), std::string::npos);
  EXPECT_NE(with("vertex 3", "vertex x").find("how many there are of \"vertex\""),
            std::string::npos);
  EXPECT_NE(with("vertex 3", "vertex -3").find("how many"), std::string::npos);
  EXPECT_NE(with("face 1", "vertex 1").find("a second element \"vertex\""), std::string::npos);
  EXPECT_NE(with("property float x", "property half x").find("the type \"half\""),
            std::string::npos);
  EXPECT_NE(with("property float x", "property float y").find("line 5: found a second property"),
            std::string::npos);
  EXPECT_NE(with("float x", "float w").find("expected x, y and z"), std::string::npos);
  EXPECT_NE(with("property float x", "property list uchar float x").find("expected x, y and z"),
            std::string::npos);
  EXPECT_NE(with("list uchar", "list float").find("a type of whole numbers"), std::string::npos);
  EXPECT_NE(with("int vertex_indices", "float vertex_indices").find("no list of whole numbers"),
            std::string::npos);
  EXPECT_NE(with("vertex_indices", "corners").find("no property vertex_indices"),
            std::string::npos);
  EXPECT_EQ(with("vertex 3", "vertex 999999999999999999"),
            "f: found fewer than the 999999999999999999 elements \"vertex\" of the header");
  EXPECT_EQ(with("vertex 3", "vertex 2"),
            "f: face 0: found a face of 0 vertices, expected triangles and quadrilaterals");
  EXPECT_NE(with("1 0 0", "1 nan 0").find("vertex 1: found nan for y, expected a finite number"),
            std::string::npos);
  EXPECT_NE(with("1 0 0", "1 -inf 0").find("vertex 1: found -inf for y"), std::string::npos);
  EXPECT_NE(with("1 0 0", "1 1e999 0").find("vertex 1: found \"1e999\" for y"), std::string::npos);
  EXPECT_NE(with("1 0 0", "1 a 0").find("vertex 1: found \"a\" for y"), std::string::npos);
  EXPECT_EQ(with("3 0 1 2", "3 0 1 3"),
            "f: face 0: found a face with vertex 3, expected one of the 3 vertices");
  EXPECT_EQ(with("3 0 1 2", "3 0 1 -1"), "f: face 0: found vertex -1, expected numbers from 0 on");
  EXPECT_EQ(with("3 0 1 2", "3 0 1 4294967296"),
            "f: face 0: found vertex 4294967296, expected numbers from 0 on");
  EXPECT_EQ(with("3 0 1 2", "3 0 1 1"),
            "f: face 0: found a face with vertex 1 twice, expected different vertices");
  EXPECT_EQ(with("3 0 1 2", "2 0 1"),
            "f: face 0: found a face of 2 vertices, expected triangles and quadrilaterals");
  EXPECT_EQ(with("3 0 1 2", "-3 0 1 2"),
            "f: face 0: found -3 for the size of vertex_indices, expected a number ≥ 0");
  EXPECT_EQ(with("3 0 1 2", "99999 0 1 2"),
            "f: face 0: found the end of the file, expected \"vertex_indices\"");
  EXPECT_EQ(with("3 0 1 2", "3 0 1"),
            "f: face 0: found the end of the file, expected \"vertex_indices\"");
  EXPECT_EQ(with("3 0 1 2", "3 0 1 2.5"),
            "f: face 0: found \"2.5\" in vertex_indices, expected a whole number");
  EXPECT_EQ(with("3 0 1 2", "3 0 1 2 7"),
            "f: found 2 bytes after the last element, expected the end of the file");
}

TEST_F(MeshFile, BinaryMistakesAreTold) {
  for (const auto encoding : {PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian}) {
    MeshStyle style;
    style.ply = encoding;
    write_mesh(folder_ / "a.ply", some_mesh(), style);
    const std::string good = content(folder_ / "a.ply");
    EXPECT_EQ(ply(good), "no error");
    EXPECT_EQ(ply(good + "x"),
              "f: found 1 bytes after the last element, expected the end of the file");
    std::string bad = good;
    bad.replace(bad.find("vertex 6"), 8, "vertex 9");
    EXPECT_NE(ply(bad), "no error");
    bad = good;
    const std::size_t body = good.find("end_header\n") + 11;
    bad.replace(body, 4, 4, '\xff');
    EXPECT_EQ(ply(bad), "f: vertex 0: found -nan for x, expected a finite number");
    bad = good;
    bad.replace(body, 4,
                encoding == PlyEncoding::binary_little_endian ? std::string("\0\0\x80\x7f", 4)
                                                              : std::string("\x7f\x80\0\0", 4));
    EXPECT_EQ(ply(bad), "f: vertex 0: found inf for x, expected a finite number");
    bad = good;
    bad[body + 72] = '\xff';
    EXPECT_EQ(ply(bad), "f: face 0: found the end of the file, expected \"vertex_indices\"");
    bad = good;
    bad.replace(body + 73, 4, 4, '\x70');
    EXPECT_EQ(ply(bad),
              "f: face 0: found a face with vertex 1886417008, expected one of the 6 vertices");
  }
}

TEST_F(MeshFile, NoPrefixIsTakenForTheWhole) {
  MeshStyle style;
  for (const auto encoding :
       {PlyEncoding::ascii, PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian}) {
    style.ply = encoding;
    write_mesh(folder_ / "a.ply", some_mesh(), style);
    const std::string whole = content(folder_ / "a.ply");
    // Without the last line's end, a text is complete.
    const std::size_t enough = whole.size() - (encoding == PlyEncoding::ascii ? 1 : 0);
    for (std::size_t size = 0; size < enough; ++size)
      EXPECT_NE(ply(whole.substr(0, size)), "no error") << size;
  }
  write_mesh(folder_ / "a.obj", some_mesh());
  const std::string text = content(folder_ / "a.obj");
  for (std::size_t size = 0; size < text.size(); ++size) obj(text.substr(0, size));  // no crash
}

TEST_F(MeshFile, NoByteMakesItCrash) {
  std::uint32_t random = 1;
  const auto next = [&random] { return (random = random * 1664525u + 1013904223u) >> 8; };
  for (const auto encoding : {PlyEncoding::ascii, PlyEncoding::binary_little_endian}) {
    MeshStyle style;
    style.ply = encoding;
    write_mesh(folder_ / "a.ply", some_mesh(), style);
    write_mesh(folder_ / "a.obj", some_mesh(), style);
    const std::string whole[] = {content(folder_ / "a.obj"), content(folder_ / "a.ply")};
    for (int i = 0; i < 5000; ++i) {
      std::string bad = whole[i % 2];
      for (int k = 0; k <= i % 3; ++k) bad[next() % bad.size()] = static_cast<char>(next());
      message(bad, i % 2 == 0 ? obj_format : ply_format);
    }
  }
}

TEST_F(MeshFile, FilesThatAreNoneAreTold) {
  const std::string folder = folder_.string();
  const auto told = [](const std::string& path) { return message_of([&] { read_mesh(path); }); };
  EXPECT_EQ(told(folder + "/a.dae"), folder +
                                         "/a.dae: found the extension \".dae\", expected a "
                                         "mesh: a file that ends in .obj or .ply or .stl");
  EXPECT_EQ(
      told(folder + "/a"),
      folder + "/a: found no extension, expected a mesh: a file that ends in .obj or .ply or .stl");
  EXPECT_EQ(told(folder + "/a.obj"), folder + "/a.obj: cannot be read: No such file or directory");
  std::filesystem::create_directory(folder_ / "d.ply");
  EXPECT_EQ(told(folder + "/d.ply"), folder + "/d.ply: found a directory, expected a mesh file");
  std::filesystem::create_symlink("/dev/zero", folder_ / "z.ply");
  EXPECT_EQ(told(folder + "/z.ply"),
            folder + "/z.ply: found something that is not a file, expected a mesh");
  EXPECT_THROW(write_mesh(folder_ / "none" / "a.ply", some_mesh()), Error);
  EXPECT_THROW(write_mesh(folder_ / "a.dae", some_mesh()), Error);
}

TEST_F(MeshFile, ScenesNameThemFromTheirFolder) {
  write_mesh(folder_ / "a.obj", some_mesh());
  const std::string folder = folder_.string();
  EXPECT_EQ(read_mesh("a.obj", folder).faces.size(), 2u);
  EXPECT_EQ(read_mesh((folder_ / "a.obj").string(), std::nullopt).faces.size(), 2u);
  EXPECT_NE(message_of([&] { read_mesh("a.obj", std::nullopt); }).find("only scenes in files"),
            std::string::npos);
}

TEST_F(MeshFile, AMillionVerticesTakeSeconds) {
  constexpr int n = 1000;
  Mesh mesh;
  for (int i = 0; i < n * n; ++i)
    mesh.vertices.emplace_back(i % n / 999.0, i / n / 999.0, std::sin(i * 1e-3));
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j + 1 < n; ++j)
      mesh.faces.push_back({{i * n + j, i * n + j + 1, (i + 1) * n + j + 1, (i + 1) * n + j}});
  for (const char* name : {"a.obj", "a.ply"}) {
    write_mesh(folder_ / name, mesh);
    const auto start = std::chrono::steady_clock::now();
    const Mesh read = read_mesh(folder_ / name);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_EQ(read.vertices.size(), mesh.vertices.size());
    EXPECT_EQ(read.faces.back().vertex, mesh.faces.back().vertex);
    EXPECT_LT(seconds, 60) << name;  // 2 s at most where nothing else runs, and no sanitizer
    RecordProperty(std::string("seconds_") + (name + 2), std::to_string(seconds));
  }
}

}  // namespace
}  // namespace taut::io
