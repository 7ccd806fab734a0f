// The module taut._taut: what of taut Python cannot do by itself. Its users see the package around
// it, python/taut.
#include "bindings.hpp"
#include "failures.hpp"
#include "taut/base/version.hpp"

PYBIND11_MODULE(_taut, module) {
  using namespace taut::python;
  module.attr("__version__") = taut::version;
  static py::exception<taut::Error> error(module, "Error");
  error.attr("__module__") = "taut";
  error.doc() = "Bad input. The message is the one that the command line prints.";
  static py::exception<Diverged> diverged(module, "Diverged", error.ptr());
  diverged.attr("__module__") = "taut";
  diverged.doc() = "A simulation cannot go on. The message says why.";
  // The last one is asked first.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Diverged& failure) {
      diverged(failure.what());
    } catch (const taut::Error& failure) {
      error(failure.what());
    }
  });
  bind_lists(module);
  bind_scene(module);
  bind_simulation(module);
  bind_run(module);
  bind_derivatives(module);
  bind_sweep(module);
}
