// What is known of something that was picked, in words and numbers.
#include <fmt/core.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/server/world.hpp"

namespace taut::server {
namespace {

using io::Json;

class Values {
 public:
  explicit Values(std::string title, std::string_view kind)
      : json_{{"title", std::move(title)}, {"kind", kind}} {
    json_["values"] = Json::array();
  }
  void add(std::string_view name, std::string_view unit, double value) {
    add(name, unit, Json::number_or_null(value));
  }
  void add(std::string_view name, std::string_view unit, const Vec3& value) {
    Json list = Json::array();
    for (const double part : value) list.push_back(Json::number_or_null(part));
    add(name, unit, std::move(list));
  }
  void add(std::string_view name, std::string_view unit, Json value) {
    json_["values"].push_back({{"name", name}, {"unit", unit}, {"value", std::move(value)}});
  }
  Json& json() { return json_; }

 private:
  Json json_;
};

Json body_values(const System& system, const BodyOrder& order, const State& state, int number) {
  const BodyId body = order.bodies[static_cast<std::size_t>(number)];
  const BodySlot& slot = system.slot(body);
  const bool is_rigid = slot.rigid >= 0;
  Values values(system.body_name(body), is_rigid ? "rigid" : "particle");
  const Vec3 velocity = state.v.segment<3>(slot.v);
  values.add("mass", "kg", system.mass(body));
  values.add("position", "m", Vec3(state.q.segment<3>(slot.q)));
  values.add("velocity", "m/s", velocity);
  values.add("speed", "m/s", velocity.norm());
  double energy = 0.5 * system.mass(body) * velocity.squaredNorm();
  if (is_rigid) {
    const Vec3 spin = state.v.segment<3>(slot.v + 3);
    const Quat q(state.q[slot.q + 3], state.q[slot.q + 4], state.q[slot.q + 5],
                 state.q[slot.q + 6]);
    Json orientation = Json::array();
    for (const double part : {q.w(), q.x(), q.y(), q.z()}) orientation.push_back(part);
    values.add("orientation", "", std::move(orientation));
    values.add("angular velocity", "rad/s", Vec3(q * spin));
    energy += 0.5 * spin.dot(system.inertia(body) * spin);
  }
  values.add("kinetic energy", "J", energy);
  return std::move(values.json());
}

struct Found {
  const ConstraintBatch* batch;
  int index, row;
};
Found find_constraint(const System& system, int number) {
  int first = 0, row = 0;
  for (const auto& batch : system.constraints()) {
    if (number >= 0 && number < first + batch->size())
      return {batch.get(), number - first, row + (number - first) * batch->rows_per_constraint()};
    first += batch->size();
    row += batch->size() * batch->rows_per_constraint();
  }
  throw Error(fmt::format("there is no constraint {}, expected 0 to {}", number, first - 1));
}

Json constraint_values(const System& system, const BodyOrder& order, Stepping& stepping,
                       int number) {
  const Found found = find_constraint(system, number);
  const ConstraintBatch& batch = *found.batch;
  Values values(batch.name(found.index), batch.type());
  const State& state = stepping.state();
  std::vector<double> errors(static_cast<std::size_t>(batch.size()));
  batch.errors(Pose(system, state.q), state.time, errors);
  values.add("error", batch.unit(), errors[static_cast<std::size_t>(found.index)]);
  if (batch.natural_length(found.index) > 0)
    values.add("length at rest", "m", batch.natural_length(found.index));
  if (stepping.report().status == RunStatus::ok) {
    const Stepping::Measured measured = stepping.measure();
    for (int r = 0; r < batch.rows_per_constraint(); ++r) {
      const std::string_view own = batch.row_name(r);
      values.add(own.empty() ? fmt::format("force {}", r + 1) : std::string(own),
                 batch.force_unit(found.index, r), measured.lambda[found.row + r]);
    }
  }
  std::vector<Anchor> anchors(static_cast<std::size_t>(batch.anchors_per_constraint()));
  batch.anchors(found.index, anchors);
  Json bodies = Json::array();
  for (const Anchor& anchor : anchors)
    if (!anchor.is_direction) bodies.push_back(order.of(anchor.body));
  values.json()["bodies"] = std::move(bodies);
  return std::move(values.json());
}

Json joint_values(const System& system, const BodyOrder& order, Stepping& stepping, int number) {
  const auto& joints = system.joints();
  if (number < 0 || static_cast<std::size_t>(number) >= joints.size())
    throw Error(fmt::format("there is no joint {}, expected 0 to {}", number,
                            static_cast<long>(joints.size()) - 1));
  const Joint& joint = joints[static_cast<std::size_t>(number)];
  Values values(joint.name, joint.type);
  const Stepping::Measured measured = stepping.measure();
  const JointSample& sample = measured.joints[static_cast<std::size_t>(number)];
  for (std::size_t c = 0; c < joint.coordinates.size(); ++c) {
    const JointCoordinate& each = joint.coordinates[c];
    const bool is_turn = each.coordinate.is_turn();
    values.add(each.name, is_turn ? "rad" : "m", sample.coordinates[c].value);
    values.add(fmt::format("rate of {}", each.name), is_turn ? "rad/s" : "m/s",
               sample.coordinates[c].rate);
  }
  values.add("force", "N", sample.force);
  values.add("torque", "N·m", sample.torque);
  values.json()["bodies"] = Json::array({order.of(joint.a.body), order.of(joint.b.body)});
  return std::move(values.json());
}

}  // namespace

io::Json World::values(int run, Picked kind, int number) {
  Json found;
  const BodyOrder order = runs().at(0)->newest()->frame->order;
  if (kind == Picked::body) require_body(number);
  live(run)->inspect([&](const io::Scene& scene, Stepping& stepping) {
    switch (kind) {
      case Picked::body:
        found = body_values(scene.system, order, stepping.state(), number);
        break;
      case Picked::constraint:
        found = constraint_values(scene.system, order, stepping, number);
        break;
      case Picked::joint:
        found = joint_values(scene.system, order, stepping, number);
        break;
    }
  });
  return found;
}

}  // namespace taut::server
