// Puts a hand into a system: bodies, shapes, joints, and the coupling to its ghost.
#pragma once

#include <optional>
#include <string>

#include "taut/collision/shape_contacts.hpp"
#include "taut/hand/coupling.hpp"

namespace taut::hand {

enum class Limbs {
  free,     ///< only the ghost holds them together
  jointed,  ///< balls and hinges do: the hand cannot come apart
};
/// How strong limbs follow the ghost.
enum class Preset {
  quick,  ///< within the settling time, critically damped
  zaeh,   ///< as Zaeh, Egermeier, Petzold and Schmid measured with: limbs of 10 g that creep
};

struct HandOptions {
  std::string name = "hand";
  HandSizes sizes = HandSizes::of_length(usual_length);
  Side side = Side::right;
  Limbs limbs = Limbs::free;
  Preset preset = Preset::quick;
  double density = 1100;   ///< kg/m³
  double settling = 0.01;  ///< s: after which a limb alone is within 2 % of its ghost
  double most_force = 40;  ///< N, of each phalanx; the palm has ten times as much
  collision::Surface surface{};
  int group = 1;  ///< its shapes do not touch each other, unless
  /// fingers touch other fingers, and the palm with all but their first limbs.
  bool self_contact = false;
};

/// The limbs begin where the ghost is at the start. Throws Error for options that are no numbers
/// > 0 and for names that are taken.
Hand add_hand(System& system, collision::ShapeContacts& contacts, const HandOptions& options,
              std::shared_ptr<const Ghost> ghost);

/// The coupling of limbs with these masses (kg) and inertias (kg·m²).
LimbCoupling quick_coupling(double mass, const Mat3& inertia, double settling, double most_force);
LimbCoupling zaeh_coupling();

}  // namespace taut::hand

template <>
struct taut::Choices<taut::hand::Limbs> {
  static constexpr std::array<std::string_view, 2> names{"free", "jointed"};
};
template <>
struct taut::Choices<taut::hand::Preset> {
  static constexpr std::array<std::string_view, 2> names{"quick", "zaeh"};
};
