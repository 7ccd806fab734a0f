// What both of MuJoCo's translators need: numbers in XML, and a model with its data.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "scene.hpp"

namespace peers {

std::string numbers(const Vec3& x);
std::string numbers(const Quat& q);

struct MujocoModel {
  /// Throws std::runtime_error with MuJoCo's words.
  explicit MujocoModel(const std::string& xml);

  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data{nullptr, mj_deleteData};

  /// "3 warnings"; empty if there are none.
  std::string complaint() const;
};

}  // namespace peers
