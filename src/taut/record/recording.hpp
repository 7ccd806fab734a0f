// The recording of a run: one compact binary file, for players to show and seek in.
// docs/recording.md has the format byte by byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "taut/model/inputs.hpp"
#include "taut/model/mesh.hpp"
#include "taut/model/state.hpp"
#include "taut/robot/visual.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {

/// How positions of particles are stored.
enum class RecordedPositions {
  automatic,  ///< float32 up to 1000 particles, uint16 beyond
  float32,    ///< 12 bytes each
  uint16,     ///< 6.1 bytes each: relative to the box of 256 of them, off by 1/131000 of its edges
};

/// What a recording says about the scene. Bodies are numbered as their positions are stored: the
/// particles first, then the rigid bodies, each in the order of the scene; −1 is the world.
struct RecordingInfo {
  std::string taut, scene, title, method;
  double frame_interval = 0;    ///< s between frames, where they are evenly spaced; else 0
  Vec3 gravity = Vec3::Zero();  ///< m/s²: which way is down
  std::uint32_t particle_count = 0;
  std::vector<std::string> particle_names;  ///< none where there are very many
  std::vector<std::string> rigid_names;

  std::vector<Visual> visuals;

  /// What touches: sizes as in collision/shape.hpp.
  struct Shape {
    int body = -1;
    std::string name, type;
    Vec3 size = Vec3::Zero();
    double radius = 0;
    Vec3 position = Vec3::Zero();  ///< in the body's frame
    Quat orientation = Quat::Identity();
    std::vector<Vec3> vertices;  ///< of hulls, meshes and height fields
    std::vector<std::vector<int>> faces;
  };
  std::vector<Shape> shapes;

  /// Per rigid body, the box of uniform density with its inertia: how it is drawn without a shape.
  struct Box {
    Vec3 size = Vec3::Zero();  ///< its edges
    Quat orientation = Quat::Identity();
  };
  std::vector<Box> rigid_boxes;

  std::vector<Surface> surfaces;
  std::vector<Input> inputs;

  /// What constraints and springs hold together, to be drawn as lines; both ends are the same where
  /// there is only one. Edges of surfaces are not repeated here.
  struct Link {
    Point a, b;
    std::uint32_t type = 0;
  };
  std::vector<std::string> link_types;
  std::vector<Link> links;

  std::uint32_t body_count() const {
    return particle_count + static_cast<std::uint32_t>(rigid_names.size());
  }
};

/// Writes while the run goes on, to PATH.partial, which RecordingReader can read as well. Throws
/// WriteError when it cannot.
class RecordingWriter {
 public:
  /// `frame_interval`: s between frames, 0 when they are not evenly spaced. The scene must outlive
  /// it.
  RecordingWriter(std::filesystem::path path, const Scene& scene, std::string method,
                  double frame_interval,
                  RecordedPositions positions = RecordedPositions::automatic);
  ~RecordingWriter();  ///< without finish() the frames stay in PATH.partial
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  /// `contacts`: what touches at that state; `inputs`: what they were, if not what they are.
  void record(const State& state, const std::vector<ContactSample>& contacts = {},
              const std::vector<double>& inputs = {});
  void flush();   ///< what was recorded survives the end of the process
  void finish();  ///< writes the index and gives the file its final name

  std::filesystem::path place() const;  ///< of the file: PATH.partial until finish()
  std::uint64_t frame_count() const;
  std::uint64_t file_size() const;   ///< so far
  std::uint64_t frame_size() const;  ///< bytes of one frame

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A point at which two bodies press on each other.
struct RecordedContact {
  int a = -1, b = -1;                          ///< bodies, numbered as in RecordingInfo
  Eigen::Vector3f point, normal, force, slip;  ///< in the world; the force on a, and its slip on b
  Eigen::Vector3f torque = Eigen::Vector3f::Zero();  ///< on a: it resists rolling and spinning
  float gap = 0;
};

struct RecordedFrame {
  double time = 0;
  std::vector<Eigen::Vector3f> positions;        ///< of all bodies, numbered as in RecordingInfo
  std::vector<Eigen::Quaternionf> orientations;  ///< of the rigid ones
  std::vector<RecordedContact> contacts;
  std::vector<double> inputs;
};

/// Reads frames in any order. Throws Error for a file that is damaged or not a recording. Of an
/// unfinished one, the complete frames can be read.
class RecordingReader {
 public:
  explicit RecordingReader(std::filesystem::path path);
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;

  const RecordingInfo& info() const;
  std::size_t frame_count() const;
  double time(std::size_t frame) const;
  void read(std::size_t frame, RecordedFrame& out);
  bool is_complete() const;  ///< false when it was not finished
  std::uint64_t file_size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::io
