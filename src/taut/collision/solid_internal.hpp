// The body that triangles enclose: whether a point is in it, and how far its surface is.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "taut/collision/tree.hpp"

namespace taut::collision::detail {

/// Triangles after repair.
struct CleanMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  bool is_closed = false;  ///< every edge is between two triangles that agree on what is outside
  double volume = 0;       ///< that it encloses, if it is closed
  std::vector<std::string> repairs;
};
CleanMesh clean_mesh(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

/// How often a surface goes round a point (Jacobson, Kavan, Sorkine-Hornung 2013), with the
/// triangles far away taken together as one (Barill et al. 2018).
class WindingTree {
 public:
  WindingTree(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles);
  double winding_number(const Vec3& p) const;

 private:
  struct Node {
    Vec3 middle = Vec3::Zero(), area = Vec3::Zero();  ///< area: along the normals
    double radius = 0;
    int begin = 0, end = 0;   ///< its triangles
    int child[2] = {-1, -1};  ///< −1: a leaf
  };
  int build(int begin, int end);
  double solid_angle(int node, const Vec3& p) const;

  std::vector<std::array<Vec3, 3>> corners_;
  std::vector<Node> nodes_;
};

class Solid {
 public:
  explicit Solid(CleanMesh mesh);

  const CleanMesh& mesh() const { return mesh_; }
  const Bounds& box() const { return box_; }
  double size() const { return (box_.high - box_.low).maxCoeff(); }
  /// From the surface, for points inside and outside; some number above `most` if it is more.
  double distance(const Vec3& p, double most = std::numeric_limits<double>::infinity()) const;
  bool contains(const Vec3& p) const { return winding_.winding_number(p) > 0.5; }

  /// An edge at which the body is hollow.
  struct ReflexEdge {
    std::array<Vec3, 2> end;
    std::array<Vec3, 2> normal;  ///< of the triangles beside it
    double angle;                ///< between them
  };
  const std::vector<ReflexEdge>& reflex_edges() const { return reflex_edges_; }

 private:
  void find_reflex_edges();

  CleanMesh mesh_;
  Bounds box_;
  BoxTree tree_;
  WindingTree winding_;
  std::vector<ReflexEdge> reflex_edges_;
};

}  // namespace taut::collision::detail
