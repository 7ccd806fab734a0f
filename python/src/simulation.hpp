// A simulation that Python drives step by step.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "loads.hpp"
#include "scene.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::python {

struct SimulationOptions {
  std::string method;  ///< empty: the scene's
  std::map<std::string, std::string> method_options;
  std::optional<double> step;
  std::string start, solver = "auto", contact_solver = "exact";
};

class Simulation {
 public:
  Simulation(ReadScene& scene, const SimulationOptions& options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// One thread at a time, and none while a step works. Throws Error else.
  class Turn {
   public:
    explicit Turn(Simulation& simulation);
    ~Turn() { simulation_.is_busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Simulation& simulation_;
  };

  const io::Scene& scene() const { return scene_; }
  const System& system() const { return scene_.system; }
  const State& state() const { return stepping_->state(); }
  const io::MethodPlan& plan() const { return plan_; }
  double step_size() const { return step_; }
  Loads& loads() { return *loads_; }

  // Within a turn:
  /// One step, without the GIL. Throws Diverged, or what a force law threw.
  void step(double h);
  /// The same, of the usual length, without a word in between.
  void repeat(long count);
  void put(const VecX& q);
  void save(const std::string& path);
  void restore(const std::string& path);
  RunReport judged();
  const RunReport& report() const { return stepping_->report(); }

  /// What acts at this state; measured when it is asked for, once per state.
  struct Acting {
    VecX lambda;
    std::vector<JointSample> joints;
    std::vector<ContactSample> contacts;
  };
  std::shared_ptr<const Acting> measure();
  /// The scene's sensors at this state.
  std::vector<double> read_sensors();
  Inputs inputs() const { return stepping_->inputs(); }

 private:
  /// What another simulation must have in common to go on with what this one saved.
  std::string identity() const;
  /// Throws what a step has to say.
  void finish();

  std::shared_ptr<Callbacks> callbacks_;
  io::Scene scene_;
  io::MethodPlan plan_;
  std::unique_ptr<Method> method_;
  std::shared_ptr<Loads> loads_ = std::make_shared<Loads>();
  std::unique_ptr<Stepping> stepping_;
  double step_ = 0;
  std::shared_ptr<const Acting> acting_;  // none: not measured at this state
  std::atomic<bool> is_busy_{false};
};

/// Fills in what the options of a run and of a simulation have in common. Throws Error.
void set_common(RunOptions& run, const io::Scene& scene, const std::string& start,
                const std::string& solver, const std::string& contact_solver);

}  // namespace taut::python
