#include "mujoco_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace peers {

std::string numbers(const Vec3& x) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", x.x(), x.y(), x.z());
}
std::string numbers(const Quat& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

MujocoModel::MujocoModel(const std::string& xml) {
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
  char error[500] = "";
  model.reset(mj_loadXML("scene.xml", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(fmt::format("MuJoCo: {}", error));
  data.reset(mj_makeData(model.get()));
}

std::string MujocoModel::complaint() const {
  int warnings = 0;
  for (const mjWarningStat& warning : data->warning) warnings += warning.number;
  return warnings > 0 ? fmt::format("{} warnings", warnings) : "";
}

}  // namespace peers
