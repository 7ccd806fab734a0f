// Contact manifolds of convex pieces.
#pragma once

#include "taut/collision/contacts.hpp"
#include "taut/collision/pairs_internal.hpp"

namespace taut::collision::detail {

/// A face, an edge or a point of a core. Of a round body: a few points of it.
struct Feature {
  static constexpr int most = 32;
  Vec3 point[most];
  std::uint32_t vertex[most];  ///< numbers that say which vertex of the core it is,
  std::uint32_t edge[most];    ///< and which edge leads from it to the next point
  int count = 0;

  void add(const Vec3& p, std::uint32_t vertex_id, std::uint32_t edge_id) {
    point[count] = p;
    vertex[count] = vertex_id;
    edge[count] = edge_id;
    ++count;
  }
};

/// What of the core is farthest in direction d, counter-clockwise seen from outside. `near`: of a
/// hull, a vertex that may be near.
void find_feature(const Core& core, const Vec3& d, Feature& feature, int near = -1);

/// A contact between cores, in A's frame.
struct CorePoint {
  Vec3 on_a;
  double gap;  ///< of the cores
  std::uint64_t feature;
};

struct CoreManifold {
  static constexpr int most = 2 * Feature::most + 2;
  CorePoint point[most];
  int count = 0;

  void add(const Vec3& on_a, double gap, std::uint64_t feature) {
    if (count < most) point[count++] = {on_a, gap, feature};
  }
};

/// Points where the features of a and b that face each other along the normal are nearer than
/// `reach`. `deepest` is added if no other point is as deep; nullptr: none is.
void find_manifold(const Difference& difference, const Vec3& normal, double reach,
                   const CoreGap* deepest, CoreManifold& manifold);

/// Combines numbers of parts into one id.
inline std::uint64_t mixed(std::uint64_t id, std::uint64_t part) {
  std::uint64_t x = id + 0x9e3779b97f4a7c15u * (part + 1);  // the steps of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Keeps at most most_contacts of the contacts first … last − 1, which have one normal: an
/// outermost one, then always the one farthest from those kept, and the deepest. Returns the new
/// `last`.
std::size_t thin_out(std::vector<ContactPoint>& contacts, std::size_t first, std::size_t last);

/// Contacts of a surface, which is a, with a convex body.
void surface_contacts(const Shape& surface, const Pose3& at_a, const Core& b, const Pose3& at_b,
                      double margin, std::uint64_t part, std::vector<ContactPoint>& out);

/// Contacts of two capsules or spheres: each end of one that faces the other has its own normal.
void capsule_contacts(const Core& a, const Pose3& at_a, const Core& b, const Pose3& at_b,
                      double margin, std::uint64_t part, std::vector<ContactPoint>& out);

}  // namespace taut::collision::detail
