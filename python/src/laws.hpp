// Constraints and forces whose formula is written in Python.
#pragma once

#include <string>
#include <vector>

#include "scene.hpp"

namespace taut::python {

/// A place of a body, or of the world where `body` is empty.
using NamedPoint = std::pair<std::string, std::vector<double>>;

/// Throws Error for a body that the scene does not have, with the nearest name.
Point find_point(const System& system, const NamedPoint& point);
BodyId find_body(const System& system, const std::string& name);

/// A constraint formula(x, t) = 0. `program`: see formula.hpp.
void add_formula(ReadScene& scene, const std::string& name, const std::vector<NamedPoint>& points,
                 const py::list& program, int result);

/// A force that `law` gives: law(x, v, t), with rows of places and velocities of the points, makes
/// a row of force for each. The function is borrowed: who simulates the scene keeps it.
void add_force_law(ReadScene& scene, const std::vector<NamedPoint>& points, const py::object& law);

}  // namespace taut::python
