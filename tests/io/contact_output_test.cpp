// What is reported and recorded of contacts.
#include <fstream>
#include <sstream>

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "taut/methods/method.hpp"
#include "taut/record/recording.hpp"
#include "taut/record/run_output.hpp"
#include "taut/simulate/overlaps.hpp"

namespace taut::io {
namespace {

class ContactOutput : public ScratchFolder {
 protected:
  RunReport run(const Scene& scene, const std::string& method, std::vector<WantedOutput> wanted) {
    RunOptions options;
    options.step = scene.step;
    options.duration = 0.1;
    options.reactions = true;
    RunOutput output(scene, method, std::move(wanted), 100, options);
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
    output.finish(report);
    return report;
  }
  std::filesystem::path place(const char* name) const {
    return std::filesystem::path(folder_) / name;
  }
};

std::vector<std::vector<std::string>> table(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    lines.emplace_back();
    for (std::string word; std::getline(words, word, ',');) lines.back().push_back(word);
  }
  return lines;
}

TEST_F(ContactOutput, TableHasWhatPressesOnWhat) {
  const Scene scene = load_scene("box_stack", std::vector<Setting>{{"n", "2"}, {"ratio", "3"}});
  run(scene, "implicit1", {{&find_run_writer("contacts"), place("contacts.csv"), {}}});
  const auto lines = table(place("contacts.csv"));
  ASSERT_GT(lines.size(), 8u);
  ASSERT_EQ(lines[0].size(), 19u);
  EXPECT_EQ(lines[0][1], "a");
  double on_ground = 0, on_box = 0;
  for (const auto& line : lines) {
    if (line[0] != "0.1") continue;
    if (line[2] == "ground") on_ground += std::stod(line[12]);
    if (line[1] == "top" && line[2] == "box0") on_box += std::stod(line[12]);
    EXPECT_NEAR(std::abs(std::stod(line[8])), 1, 1e-12);
    EXPECT_NEAR(std::stod(line[9]), 0, 1e-9);
    EXPECT_NEAR(std::stod(line[13]), 0, 1e-9);
  }
  EXPECT_NEAR(on_ground, 4 * 9.81, 1e-6);
  EXPECT_NEAR(on_box, 3 * 9.81, 1e-6);
  // At the start, too.
  double first = 0;
  for (const auto& line : lines)
    if (line[0] == "0" && line[2] == "ground") first += std::stod(line[12]);
  EXPECT_NEAR(first, 4 * 9.81, 1e-6);
}

TEST_F(ContactOutput, ReportHasThePairs) {
  const Scene scene = load_scene("sliding_block", std::vector<Setting>{{"heading", "0"}});
  const RunReport report = run(scene, "dop853", {});
  ASSERT_EQ(report.contacts.pairs.size(), 1u);
  const RunReport::ContactPair& pair = report.contacts.pairs[0];
  EXPECT_EQ(pair.a, "block");
  EXPECT_EQ(pair.b, "ground");
  EXPECT_NEAR(pair.slip, 2, 1e-9);
  EXPECT_EQ(report.contacts.slip, pair.slip);
  EXPECT_NEAR(pair.final_force.z(), 2 * 9.81, 1e-6);
  EXPECT_NEAR(pair.final_force.x(), -0.4 * 2 * 9.81, 1e-6);
}

// Constraint forces that are recorded belong to the motion: contacts are among what causes it.
TEST_F(ContactOutput, ConstraintForcesKnowOfContacts) {
  const Scene scene = load_scene("capstan", std::vector<Setting>{{"load", "0.9"}});
  for (const char* method : {"implicit1", "icd2"}) {
    const RunReport report = run(scene, method, {});
    const double heavy = 0.9 * std::exp(0.3 * 3.14159265358979) * 9.81;
    EXPECT_EQ(report.reactions.front().constraint, "left");
    EXPECT_NEAR(report.reactions.front().final[0], 9.81, 1e-3) << method;
    EXPECT_NEAR(report.reactions.front().largest, 9.81, 1e-3) << method;  // from the start on
    EXPECT_NEAR(report.reactions.back().final[0], heavy, 1e-3) << method;
  }
}

TEST_F(ContactOutput, RecordingHasThem) {
  const Scene scene = load_scene("box_stack", std::vector<Setting>{{"n", "2"}, {"ratio", "3"}});
  run(scene, "implicit1", {{&find_run_writer("recording"), place("a.taut"), {}}});
  RecordingReader reader(place("a.taut"));
  ASSERT_GT(reader.frame_count(), 3u);
  ASSERT_EQ(reader.info().shapes.size(), 3u);
  EXPECT_EQ(reader.info().shapes[0].body, 0);
  EXPECT_EQ(reader.info().shapes[0].type, "box");
  EXPECT_EQ(reader.info().shapes[0].size, Vec3(0.25, 0.25, 0.25));
  EXPECT_EQ(reader.info().shapes[2].body, -1);
  EXPECT_EQ(reader.info().shapes[2].name, "ground");
  RecordedFrame frame;
  for (const std::size_t number : {std::size_t{0}, reader.frame_count() - 1}) {
    reader.read(number, frame);
    EXPECT_EQ(frame.contacts.size(), 8u);
    float on_ground = 0;
    for (const RecordedContact& contact : frame.contacts) {
      EXPECT_EQ(contact.a, contact.b == -1 ? 0 : 1);
      if (contact.b == -1) on_ground += contact.force.z();
      EXPECT_NEAR(std::abs(contact.normal.z()), 1, 1e-6);
      EXPECT_NEAR(contact.point.z(), contact.b == -1 ? 0 : 0.5, 1e-6);
      EXPECT_NEAR(contact.gap, 0, 1e-9);
    }
    EXPECT_NEAR(on_ground, 4 * 9.81, 1e-4);
  }
}

// A ball on a slope that rolling friction holds: the torque is that of its weight about the ground.
TEST_F(ContactOutput, TorquesThatResistRolling) {
  const Scene scene = parse_scene(R"({ "taut": 1, "name": "n",
      "shapes": [ { "type": "plane", "name": "ground", "friction": 0.5, "rolling_friction": 0.02 } ],
      "bodies": [ { "type": "rigid", "name": "ball", "mass": 2, "position": [0, 0, 0.1],
                    "shapes": [ { "type": "sphere", "radius": 0.1, "friction": 0.5 } ] } ],
      "forces": [ { "type": "gravity", "acceleration": [1.5, 0, -10] } ],
      "simulation": { "step": 0.01, "duration": 0.1 } })",
                                  "scene");
  run(scene, "implicit1",
      {{&find_run_writer("contacts"), place("contacts.csv"), {}},
       {&find_run_writer("recording"), place("a.taut"), {}}});
  const auto lines = table(place("contacts.csv"));
  ASSERT_GT(lines.size(), 1u);
  EXPECT_EQ(lines[0][17], "ty (N·m)");
  EXPECT_NEAR(std::stod(lines.back()[17]), -2 * 1.5 * 0.1, 1e-6);
  EXPECT_NEAR(std::stod(lines.back()[16]), 0, 1e-9);
  RecordingReader reader(place("a.taut"));
  RecordedFrame frame;
  reader.read(reader.frame_count() - 1, frame);
  ASSERT_EQ(frame.contacts.size(), 1u);
  EXPECT_NEAR(frame.contacts[0].torque.y(), -2 * 1.5 * 0.1, 1e-6);
}

