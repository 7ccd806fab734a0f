#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numbers>

#include "taut/base/error.hpp"
#include "taut/collision/solid_internal.hpp"

namespace taut::collision::detail {

namespace {

Vec3 nearest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length = ab.squaredNorm();
  if (!(length > 0)) return a;
  return a + std::clamp((p - a).dot(ab) / length, 0.0, 1.0) * ab;
}

double squared_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const double area = normal.squaredNorm();
  const bool is_above = area > 0 && (b - a).cross(p - a).dot(normal) >= 0 &&
                        (c - b).cross(p - b).dot(normal) >= 0 &&
                        (a - c).cross(p - c).dot(normal) >= 0;
  if (is_above) {
    const double height = normal.dot(p - a);
    return height * height / area;
  }
  return std::min({(p - nearest_on_segment(p, a, b)).squaredNorm(),
                   (p - nearest_on_segment(p, b, c)).squaredNorm(),
                   (p - nearest_on_segment(p, c, a)).squaredNorm()});
}

/// Of a triangle seen from the origin (Van Oosterom and Strackee 1983): positive from behind.
double triangle_solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)),
                        la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

constexpr int leaf_size = 8;
constexpr double far_away = 2.5;  ///< times its radius: a node counts as one small triangle

}  // namespace

WindingTree::WindingTree(const std::vector<Vec3>& vertices,
                         const std::vector<std::array<int, 3>>& triangles) {
  for (const std::array<int, 3>& t : triangles)
    corners_.push_back({vertices[static_cast<std::size_t>(t[0])],
                        vertices[static_cast<std::size_t>(t[1])],
                        vertices[static_cast<std::size_t>(t[2])]});
  build(0, static_cast<int>(corners_.size()));
}

int WindingTree::build(int begin, int end) {
  Node node;
  node.begin = begin;
  node.end = end;
  double weight = 0;
  Vec3 low = corners_[static_cast<std::size_t>(begin)][0], high = low, plain = Vec3::Zero();
  for (int i = begin; i < end; ++i) {
    const auto& [a, b, c] = corners_[static_cast<std::size_t>(i)];
    const Vec3 area = 0.5 * (b - a).cross(c - a), middle = (a + b + c) / 3;
    node.area += area;
    node.middle += area.norm() * middle;
    plain += middle / (end - begin);
    weight += area.norm();
    low = low.cwiseMin(middle);
    high = high.cwiseMax(middle);
  }
  node.middle = weight > 0 ? Vec3(node.middle / weight) : plain;
  for (int i = begin; i < end; ++i)
    for (const Vec3& corner : corners_[static_cast<std::size_t>(i)])
      node.radius = std::max(node.radius, (corner - node.middle).norm());
  const int number = static_cast<int>(nodes_.size());
  nodes_.push_back(node);
  if (end - begin <= leaf_size) return number;
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int half = (begin + end) / 2;
  std::nth_element(corners_.begin() + begin, corners_.begin() + half, corners_.begin() + end,
                   [axis](const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
                     return a[0][axis] + a[1][axis] + a[2][axis] <
                            b[0][axis] + b[1][axis] + b[2][axis];
                   });
  const int first = build(begin, half), second = build(half, end);
  nodes_[static_cast<std::size_t>(number)].child[0] = first;
  nodes_[static_cast<std::size_t>(number)].child[1] = second;
  return number;
}

double WindingTree::solid_angle(int number, const Vec3& p) const {
  const Node& node = nodes_[static_cast<std::size_t>(number)];
  const Vec3 way = node.middle - p;
  const double distance = way.norm();
  if (distance > far_away * node.radius)
    return node.area.dot(way) / (distance * distance * distance);
  if (node.child[0] >= 0) return solid_angle(node.child[0], p) + solid_angle(node.child[1], p);
  double sum = 0;
  for (int i = node.begin; i < node.end; ++i) {
    const auto& [a, b, c] = corners_[static_cast<std::size_t>(i)];
    sum += triangle_solid_angle(a - p, b - p, c - p);
  }
  return sum;
}

double WindingTree::winding_number(const Vec3& p) const {
  return solid_angle(0, p) / (4 * std::numbers::pi);
}

Solid::Solid(CleanMesh mesh) : mesh_(std::move(mesh)), winding_(mesh_.vertices, mesh_.triangles) {
  std::vector<Bounds> boxes;
  for (const std::array<int, 3>& t : mesh_.triangles) {
    Bounds box{mesh_.vertices[static_cast<std::size_t>(t[0])],
               mesh_.vertices[static_cast<std::size_t>(t[0])]};
    for (const int v : t) {
      const Vec3& corner = mesh_.vertices[static_cast<std::size_t>(v)];
      box = box.united({corner, corner});
    }
    box_ = boxes.empty() ? box : box_.united(box);
    boxes.push_back(box);
  }
  if (!(size() > 0 && size() < 1e60))
    throw Error(fmt::format("mesh: its extent is {}, expected a length above 0", size()));
  tree_.build(boxes);
  find_reflex_edges();
}

double Solid::distance(const Vec3& p, double most) const {
  double best = most;
  tree_.nearest({p, p}, best, [&](int number, double limit) {
    const std::array<int, 3>& t = mesh_.triangles[static_cast<std::size_t>(number)];
    const double found = squared_distance(p, mesh_.vertices[static_cast<std::size_t>(t[0])],
                                          mesh_.vertices[static_cast<std::size_t>(t[1])],
                                          mesh_.vertices[static_cast<std::size_t>(t[2])]);
    best = std::min(limit, std::sqrt(found));
    return best;
  });
  return best;
}

void Solid::find_reflex_edges() {
  constexpr double least_angle = 1e-3;
  std::map<std::pair<int, int>, std::size_t> owner;  // directed edge → triangle
  const auto vertex = [&](int v) -> const Vec3& {
    return mesh_.vertices[static_cast<std::size_t>(v)];
  };
  const auto normal = [&](std::size_t t) {
    const std::array<int, 3>& corner = mesh_.triangles[t];
    return Vec3((vertex(corner[1]) - vertex(corner[0]))
                    .cross(vertex(corner[2]) - vertex(corner[0]))
                    .stableNormalized());
  };
  for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = mesh_.triangles[t][k], to = mesh_.triangles[t][(k + 1) % 3];
      owner.insert({{from, to}, t});
      const auto other = owner.find({to, from});
      if (other == owner.end()) continue;
      const Vec3 n = normal(t), beyond = normal(other->second);
      // Going along the edge with this triangle on the left, a hollow turns the normal backwards.
      const Vec3 along = (vertex(to) - vertex(from)).stableNormalized();
      const double angle = std::atan2(n.cross(beyond).dot(along), n.dot(beyond));
      if (angle < -least_angle)
        reflex_edges_.push_back({{vertex(from), vertex(to)}, {n, beyond}, -angle});
    }
}

}  // namespace taut::collision::detail
