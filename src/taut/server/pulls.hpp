// What holds bodies that somebody drags: springs and dampers to places that move, as forces of the
// system. Their strength follows from the masses that hang together; for methods that take forces
// explicitly it is kept so low that their step stays stable.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "taut/server/snapshot.hpp"

namespace taut::server {

struct Grab {
  std::uint32_t id = 0;
  int body = 0;  ///< number
  Vec3 local = Vec3::Zero();
  Vec3 target = Vec3::Zero();
  double strength = 1;
};

class Pulls {
 public:
  bool empty() const { return grabs_.empty(); }
  bool has(std::uint32_t id) const;
  void add(const Grab& grab);
  void remove(std::uint32_t id);
  void move(std::uint32_t id, const Vec3& target);
  void clear() { grabs_.clear(); }

  struct Surroundings {
    const State& state;
    const Frame& frame;
    bool is_implicit;  ///< whether the method can take stiff forces
    double step;
    double size;  ///< of the scene
  };
  /// Adds the forces to a system that has none of them yet.
  void apply_to(System& system, const Surroundings& at);
  /// Before a step: lets targets that are too far away wait near the body.
  void follow(const System& system, const State& state);

  std::vector<PullSample> sample(const System& system, const State& state) const;
  struct Strength {
    double stiffness = 0, damping = 0;
  };
  Strength strength(std::uint32_t id) const;

 private:
  struct Held {
    Grab grab;
    Point point;
    Strength strength;             ///< 0 until it was applied
    std::shared_ptr<Vec3> target;  ///< of the force
  };
  static Strength find_strength(const System& system, const Surroundings& at, const Grab& grab,
                                BodyId body);

  std::vector<Held> grabs_;
  double reach_ = 1;  // m: farther away a target has no more force
};

}  // namespace taut::server
