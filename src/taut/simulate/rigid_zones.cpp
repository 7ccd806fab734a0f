#include "taut/simulate/rigid_zones.hpp"

#include "taut/model/pose.hpp"

namespace taut {
namespace {

struct Moments {
  double mass = 0;
  Vec3 centre = Vec3::Zero(), momentum = Vec3::Zero(), angular = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  Vec3 velocity = Vec3::Zero(), turning = Vec3::Zero();
};

Mat3 rotation_of(const Pose& pose, const BodySlot& slot) {
  return slot.rigid < 0 ? Mat3(Mat3::Identity())
                        : pose.rotations[static_cast<std::size_t>(slot.rigid)];
}

/// I ω = L by conjugate gradients: where all is on a line, there is no turn about it.
Vec3 turning(const Mat3& inertia, const Vec3& angular) {
  Vec3 omega = Vec3::Zero(), rest = angular, way = rest;
  for (int i = 0; i < 6 && rest.norm() > 1e-15 * angular.norm(); ++i) {
    const Vec3 image = inertia * way;
    const double stiffness = way.dot(image), size = rest.squaredNorm();
    if (!(stiffness > 0)) break;
    omega += size / stiffness * way;
    rest -= size / stiffness * image;
    way = rest + rest.squaredNorm() / size * way;
  }
  return omega;
}

}  // namespace

/// A constraint on one body alone holds it in the world.
void RigidZones::join_constraints(const System& system) {
  const int world = system.body_count();
  std::vector<Anchor> anchors;
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      const auto number = [&](const Anchor& anchor) {
        return anchor.body.is_world() ? world : anchor.body.index;
      };
      bool is_one = true;
      for (const Anchor& anchor : anchors) {
        zones_.join(number(anchors[0]), number(anchor));
        is_one = is_one && number(anchor) == number(anchors[0]);
      }
      if (is_one && !anchors.empty()) zones_.join(number(anchors[0]), world);
    }
  }
}

void RigidZones::unite(const System& system, const Pose& pose, std::span<const SheetTouch> touches,
                       VecX& v) {
  const int world = system.body_count();
  zones_.begin(world + 1);
  touched_.assign(zones_.size(), 0);
  join_constraints(system);
  const auto number = [&](const Share& share) {
    return share.point.body.is_world() ? world : share.point.body.index;
  };
  for (const SheetTouch& touch : touches)
    for (const Share& share : touch.all()) zones_.join(number(touch.shares[0]), number(share));
  for (const SheetTouch& touch : touches)
    touched_[static_cast<std::size_t>(zones_.of(number(touch.shares[0])))] = 1;
  std::vector<Moments> moments(zones_.size());
  const auto each = [&](const auto& work) {
    for (int i = 0; i < world; ++i) {
      const int zone = zones_.of(i);
      // What the world holds, and nothing touches, is no zone.
      if (touched_[static_cast<std::size_t>(zone)])
        work(i, moments[static_cast<std::size_t>(zone)], system.slot({i}));
    }
  };
  each([&](int i, Moments& zone, const BodySlot& slot) {
    zone.mass += system.mass({i});
    zone.centre += system.mass({i}) * pose.position(slot.q);
    zone.momentum += system.mass({i}) * v.segment<3>(slot.v);
  });
  for (Moments& zone : moments)
    if (zone.mass > 0) {
      zone.centre /= zone.mass;
      zone.velocity = zone.momentum / zone.mass;
    }
  each([&](int i, Moments& zone, const BodySlot& slot) {
    const double mass = system.mass({i});
    const Vec3 arm = pose.position(slot.q) - zone.centre;
    zone.angular += mass * arm.cross(Vec3(v.segment<3>(slot.v)));
    zone.inertia += mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    if (slot.rigid < 0) return;
    const Mat3 R = rotation_of(pose, slot);
    const Mat3& inertia = system.inertia({i});
    zone.angular += R * (inertia * v.segment<3>(slot.v + 3));
    zone.inertia += R * inertia * R.transpose();
  });
  const int held = zones_.of(world);
  for (std::size_t z = 0; z < moments.size(); ++z) {
    Moments& zone = moments[z];
    if (static_cast<int>(z) == held) {
      zone.velocity.setZero();
      continue;
    }
    zone.turning = turning(zone.inertia, zone.angular);
  }
  each([&](int, Moments& zone, const BodySlot& slot) {
    const Vec3 arm = pose.position(slot.q) - zone.centre;
    v.segment<3>(slot.v) = zone.velocity + zone.turning.cross(arm);
    if (slot.rigid >= 0)
      v.segment<3>(slot.v + 3) = rotation_of(pose, slot).transpose() * zone.turning;
  });
}

}  // namespace taut
