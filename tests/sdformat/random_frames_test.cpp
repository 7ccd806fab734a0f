// The graph of frames of random SDF worlds, as taut reads it and as Gazebo's own library does:
// where links, their centres of mass and inertias, and the axes of joints are in the world.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sdf/sdf.hh>

#include "taut/robot/sdf.hpp"

namespace taut::io {
namespace {

/// Writes a world of models with models in them, frames attached to anything, poses relative to
/// anything, placement frames, and axes expressed in other frames.
class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : random_(seed) {
    version_ = pick({"1.7", "1.8", "1.9"});
    std::string models;
    const int count = 1 + whole(2);
    for (int i = 0; i < count; ++i) models += model(0, fmt::format("m{}", i), {}).first;
    text_ = fmt::format("<sdf version='{}'><world name='w'>{}</world></sdf>", version_, models);
  }
  const std::string& text() const { return text_; }

 private:
  using Names = std::vector<std::string>;

  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool often(double chance) { return real(0, 1) < chance; }
  const std::string& pick(const Names& names) {
    return names[static_cast<std::size_t>(whole(static_cast<int>(names.size())))];
  }
  std::string place() { return fmt::format("{} {} {}", real(-1, 1), real(-1, 1), real(-1, 1)); }
  std::string fresh(const char* kind) { return fmt::format("{}{}", kind, count_++); }

  std::string pose(const Names& frames) {
    const std::string to =
        !frames.empty() && often(0.7) ? fmt::format(" relative_to='{}'", pick(frames)) : "";
    const double form = real(0, 1);
    if (version_ == "1.9" && form < 0.2)
      return fmt::format("<pose{} degrees='true'>{} {} {} {}</pose>", to, place(), real(-180, 180),
                         real(-80, 80), real(-180, 180));
    if (version_ == "1.9" && form < 0.4) {
      const Eigen::Vector4d q =
          Eigen::Vector4d(real(-1, 1), real(-1, 1), real(-1, 1), real(-1, 1)).normalized();
      return fmt::format("<pose{} rotation_format='quat_xyzw'>{} {} {} {} {}</pose>", to, place(),
                         q[0], q[1], q[2], q[3]);
    }
    return fmt::format("<pose{}>{} {} {} {}</pose>", to, place(), real(-3, 3), real(-1.4, 1.4),
                       real(-3, 3));
  }

  std::string inertial() {
    return fmt::format(
        "<inertial>{}<mass>{}</mass><inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz><ixy>{}</ixy>"
        "<ixz>{}</ixz><iyz>{}</iyz></inertia></inertial>",
        pose({}), real(0.5, 3), real(0.2, 0.3), real(0.2, 0.3), real(0.2, 0.3), real(-0.03, 0.03),
        real(-0.03, 0.03), real(-0.03, 0.03));
  }

  std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                    const Names& frames) {
    const std::string type = pick({"revolute", "prismatic", "fixed", "ball", "continuous"});
    const std::string in =
        often(0.4) ? fmt::format(" expressed_in='{}'", pick(frames)) : std::string();
    const bool has_axis = type != "fixed" && type != "ball";
    const std::string axis = has_axis ? fmt::format("<axis><xyz{}>{} {} {}</xyz></axis>", in,
                                                    real(-1, 1), real(-1, 1), real(0.1, 1))
                                      : "";
    return fmt::format(
        "<joint name='{}' type='{}'>{}<parent>{}</parent><child>{}</child>{}</joint>", name, type,
        often(0.7) ? pose(frames) : "", parent, child, axis);
  }

  /// The model, and the names of its frames. `around`: frames its pose may be relative to.
  std::pair<std::string, Names> model(int depth, const std::string& name, const Names& around) {
    Names frames{"__model__"}, links, parts;
    if (depth < 2)
      for (int n = whole(3); n > 0; --n) {
        const std::string inner = fresh("n");
        const auto [text, inside] = model(depth + 1, inner, frames);
        parts.push_back(text);
        frames.push_back(inner);
        for (const std::string& frame : inside) frames.push_back(inner + "::" + frame);
      }
    for (int n = 1 + whole(3); n > 0; --n) {
      links.push_back(fresh("l"));
      parts.push_back(fmt::format("<link name='{}'>{}{}</link>", links.back(),
                                  often(0.9) ? pose(frames) : "", inertial()));
      frames.push_back(links.back());
      if (!often(0.4)) continue;
      const std::string to = often(0.6)
                                 ? fmt::format(" attached_to='{}'",
                                               frames[static_cast<std::size_t>(
                                                   1 + whole(static_cast<int>(frames.size()) - 1))])
                                 : "";
      const std::string frame = fresh("f");
      parts.push_back(
          fmt::format("<frame name='{}'{}>{}</frame>", frame, to, often(0.8) ? pose(frames) : ""));
      frames.push_back(frame);
    }
    const Names placeable(frames.begin() + 1, frames.end());  // all but joints
    for (std::size_t k = 1; k < links.size(); ++k) {
      if (!often(0.7)) continue;
      const std::string parent = often(0.1) ? "world" : links[whole(static_cast<int>(k))];
      const std::string joint_name = fresh("j");
      parts.push_back(joint(joint_name, parent, links[k], frames));
      frames.push_back(joint_name);
    }
    std::shuffle(parts.begin(), parts.end(), random_);
    std::string head = fmt::format("<model name='{}'", name);
    if (often(0.3)) head += fmt::format(" placement_frame='{}'", pick(placeable));
    if (often(0.3)) head += fmt::format(" canonical_link='{}'", pick(links));
    head += ">" + (often(0.9) ? pose(around) : "");
    for (const std::string& part : parts) head += part;
    return {head + "</model>", Names(frames.begin() + 1, frames.end())};
  }

