// The cloths of a scene as what they touch sees them: surfaces with a thickness and friction.
//
// A thickness is kept between two layers of cloth, half of it between cloth and a shape. Vertices
// that a constraint joins to a body do not touch that body's shapes, and neither do the triangles
// they are of.
#pragma once

#include <string>
#include <vector>

#include "taut/collision/material.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/collision/sheet_contacts.hpp"
#include "taut/collision/sheet_shapes.hpp"
#include "taut/model/mesh.hpp"
#include "taut/model/sheet_source.hpp"
#include "taut/model/system.hpp"

namespace taut::collision {

struct ClothLayer {
  double thickness = 1e-3;  ///< m: what two layers of it keep apart
  Release release = Release::complementarity;
  Surface surface;
};

class ClothContacts final : public SheetSource {
 public:
  /// `system` has the vertices as particles.
  void add(const System& system, const taut::Surface& cloth, const ClothLayer& layer);
  /// What the cloths may touch beside each other.
  void set_shapes(std::vector<BodyShape> shapes, SurfacePairs pairs);
  /// Vertices joined to a body do not touch it. After all have been added.
  void ignore_joined(const System& system);

  bool find(const Pose& pose, const Pose& wanted, std::vector<SheetTouch>& out) const override;
  double free_part(const Pose& from, const Pose& to) const override;
  double longest_way(const Pose& from, const Pose& to) const override;
  double thickness() const override { return thinnest_; }
  void forget() const override;
  std::string cloth_name(int cloth) const override { return sheet_.part(cloth).name; }
  std::string shape_name(int shape) const override {
    return shapes_[static_cast<std::size_t>(shape)].name;
  }

  int vertex_count() const { return sheet_.vertex_count(); }
  const Sheet& sheet() const { return sheet_; }

 private:
  struct Part {
    ClothLayer layer;
    double edge = 0;  // the shortest at the start
    int shape = -1;   // of fixed surfaces
  };
  void add_fixed(int number);
  void place(const Pose& pose, std::vector<Vec3>& x) const;
  const Part& part_of(int vertex) const {
    return parts_[static_cast<std::size_t>(part_[static_cast<std::size_t>(vertex)])];
  }
  Share share(int vertex, double weight) const;
  SheetTouch::Side side_of(int vertex) const;
  void find_sheets(std::vector<SheetTouch>& out) const;
  void find_shape(std::size_t number, const Pose& pose, const Pose& wanted,
                  std::vector<SheetTouch>& out) const;
  bool is_ignored(std::size_t shape, int vertex) const;

  Sheet sheet_;
  std::vector<Part> parts_;
  std::vector<int> part_;     // per vertex
  std::vector<BodyId> body_;  // per vertex; of fixed surfaces the world
  std::vector<Vec3> still_;   // per vertex: places of those that do not move
  std::vector<BodyShape> shapes_;
  SurfacePairs pairs_;
  std::vector<std::vector<char>> ignored_;  // per shape and vertex; empty: none
  double thinnest_ = INFINITY, thickest_ = 0;

  // Of the last call; used by one thread at a time.
  mutable std::unique_ptr<SheetContacts> contacts_;
  mutable std::unique_ptr<SheetTree> shape_tree_;
  mutable std::vector<Vec3> x_, to_;
  // Per vertex: how far it may go, and how much of that is more than expected.
  mutable std::vector<double> way_, farther_;
  mutable std::vector<NearPair> near_pairs_;
  mutable NearShapeRoom room_;
  mutable std::vector<NearShape> near_shapes_;
};

/// Where a shape is while the bodies are in this pose.
Pose3 place_of(const Pose& pose, const BodyShape& shape);

}  // namespace taut::collision
