// The shapes of a system's bodies and of the world, and where they touch.
//
// Pairs come from a tree of boxes, each grown by as far as its shape may move. Not asked for are
// two shapes of one body, of the world, of one group, of kinds that do not meet, of two bodies that
// a constraint joins, and of a body that is joined to the world and the world if they overlap at
// the start. Strings and stops do not join.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "taut/collision/cast.hpp"
#include "taut/collision/contacts.hpp"
#include "taut/collision/material.hpp"
#include "taut/collision/tree.hpp"
#include "taut/model/contact.hpp"
#include "taut/model/system.hpp"

namespace taut::collision {

struct BodyShape {
  BodyId body;  ///< the world: it never moves
  Shape shape;
  Pose3 pose;  ///< in the body's frame
  Surface surface;
  int group = 0;  ///< above 0: shapes of the same group do not touch
  std::string name = {};
  /// Sets of kinds, a bit for each. Two shapes touch if one is of a kind that the other meets.
  unsigned kinds = 1, meets = 1;
};

class ShapeContacts final : public ContactSource {
 public:
  /// Meshes, height fields and planes are of the world: throws Error for one on a body.
  void add(BodyShape shape);
  const std::vector<BodyShape>& shapes() const { return shapes_; }
  /// Shapes of these two never touch.
  void ignore(BodyId a, BodyId b);
  /// … nor those of two bodies that a constraint joins, nor of a body that is joined to the world
  /// and the world, where they overlap at the start. Of shapes that were added before.
  void ignore_joined(const System& system);

  /// What pairs of materials do.
  void set_pairs(SurfacePairs pairs);

  void find(const Pose& pose, const VecX& v, double time, double margin,
            std::vector<Contact>& out) const override {
    find_awake(pose, v, time, margin, {}, out);
  }
  void find_awake(const Pose& pose, const VecX& v, double time, double margin,
                  std::span<const char> asleep, std::vector<Contact>& out) const override;
  bool is_fast(const Pose& pose, const VecX& v, double time) const override;
  bool passes(const Pose& from, const Pose& to, const VecX& v, double time) const override;
  double free_part(const Pose& pose, std::span<const char> moves, const Vec3& way,
                   double room) const override;
  bool is_conservative() const override;
  void forget() const override;
  double elastic_energy(const Pose& pose) const override;
  double reach() const override;
  std::string shape_name(int shape) const override {
    return shapes_[static_cast<std::size_t>(shape)].name;
  }

 private:
  bool may_touch(std::size_t first, std::size_t second) const;
  void plant() const;
  /// How far the points of a shape go, at most.
  struct Way {
    Vec3 shift = Vec3::Zero();  // of the body's centre
    double turn = 0;            // of other points, beside that
    double longest() const { return shift.norm() + turn; }
    // What moves along with something gets no nearer to it.
    double against(const Way& other) const {
      return (shift - other.shift).norm() + turn + other.turn;
    }
  };
  Way way(std::size_t shape, const Pose& pose, const VecX& v, double time) const;
  void meet(int first, int second, const Pose& pose, double margin,
            std::vector<Contact>& out) const;

  std::vector<BodyShape> shapes_;
  SurfacePairs surface_pairs_;
  std::vector<double> reach_;                 // per shape, from its body's centre of mass
  std::vector<double> width_;                 // per shape: about how thick it is where it is thin
  double least_width_ = INFINITY;             // of all
  std::vector<Shape> in_body_;                // per shape: the same in the frame of its body
  std::vector<std::pair<int, int>> ignored_;  // bodies, in order
  std::vector<std::pair<std::size_t, std::size_t>> ignored_shapes_;  // in order
  // Of the last find(); a ContactSource is used by one thread at a time.
  struct Seen {
    Pose3 pose;
    double way = 0;  // how far its points may go
    bool is_still = false;
  };
  mutable std::vector<Seen> seen_;
  mutable BoxTree tree_;
  mutable std::vector<int> handles_;  // −1: not in the tree
  mutable std::vector<int> planes_;
  mutable std::vector<std::pair<int, int>> pairs_;
  mutable VecX at_rest_;
  mutable std::vector<ContactPoint> points_;
  mutable std::vector<Contact> touching_;
  bool has_compliance_ = false;  // or may have
  // Of passes(): the places that shapes go through.
  mutable BoxTree swept_;
  mutable std::vector<int> swept_handles_;
  mutable std::vector<Motion3> motions_;
};

}  // namespace taut::collision
