#include "taut/server/snapshot.hpp"

#include <algorithm>
#include <cmath>

#include "taut/server/frame_bytes.hpp"

namespace taut::server {
namespace {

constexpr auto mixed = SectionNumbers::mixed;

void add_places(const std::vector<BodyOrder::Slot>& slots, const VecX& numbers, bool exact,
                SectionKind kind, int columns, int BodyOrder::Slot::*start, FrameBytes& out) {
  if (slots.empty()) return;
  out.section(kind, exact ? SectionNumbers::float64 : SectionNumbers::float32,
              static_cast<std::uint32_t>(columns), slots.size());
  out.reserve(slots.size() * static_cast<std::size_t>(columns) * (exact ? 8 : 4));
  for (const BodyOrder::Slot& slot : slots) {
    const double* from = numbers.data() + slot.*start;
    if (exact)
      out.doubles(from, columns);
    else
      out.floats(from, columns);
  }
}

std::vector<float> scalars(const Snapshot& shot, Colour colour) {
  const Frame& frame = *shot.frame;
  std::vector<float> values(frame.order.particles.size(), 0.F);
  if (colour == Colour::speed) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(shot.state.v.segment<3>(frame.order.particles[i].v).norm());
    return values;
  }
  for (const Edge& edge : frame.edges) {
    const auto place = [&](int particle) {
      return shot.state.q.segment<3>(frame.order.particles[static_cast<std::size_t>(particle)].q);
    };
    double value = (place(edge.b) - place(edge.a)).norm() / edge.length - 1;
    if (colour == Colour::tension) {
      if (edge.row < 0)
        value *= edge.stiffness * edge.length;
      else
        value = shot.lambda[edge.row];
    }
    for (const int end : {edge.a, edge.b}) {
      float& most = values[static_cast<std::size_t>(end)];
      most = std::max(most, static_cast<float>(value));
    }
  }
  return values;
}

bool has_scalars(const Snapshot& shot, Colour colour) {
  if (shot.frame->order.particles.empty()) return false;
  if (colour == Colour::speed) return shot.state.v.size() > 0;
  if (colour == Colour::tension) {
    for (const Edge& edge : shot.frame->edges)
      if (edge.row >= shot.lambda.size()) return false;
    return true;
  }
  return colour == Colour::strain;
}

void add_forces(const Snapshot& shot, FrameBytes& out) {
  out.section(SectionKind::forces, mixed, 8, shot.forces.size());
  for (const ConstraintForce& each : shot.forces) {
    out.append(static_cast<std::uint32_t>(each.constraint));
    out.append(static_cast<std::int32_t>(shot.frame->order.of(each.body)));
    out.floats(each.point);
    out.floats(each.force);
  }
}

void add_contacts(const Snapshot& shot, FrameBytes& out) {
  out.section(SectionKind::contacts, mixed, 15, shot.contacts.size());
  for (const ContactSample& contact : shot.contacts) {
    out.append(static_cast<std::int32_t>(shot.frame->order.of(contact.body_a)));
    out.append(static_cast<std::int32_t>(shot.frame->order.of(contact.body_b)));
    for (const Vec3& v : {contact.point, contact.normal, contact.force, contact.slip})
      out.floats(v);
    out.floats(&contact.gap, 1);
  }
}

void add_pulls(const Snapshot& shot, FrameBytes& out) {
  out.section(SectionKind::pulls, mixed, 11, shot.pulls.size());
  for (const PullSample& pull : shot.pulls) {
    out.append(pull.grab);
    out.append(static_cast<std::int32_t>(pull.body));
    for (const Vec3& v : {pull.point, pull.target, pull.force}) out.floats(v);
  }
}

void add_hands(const Snapshot& shot, FrameBytes& out) {
  using numbers = SectionNumbers;
  const std::size_t limbs = hand::limb_count * shot.hands.size();
  out.section(SectionKind::ghosts, numbers::float32, 7, limbs);
  for (const HandShot& each : shot.hands)
    for (std::size_t i = 0; i < each.places.size(); ++i) {
      const Quat& q = each.orientations[i];
      out.floats(each.places[i]);
      const std::array<double, 4> turned{q.w(), q.x(), q.y(), q.z()};
      out.floats(turned.data(), 4);
    }
  out.section(SectionKind::limb_forces, numbers::float32, 3, limbs);
  for (const HandShot& each : shot.hands)
    for (const Vec3& force : each.forces) out.floats(force);
  out.section(SectionKind::hands, numbers::float32, hand_columns, shot.hands.size());
  for (const HandShot& each : shot.hands) {
    const Quat& q = each.ghost.orientation;
    const std::array<double, 4> turned{q.w(), q.x(), q.y(), q.z()};
    const std::array<double, 4> state{each.is_moved ? 1.0 : 0.0, each.is_stale ? 1.0 : 0.0,
                                      each.age, static_cast<double>(each.refused)};
    out.floats(each.ghost.position);
    out.floats(turned.data(), 4);
    out.floats(each.ghost.angles.data(), hand::angle_count);
    out.floats(each.felt.fingers.data(), hand::finger_count);
    out.floats(each.felt.wrist);
    out.floats(state.data(), 4);
  }
}

}  // namespace

std::string encode(const Snapshot& shot, const Show& show, const StateFrame& as) {
  FrameHeader header;
  header.generation = shot.generation;
  header.number = as.run;
  header.time = shot.state.time;
  header.index = shot.index;
  header.request = as.request;
  FrameBytes out(header);
  const BodyOrder& order = shot.frame->order;
  using Slot = BodyOrder::Slot;
  add_places(order.particles, shot.state.q, as.exact, SectionKind::particles, 3, &Slot::q, out);
  add_places(order.rigid, shot.state.q, as.exact, SectionKind::rigid, 7, &Slot::q, out);
  if (show.colour != Colour::none && has_scalars(shot, show.colour)) {
    const std::vector<float> values = scalars(shot, show.colour);
    out.section(SectionKind::scalars, SectionNumbers::float32, 1, values.size());
    for (const float value : values) out.append(value);
  }
  if (show.forces && shot.has_forces) add_forces(shot, out);
  if (show.contacts && shot.has_contacts) add_contacts(shot, out);
  out.section(SectionKind::metrics, SectionNumbers::float64, metrics.size(), 1);
  out.doubles(shot.metrics.data(), static_cast<int>(metrics.size()));
  if (!shot.pulls.empty()) add_pulls(shot, out);
  if (!shot.hands.empty()) add_hands(shot, out);
  if (!shot.inputs.empty()) {
    out.section(SectionKind::inputs, SectionNumbers::float64, 1, shot.inputs.size());
    out.doubles(shot.inputs.data(), static_cast<int>(shot.inputs.size()));
  }
  if (as.exact && shot.state.v.size() > 0) {
    add_places(order.particles, shot.state.v, true, SectionKind::particle_velocities, 3, &Slot::v,
               out);
    add_places(order.rigid, shot.state.v, true, SectionKind::rigid_velocities, 6, &Slot::v, out);
  }
  return out.take();
}

}  // namespace taut::server
