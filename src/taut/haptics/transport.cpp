#include "taut/haptics/transport.hpp"

#include <algorithm>

#include "taut/model/system.hpp"

namespace taut::haptics {
namespace {

constexpr double clearance = 2e-4;  // m: of what is in the way. What is no nearer does not touch
// Cosine: what is held between fingers is neither pushed nor left behind by either of them.
constexpr double leaves = 0.1;

}  // namespace

void Transport::adapt(const System& system) {
  if (of_ == &system && is_free_.size() == static_cast<std::size_t>(system.body_count())) return;
  of_ = &system;
  is_free_.assign(static_cast<std::size_t>(system.body_count()), 1);
  const auto tie = [&](const Anchor& anchor) {
    if (!anchor.body.is_world()) is_free_[static_cast<std::size_t>(anchor.body.index)] = 0;
  };
  std::vector<Anchor> anchors;
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int i = 0; i < batch->size(); ++i) {
      batch->anchors(i, anchors);
      std::for_each(anchors.begin(), anchors.end(), tie);
    }
  }
  for (const auto& batch : system.all_forces())
    batch->visit_couplings(system, [&](std::span<const Anchor> each) {
      std::for_each(each.begin(), each.end(), tie);
    });
}

/// Until nobody has anything to take along.
void Transport::take_along(const Vec3& direction) {
  const auto moves = [&](BodyId body) {
    return !body.is_world() && moves_[static_cast<std::size_t>(body.index)] != 0;
  };
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (const Contact& contact : contacts_) {
      const bool a = moves(contact.a.body), b = moves(contact.b.body);
      if (a == b) continue;
      const BodyId other = a ? contact.b.body : contact.a.body;
      // The normal is from b to a.
      const double nearer = (a ? -1 : 1) * contact.normal.dot(direction);
      if (other.is_world() || nearer < -leaves) continue;
      if (is_free_[static_cast<std::size_t>(other.index)] == 0) continue;
      moves_[static_cast<std::size_t>(other.index)] = 1;
      is_done = false;
    }
  }
}

double Transport::carry(const System& system, std::span<const BodyId> limbs, const Vec3& way,
                        const State& state, VecX& q) {
  const double length = way.norm();
  q = state.q;
  if (!(length > 0)) return 1;
  adapt(system);
  moves_.assign(is_free_.size(), 0);
  for (const BodyId limb : limbs) moves_[static_cast<std::size_t>(limb.index)] = 1;
  pose_.set(system, state.q);
  contacts_.clear();
  for (const auto& source : system.contact_sources())
    source->find(pose_, state.v, 0, clearance, contacts_);
  take_along(way / length);
  double part = 1;
  for (const auto& source : system.contact_sources())
    part = std::min(part, source->free_part(pose_, moves_, way, clearance));
  for (int i = 0; i < system.body_count(); ++i)
    if (moves_[static_cast<std::size_t>(i)] != 0)
      q.segment<3>(system.slot(BodyId{i}).q) += part * way;
  return part;
}

}  // namespace taut::haptics
