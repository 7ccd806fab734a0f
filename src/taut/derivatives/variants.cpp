#include "taut/derivatives/variants.hpp"

#include <fmt/core.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/derivatives/plain_step.hpp"
#include "taut/derivatives/watched_run.hpp"
#include "taut/model/scale.hpp"

namespace taut::detail {
namespace {

// Of a parameter, or of the scene's size. Residuals are evaluated to the last digit, steps are not.
constexpr double part = 1e-5, part_of_steps = 1e-4;

struct Weighted {
  double offset, weight;
};
// At a bound of the parameter, from one side.
constexpr Weighted central[] = {{-1, -0.5}, {1, 0.5}};
constexpr Weighted central4[] = {{-2, 1.0 / 12}, {-1, -2.0 / 3}, {1, 2.0 / 3}, {2, -1.0 / 12}};
constexpr Weighted upwards[] = {{0, -1.5}, {1, 2}, {2, -0.5}};
constexpr Weighted downwards[] = {{0, 1.5}, {-1, -2}, {-2, 0.5}};

std::span<const Weighted> stencil(const FamilyParameter& parameter, double epsilon, bool of_steps) {
  const double reach = of_steps ? 2 * epsilon : epsilon;
  if (parameter.value - reach < parameter.min) return upwards;
  if (parameter.value + reach > parameter.max) return downwards;
  if (of_steps) return central4;
  return central;
}

void require_alike(const Instance& a, const Instance& b, const std::string& name) {
  const RowPattern& p = a.equations->pattern();
  const RowPattern& q = b.equations->pattern();
  if (a.model->system.body_names() != b.model->system.body_names() ||
      a.model->system.position_size() != b.model->system.position_size() || p.rows() != q.rows() ||
      p.jacobian_values != q.jacobian_values || a.model->sensors.size() != b.model->sensors.size())
    throw Error(fmt::format(
        "\"{}\" changes what the scene is made of: there is no derivative with respect to it",
        name));
}

/// Of a string that is just taut at the start, say, and slack with any larger length.
bool begins_at_edge(const System& system, const Instance& nominal, const Column& column) {
  constexpr double nothing = 1e-8;
  Perturbation up, down;
  for (const Column::Sample& sample : column.samples) {
    if (sample.offset == 1) up = difference(system, nominal.start, sample.start);
    if (sample.offset == -1) down = difference(system, nominal.start, sample.start);
  }
  if (up.q.size() == 0 || down.q.size() == 0) return false;
  const double length = length_scale(system, nominal.equations->pattern(), nominal.start.q);
  return is_kink(up.q, down.q, nothing * length) ||
         is_kink(up.v, down.v, nothing * (nominal.start.v.norm() + length));
}

}  // namespace

Model made(const ModelFamily& family, const VecX& values, const std::string& name) {
  try {
    return family.make(values);
  } catch (const Error& error) {
    throw Error(fmt::format("with {} a little beside its value: {}", name, error.what()));
  }
}

Instance::Instance(Model of)
    : model(std::make_unique<const Model>(std::move(of))),
      equations(std::make_unique<ImplicitEquations>(model->system)),
      observer(std::make_unique<Observer>(*model)),
      workspace(std::make_unique<Workspace>(model->system)) {}

State legal_start(const Model& model, const State& start, const DerivedMethod& method,
                  const RunOptions& options) {
  return WatchedRun(model, start, method.make(), options).state();
}

Variants::Variants(std::shared_ptr<Instance> middle, const ModelFamily& family,
                   const DerivedMethod& method, const RunOptions& options,
                   const SensitivityOptions& wanted)
    : nominal(std::move(middle)) {
  const VecX values = family.values();
  nominal->method = method.make();
  if (wanted.forces) nominal->observer->measure_forces();
  nominal->start = legal_start(*nominal->model, nominal->model->start, method, options);
  const System& system = nominal->model->system;

  for (std::size_t i = 0; i < family.parameters.size(); ++i) {
    const FamilyParameter& parameter = family.parameters[i];
    Column column;
    column.name = parameter.name;
    column.moves_model = true;
    const bool of_steps = !formula_of(method);
    column.epsilon =
        (of_steps ? part_of_steps : part) * (parameter.value != 0 ? std::abs(parameter.value) : 1);
    for (const Weighted& at : stencil(parameter, column.epsilon, of_steps)) {
      std::shared_ptr<Instance> instance = nominal;
      if (at.offset != 0) {
        VecX moved = values;
        moved[static_cast<Eigen::Index>(i)] += at.offset * column.epsilon;
        instance = std::make_shared<Instance>(made(family, moved, parameter.name));
        instance->method = method.make();
        if (wanted.forces) instance->observer->measure_forces();
        require_alike(*nominal, *instance, parameter.name);
        instance->start = legal_start(*instance->model, instance->model->start, method, options);
        instance->jumps = std::make_unique<JumpWatch>(
            instance->model->system, options,
            length_scale(system, nominal->equations->pattern(), nominal->start.q));
      }
      column.samples.push_back({instance, at.offset, at.weight, instance->start});
    }
    columns.push_back(std::move(column));
  }

  if (wanted.initial_state) {
    const double length =
        length_scale(system, nominal->equations->pattern(), nominal->model->start.q);
    for (const bool of_velocity : {false, true})
      for (int body = 0; body < system.body_count(); ++body) {
        const BodySlot& slot = system.slot({body});
        for (int k = 0; k < (slot.rigid < 0 ? 3 : 6); ++k) {
          Column column;
          constexpr std::string_view axes[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
          column.name =
              fmt::format("{}.{}{}", system.body_name({body}), of_velocity ? "v" : "", axes[k]);
          column.epsilon = part * (k < 3 ? length : 1) / (of_velocity ? options.duration : 1);
          Perturbation unit = Perturbation::zero(system);
          (of_velocity ? unit.v : unit.q)[slot.v + k] = 1;
          for (const Weighted& at : central)
            column.samples.push_back({nominal, at.offset, at.weight,
                                      legal_start(*nominal->model,
                                                  displaced(system, nominal->model->start, unit,
                                                            at.offset * column.epsilon),
                                                  method, options)});
          columns.push_back(std::move(column));
        }
      }
  }
  for (Column& column : columns) {
    column.before = Perturbation::zero(system);
    column.dx = Perturbation::zero(system);
    for (const Column::Sample& sample : column.samples) {
      const Perturbation way = difference(system, nominal->start, sample.start);
      column.dx.q += (sample.weight / column.epsilon) * way.q;
      column.dx.v += (sample.weight / column.epsilon) * way.v;
    }
    column.has_edge = begins_at_edge(system, *nominal, column);
  }
}

}  // namespace taut::detail
