#include "taut/collision/cloth_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "taut/collision/crossings.hpp"
#include "taut/collision/manifold_internal.hpp"
#include "taut/collision/pairs_internal.hpp"
#include "taut/collision/sheet_sweep.hpp"

namespace taut::collision {
namespace {

// What is kept on the way, of the thickness; what is nearer may lose a tenth of its distance, and
// below the last nothing moves (collision/sheet_contacts.hpp).
constexpr double kept_apart = 0.07, least_kept = 1e-3;
constexpr double about = 0.5;  // of the thickness: what may close a little later is looked at, too
// … and, beside shapes, what may close where it goes farther than expected by this much of its way,
// or of the mean way. Cloth that is pushed away here tips over there, and looking again costs more
// than that.
constexpr double ahead = 1;

}  // namespace

Pose3 place_of(const Pose& pose, const BodyShape& shape) {
  if (shape.body.is_world()) return shape.pose;
  const BodySlot& slot = pose.slots[shape.body.index];
  if (slot.rigid < 0) return Pose3(pose.position(slot.q)) * shape.pose;
  return Pose3(pose.position(slot.q), pose.rotations[static_cast<std::size_t>(slot.rigid)]) *
         shape.pose;
}

void ClothContacts::add(const System& system, const taut::Surface& cloth, const ClothLayer& layer) {
  const int count = static_cast<int>(cloth.vertices.size());
  sheet_.add_triangles(triangles_of(cloth.faces), count, cloth.name);
  Part part{layer, INFINITY};
  for (const Face& face : cloth.faces)
    for (int k = 0; k < face.size(); ++k) {
      const auto a = static_cast<std::size_t>(face.vertex[static_cast<std::size_t>(k)]);
      const auto b =
          static_cast<std::size_t>(face.vertex[static_cast<std::size_t>((k + 1) % face.size())]);
      part.edge = std::min(part.edge, (system.initial_place(Point(cloth.vertices[a])) -
                                       system.initial_place(Point(cloth.vertices[b])))
                                          .norm());
    }
  parts_.push_back(part);
  part_.insert(part_.end(), cloth.vertices.size(), static_cast<int>(parts_.size()) - 1);
  body_.insert(body_.end(), cloth.vertices.begin(), cloth.vertices.end());
  still_.resize(body_.size(), Vec3::Zero());
  thinnest_ = std::min(thinnest_, layer.thickness);
  thickest_ = std::max(thickest_, layer.thickness);
}

void ClothContacts::add_fixed(int number) {
  const BodyShape& shape = shapes_[static_cast<std::size_t>(number)];
  const CheckedSurface surface = checked_surface(shape.shape, shape.pose);
  const int count = static_cast<int>(surface.vertices.size());
  sheet_.add_triangles(surface.triangles, count, shape.name, true);
  parts_.push_back({{.thickness = 0, .surface = shape.surface}, INFINITY, number});
  part_.insert(part_.end(), surface.vertices.size(), static_cast<int>(parts_.size()) - 1);
  body_.resize(part_.size(), world_body);
  still_.insert(still_.end(), surface.vertices.begin(), surface.vertices.end());
}

void ClothContacts::set_shapes(std::vector<BodyShape> shapes, SurfacePairs pairs) {
  shapes_ = std::move(shapes);
  pairs_ = std::move(pairs);
  for (std::size_t s = 0; s < shapes_.size(); ++s)
    if (detail::is_surface(shapes_[s].shape)) add_fixed(static_cast<int>(s));
}

void ClothContacts::ignore_joined(const System& system) {
  ignored_.assign(shapes_.size(), {});
  std::vector<std::vector<int>> joined(static_cast<std::size_t>(system.body_count()));
  std::vector<Anchor> anchors;
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      for (const Anchor& a : anchors)
        for (const Anchor& b : anchors)
          if (!a.body.is_world() && !b.body.is_world() && system.is_rigid(a.body))
            joined[static_cast<std::size_t>(b.body.index)].push_back(a.body.index);
    }
  }
  for (std::size_t v = 0; v < body_.size(); ++v) {
    if (body_[v].is_world()) continue;
    const std::vector<int>& bodies = joined[static_cast<std::size_t>(body_[v].index)];
    if (bodies.empty()) continue;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      if (std::find(bodies.begin(), bodies.end(), shapes_[s].body.index) == bodies.end()) continue;
      ignored_[s].resize(body_.size(), 0);
      ignored_[s][v] = 1;
    }
  }
}

