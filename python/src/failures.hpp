// What is thrown into Python, and how arguments are checked before they get anywhere.
#pragma once

#include <fmt/core.h>
#include <pybind11/numpy.h>

#include <cmath>
#include <optional>

#include "taut/base/error.hpp"
#include "taut/base/types.hpp"

namespace taut::python {

namespace py = pybind11;

/// A simulation that cannot go on.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// What `array` holds, as `count` finite numbers. Throws Error, with the name of the argument.
inline VecX finite_numbers(const py::object& array, long count, std::string_view name) {
  const auto numbers =
      py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) {
    PyErr_Clear();
    throw Error(fmt::format("{}: found no array of numbers, expected {} of them", name, count));
  }
  if (numbers.ndim() != 1 || numbers.size() != count) {
    std::string shape;
    for (py::ssize_t i = 0; i < numbers.ndim(); ++i)
      shape += fmt::format("{}{}", i > 0 ? " × " : "", numbers.shape(i));
    throw Error(fmt::format("{}: found an array of {} numbers, expected {} in a row", name,
                            shape.empty() ? "0-dimensional" : shape, count));
  }
  const VecX values = Eigen::Map<const VecX>(numbers.data(), numbers.size());
  for (long i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("{}: found {} at {}, expected finite numbers", name, values[i], i));
  return values;
}

inline Vec3 finite_vector(const py::object& array, std::string_view name) {
  return finite_numbers(array, 3, name);
}

inline double positive(double value, std::string_view name) {
  if (!std::isfinite(value) || value <= 0)
    throw Error(fmt::format("{}: found {}, expected a number > 0", name, value));
  return value;
}

}  // namespace taut::python
