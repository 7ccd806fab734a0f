#include <algorithm>
#include <array>
#include <cmath>

#include "taut/sensor/quantity_internal.hpp"

namespace taut::detail {
namespace {

// What a joint transmits.
struct WrenchPart {
  std::string_view name, unit;
  double (*value)(const JointSample&);
};
constexpr WrenchPart wrench_parts[] = {
    {"fx", "N", [](const JointSample& joint) { return joint.force.x(); }},
    {"fy", "N", [](const JointSample& joint) { return joint.force.y(); }},
    {"fz", "N", [](const JointSample& joint) { return joint.force.z(); }},
    {"tx", "N·m", [](const JointSample& joint) { return joint.torque.x(); }},
    {"ty", "N·m", [](const JointSample& joint) { return joint.torque.y(); }},
    {"tz", "N·m", [](const JointSample& joint) { return joint.torque.z(); }},
    {"force", "N", [](const JointSample& joint) { return joint.force.norm(); }},
    {"torque", "N·m", [](const JointSample& joint) { return joint.torque.norm(); }},
};

std::string unit_of(const Coordinate& coordinate) { return coordinate.is_turn() ? "rad" : "m"; }

/// Calls visit(part, Quantity) for all parts of a joint until it returns true.
template <class Visit>
bool visit_joint(const Joint& joint, std::size_t number, const Visit& visit) {
  for (std::size_t c = 0; c < joint.coordinates.size(); ++c) {
    const std::string name(joint.coordinates[c].name);
    const std::string unit = unit_of(joint.coordinates[c].coordinate);
    if (visit(name, Quantity{unit, {.joints = true}, [number, c](const Moment& at) {
                               return at.joints[number].coordinates[c].value;
                             }}))
      return true;
    if (visit(name + "_rate",
              Quantity{unit + "/s", {.joints = true}, [number, c](const Moment& at) {
                         return at.joints[number].coordinates[c].rate;
                       }}))
      return true;
  }
  for (const WrenchPart& part : wrench_parts)
    if (visit(std::string(part.name), Quantity{std::string(part.unit),
                                               {.joints = true, .forces = true},
                                               [number, value = part.value](const Moment& at) {
                                                 return value(at.joints[number]);
                                               }}))
      return true;
  return false;
}

struct ConstraintPlace {
  const ConstraintBatch* batch;
  int constraint, row;  // in the batch; of the system
};

std::optional<ConstraintPlace> find_constraint(const System& system, const std::string& name) {
  int row = 0;
  for (const auto& batch : system.constraints()) {
    const int rows = batch->rows_per_constraint();
    for (int i = 0; i < batch->size(); ++i, row += rows)
      if (batch->name(i) == name) return ConstraintPlace{batch.get(), i, row};
  }
  return std::nullopt;
}

/// The same for a constraint: its rows as forces.csv calls them, and the length of those that are
/// alike, "force" or "torque".
template <class Visit>
bool visit_constraint(const ConstraintPlace& at, const Visit& visit) {
  const ConstraintBatch& batch = *at.batch;
  const int rows = batch.rows_per_constraint();
  for (int r = 0; r < rows; ++r) {
    const std::string_view name = batch.row_name(r);
    if (visit(name.empty() ? std::to_string(r + 1) : std::string(name),
              Quantity{std::string(batch.force_unit(at.constraint, r)),
                       {.forces = true},
                       [row = at.row + r](const Moment& moment) { return moment.lambda[row]; }}))
      return true;
  }
  const std::string unit(batch.force_unit(at.constraint, 0));
  int alike = 1;
  while (alike < rows && batch.force_unit(at.constraint, alike) == unit) ++alike;
  return visit(unit == "N" ? "force" : "torque",
               Quantity{unit, {.forces = true}, [row = at.row, alike](const Moment& moment) {
                          return moment.lambda.segment(row, alike).norm();
                        }});
}

/// The same for a force: what it exerts along its line or in its joint, and what else it tells.
template <class Visit>
bool visit_force(const System& system, const System::NamedForce& named, const Visit& visit) {
  const State start = system.initial_state();
  const Pose pose(system, start.q);
  const auto number = static_cast<std::size_t>(&named - system.named_forces().data());
  const auto read = [named](const System& of, int what, const Pose& at, const VecX& v, double t,
                            double exerted) {
    const ForceBatch& batch = *of.all_forces()[static_cast<std::size_t>(named.batch)];
    if (what >= 0) return batch.tell(named.force, what, at, v, t, exerted);
    auto along = batch.along(named.force, at, v, t);
    if (along && !std::isnan(exerted)) along->value = exerted;
    return along;
  };
  for (int what = -1;; ++what) {
    const auto found = read(system, what, pose, start.v, start.time, std::nan(""));
    if (!found && what < 0) continue;
    if (!found) return false;
    if (visit(
            std::string(found->name),
            Quantity{
                std::string(found->unit),
                {.exerted = true},
                [read, what, number](const Moment& at) {
                  const double exerted = at.exerted.empty() ? std::nan("") : at.exerted[number];
                  return read(at.system, what, at.pose, at.state.v, at.state.time, exerted)->value;
                }}))
      return true;
  }
}

}  // namespace

std::optional<Quantity> of_mechanism(const System& system, const std::string& name,
                                     const std::string& part, std::string& kind,
                                     std::vector<std::string>& known) {
  std::optional<Quantity> found;
  const auto take = [&](const std::string& each, Quantity quantity) {
    if (each == part) found = std::move(quantity);
    known.push_back(each);
    return found.has_value();
  };
  for (std::size_t j = 0; j < system.joints().size(); ++j)
    if (const Joint& joint = system.joints()[j]; joint.name == name) {
      kind = joint.type;
      if (visit_joint(joint, j, take)) return found;
    }
  if (const auto constraint = find_constraint(system, name)) {
    if (kind.empty()) kind = constraint->batch->type();
    if (visit_constraint(*constraint, take)) return found;
  }
  for (const System::NamedForce& force : system.named_forces())
    if (force.name == name) {
      if (kind.empty()) kind = system.all_forces()[static_cast<std::size_t>(force.batch)]->type();
      if (visit_force(system, force, take)) return found;
    }
  return std::nullopt;
}

void list_mechanism(const System& system, std::vector<QuantityGroup>& groups) {
  const auto add = [&](QuantityGroup& to) {
    return [&to](const std::string& part, const Quantity& quantity) {
      const bool is_there = std::any_of(to.parts.begin(), to.parts.end(),
                                        [&](const auto& each) { return each.name == part; });
      if (!is_there) to.parts.push_back({part, quantity.unit});
      return false;
    };
  };
  std::vector<std::string> joints;
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const Joint& joint = system.joints()[j];
    QuantityGroup& group =
        groups.emplace_back(QuantityGroup{as_written(joint.name), std::string(joint.type), {}});
    visit_joint(joint, j, add(group));
    joints.push_back(joint.name);
  }
  std::sort(joints.begin(), joints.end());
  int row = 0;
  for (const auto& batch : system.constraints())
    for (int i = 0; i < batch->size(); ++i, row += batch->rows_per_constraint()) {
      if (std::binary_search(joints.begin(), joints.end(), batch->name(i))) continue;
      QuantityGroup& group = groups.emplace_back(
          QuantityGroup{as_written(batch->name(i)), std::string(batch->type()), {}});
      visit_constraint({batch.get(), i, row}, add(group));
    }
  for (const System::NamedForce& force : system.named_forces()) {
    QuantityGroup& group = groups.emplace_back(QuantityGroup{
        as_written(force.name),
        std::string(system.all_forces()[static_cast<std::size_t>(force.batch)]->type()),
        {}});
    visit_force(system, force, add(group));
  }
}

}  // namespace taut::detail