bool ClothContacts::is_ignored(std::size_t shape, int vertex) const {
  return shape < ignored_.size() && !ignored_[shape].empty() &&
         ignored_[shape][static_cast<std::size_t>(vertex)];
}

void ClothContacts::place(const Pose& pose, std::vector<Vec3>& x) const {
  x.resize(body_.size());
  for (std::size_t v = 0; v < body_.size(); ++v)
    x[v] = body_[v].is_world() ? still_[v] : pose.at(Point(body_[v]));
}

Share ClothContacts::share(int vertex, double weight) const {
  const BodyId body = body_[static_cast<std::size_t>(vertex)];
  return {
      body.is_world() ? Point(world_body, still_[static_cast<std::size_t>(vertex)]) : Point(body),
      weight};
}

SheetTouch::Side ClothContacts::side_of(int vertex) const {
  const int shape = part_of(vertex).shape;
  if (shape >= 0) return {.shape = shape};
  return {.cloth = part_[static_cast<std::size_t>(vertex)]};
}

void ClothContacts::forget() const {
  contacts_.reset();
  shape_tree_.reset();
}

bool ClothContacts::find(const Pose& pose, const Pose& wanted, std::vector<SheetTouch>& out) const {
  out.clear();
  place(pose, x_);
  place(wanted, to_);
  find_sheets(out);
  if (!shapes_.empty()) {
    if (!shape_tree_) shape_tree_ = std::make_unique<SheetTree>(sheet_);
    way_.resize(body_.size());
    farther_.resize(body_.size());
    double mean = 0;
    for (std::size_t v = 0; v < body_.size(); ++v) {
      way_[v] = (to_[v] - x_[v]).norm();
      mean += way_[v] / static_cast<double>(body_.size());
    }
    for (std::size_t v = 0; v < body_.size(); ++v) {
      farther_[v] = ahead * std::max(way_[v], mean);
      way_[v] += farther_[v];
    }
    if (!shape_tree_->refit({x_, to_, farther_, thickest_})) return false;
    for (std::size_t s = 0; s < shapes_.size(); ++s) find_shape(s, pose, wanted, out);
  }
  return std::all_of(x_.begin(), x_.end(), [](const Vec3& x) { return x.allFinite(); });
}

void ClothContacts::find_sheets(std::vector<SheetTouch>& out) const {
  if (!contacts_) contacts_ = std::make_unique<SheetContacts>(sheet_);
  if (!contacts_->find({x_, (1 + about) * thickest_, to_}, near_pairs_)) return;
  for (const NearPair& pair : near_pairs_) {
    const std::size_t first = 0, second = static_cast<std::size_t>(pair.first_count());
    const Part &a = part_of(pair.vertex[first]), &b = part_of(pair.vertex[second]);
    const double thickness = 0.5 * (a.layer.thickness + b.layer.thickness);
    double gap = pair.distance - thickness, later = gap;
    for (std::size_t k = 0; k < 4 && pair.vertex[k] >= 0; ++k) {
      const auto v = static_cast<std::size_t>(pair.vertex[k]);
      later += pair.weight[k] * pair.normal.dot(to_[v] - x_[v]);
    }
    if (gap > 0 && later > about * thickness) continue;
    SheetTouch touch;
    touch.feature = pair.feature;
    for (std::size_t k = 0; k < 4 && pair.vertex[k] >= 0; ++k)
      touch.add(share(pair.vertex[k], pair.weight[k]));
    touch.normal = pair.normal;
    touch.gap = gap;
    touch.thickness = thickness;
    touch.friction = pairs_.between(a.layer.surface, b.layer.surface).friction;
    touch.sides = {side_of(pair.vertex[first]), side_of(pair.vertex[second])};
    touch.release = std::max(a.layer.release, b.layer.release);
    out.push_back(touch);
  }
}

