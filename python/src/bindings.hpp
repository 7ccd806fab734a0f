// The parts of the module taut._taut, one function per file; module.cpp calls them.
#pragma once

#include <pybind11/pybind11.h>

namespace taut::python {

namespace py = pybind11;

void bind_lists(py::module_& module);
void bind_scene(py::module_& module);
void bind_simulation(py::module_& module);
void bind_run(py::module_& module);
void bind_derivatives(py::module_& module);
void bind_sweep(py::module_& module);

}  // namespace taut::python