TEST_F(ContactOutput, RecordingHasHullsAndMeshes) {
  for (const char* name : {"arch", "marble_run"}) {
    const Scene scene = load_scene(name);
    RecordingWriter writer(place("a.taut"), scene, "implicit1", 0.1);
    writer.record(scene.system.initial_state());
    writer.finish();
    const RecordingReader reader(place("a.taut"));
    const bool is_arch = scene.name == "arch";
    const RecordingInfo::Shape& shape = reader.info().shapes[is_arch ? 0 : 2];
    EXPECT_EQ(shape.type, is_arch ? "hull" : "mesh");
    EXPECT_EQ(shape.vertices.size(), is_arch ? 8u : 41u * 9u);
    EXPECT_EQ(shape.faces.size(), is_arch ? 6u : 2u * 40u * 8u);
  }
}

// A ball on a slack string: it falls 4.5 cm, and the string takes all of its speed.
TEST_F(ContactOutput, EventsTellWhenAStringBecameTaut) {
  const Scene scene = parse_scene(R"({"taut": 1, "name": "string",
    "bodies": [{"type": "particle", "name": "ball", "mass": 1, "position": [0, 0, -0.2]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -10]}],
    "constraints": [{"type": "distance", "name": "thread, long", "a": [0, 0, 0], "b": "ball",
                     "length": 0.245, "slack": true}],
    "simulation": {"step": 0.03, "duration": 0.1}})",
                                  "scene.json");
  ASSERT_TRUE(find_run_writer("events").suits(scene));
  const RunReport report =
      run(scene, "dop853", {{&find_run_writer("events"), place("events.csv"), {}}});
  const auto lines = table(place("events.csv"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], (std::vector<std::string>{"time", "event", "constraint", "amount"}));
  EXPECT_EQ(lines[2][1], "hit a stop");
  EXPECT_EQ(lines[2][2] + "," + lines[2][3], "\"thread, long\"");
  EXPECT_NEAR(std::stod(lines[2][0]), std::sqrt(2 * 0.045 / 10), 1e-12);
  EXPECT_NEAR(std::stod(lines[2][4]), -0.45, 1e-12);
  EXPECT_EQ(report.events[static_cast<std::size_t>(StepEvent::Kind::impact)], 1);
  EXPECT_FALSE(find_run_writer("events").suits(load_scene("two_link")));
}

TEST_F(ContactOutput, SuitsScenesWithShapesOnly) {
  EXPECT_TRUE(find_run_writer("contacts").suits(load_scene("box_stack")));
  EXPECT_FALSE(find_run_writer("contacts").suits(load_scene("pendulum")));
  EXPECT_TRUE(find_run_writer("recording").suits(load_scene("pendulum")));
}

