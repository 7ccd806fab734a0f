#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "failures.hpp"
#include "laws.hpp"
#include "simulation.hpp"
#include "taut/model/pose.hpp"
#include "taut/record/output.hpp"

namespace taut::python {

/// A contact as it is in the structured array.
struct ContactRow {
  std::int32_t a, b;  ///< numbers of the bodies, −1: the world
  double point[3], normal[3], gap, force[3], slip[3], torque[3];
};

namespace {

using Shared = std::shared_ptr<Simulation>;

py::array view_of(const Shared& simulation, const VecX& numbers) {
  return read_only_view(numbers.data(), numbers.size(), owner(simulation));
}

void step(Simulation& simulation, const std::optional<double>& h) {
  const double length = h ? positive(*h, "step") : simulation.step_size();
  const Simulation::Turn turn(simulation);
  simulation.step(length);
}

/// Many steps at once, as a C++ program does them: what Python is measured against.
void repeat(Simulation& simulation, long count) {
  const Simulation::Turn turn(simulation);
  simulation.repeat(count);
}

void put(Simulation& simulation, const py::object& q) {
  VecX places = finite_numbers(q, simulation.system().position_size(), "q");
  for (int i = 0; i < simulation.system().body_count(); ++i) {
    const BodySlot& slot = simulation.system().slot({i});
    if (slot.rigid < 0) continue;
    const double length = places.segment<4>(slot.q + 3).norm();
    if (std::abs(length - 1) > 1e-3)
      throw Error(fmt::format("q: found a quaternion of length {} for the body \"{}\", expected 1",
                              length, simulation.system().body_name({i})));
    places.segment<4>(slot.q + 3) /= length;
  }
  const Simulation::Turn turn(simulation);
  simulation.put(places);
}

void apply_force(Simulation& simulation, const std::string& body, const py::object& force,
                 const std::vector<double>& at, const py::object& torque) {
  Loads::OnBody load{find_point(simulation.system(), {body, at}), finite_vector(force, "force"),
                     finite_vector(torque, "torque")};
  if (load.point.body.is_world()) throw Error("found no body, expected one that can move");
  if (!simulation.system().is_rigid(load.point.body) && !load.torque.isZero(0))
    throw Error(fmt::format("found a torque on the particle \"{}\", expected a rigid body", body));
  const Simulation::Turn turn(simulation);
  simulation.loads().was_used = true;
  simulation.loads().on_bodies.push_back(load);
}

void apply_joint_torque(Simulation& simulation, const std::string& joint, double torque) {
  if (!std::isfinite(torque))
    throw Error(fmt::format("torque: found {}, expected a finite number", torque));
  const Coordinate& coordinate = simulation.system().joint_coordinate(joint);
  const Simulation::Turn turn(simulation);
  simulation.loads().was_used = true;
  simulation.loads().on_joints.push_back({coordinate, torque});
}

std::string report(Simulation& simulation) {
  const Simulation::Turn turn(simulation);
  return io::report_json(simulation.scene(), simulation.plan().info->name, simulation.judged());
}

/// Per constraint: its name, first row, number of rows and the unit of the first.
py::list rows(const Simulation& simulation) {
  py::list all;
  int row = 0;
  for (const auto& batch : simulation.system().constraints())
    for (int i = 0; i < batch->size(); ++i, row += batch->rows_per_constraint())
      all.append(py::make_tuple(batch->name(i), row, batch->rows_per_constraint(),
                                std::string(batch->force_unit(i, 0))));
  return all;
}

py::array forces(Simulation& simulation) {
  const Simulation::Turn turn(simulation);
  const auto acting = simulation.measure();
  return read_only_view(acting->lambda.data(), acting->lambda.size(), owner(acting));
}

py::tuple contacts(Simulation& simulation) {
  const Simulation::Turn turn(simulation);
  const auto acting = simulation.measure();
  auto held = std::make_shared<std::vector<ContactRow>>();
  py::list names;
  for (const ContactSample& sample : acting->contacts) {
    ContactRow row{sample.body_a.index, sample.body_b.index, {}, {}, sample.gap, {}, {}, {}};
    std::copy_n(sample.point.data(), 3, row.point);
    std::copy_n(sample.normal.data(), 3, row.normal);
    std::copy_n(sample.force.data(), 3, row.force);
    std::copy_n(sample.slip.data(), 3, row.slip);
    std::copy_n(sample.torque.data(), 3, row.torque);
    held->push_back(row);
    names.append(py::make_tuple(sample.a, sample.b));
  }
  const ContactRow* data = held->data();
  const auto count = static_cast<py::ssize_t>(held->size());
  return py::make_tuple(py::array_t<ContactRow>(count, data, owner(std::move(held))), names);
}

/// Of each joint and coordinate: value and rate; and force and torque of the joint.
py::dict joints(Simulation& simulation) {
  const Simulation::Turn turn(simulation);
  const auto vector = [](const Vec3& v) { return py::make_tuple(v.x(), v.y(), v.z()); };
  py::dict all;
  for (const JointSample& sample : simulation.measure()->joints) {
    py::dict coordinates;
    for (std::size_t i = 0; i < sample.coordinates.size(); ++i)
      coordinates[py::str(std::string(sample.joint->coordinates[i].name))] =
          py::make_tuple(sample.coordinates[i].value, sample.coordinates[i].rate);
    all[py::str(sample.joint->name)] =
        py::make_tuple(coordinates, vector(sample.force), vector(sample.torque));
  }
  return all;
}

/// A joint's coordinate and its rate at the present state: quick, for controllers.
std::pair<double, double> joint(Simulation& simulation, const std::string& name) {
  const Coordinate& coordinate = simulation.system().joint_coordinate(name);
  const Simulation::Turn turn(simulation);
  const Pose pose(simulation.system(), simulation.state().q);
  Coordinate::Places x, rate;
  for (int k = 0; k < 3; ++k) {
    const Anchor& anchor = coordinate.anchors[static_cast<std::size_t>(k)];
    x.col(k) = pose.at(anchor);
    rate.col(k) = pose.velocity(anchor, simulation.state().v);
  }
  return {coordinate.value(x), coordinate.gradient(x).cwiseProduct(rate).sum()};
}

/// Per body: its name, where it is in q and v, and whether it is rigid.
py::list slots(const Simulation& simulation) {
  py::list all;
  const System& system = simulation.system();
  for (int i = 0; i < system.body_count(); ++i)
    all.append(py::make_tuple(system.body_name({i}), system.slot({i}).q, system.slot({i}).v,
                              system.slot({i}).rigid >= 0));
  return all;
}

/// Per input: its name, unit, description, start, least and largest value.
py::list inputs(const Simulation& simulation) {
  py::list all;
  const Inputs inputs = simulation.inputs();
  for (int i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs.info(i);
    all.append(py::make_tuple(input.name, input.unit, input.description, input.start, input.min,
                              input.max));
  }
  return all;
}
double input(const Simulation& simulation, const std::string& name) {
  const Inputs inputs = simulation.inputs();
  return inputs.value(inputs.find(name));
}
void set_input(Simulation& simulation, const std::string& name, double value) {
  const Simulation::Turn turn(simulation);
  Inputs inputs = simulation.inputs();
  inputs.set(inputs.find(name), value);
}

/// Name, unit and value of each sensor, at this state.
py::list sensors(Simulation& simulation) {
  const Simulation::Turn turn(simulation);
  const std::vector<double> values = simulation.read_sensors();
  py::list all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Sensor& sensor = simulation.scene().sensors.sensors()[i];
    all.append(py::make_tuple(sensor.name, sensor.unit, values[i]));
  }
  return all;
}

Shared make(ReadScene& scene, const std::string& method, std::optional<double> step,
            const std::map<std::string, std::string>& options, const std::string& start,
            const std::string& solver, const std::string& contact_solver) {
  return std::make_shared<Simulation>(
      scene, SimulationOptions{method, options, step, start, solver, contact_solver});
}

}  // namespace

