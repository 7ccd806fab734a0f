// A stylus: a tool of one body that a device moves, as it moves a hand. What is measured is the
// place of its tip, or that and how it is held. It is coupled to its ghost as a limb is
// (hand/coupling.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taut/collision/shape_contacts.hpp"
#include "taut/hand/coupling.hpp"

namespace taut::hand {

enum class Tip {
  point,  ///< a ball: 3 degrees of freedom, its place
  pen,    ///< a capsule from its tip along z: 6 degrees of freedom
};

/// Where the device has it: of the tip.
class StylusGhost {
 public:
  virtual ~StylusGhost() = default;
  virtual HandState tip(double time) const = 0;
};

/// Follows a motion that is known from the start.
class MovedStylus final : public StylusGhost {
 public:
  explicit MovedStylus(HandMotion motion) : motion_(std::move(motion)) {}
  HandState tip(double time) const override { return motion_.at(time); }

 private:
  HandMotion motion_;
};

/// Is where it was last put, and goes on for the rest of the step as fast as it did. Must not be
/// put anywhere during a step.
class HeldStylus final : public StylusGhost {
 public:
  void put(const HandState& tip, double time) {
    tip_ = tip;
    time_ = time;
  }
  HandState tip(double time) const override;

 private:
  HandState tip_;
  double time_ = 0;
};

struct StylusOptions {
  std::string name = "stylus";
  Tip tip = Tip::pen;
  double length = 0.12, radius = 0.004;  ///< m; a point has no length
  double density = 1100;                 ///< kg/m³
  double settling = 0.01;                ///< s: after which it is within 2 % of its ghost
  double most_force = 20;                ///< N
  collision::Surface surface{};
};

/// A stylus in a system.
struct Stylus {
  std::string name;
  Tip tip = Tip::pen;
  BodyId body;
  Vec3 centre = Vec3::Zero();  ///< of mass, in the frame of the tip
  LimbCoupling coupling;
  std::shared_ptr<const StylusGhost> ghost;

  /// From where the tip is to where the body is. A point is held as it is, however it is measured.
  LimbState body_at(const HandState& tip) const;
};

/// Begins where its ghost is. Throws Error for options that are no numbers > 0 and for a name that
/// is taken.
Stylus add_stylus(System& system, collision::ShapeContacts& contacts, const StylusOptions& options,
                  std::shared_ptr<const StylusGhost> ghost);

/// The styluses of a system, in the order in which they were added.
std::span<const Stylus> styluses_of(const System& system);
/// From the next step on.
void set_ghost(System& system, int stylus, std::shared_ptr<const StylusGhost> ghost);
void set_coupling(System& system, int stylus, const LimbCoupling& coupling);

/// All styluses of a system.
class StylusCouplings final : public GhostCouplings {
 public:
  void add(Stylus stylus) { styluses_.push_back(std::move(stylus)); }
  std::span<const Stylus> styluses() const { return styluses_; }
  Stylus& stylus(int i) { return styluses_[static_cast<std::size_t>(i)]; }

  std::string_view type() const override { return "stylus_coupling"; }
  int size() const override { return static_cast<int>(styluses_.size()); }
  const void* object(int i) const override { return &styluses_[static_cast<std::size_t>(i)]; }
  void add(const System& system, const Pose& pose, const VecX& v, double time,
           VecX& F) const override;
  int couplings(const System&) const override { return size(); }
  void visit_couplings(const System& system,
                       const std::function<void(std::span<const Anchor>)>& visit) const override;
  void add_stiffness(const System& system, const Pose& pose, const VecX& v, double time,
                     double rate, const RowPattern& pattern, Start start, VecX& K) const override;

 private:
  std::vector<Stylus> styluses_;
};

}  // namespace taut::hand

template <>
struct taut::Choices<taut::hand::Tip> {
  static constexpr std::array<std::string_view, 2> names{"point", "pen"};
};
