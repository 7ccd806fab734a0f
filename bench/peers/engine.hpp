// What is compared: taut and its peers. Each engine has a file of its own that translates a Scene
// and is set up as somebody would who knows it well; its settings are explained there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scene.hpp"

namespace peers {

struct BodyState {
  Vec3 position;
  Quat orientation;
  Vec3 velocity, turn;  ///< of the centre of mass, in the world
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Advances by the scene's step, whatever is done within. Nothing ever sleeps: what is compared
  /// is the cost of contacts that are worked on.
  virtual void step() = 0;
  virtual void states(std::vector<BodyState>& out) const = 0;
  /// What went wrong so far, if the engine says so; else empty.
  virtual std::string complaint() const { return ""; }
  /// Linear solves so far, if the engine counts them.
  virtual double linear_solves() const { return 0; }
};

struct EngineInfo {
  std::string name, version, settings;
  std::function<std::unique_ptr<Engine>(const Scene&)> make;
  std::size_t most_bodies = 1000000;  ///< with more of them, a single step takes minutes
};

EngineInfo taut_engine();
EngineInfo ode_step();
EngineInfo ode_quick_step();
EngineInfo bullet();
EngineInfo mujoco();
EngineInfo mujoco_stiff();

}  // namespace peers
