// A force law that is a Python function. It is called whenever a method asks for forces: the GIL is
// taken for that moment.
#include "failures.hpp"
#include "laws.hpp"
#include "taut/forces/force_batch.hpp"

namespace taut::python {
namespace {

/// Three numbers per point, in an array of its own: a law may keep it.
py::array_t<double> rows_of(const std::vector<Vec3>& places) {
  py::array_t<double> rows({static_cast<py::ssize_t>(places.size()), py::ssize_t{3}});
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(places[i].data(), 3, rows.mutable_data(static_cast<py::ssize_t>(i), 0));
  return rows;
}

struct PythonForce {
  static constexpr std::string_view type = "python";
  static constexpr std::string_view summary = "a force law in Python";
  std::vector<Point> points;
  PyObject* law = nullptr;  // borrowed
  std::shared_ptr<Callbacks> callbacks;

  void add(const System&, const Pose& pose, const VecX& v, double time, VecX& F) const {
    if (callbacks->error) return F.setConstant(NAN), void();  // the step is lost
    const py::gil_scoped_acquire python;
    try {
      std::vector<Vec3> x, speed;
      for (const Point& point : points) {
        x.push_back(pose.at(point));
        speed.push_back(pose.velocity(point, v));
      }
      const py::object given = py::handle(law)(rows_of(x), rows_of(speed), time);
      const auto forces =
          py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
      if (!forces) throw py::error_already_set();
      const auto count = static_cast<py::ssize_t>(points.size());
      const bool is_vector = count == 1 && forces.ndim() == 1 && forces.size() == 3;
      const bool is_table = forces.ndim() == 2 && forces.shape(0) == count && forces.shape(1) == 3;
      if (!is_vector && !is_table)
        throw Error(fmt::format(
            "a force law gave {} numbers, expected [fx, fy, fz] for each of its {} points",
            forces.size(), count));
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 force(forces.data() + 3 * i);
        if (!force.allFinite())
          throw Error(
              fmt::format("a force law gave [{}, {}, {}] at t = {}, expected finite numbers",
                          force.x(), force.y(), force.z(), time));
        pose.add_force(points[i], force, F);
      }
    } catch (...) {
      callbacks->error = std::current_exception();
      F.setConstant(NAN);
    }
  }
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return false; }
  bool is_passive() const { return false; }
  bool depends_on_velocity() const { return true; }
};

}  // namespace

void add_force_law(ReadScene& scene, const std::vector<NamedPoint>& points, const py::object& law) {
  System& system = scene.get().system;
  PythonForce force;
  for (const NamedPoint& point : points) force.points.push_back(find_point(system, point));
  if (force.points.empty()) throw Error("found no point, expected where the force acts");
  force.law = law.ptr();
  force.callbacks = scene.callbacks;
  apply(system, std::move(force));
}

}  // namespace taut::python
