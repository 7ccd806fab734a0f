#include <cmath>
#include <unordered_map>

#include "taut/simulate/joint_track_internal.hpp"

namespace taut::detail {

JointTrack::JointTrack(const System& system) : system_(system) {
  if (system.joints().empty()) return;
  std::unordered_map<std::string, Row> row_of;
  int row = 0;
  for (const auto& batch : system.constraints())
    for (int i = 0; i < batch->size(); ++i) {
      row_of[batch->name(i)] = {row, batch->rows_per_constraint()};
      row += batch->rows_per_constraint();
    }
  for (const Joint& joint : system.joints()) {
    JointSample& sample = samples_.emplace_back();
    sample.joint = &joint;
    for (const JointCoordinate& each : joint.coordinates)
      sample.coordinates.push_back({each.coordinate.start, 0});
    // Three slides and a ball hold nothing together.
    const auto rows = row_of.find(joint.constraint.empty() ? joint.name : joint.constraint);
    rows_.push_back(rows == row_of.end() ? Row{0, 0} : rows->second);
  }
}

void JointTrack::move(const Pose& pose) {
  for (JointSample& sample : samples_)
    for (std::size_t c = 0; c < sample.coordinates.size(); ++c) {
      const Coordinate& coordinate = sample.joint->coordinates[c].coordinate;
      double& value = sample.coordinates[c].value;
      Coordinate::Places x;
      for (int k = 0; k < 3; ++k)
        x.col(k) = pose.at(coordinate.anchors[static_cast<std::size_t>(k)]);
      const double now = coordinate.value(x);
      value = coordinate.is_turn() ? value + shorter_way(now - value) : now;
    }
}

void JointTrack::follow(const State& state) {
  if (is_empty()) return;
  pose_.set(system_, state.q);
  move(pose_);
}

void JointTrack::look(const State& state) {
  follow(state);
  if (!is_empty()) find_rates(pose_, state.v);
}

void JointTrack::find_rates(const Pose& pose, const VecX& v) {
  for (JointSample& sample : samples_)
    for (std::size_t c = 0; c < sample.coordinates.size(); ++c) {
      const Coordinate& coordinate = sample.joint->coordinates[c].coordinate;
      Coordinate::Places x, rate;
      for (int k = 0; k < 3; ++k) {
        const Anchor& anchor = coordinate.anchors[static_cast<std::size_t>(k)];
        x.col(k) = pose.at(anchor);
        rate.col(k) = pose.velocity(anchor, v);
      }
      sample.coordinates[c].rate = coordinate.gradient(x).cwiseProduct(rate).sum();
    }
}

// A row's force on b is −λ J_b; about b's centre of mass, in its frame. About the joint it is
// smaller by arm × force.
void JointTrack::sample(const State& state, const RowPattern& pattern, const LinearizedRows& at,
                        const VecX& lambda) {
  move(at.pose);
  find_rates(at.pose, state.v);
  for (std::size_t j = 0; j < samples_.size(); ++j) {
    JointSample& sample = samples_[j];
    const Joint& joint = *sample.joint;
    const bool on_b = !joint.b.body.is_world();
    const Point& point = on_b ? joint.b : joint.a;
    const BodySlot& slot = system_.slot(point.body);
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int r = rows_[j].first; r < rows_[j].first + rows_[j].count; ++r)
      for (int b = pattern.first_block[r]; b < pattern.first_block[r + 1]; ++b) {
        const JacobianBlock& block = pattern.blocks[b];
        if (block.dof != slot.v) continue;
        force -= lambda[r] * at.J.segment<3>(block.value);
        torque -= lambda[r] * at.J.segment<3>(block.value + 3);
      }
    const Mat3& R = at.pose.rotations[static_cast<std::size_t>(slot.rigid)];
    const double sign = on_b ? 1 : -1;
    sample.force = sign * force;
    sample.torque = sign * (R * (torque - point.local.cross(R.transpose() * force)));
  }
}

void JointTrack::note(double time, RunReport& report) const {
  report.joints.resize(samples_.size());
  for (std::size_t j = 0; j < samples_.size(); ++j) {
    const JointSample& sample = samples_[j];
    RunReport::JointSummary& joint = report.joints[j];
    const bool is_first = joint.name.empty();
    joint.name = sample.joint->name;
    joint.type = sample.joint->type;
    joint.coordinates.resize(sample.coordinates.size());
    for (std::size_t c = 0; c < sample.coordinates.size(); ++c) {
      auto& summary = joint.coordinates[c];
      const double value = sample.coordinates[c].value, rate = sample.coordinates[c].rate;
      summary.name = sample.joint->coordinates[c].name;
      summary.unit = sample.joint->coordinates[c].coordinate.is_turn() ? "rad" : "m";
      if (is_first) summary.least = summary.largest = value;
      summary.final = value;
      summary.final_rate = rate;
      summary.least = std::min(summary.least, value);
      summary.largest = std::max(summary.largest, value);
      summary.fastest = std::max(summary.fastest, std::abs(rate));
    }
    joint.force = sample.force;
    joint.torque = sample.torque;
    if (const double size = sample.force.norm(); size > joint.largest_force) {
      joint.largest_force = size;
      joint.largest_force_at = time;
    }
    if (const double size = sample.torque.norm(); size > joint.largest_torque) {
      joint.largest_torque = size;
      joint.largest_torque_at = time;
    }
  }
}

}  // namespace taut::detail
