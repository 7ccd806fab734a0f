// Where cloths and ropes touch: themselves, each other, and shapes.
//
// A touch is between up to four particles and a rigid body or the world. Like a Contact it is
// known from step to step by the features that are near. There are thousands of them where cloth
// lies on something, most of them nearly dependent, so that they are not solved for as the contacts
// of rigid bodies are: simulate/sheet_step.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"

namespace taut {

struct Pose;

/// A part of a place that depends on several bodies: weight·x of a point.
struct Share {
  Point point;  ///< of a particle, or of a rigid body
  double weight = 0;
};

/// When what has pressed lets go: when the force would pull (complementarity), or only after it
/// has, as in Hong et al. (2005), section V.A: released by velocity and by Voronoi region.
enum class Release { complementarity, velocity };

struct SheetTouch {
  std::uint64_t feature = 0;  ///< the same as long as the same vertices, or pieces, are near
  std::array<Share, 5> shares;
  int share_count = 0;
  Vec3 normal = Vec3::UnitZ();  ///< the gap opens by Σ weight·v · normal
  double gap = 0;               ///< distance less the thickness that is kept; below 0: too near
  double thickness = 0;         ///< that is kept, m
  double friction = 0;
  Release release = Release::complementarity;
  /// One of the two surfaces: a cloth or a shape, by number.
  struct Side {
    int cloth = -1, shape = -1;
  };
  std::array<Side, 2> sides;  ///< first that of the shares with positive weights
  int source = -1;            ///< of a contact of rigid bodies: which ContactSource found it

  void add(const Share& share) { shares[static_cast<std::size_t>(share_count++)] = share; }
  std::span<const Share> all() const {
    return {shares.data(), static_cast<std::size_t>(share_count)};
  }
};

/// Knows the surfaces of cloths and what they may touch.
class SheetSource {
 public:
  virtual ~SheetSource() = default;
  /// Replaces `out` by all that is nearer than its thickness, or would be if everything moved on to
  /// `wanted`. Always in the same order for the same features. False if a place is not finite.
  virtual bool find(const Pose& pose, const Pose& wanted, std::vector<SheetTouch>& out) const = 0;
  /// How far, 0 to 1, all may go together on straight ways to `to`, so that nothing gets through
  /// anything: never too far.
  virtual double free_part(const Pose& from, const Pose& to) const = 0;
  /// The longest way that some vertex goes beside the others, relative to the edges of its cloth.
  virtual double longest_way(const Pose& from, const Pose& to) const = 0;
  /// The thinnest cloth, m.
  virtual double thickness() const = 0;
  virtual std::string cloth_name(int cloth) const = 0;
  /// May be empty.
  virtual std::string shape_name(int shape) const = 0;
  /// Forgets what it found before: the next answers are those of the first time.
  virtual void forget() const {}
  /// Whether touching costs no energy. (It does: nothing rebounds.)
  virtual bool is_conservative() const { return false; }
};

}  // namespace taut
