#include "taut/record/motion_store.hpp"

#include <algorithm>

namespace taut::io {
namespace {

constexpr std::size_t most_loaded = std::size_t{16} << 20;  // numbers in memory: 64 MB

}  // namespace

MotionStore::MotionStore(const ExportTarget& target, const Drawing& drawing)
    : info_(target.info), rod_links_(drawing.rods), spool_(target.path) {
  const auto column = [&](std::size_t count) {
    width_ += count;
    return Column{width_ - count, count};
  };
  bodies_.resize(info_.body_count());
  for (const int ball : drawing.balls) bodies_[static_cast<std::size_t>(ball)] = column(3);
  for (std::size_t i = info_.particle_count; i < bodies_.size(); ++i) bodies_[i] = column(7);
  for (const Surface& surface : info_.surfaces)
    surfaces_.push_back(column(3 * surface.vertices.size()));
  rods_ = column(6 * rod_links_.size());
  frame_.resize(width_);
}

void MotionStore::add(const ExportFrame& frame) {
  float* next = frame_.data();
  const auto put = [&](const auto& values) {
    for (const double value : values) *next++ = static_cast<float>(value);
  };
  for (std::size_t i = 0; i < info_.particle_count; ++i)
    if (bodies_[i].count > 0) {
      next = frame_.data() + bodies_[i].first;
      put(frame.positions[i]);
    }
  turns_.resize(frame.orientations.size(), Quat::Identity());
  for (std::size_t r = 0; r < frame.orientations.size(); ++r) {
    const std::size_t body = info_.particle_count + r;
    Quat turn = frame.orientations[r];
    turn.coeffs() = turn.norm() > 0 ? turn.coeffs() / turn.norm() : Quat::Identity().coeffs();
    if (turn.dot(turns_[r]) < 0) turn.coeffs() = -turn.coeffs();
    turns_[r] = turn;
    next = frame_.data() + bodies_[body].first;
    put(frame.positions[body]);
    put(turn.coeffs());
  }
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    next = frame_.data() + surfaces_[s].first;
    for (const BodyId vertex : info_.surfaces[s].vertices)
      put(frame.positions[static_cast<std::size_t>(vertex.index)]);
  }
  next = frame_.data() + rods_.first;
  for (const int link : rod_links_) {
    const auto& [a, b, type] = info_.links[static_cast<std::size_t>(link)];
    put(frame.at(info_, a));
    put(frame.at(info_, b));
  }
  spool_.write({reinterpret_cast<const char*>(frame_.data()), 4 * frame_.size()});
  times_.push_back(frame.time);
}

// Narrow columns are read many at a time, wide ones frame by frame.
void MotionStore::read(Column column, const std::function<void(std::span<const float>)>& take) {
  const std::size_t frames = times_.size();
  if (column.count * frames > most_loaded) {
    for (std::size_t f = 0; f < frames; ++f) take(read(column, f));
    return;
  }
  const auto& [first, count] = loaded_columns_;
  if (column.first < first || column.first + column.count > first + count)
    load(column.first, std::clamp(most_loaded / std::max<std::size_t>(1, frames), column.count,
                                  width_ - column.first));
  for (std::size_t f = 0; f < frames; ++f)
    take({loaded_.data() + f * count + (column.first - first), column.count});
}

std::vector<float> MotionStore::read(Column column, std::size_t frame) {
  std::vector<float> one(column.count);
  spool_.read(4 * (frame * width_ + column.first),
              {reinterpret_cast<char*>(one.data()), 4 * one.size()});
  return one;
}

void MotionStore::load(std::size_t first, std::size_t count) {
  loaded_columns_ = {first, count};
  loaded_.resize(count * times_.size());
  for (std::size_t f = 0; f < times_.size(); ++f)
    spool_.read(4 * (f * width_ + first),
                {reinterpret_cast<char*>(loaded_.data() + f * count), 4 * count});
}

}  // namespace taut::io
