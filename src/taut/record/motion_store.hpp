// The motion of all that is drawn, kept on disk: it comes frame by frame, and formats such as glTF
// and USD want it thing by thing.
#pragma once

#include <functional>
#include <span>

#include "taut/record/drawing.hpp"
#include "taut/record/export.hpp"
#include "taut/record/spool.hpp"

namespace taut::io {

class MotionStore {
 public:
  MotionStore(const ExportTarget& target, const Drawing& drawing);

  void add(const ExportFrame& frame);

  /// Numbers that each frame has in the same place.
  struct Column {
    std::size_t first = 0, count = 0;
    Column part(std::size_t offset, std::size_t size) const { return {first + offset, size}; }
  };
  /// x y z, then of a rigid body the unit quaternion x y z w. Only of bodies that are drawn as
  /// such: rigid ones, and particles that are balls.
  Column body(int body) const { return bodies_[static_cast<std::size_t>(body)]; }
  Column surface(std::size_t surface) const { return surfaces_[surface]; }  ///< x y z of vertices
  Column rods() const { return rods_; }                     ///< x y z of both ends of each
  Column rod(std::size_t rod) const { return rods_.part(6 * rod, 6); }

  /// Calls `take` with the column's numbers for each frame, in order.
  void read(Column column, const std::function<void(std::span<const float>)>& take);
  /// Those of one frame.
  std::vector<float> read(Column column, std::size_t frame);

  std::size_t frame_count() const { return times_.size(); }
  const std::vector<double>& times() const { return times_; }

 private:
  void load(std::size_t first, std::size_t count);

  const RecordingInfo& info_;
  std::vector<int> rod_links_;
  std::vector<Column> bodies_, surfaces_;
  Column rods_;
  std::size_t width_ = 0;
  Spool spool_;
  std::vector<double> times_;
  std::vector<float> frame_;
  std::vector<Quat> turns_;  // of the last frame: signs are chosen so that quaternions do not jump

  std::vector<float> loaded_;  // some columns of all frames
  Column loaded_columns_;
};

}  // namespace taut::io