void ClothContacts::find_shape(std::size_t number, const Pose& pose, const Pose& wanted,
                               std::vector<SheetTouch>& out) const {
  const BodyShape& shape = shapes_[number];
  if (detail::is_surface(shape.shape)) return;
  const Pose3 at = place_of(pose, shape), then = place_of(wanted, shape);
  const Motion3 motion(at, then);
  const double turning = motion.turn.norm() * reach(shape.shape);
  const bool is_plane = shape.shape.type == ShapeType::plane;
  const double way_of_shape = motion.shift.norm() + (is_plane ? 0 : turning);
  near_shapes_.clear();
  find_near_shape({sheet_, *shape_tree_, x_, shape.shape, at,
                   (0.5 + about) * thickest_ + (2 + ahead) * way_of_shape, to_, then, way_},
                  room_, near_shapes_);
  for (const NearShape& near : near_shapes_) {
    const Part& part = part_of(near.vertex[0]);
    const double thickness = 0.5 * part.layer.thickness;
    SheetTouch touch;
    Vec3 motion_of_cloth = Vec3::Zero();
    double farther = ahead * way_of_shape;
    bool ignored = false;
    for (std::size_t k = 0; k < 3 && near.vertex[k] >= 0; ++k) {
      const auto v = static_cast<std::size_t>(near.vertex[k]);
      ignored = ignored || is_ignored(number, near.vertex[k]);
      motion_of_cloth += near.weight[k] * (to_[v] - x_[v]);
      farther = std::max(farther, farther_[v] + ahead * way_of_shape);
      touch.add(share(near.vertex[k], near.weight[k]));
    }
    touch.gap = near.gap - thickness;
    const Vec3 local = at.to_local(near.on_shape);
    const double later =
        touch.gap + near.normal.dot(motion_of_cloth - (then * local - near.on_shape));
    if (ignored || (touch.gap > 0 && later > about * thickness + farther)) continue;
    touch.add({Point(shape.body, shape.pose * local), -1});
    touch.normal = near.normal;
    touch.thickness = thickness;
    touch.feature = detail::mixed(near.feature, number + 1);
    touch.friction = pairs_.between(part.layer.surface, shape.surface).friction;
    touch.sides[0] = side_of(near.vertex[0]);
    touch.sides[1].shape = static_cast<int>(number);
    touch.release = part.layer.release;
    out.push_back(touch);
  }
}

double ClothContacts::free_part(const Pose& from, const Pose& to) const {
  place(from, x_);
  place(to, to_);
  if (!contacts_) contacts_ = std::make_unique<SheetContacts>(sheet_);
  const SheetContacts::FirstImpact impact =
      contacts_->first_impact({x_, to_, kept_apart * thinnest_, least_kept * thinnest_});
  double least = impact.hit ? impact.t : 1;
  if (shapes_.empty() || least <= 0) return least;
  if (!shape_tree_) shape_tree_ = std::make_unique<SheetTree>(sheet_);
  if (!shape_tree_->refit({x_, to_, {}, thickest_})) return 0;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const SheetSweep sweep{
        sheet_,
        *shape_tree_,
        x_,
        to_,
        0.5 * kept_apart * thinnest_,
        0.5 * least_kept * thinnest_,
        s < ignored_.size() ? std::span<const char>(ignored_[s]) : std::span<const char>()};
    least = std::min(
        least, collision::free_part(sweep, shapes_[s].shape,
                                    Motion3(place_of(from, shapes_[s]), place_of(to, shapes_[s]))));
  }
  return least;
}

double ClothContacts::longest_way(const Pose& from, const Pose& to) const {
  place(from, x_);
  place(to, to_);
  double longest = 0;
  // Of each cloth, beside its mean.
  for (std::size_t begin = 0; begin < part_.size();) {
    std::size_t end = begin;
    Vec3 mean = Vec3::Zero();
    for (; end < part_.size() && part_[end] == part_[begin]; ++end) mean += to_[end] - x_[end];
    mean /= static_cast<double>(end - begin);
    const double edge = parts_[static_cast<std::size_t>(part_[begin])].edge;
    for (std::size_t v = begin; v < end && !body_[v].is_world(); ++v)
      longest = std::max(longest, (to_[v] - x_[v] - mean).norm() / edge);
    begin = end;
  }
  return longest;
}

}  // namespace taut::collision
