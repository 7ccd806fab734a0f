// Models in MJCF beside MuJoCo's own library: the motion of a tree, free or with actuators, over a
// second. Contacts, limits, equality constraints and friction are switched off by <flag>, and so
// are actuators where none are wanted; MuJoCo takes tiny steps of its Runge-Kutta method, taut its
// method of highest order. Links are where MuJoCo has its bodies.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "support/builders.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/methods/method.hpp"
#include "taut/robot/mjcf.hpp"
#include "taut/robot/robot_builder.hpp"

namespace taut::io {

inline const std::string flags =
    "<option integrator='RK4' timestep='STEP'><flag contact='disable' limit='disable' "
    "equality='disable' frictionloss='disable' actuation='disable'/></option>";

/// A model with those flags: MuJoCo takes the last of each.
inline std::string with_flags(std::string text, bool actuated, double step) {
  const std::size_t end = text.rfind("</mujoco>");
  text.insert(end, flags);
  text.replace(text.rfind("STEP"), 4, fmt::format("{}", std::min(0.0002, step / 4)));
  const std::string off = "actuation='disable'";
  if (actuated) text.replace(text.rfind(off), off.size(), "actuation='enable'");
  return text;
}

struct MujocoModel {
  explicit MujocoModel(const std::string& path) {
    char error[1000] = "";
    model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    if (!model) throw std::runtime_error(error);
    data = mj_makeData(model);
    if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
    for (int j = 0; j < model->njnt; ++j)  // some speed everywhere
      for (int k = model->jnt_dofadr[j]; k < model->nv; ++k)
        data->qvel[k] = std::sin(1.0 + k + 0.1 * model->nv);
    mj_forward(model, data);
  }
  ~MujocoModel() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  mjModel* model = nullptr;
  mjData* data = nullptr;
};

/// MuJoCo's speeds, by the names of joints.
inline void set_speeds(Robot& robot, const MujocoModel& mujoco) {
  int number = 0;
  for (RobotJoint& joint : robot.joints) {
    if (joint.type == JointType::fixed) continue;
    const int j = number++;  // in MuJoCo's order
    const double* v = mujoco.data->qvel + mujoco.model->jnt_dofadr[j];
    if (joint.type == JointType::floating) {
      joint.start_velocity = joint.origin.linear().transpose() * Vec3(v);
      joint.start_spin = Vec3(v + 3);
    } else if (joint.type == JointType::ball) {
      joint.start_spin = Vec3(v);
    } else {
      joint.start_rate = *v;
    }
  }
  ASSERT_EQ(number, mujoco.model->njnt);
}

/// The largest distance of the origins of links, and of points 0.1 m from them, after a second.
struct Difference {
  double at_start = 0, at_end = 0, way = 0;
  int links = 0;
};

inline Difference compare_with_mujoco(const std::string& text, const std::string& folder,
                                      bool actuated, double step) {
  const std::filesystem::path path =
      std::filesystem::path(folder) / ("taut_free_" + std::to_string(::getpid()) + ".xml");
  const std::string with = with_flags(text, actuated, step);
  std::ofstream(path) << with;
  MujocoModel mujoco(path.string());
  std::filesystem::remove(path);

  Robot robot = parse_mjcf(with, path.string(), folder);
  set_speeds(robot, mujoco);
  System system;
  const AddedRobot added = add_robot(system, robot);
  apply(system, Gravity{*robot.gravity});

  std::vector<std::string> bodies;  // in the same order
  for (const RobotLink& link : robot.links)
    if (link.name.find('/') == std::string::npos) bodies.push_back(link.name);
  EXPECT_EQ(static_cast<int>(bodies.size()), mujoco.model->nbody);

  const auto largest = [&](const State& state, const std::vector<Vec3>* before) {
    const Pose pose(system, state.q);
    double error = 0;
    std::vector<Vec3> places;
    for (int b = 1; b < mujoco.model->nbody; ++b) {
      const auto found = added.links.find(bodies.at(static_cast<std::size_t>(b)));
      if (found == added.links.end()) continue;
      const LinkPlace& place = found->second;
      const Eigen::Matrix3d R =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(mujoco.data->xmat + 9 * b);
      for (int k = 0; k < 4; ++k) {
        const Vec3 arm = k == 0 ? Vec3(Vec3::Zero()) : Vec3(0.1 * Vec3::Unit(k - 1));
        const Vec3 wanted = Vec3(mujoco.data->xpos + 3 * b) + R * arm;
        const Vec3 is = pose.at(Point(place.body, place.frame * arm));
        error = std::max(error, is.allFinite() ? (is - wanted).norm() : 1e9);
        places.push_back(wanted);
      }
    }
    double way = 0;
    if (before)
      for (std::size_t i = 0; i < places.size(); ++i)
        way = std::max(way, (places[i] - (*before)[i]).norm());
    return std::make_tuple(error, places, way);
  };

  Difference difference;
  const auto [start, places, none] = largest(system.initial_state(), nullptr);
  difference.at_start = start;
  difference.links = static_cast<int>(places.size() / 4);
  while (mujoco.data->time < 1 - 1e-9) mj_step(mujoco.model, mujoco.data);
  mj_forward(mujoco.model, mujoco.data);
  const RunReport report = testing::run(system, "dop853", step, 1);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  const auto [end, after, way] = largest(report.final_state, &places);
  difference.at_end = end;
  difference.way = way;
  return difference;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline void expect_agreement(const std::string& text, const std::string& folder, int links,
                             bool actuated = false, double step = 0.002) {
  const Difference difference = compare_with_mujoco(text, folder, actuated, step);
  EXPECT_EQ(difference.links, links);
  EXPECT_LT(difference.at_start, 1e-12);
  EXPECT_LT(difference.at_end, 1e-6);
  EXPECT_GT(difference.way, 0.005);  // it does move
  std::printf("  %d links moved up to %.3g m, agree to %.2g m (%.2g m at the start)\n",
              difference.links, difference.way, difference.at_end, difference.at_start);
}

inline std::string mjcf_text(const std::string& world, const std::string& before = "",
                             const std::string& behind = "") {
  return "<mujoco><compiler angle='radian'/>" + before + "<worldbody>" + world + "</worldbody>" +
         behind + "</mujoco>";
}
inline const std::string solid_box =
    "<geom type='box' size='.1 .2 .3' pos='.2 .1 -.3' euler='.3 .2 .1'/>";

inline void expect_agreement(const std::string& text, int links) {
  expect_agreement(text, ::testing::TempDir(), links);
}

}  // namespace taut::io
