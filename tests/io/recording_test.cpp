#include "taut/record/recording.hpp"

#include <fmt/format.h>

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/spring.hpp"
#include "taut/record/surface_frames.hpp"

namespace taut::io {
namespace {

/// A rod that holds a patch of n × n particles at a corner by a rope; a robot's box on the rod.
Scene some_scene(int n) {
  Scene scene;
  scene.name = "patch";
  scene.title = "A patch on a rod";
  System& system = scene.system;
  Surface patch{"patch", {}, {}};
  for (int i = 0; i < n * n; ++i) {
    if (i == 2) {  // in between, so that numbers in the recording are not those of the scene
      RigidBody rod;
      rod.position = {0, 2, 0};
      rod.orientation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
      system.add(rod, "rod");
    }
    patch.vertices.push_back(system.add(Particle{1, {i % n * 0.1, i / n * 0.1, 0}}));
  }
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j + 1 < n; ++j)
      patch.faces.push_back({{i * n + j, i * n + j + 1, (i + 1) * n + j + 1, (i + 1) * n + j}});
  patch.faces.push_back({{0, 1, n, -1}});
  const BodyId rod = *system.find_body("rod");
  constrain(system, Distance{Point(rod, {0, -0.5, 0}), patch.vertices[0], 1.5}, "rope");
  constrain(system, Distance{patch.vertices[0], patch.vertices[1], 0.1}, "edge");  // not a link
  constrain(system, Pin{Point(rod), Vec3(0, 2, 0)}, "nail");
  apply(system, Gravity{{0, 0, -9.81}});
  apply(system, Spring{world_point(0, 0, 1), patch.vertices[3], 10});
  scene.surfaces.push_back(std::move(patch));
  Visual box;
  box.body = "rod";
  box.shape = Visual::Shape::cylinder;
  box.position = {0, 0, 0.25};
  box.color = {1, 0.5, 0, 1};
  scene.visuals.push_back(box);
  return scene;
}

/// As states of a run would be.
State state_at(const Scene& scene, double time) {
  State state = scene.system.initial_state();
  state.time = time;
  for (const BodySlot& slot : scene.system.slots())
    state.q[slot.q + 2] = std::sin(3 * state.q[slot.q] + time);
  return state;
}

class RecordingFile : public ScratchFolder {
 protected:
  std::filesystem::path record(const Scene& scene, int frames,
                               RecordedPositions positions = RecordedPositions::automatic) const {
    std::filesystem::remove(folder_ / "a.taut");
    RecordingWriter writer(folder_ / "a.taut", scene, "rattle", 0.1, positions);
    for (int i = 0; i < frames; ++i) writer.record(state_at(scene, 0.1 * i));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.taut"));
    writer.finish();
    EXPECT_EQ(writer.frame_count(), static_cast<std::uint64_t>(frames));
    EXPECT_EQ(writer.file_size(), std::filesystem::file_size(folder_ / "a.taut"));
    return folder_ / "a.taut";
  }
  std::string message(const std::string& bytes) const {
    const auto path = write("bad.taut", bytes);
    std::string text = message_of([&] {
      RecordingReader reader(path);
      RecordedFrame frame;
      for (std::size_t i = 0; i < reader.frame_count(); ++i) reader.read(i, frame);
    });
    const std::string name = path.string() + ": ";
    return text.starts_with(name) ? text.substr(name.size()) : text;
  }
};

TEST_F(RecordingFile, SaysWhatTheSceneIs) {
  const Scene scene = some_scene(3);
  const RecordingReader reader(record(scene, 1));
  const RecordingInfo& info = reader.info();
  EXPECT_EQ(info.scene, "patch");
  EXPECT_EQ(info.title, "A patch on a rod");
  EXPECT_EQ(info.method, "rattle");
  EXPECT_EQ(info.frame_interval, 0.1);
  EXPECT_EQ(info.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(info.particle_count, 9u);
  ASSERT_EQ(info.particle_names.size(), 9u);
  EXPECT_EQ(info.particle_names[2], scene.system.body_name({3}));
  EXPECT_EQ(info.rigid_names, std::vector<std::string>{"rod"});
  ASSERT_EQ(info.surfaces.size(), 1u);
  EXPECT_EQ(info.surfaces[0].name, "patch");
  ASSERT_EQ(info.surfaces[0].faces.size(), 5u);
  EXPECT_EQ(info.surfaces[0].faces[1].vertex, scene.surfaces[0].faces[1].vertex);
  EXPECT_EQ(info.surfaces[0].faces[4].size(), 3);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(info.surfaces[0].vertices[static_cast<std::size_t>(i)].index, i);
  ASSERT_EQ(info.links.size(), 3u);
  EXPECT_EQ(info.link_types, (std::vector<std::string>{"distance", "pin", "spring"}));
  EXPECT_EQ(info.links[0].a.body.index, 9);
  EXPECT_EQ(info.links[0].a.local, Vec3(0, -0.5, 0));
  EXPECT_EQ(info.links[0].b.body.index, 0);
  EXPECT_EQ(info.links[1].a.body.index, info.links[1].b.body.index);
  EXPECT_EQ(info.links[2].type, 2u);
  EXPECT_TRUE(info.links[2].a.body.is_world());
  EXPECT_EQ(info.links[2].a.local, Vec3(0, 0, 1));
  ASSERT_EQ(info.visuals.size(), 1u);
  EXPECT_EQ(info.visuals[0].body, "rod");
  EXPECT_EQ(info.visuals[0].shape, Visual::Shape::cylinder);
  EXPECT_EQ(info.visuals[0].position, Vec3(0, 0, 0.25));
  EXPECT_EQ(info.visuals[0].color, (std::array<double, 4>{1, 0.5, 0, 1}));
}

TEST_F(RecordingFile, FramesReadBackInAnyOrder) {
  const Scene scene = some_scene(20);  // two blocks
  for (const auto positions : {RecordedPositions::float32, RecordedPositions::uint16}) {
    RecordingReader reader(record(scene, 4, positions));
    EXPECT_TRUE(reader.is_complete());
    ASSERT_EQ(reader.frame_count(), 4u);
    RecordedFrame frame;
    for (const int i : {3, 0, 2, 1}) {
      reader.read(static_cast<std::size_t>(i), frame);
      const State state = state_at(scene, 0.1 * i);
      EXPECT_EQ(frame.time, state.time);
      EXPECT_EQ(reader.time(static_cast<std::size_t>(i)), state.time);
      ASSERT_EQ(frame.positions.size(), 401u);
      const double accuracy = positions == RecordedPositions::float32 ? 1e-7 : 2.0 / 65535 * 0.51;
      for (std::size_t k = 0; k < 400; ++k) {
        const Vec3 place = state.q.segment<3>(scene.system.slot(scene.surfaces[0].vertices[k]).q);
        EXPECT_LT((frame.positions[k].cast<double>() - place).lpNorm<Eigen::Infinity>(), accuracy);
      }
      const int rod = scene.system.slot(*scene.system.find_body("rod")).q;
      EXPECT_LT((frame.positions[400].cast<double>() - state.q.segment<3>(rod)).norm(), 1e-6);
      EXPECT_NEAR(frame.orientations[0].w(), std::cos(0.25), 1e-7);
      EXPECT_NEAR(frame.orientations[0].x(), std::sin(0.25), 1e-7);
    }
  }
}

TEST_F(RecordingFile, HasTheInputsOfEachFrame) {
  Scene scene = some_scene(3);
  Inputs inputs = scene.system.inputs();
  inputs.add({"drive", "N", "to the right", 0.5, -2, 2});
  inputs.add({"free", "", "", 0});
  const auto path = std::filesystem::path(folder_) / "inputs.taut";
  {
    RecordingWriter writer(path, scene, "icd2", 0.1);
    writer.record(state_at(scene, 0));
    inputs.set(0, 1.0 / 3);
    ContactSample contact;
    contact.torque = {1, 2, 3};
    writer.record(state_at(scene, 0.1), {contact});
    writer.record(state_at(scene, 0.2), {}, {-1, 7});  // what they were
    writer.finish();
  }
  RecordingReader reader(path);
  ASSERT_EQ(reader.info().inputs.size(), 2U);
  const Input& drive = reader.info().inputs[0];
  EXPECT_EQ(drive.name + drive.unit + drive.description, "driveNto the right");
  EXPECT_EQ(drive.start, 0.5);
  EXPECT_EQ(drive.min, -2);
  EXPECT_EQ(drive.max, 2);
  EXPECT_EQ(reader.info().inputs[1].max, std::numeric_limits<double>::infinity());
  const std::vector<std::vector<double>> values{{0.5, 0}, {1.0 / 3, 0}, {-1, 7}};
  RecordedFrame frame;
  for (std::size_t i = 3; i-- > 0;) {
    reader.read(i, frame);
    EXPECT_EQ(frame.inputs, values[i]);
    EXPECT_EQ(frame.contacts.size(), i == 1 ? 1U : 0U);
  }
}

TEST_F(RecordingFile, ManyParticlesTakeSixBytesEach) {
  const Scene scene = some_scene(100);
  RecordingWriter writer(folder_ / "a.taut", scene, "rattle", 0.1);
  writer.record(state_at(scene, 0));
  EXPECT_LT(static_cast<double>(writer.frame_size()) / 10'000, 6.11);
  writer.record(state_at(scene, 0.1));
  writer.finish();
  EXPECT_EQ(RecordingReader(folder_ / "a.taut").info().particle_names.size(), 10'000u);
}

TEST_F(RecordingFile, AnUnfinishedOneKeepsItsFrames) {
  const Scene scene = some_scene(3);
  { RecordingWriter(folder_ / "none.taut", scene, "", 0); }
  EXPECT_EQ(file_count(), 0u);  // without frames there is nothing to keep
  {
    RecordingWriter writer(folder_ / "a.taut", scene, "", 0);
    for (int i = 0; i < 5; ++i) writer.record(state_at(scene, 0.1 * i));
    writer.flush();
    // As a process that is killed would leave it.
    EXPECT_EQ(RecordingReader(folder_ / "a.taut.partial").frame_count(), 5u);
    writer.record(state_at(scene, 0.5));
  }
  EXPECT_EQ(file_count(), 1u);
  RecordingReader reader(folder_ / "a.taut.partial");
  EXPECT_FALSE(reader.is_complete());
  EXPECT_EQ(reader.frame_count(), 6u);
  EXPECT_NE(message_of([&] { RecordingReader missing(folder_ / "a.taut"); }).find("a.taut.partial"),
            std::string::npos);
  EXPECT_THROW(RecordingWriter(folder_ / "none" / "a.taut", scene, "", 0), Error);
}

TEST_F(RecordingFile, ScenesWithoutParticlesOrBodies) {
  Scene scene;
  scene.name = "one rod";
  scene.system.add(RigidBody{}, "rod");
  RecordingReader rod(record(scene, 2));
  RecordedFrame frame;
  rod.read(1, frame);
  EXPECT_EQ(frame.positions.size(), 1u);
  Scene empty;
  RecordingReader nothing(record(empty, 2));
  nothing.read(1, frame);
  EXPECT_TRUE(frame.positions.empty());
}

TEST_F(RecordingFile, WhatRunsAwayStaysANumber) {
  Scene scene;
  scene.system.add(Particle{1, {1e300, -1e300, 1e-300}});
  scene.system.add(Particle{1, {0, 0, 0}});
  for (const auto positions : {RecordedPositions::float32, RecordedPositions::uint16}) {
    RecordingReader reader(record(scene, 1, positions));
    RecordedFrame frame;
    reader.read(0, frame);
    for (const Eigen::Vector3f& place : frame.positions) EXPECT_FALSE(place.hasNaN());
  }
}

// A writer that was killed leaves the temporary file: what is complete of it can be read.
TEST_F(RecordingFile, EveryPrefixGivesItsFramesOrAMessage) {
  const Scene scene = some_scene(3);
  const auto path = record(scene, 3);
  const std::string whole = content(path);
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = write("cut.taut", whole.substr(0, size));
    try {
      RecordingReader reader(cut);
      EXPECT_FALSE(reader.is_complete());
      EXPECT_GE(reader.frame_count(), most);
      most = reader.frame_count();
      RecordedFrame frame;
      for (std::size_t i = 0; i < reader.frame_count(); ++i) {
        reader.read(i, frame);
        EXPECT_EQ(frame.time, 0.1 * static_cast<double>(i));
      }
    } catch (const Error& error) {
      EXPECT_EQ(most, 0u) << error.what();
      EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(most, 3u);
}

TEST_F(RecordingFile, NoByteMakesItCrash) {
  const std::string whole = content(record(some_scene(3), 2));
  std::uint32_t random = 1;
  const auto next = [&random] { return (random = random * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < 3000; ++i) {
    std::string bad = whole;
    for (int k = 0; k <= i % 3; ++k) bad[next() % bad.size()] = static_cast<char>(next());
    message(bad);
  }
}

TEST_F(RecordingFile, MistakesAreTold) {
  const std::string none =
      "found no recording of taut, expected a file that taut run --recording wrote";
  EXPECT_EQ(message(""), none);
  EXPECT_EQ(message("garbage, and more than sixteen bytes of it"), none);
  std::string good = content(record(some_scene(3), 2)), bad = good;
  EXPECT_EQ(message(good), "no error");
  bad[8] = 2;
  EXPECT_EQ(message(bad), "found version 2 of the format, expected 1");
  bad = good;
  bad[16] = 'X';
  EXPECT_EQ(message(bad), "byte 16: found something else, expected HEAD");
  bad = good;
  bad[40] = '\0';
  EXPECT_EQ(message(bad), "byte 16: found no JSON of a recording");
  bad = good;
  bad.replace(bad.find("{\"count\":9"), 10, "{\"count\":8");
  EXPECT_EQ(message(bad), "byte 16: found not a name for every particle");
  bad = good;
  bad.replace(bad.find("FRAM"), 4, "GRAM");
  EXPECT_NE(message(bad).find("found something else, expected FRAM"), std::string::npos);
  EXPECT_NE(message_of([&] { RecordingReader(folder_ / "none.taut"); }).find("cannot be read"),
            std::string::npos);
  EXPECT_NE(message_of([&] { RecordingReader reader(folder_); }).find("not a file"),
            std::string::npos);
}

TEST_F(RecordingFile, FramesAreMeshes) {
  const Scene scene = some_scene(3);
  write("frame_00002.ply", "of an earlier run");
  write("frame_00003.ply", "of an earlier run");
  write("frame_00005.ply", "something else");
  SkinPart part{"sheet", {}, scene.surfaces[0].faces};
  for (const BodyId vertex : scene.surfaces[0].vertices) part.vertices.push_back({vertex});
  SurfaceFrames frames(folder_, find_mesh_format("ply"), {part, part});
  const State state = state_at(scene, 0.5);
  const Pose pose(scene.system, state.q);
  for (int i = 0; i < 2; ++i) frames.write(0.5, [&](const Point& point) { return pose.at(point); });
  frames.finish();
  EXPECT_EQ(frames.count(), 2);
  EXPECT_EQ(file_count(), 3u);
  const Mesh mesh = read_mesh(folder_ / "frame_00001.ply");
  EXPECT_EQ(mesh.vertices.size(), 18u);
  ASSERT_EQ(mesh.faces.size(), 10u);
  EXPECT_EQ(mesh.faces[5].vertex[0], 9);
  EXPECT_EQ(mesh.faces[9].size(), 3);
  EXPECT_NEAR(mesh.vertices[2].z(), std::sin(0.6 + 0.5), 1e-7);
}

}  // namespace
}  // namespace taut::io