void bind_simulation(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ContactRow, a, b, point, normal, gap, force, slip, torque);
  module.def("simulate", &make);
  py::class_<Simulation, Shared>(module, "Stepper")
      .def("step", &step)
      .def("repeat", &repeat)
      .def("put", &put)
      .def("save",
           [](Simulation& sim, const std::string& path) {
             const Simulation::Turn turn(sim);
             sim.save(path);
           })
      .def("restore",
           [](Simulation& sim, const std::string& path) {
             const Simulation::Turn turn(sim);
             sim.restore(path);
           })
      .def("apply_force", &apply_force)
      .def("apply_joint_torque", &apply_joint_torque)
      .def("joint", &joint)
      .def("report", &report)
      .def("rows", &rows)
      .def("forces", &forces)
      .def("contacts", &contacts)
      .def("joints", &joints)
      .def("slots", &slots)
      .def("inputs", &inputs)
      .def("input", &input)
      .def("set_input", &set_input)
      .def("sensors", &sensors)
      .def_property_readonly("time", [](const Simulation& s) { return s.state().time; })
      .def_property_readonly("q", [](const Shared& s) { return view_of(s, s->state().q); })
      .def_property_readonly("v", [](const Shared& s) { return view_of(s, s->state().v); })
      .def_property_readonly("steps", [](const Simulation& s) { return s.report().steps; })
      .def_property_readonly("method",
                             [](const Simulation& s) { return std::string(s.plan().info->name); })
      .def_property_readonly("method_reason", [](const Simulation& s) { return s.plan().reason; })
      .def_property_readonly("step_size", &Simulation::step_size)
      .def_property_readonly("name", [](const Simulation& s) { return s.scene().name; })
      .def_property_readonly("energy", [](Simulation& s) {
        const Simulation::Turn turn(s);
        return s.system().energy(s.state());
      });
}

}  // namespace taut::python
