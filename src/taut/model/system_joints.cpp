// The part of System that knows joints.
#include <fmt/core.h>

#include "taut/base/error.hpp"
#include "taut/model/system.hpp"

namespace taut {

Point System::point_at(BodyId body, const Vec3& place) const {
  if (body.is_world()) return world_point(place);
  const Vec3 arm = place - initial_place(Point(body));
  return {body, direction_along(body, arm).local};
}

Direction System::direction_along(BodyId body, const Vec3& direction) const {
  if (body.is_world() || !is_rigid(body)) return {body, direction};
  const double* q = initial_q_.data() + slot(body).q;
  return {body, Quat(q[3], q[4], q[5], q[6]).conjugate() * direction};
}

void System::add_joint(Joint joint) {
  joint_index_.emplace(joint.name, joints_.size());
  joints_.push_back(std::move(joint));
}

void System::drop_joint() {
  joint_index_.erase(joints_.back().name);
  joints_.pop_back();
}

const Coordinate& System::joint_coordinate(std::string_view name) const {
  // A joint's name may have dots itself: the whole may be one.
  const std::size_t dot = name.rfind('.');
  auto found = joint_index_.find(std::string(name));
  std::string_view wanted;
  if (found == joint_index_.end() && dot != std::string_view::npos) {
    found = joint_index_.find(std::string(name.substr(0, dot)));
    wanted = name.substr(dot + 1);
  }
  if (found == joint_index_.end()) {
    std::vector<std::string_view> known;
    for (const Joint& joint : joints_) known.push_back(joint.name);
    throw Error(
        fmt::format("found \"{}\", expected the name of a joint{}", name, suggestion(name, known)));
  }
  const Joint& joint = joints_[found->second];
  std::vector<std::string_view> known;
  for (const JointCoordinate& each : joint.coordinates) {
    if (each.name == wanted || (wanted.empty() && joint.coordinates.size() == 1))
      return each.coordinate;
    known.push_back(each.name);
  }
  if (known.empty())
    throw Error(fmt::format("found \"{}\", a {}, which does not move; expected another joint",
                            joint.name, joint.type));
  if (wanted.empty())
    throw Error(
        fmt::format("found \"{}\", a {} that moves in several ways; expected \"{}.{}\" or "
                    "another of them",
                    joint.name, joint.type, joint.name, known.front()));
  throw Error(fmt::format("found \"{}\", expected a coordinate of the {} \"{}\"{}", name,
                          joint.type, joint.name, suggestion(wanted, known)));
}

void System::set_drive_limits(std::string_view joint, double effort, double speed) {
  auto& coordinate = const_cast<Coordinate&>(joint_coordinate(joint));  // one of joints_
  coordinate.largest_effort = effort;
  coordinate.largest_speed = speed;
}

int System::count_turns(const Coordinate& turn) {
  TAUT_CHECK(turn.is_turn());
  turns_.push_back({turn, position_size()});
  initial_q_.push_back(turn.start);
  change_topology();
  return turns_.back().q;
}

void System::follow_turns(const VecX& from, VecX& q) const {
  for (const auto& [turn, at] : turns_) {
    Coordinate::Places x;
    for (int k = 0; k < 3; ++k)
      x.col(k) = place(turn.anchors[static_cast<std::size_t>(k)], q.data());
    q[at] = turn.value_near(from[at], x);
  }
}

}  // namespace taut
