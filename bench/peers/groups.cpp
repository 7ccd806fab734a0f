#include "groups.hpp"

namespace peers {

const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {"contacts", "Contacts", "", all_scenes},
      {"large", "Contacts of many bodies", "", large_scenes},
      {"grasp", "Grasps", "", grasps},
      {"mechanisms", "Mechanisms", "", mechanisms},
      {"cloth", "Cloth", "", cloths}};
  return all;
}

}  // namespace peers
