// What clients are told of the hands of a scene.
#include "taut/hand/coupling.hpp"
#include "taut/server/stage.hpp"

namespace taut::server {
namespace {

using io::Json;

constexpr double look_every = 0.05;  // s, of the motion
constexpr int most_looks = 400;
constexpr double thickest = 0.02;  // m, of limbs

Json pose_json(const hand::LimbState& limb) {
  const Quat q(limb.rotation);
  const Vec3& at = limb.position;
  return Json::array({at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z()});
}

/// The box of all places that the ghost comes to by itself.
Json reach_json(const hand::Hand& hand, double duration) {
  Vec3 low = Vec3::Constant(INFINITY), high = Vec3::Constant(-INFINITY);
  const int looks = std::clamp(static_cast<int>(duration / look_every), 1, most_looks);
  for (int i = 0; i <= looks; ++i)
    for (const hand::LimbState& limb : hand.ghost->limbs(duration * i / looks)) {
      low = low.cwiseMin(limb.position);
      high = high.cwiseMax(limb.position);
    }
  return {{"min", vector_json(low.array() - thickest)},
          {"max", vector_json(high.array() + thickest)}};
}

}  // namespace

Json hands_json(const io::Scene& scene, const BodyOrder& order) {
  Json all = Json::array();
  for (const hand::Hand& hand : hand::hands_of(scene.system)) {
    Json bodies = Json::array(), rest = Json::array(), limits = Json::array();
    for (const BodyId body : hand.bodies) bodies.push_back(order.of(body));
    for (const hand::LimbState& limb : hand.model.limbs(hand::HandPose{}))
      rest.push_back(pose_json(limb));
    for (int i = 0; i < hand::angle_count; ++i) {
      const hand::AngleLimits of = hand::angle_limits(i);
      limits.push_back(Json::array({of.lower, of.upper}));
    }
    all.push_back({{"name", hand.name},
                   {"side", hand.model.side() == hand::Side::left ? "left" : "right"},
                   {"bodies", std::move(bodies)},
                   {"rest", std::move(rest)},
                   {"limits", std::move(limits)},
                   {"reach", reach_json(hand, scene.duration)}});
  }
  return all;
}

}  // namespace taut::server
