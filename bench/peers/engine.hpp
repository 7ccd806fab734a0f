// What is compared: taut and its peers. Each engine has a file of its own that translates a Scene
// and has a few set-ups, such as somebody would choose who knows it well; they are explained there.
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

/// One way to set up an engine. Those of one engine have its name.
struct Setup {
  std::string engine, settings;
  std::function<std::unique_ptr<Engine>(const Scene&)> make;
  std::size_t most_bodies = 1000000;  ///< with more of them, a single step takes minutes
  Kind use = Kind::contacts;
  /// Why it does not do a scene that it is for; empty: it does.
  std::function<std::string(const Scene&)> cannot = [](const Scene&) { return ""; };

  bool is_for(const Scene& scene) const { return use == scene.kind; }
};

/// Why engines cannot do a scene that have no constraint like a rod, but for joint angles.
std::string rod_in_a_loop(const Scene& scene);

/// Of each engine, from quick to accurate; the first is what somebody would begin with.
std::vector<Setup> taut_setups();
std::vector<Setup> ode_setups();
std::vector<Setup> bullet_setups();
std::vector<Setup> mujoco_setups();
std::vector<Setup> simbody_setups();
std::vector<Setup> dart_setups();

/// For kinds of scenes that have a file of their own: among the above.
std::vector<Setup> dart_contacts();
std::vector<Setup> bullet_multibodies();
std::vector<Setup> bullet_cloths();
std::vector<Setup> mujoco_mechanisms();

/// "0.16", …
std::string ode_version();
std::string bullet_version();
std::string mujoco_version();
std::string simbody_version();
std::string dart_version();

/// Where the bodies of a mechanism are every so many s, by taut, as accurately as it can.
std::vector<std::vector<Vec3>> accurate_places(const Scene& scene, double between);

}  // namespace peers
