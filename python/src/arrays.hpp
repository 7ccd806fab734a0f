// Memory of taut as NumPy arrays, without copies. An array keeps what it shows alive.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

namespace taut::python {

namespace py = pybind11;

/// Something that arrays refer to.
template <class T>
py::capsule owner(std::shared_ptr<T> object) {
  auto* held = new std::shared_ptr<T>(std::move(object));
  return py::capsule(held, [](void* pointer) { delete static_cast<std::shared_ptr<T>*>(pointer); });
}

inline void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

/// Numbers that `owner` keeps alive and in place.
inline py::array read_only_view(const double* numbers, py::ssize_t count,
                                const py::capsule& owner) {
  py::array_t<double> view(count, numbers, owner);
  make_read_only(view);
  return view;
}

/// A table with that many columns, which belongs to the array from now on.
inline py::array table(std::vector<double> numbers, py::ssize_t columns) {
  auto held = std::make_shared<std::vector<double>>(std::move(numbers));
  const py::ssize_t rows = columns > 0 ? static_cast<py::ssize_t>(held->size()) / columns : 0;
  double* data = held->data();
  return py::array_t<double>({rows, columns}, data, owner(std::move(held)));
}

}  // namespace taut::python
