#include "support/touching_cloth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "taut/collision/cloth_contacts.hpp"
#include "taut/collision/crossings.hpp"
#include "taut/model/pose.hpp"

namespace taut::testing {
namespace {

class Judge {
 public:
  Judge(const io::Scene& scene, TouchingRun& run) : scene_(scene), run_(run) {
    for (const Surface& cloth : scene.surfaces) {
      collision::CheckedSurface surface;
      surface.triangles = collision::triangles_of(cloth.faces);
      surface.vertices.resize(cloth.vertices.size());
      surfaces_.push_back(surface);
    }
    for (const auto& source : scene.system.contact_sources())
      if (const auto* shapes = dynamic_cast<const collision::ShapeContacts*>(source.get()))
        shapes_ = shapes;
    pattern_ = RowPattern(scene.system);
    rows_.resize(pattern_);
  }

  void look(const State& state) {
    const Pose pose(scene_.system, state.q);
    for (std::size_t i = 0; i < scene_.surfaces.size(); ++i)
      for (std::size_t v = 0; v < surfaces_[i].vertices.size(); ++v)
        surfaces_[i].vertices[v] = pose.at(Point(scene_.surfaces[i].vertices[v]));
    std::vector<collision::CheckedSurface> all = surfaces_;
    for (std::size_t s = 0; shapes_ && s < shapes_->shapes().size(); ++s) {
      const collision::BodyShape& shape = shapes_->shapes()[s];
      const collision::Pose3 at = collision::place_of(pose, shape);
      if (shape.shape.type == collision::ShapeType::mesh ||
          shape.shape.type == collision::ShapeType::height_field) {
        all.push_back(collision::checked_surface(shape.shape, at));
        continue;
      }
      for (const collision::CheckedSurface& surface : surfaces_)
        for (const auto& intrusion : collision::find_intrusions(surface, shape.shape, at, 1e-9)) {
          ++run_.intrusions;
          note(fmt::format("t = {}: triangle {} is {} m deep in shape {}", state.time,
                           intrusion.triangle, intrusion.depth, s));
        }
    }
    const auto crossings = collision::find_crossings(all, 100);
    run_.crossings += static_cast<int>(crossings.size());
    if (!crossings.empty())
      note(fmt::format("t = {}: edge {} {} through triangle {}", state.time, crossings[0].edge[0],
                       crossings[0].edge[1], crossings[0].triangle));
    rows_.linearize(scene_.system, pattern_, pose, state.time);
    for (int r = 0; r < pattern_.rows(); ++r)
      if (pattern_.natural_length[static_cast<std::size_t>(r)] > 0)
        run_.strain =
            std::max(run_.strain,
                     std::abs(rows_.C[r]) / pattern_.natural_length[static_cast<std::size_t>(r)]);
    const double energy = scene_.system.energy(state);
    if (run_.states > 0) run_.energy_gain = std::max(run_.energy_gain, energy - energy_);
    energy_ = energy;
    ++run_.states;
  }

 private:
  void note(const std::string& text) {
    if (run_.first.empty()) run_.first = text;
  }

  const io::Scene& scene_;
  TouchingRun& run_;
  std::vector<collision::CheckedSurface> surfaces_;
  const collision::ShapeContacts* shapes_ = nullptr;
  RowPattern pattern_;
  Rows rows_;
  double energy_ = 0;
};

}  // namespace

TouchingRun run_touching(const io::Scene& scene, const State& start, const std::string& method,
                         double duration, long every) {
  TouchingRun run;
  Judge judge(scene, run);
  const std::unique_ptr<Method> used = make_method(method);
  RunOptions options;
  options.step = scene.step;
  options.duration = duration > 0 ? duration : scene.duration;
  options.record_every = every;
  options.record_states = [&](const State& state) {
    const std::clock_t begin = std::clock();
    judge.look(state);
    run.judging += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  run.report = simulate(scene.system, start, *used, options);
  return run;
}

}  // namespace taut::testing