TEST(Overlaps, AreNamedWithTheirDepth) {
  const Scene scene = parse_scene(R"({"taut": 1, "name": "n",
    "shapes": [{"type": "plane"}],
    "bodies": [
      {"type": "rigid", "name": "low", "mass": 1, "position": [0, 0, 0.4],
       "shapes": [{"type": "box", "size": [1, 1, 1], "name": "lid"}]},
      {"type": "rigid", "name": "high", "mass": 1, "position": [0, 0, 1.35],
       "shapes": [{"type": "box", "size": [1, 1, 1]}]},
      {"type": "rigid", "name": "far", "mass": 1, "position": [5, 0, 0.5],
       "shapes": [{"type": "box", "size": [1, 1, 1]}]}]})",
                                  "f.json");
  const std::vector<Overlap> found = find_overlaps(scene.system, scene.system.initial_state());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].a, "low/lid");
  EXPECT_EQ(found[0].b, "world/shape3");
  EXPECT_NEAR(found[0].depth, 0.1, 1e-12);
  EXPECT_EQ(found[1].a, "high");
  EXPECT_EQ(found[1].b, "low/lid");
  EXPECT_NEAR(found[1].depth, 0.05, 1e-12);
}

TEST(RobotShapes, TouchOthersAndNotEachOther) {
  const auto contacts_of = [](const Scene& scene, double margin = 1e-9) {
    std::vector<Contact> found;
    const State start = scene.system.initial_state();
    for (const auto& source : scene.system.contact_sources())
      source->find(Pose(scene.system, start.q), start.v, 0, margin, found);
    return found;
  };
  const Scene scene = load_scene("quadruped_on_ground");
  EXPECT_EQ(contacts_of(scene).size(), 4u);  // the feet
  for (const Contact& contact : contacts_of(scene)) EXPECT_EQ(contact.friction, 0.7);
  EXPECT_TRUE(load_scene("quadruped").system.contact_sources().empty());

  const auto robot = [](const std::string& more, const std::string& shapes) {
    return parse_scene(R"({"taut": 1, "name": "n", "robots": [{"urdf": "quadruped.urdf")" + more +
                           "}]" + shapes + "}",
                       "f.json");
  };
  const std::string ground = R"(, "shapes": [{"type": "plane", "at": [0, 0, -9]}])";
  EXPECT_TRUE(contacts_of(robot("", ground), 1).empty());
  EXPECT_FALSE(contacts_of(robot(R"(, "collision": "all")", ground), 1).empty());
  EXPECT_FALSE(contacts_of(robot(R"(, "collision": "all")", ""), 1).empty());
  EXPECT_FALSE(robot("", ground).ignored.front().find("collision") != std::string::npos);
  const Scene alone = robot("", "");
  EXPECT_TRUE(alone.system.contact_sources().empty());
  EXPECT_EQ(alone.ignored.back(),
            "quadruped.urdf: 17 <collision> elements: nothing else has a shape");
  EXPECT_TRUE(says(message_of([&] { robot(R"(, "material": "stell")", ground); }),
                   "f.json: /robots/0/material", R"("stell")", "material", "steel"));
  EXPECT_TRUE(says(message_of([&] { robot(R"(, "collision": "al")", ground); }),
                   "f.json: /robots/0/collision", R"("al")", R"("others")", "all"));
}

class RobotMeshes : public ScratchFolder {};

TEST_F(RobotMeshes, AreConvexHulls) {
  const std::filesystem::path folder(folder_);
  std::filesystem::create_directories(folder / "pkg" / "meshes");
  std::ofstream(folder / "pkg" / "meshes" / "t.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";
  std::ofstream(folder / "pkg" / "r.urdf")
      << "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
         "izz='1'/></inertial><collision><origin xyz='0 0 1'/><geometry><mesh "
         "filename='package://pkg/meshes/t.obj' scale='1 1 0.5'/></geometry></collision>"
         "<collision><geometry><mesh filename='package://pkg/meshes/none.dae'/></geometry>"
         "</collision></link></robot>";
  std::ofstream(folder / "s.json")
      << R"({"taut": 1, "robots": [{"urdf": "pkg/r.urdf", "base": "floating", "position": [0, 0, -1]}],
             "shapes": [{"type": "plane"}, {"type": "plane", "at": [0, 0, 0.5],
               "orientation": {"axis": [1, 0, 0], "angle": "=pi"}}]})";
  const Scene scene = load_scene((folder / "s.json").string());
  std::vector<Contact> found;
  const State start = scene.system.initial_state();
  scene.system.contact_sources()[0]->find(Pose(scene.system, start.q), start.v, 0, 1e-9, found);
  EXPECT_EQ(found.size(), 4u);  // the corners of its base, and its tip
  EXPECT_TRUE(find_overlaps(scene.system, start).empty());
  ASSERT_EQ(scene.ignored.size(), 1u);
  EXPECT_TRUE(testing::has_all(scene.ignored[0], "collision|none.dae"));
}

}  // namespace
}  // namespace taut::io
