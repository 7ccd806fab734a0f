// Damaged MJCF, SDF and STL: every file ends in one message or in a robot, and nothing crashes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "support/messages.hpp"
#include "taut/base/error.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/mjcf.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/robot/sdf.hpp"

namespace taut::io {
namespace {

/// TAUT_FUZZ_SEED=n in the environment: other damage than usual.
unsigned extra_seed() {
  const char* text = std::getenv("TAUT_FUZZ_SEED");
  return text ? static_cast<unsigned>(std::atoi(text)) : 0;
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

  /// Bytes that are others, missing, or too many.
  std::string bytes(std::string text) {
    constexpr std::string_view pieces[] = {"<",    ">",   "/",    "\"",  "'",     "=",   "&",
                                           "-",    " ",   "0",    "1e9", "e999",  "nan", "-inf",
                                           "%n%s", "]]>", "\xff", "\t",  "1e308", "../", "1e-300"};
    for (std::size_t k = 0; k <= below(4); ++k) {
      const std::size_t at = below(text.size());
      if (below(3) == 0)
        text[at] = static_cast<char>(below(256));
      else if (below(2) == 0)
        text.insert(at, pieces[below(std::size(pieces))]);
      else
        text.erase(at, 1 + below(30));
    }
    return text;
  }
  /// Elements and values that are well formed and wrong: exchanged, repeated, in the wrong place.
  std::string elements(const std::string& text) {
    std::vector<std::size_t> starts;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
      starts.push_back(at);
    const auto element = [&] {
      const std::size_t from = starts[below(starts.size())];
      return text.substr(from, text.find('>', from) - from + 1);
    };
    std::string out = text;
    const std::size_t at = starts[below(starts.size())];
    const std::size_t end = text.find('>', at);
    const std::size_t quote = text.find('"', at);
    constexpr std::string_view values[] = {"0",    "-1",        "1e308", "1e-308",  "0 0 0",
                                           "",     "1 2 3",     "free",  "world",   "main",
                                           "NaN",  "1e400",     "true",  "1 0 0 0", "999999999999",
                                           "ball", "__model__", "a::b",  "slide",   "-1e300 1e300"};
    switch (below(4)) {
      case 0:
        return out.replace(at, end - at + 1, element());
      case 1:
        return out.insert(at, element());
      case 2:
        if (quote < end) {
          const std::size_t close = text.find('"', quote + 1);
          return out.replace(quote + 1, close - quote - 1, values[below(std::size(values))]);
        }
        return out.erase(at, end - at + 1);
      default:
        if (const std::size_t next = text.find('<', end); next > end + 1 && next < text.size())
          return out.replace(end + 1, next - end - 1, values[below(std::size(values))]);
        return out.erase(at, end - at + 1);
    }
  }

 private:
  std::mt19937 random_;
};

/// Whether it is refused. What is not refused can be added to a system, or is refused there.
bool is_refused(const std::string& name, const std::string& text) {
  const auto parse = name.ends_with(".sdf") ? parse_sdf : parse_mjcf;
  return testing::message_of([&] {
           System system;
           add_robot(system, parse(text, name, ""));
         }) != "no error";
}

TEST(DamagedRobots, EndInAMessageOrARobot) {
  int robots = 0;
  for (const EmbeddedText& robot : builtin_robots()) {
    if (robot.name.ends_with(".urdf")) continue;
    ++robots;
    Damage damage(20261119 + extra_seed());
    const std::string name(robot.name), text(robot.text);
    EXPECT_FALSE(is_refused(name, text));
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
      refused += is_refused(name, damage.bytes(text));
      std::string other = damage.elements(text);
      for (std::size_t k = damage.below(3); k > 0; --k) other = damage.elements(other);
      refused += is_refused(name, other);
    }
    EXPECT_GT(refused, 200) << name;
    EXPECT_LT(refused, 790) << name;
  }
  EXPECT_EQ(robots, 8);
}

TEST(DamagedRobots, EveryPrefixIsRefused) {
  for (const EmbeddedText& robot : builtin_robots()) {
    if (robot.name.ends_with(".urdf")) continue;
    const std::size_t end = robot.text.rfind("</");
    for (std::size_t size = 0; size < end; size += 1 + size / 60)
      EXPECT_TRUE(is_refused(std::string(robot.name), std::string(robot.text.substr(0, size))));
  }
}

TEST(DamagedRobots, DeepAndWideOnes) {
  std::string deep = "<mujoco><worldbody>", wide = deep;
  for (int i = 0; i < 90; ++i) deep += "<body pos='0 0 1'><joint/><geom size='.1'/>";
  for (int i = 0; i < 90; ++i) deep += "</body>";
  for (int i = 0; i < 2000; ++i) wide += "<body pos='0 0 1'><freejoint/><geom size='.1'/></body>";
  EXPECT_FALSE(is_refused("m.xml", deep + "</worldbody></mujoco>"));
  EXPECT_FALSE(is_refused("m.xml", wide + "</worldbody></mujoco>"));
  std::string chain = "<sdf version='1.9'><model name='m'><link name='l'/>";
  for (int i = 0; i < 3000; ++i)
    chain +=
        "<frame name='f" + std::to_string(i) + "' attached_to='f" + std::to_string(i + 1) + "'/>";
  EXPECT_TRUE(is_refused("m.sdf", chain + "<frame name='f3000' attached_to='l'/></model></sdf>"));
}

TEST(DamagedStl, EndsInAMessageOrAMesh) {
  Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
            {{{0, 2, 1, -1}}, {{0, 1, 3, -1}}, {{1, 2, 3, -1}}, {{2, 0, 3, -1}}}};
  std::string ascii = "solid s\n", binary(80, ' ');
  binary += std::string("\4\0\0\0", 4);
  for (const Face& face : mesh.faces) {
    ascii += "facet normal 0 0 0\nouter loop\n";
    binary += std::string(12, '\0');
    for (int k = 0; k < 3; ++k) {
      const Vec3& v =
          mesh.vertices[static_cast<std::size_t>(face.vertex[static_cast<std::size_t>(k)])];
      ascii += "vertex " + std::to_string(v.x()) + " " + std::to_string(v.y()) + " " +
               std::to_string(v.z()) + "\n";
      for (int i = 0; i < 3; ++i) {
        const float number = static_cast<float>(v[i]);
        binary.append(reinterpret_cast<const char*>(&number), 4);
      }
    }
    ascii += "endloop\nendfacet\n";
    binary += std::string(2, '\0');
  }
  ascii += "endsolid s\n";
  const MeshFormat& stl = find_mesh_format("stl");
  Damage damage(7 + extra_seed());
  for (const std::string& good : {ascii, binary}) {
    EXPECT_EQ(parse_mesh(good, stl, "f.stl").faces.size(), 4u);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::string text = damage.bytes(good);
      refused += testing::message_of([&] { parse_mesh(text, stl, "f.stl"); }) != "no error";
    }
    EXPECT_GT(refused, 100);
  }
}

}  // namespace
}  // namespace taut::io