  std::mt19937 random_;
  int count_ = 0;
  std::string version_, text_;
};

/// What is compared, by name: numbers in axes of the world.
using Places = std::map<std::string, std::vector<double>>;

void add(Places& places, const std::string& name, const Frame& pose, double mass,
         const Vec3& center, const Mat3& inertia) {
  std::vector<double>& all = places[name];
  const auto append = [&](const auto& m) { all.insert(all.end(), m.data(), m.data() + m.size()); };
  append(Vec3(pose.translation()));
  append(Mat3(pose.linear()));
  append(Vec3(pose * center));
  append(Mat3(pose.linear() * inertia * pose.linear().transpose()));
  all.push_back(mass);
}

Places places_in_taut(const Robot& robot) {
  Places places;
  std::vector<Frame> at(robot.links.size(), Frame::Identity());
  for (const RobotJoint& joint : robot.joints)
    at[joint.child] = at[joint.parent] *
                      (joint.has_position() ? joint.at(joint.start)
                                            : joint.origin * joint.start_pose * joint.child_origin);
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    add(places, robot.links[k].name, at[k], robot.links[k].mass, robot.links[k].center,
        robot.links[k].inertia);
  for (const auto* joints : {&robot.joints, &robot.loops})
    for (const RobotJoint& joint : *joints) {
      if (!joint.has_position()) continue;
      const Vec3 axis = at[joint.parent].linear() * joint.origin.linear() * joint.axis;
      places[joint.name] = {axis[0], axis[1], axis[2]};
    }
  return places;
}

Frame frame(const ignition::math::Pose3d& pose) {
  Frame frame = Frame::Identity();
  frame.translation() = Vec3(pose.Pos().X(), pose.Pos().Y(), pose.Pos().Z());
  frame.linear() =
      Eigen::Quaterniond(pose.Rot().W(), pose.Rot().X(), pose.Rot().Y(), pose.Rot().Z())
          .toRotationMatrix();
  return frame;
}
template <class Element>
Frame resolved(const Element& element, const std::string& to = "__model__") {
  ignition::math::Pose3d pose;
  const sdf::Errors errors = element.SemanticPose().Resolve(pose, to);
  EXPECT_TRUE(errors.empty()) << errors.front().Message();
  return frame(pose);
}

void add_model(Places& places, const sdf::Model& model, const Frame& at,
               const std::string& before) {
  for (std::uint64_t k = 0; k < model.LinkCount(); ++k) {
    const sdf::Link& link = *model.LinkByIndex(k);
    const Frame own = frame(link.Inertial().Pose());
    const ignition::math::Matrix3d moi = link.Inertial().MassMatrix().Moi();
    Mat3 inertia;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) inertia(r, c) = moi(r, c);
    add(places, before + link.Name(), at * resolved(link), link.Inertial().MassMatrix().Mass(),
        own.translation(), own.linear() * inertia * own.linear().transpose());
  }
  for (std::uint64_t k = 0; k < model.JointCount(); ++k) {
    const sdf::Joint& joint = *model.JointByIndex(k);
    if (!joint.Axis(0)) continue;
    ignition::math::Vector3d axis;
    EXPECT_TRUE(joint.Axis(0)->ResolveXyz(axis, "__model__").empty());
    const Vec3 turned = at.linear() * Vec3(axis.X(), axis.Y(), axis.Z());
    places[before + joint.Name()] = {turned[0], turned[1], turned[2]};
  }
  for (std::uint64_t k = 0; k < model.ModelCount(); ++k) {
    const sdf::Model& inner = *model.ModelByIndex(k);
    add_model(places, inner, at * resolved(inner), before + inner.Name() + "::");
  }
}

Places places_in_gazebo(const std::string& text) {
  sdf::Root root;
  const sdf::Errors errors = root.LoadSdfString(text);
  EXPECT_TRUE(errors.empty()) << errors.front().Message();
  Places places;
  const sdf::World& world = *root.WorldByIndex(0);
  for (std::uint64_t k = 0; k < world.ModelCount(); ++k) {
    const sdf::Model& model = *world.ModelByIndex(k);
    add_model(places, model, resolved(model, "world"), model.Name() + "::");
  }
  return places;
}

TEST(RandomFrames, AreWhereGazeboHasThem) {
  int links = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::string text = RandomWorld(seed).text();
    const Places mine = places_in_taut(parse_sdf(text, "m.sdf", "")),
                 theirs = places_in_gazebo(text);
    for (const auto& [name, numbers] : theirs) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name));
      const auto found = mine.find(name);
      ASSERT_NE(found, mine.end());
      ASSERT_EQ(found->second.size(), numbers.size());
      // A joint whose child is nearer to the world is taken the other way round, as is its axis.
      const bool is_axis = numbers.size() == 3;
      const double sign = is_axis && found->second[0] * numbers[0] < 0 ? -1 : 1;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        ASSERT_NEAR(sign * found->second[i], numbers[i], 1e-9);
      links += !is_axis;
    }
  }
  EXPECT_GT(links, 200);
  std::printf("  %d links are where Gazebo has them\n", links);
}

}  // namespace
}  // namespace taut::io
