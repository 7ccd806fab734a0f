// A mechanism in Simbody, whose headers are not C++20: this one has nothing of taut's, and
// simbody_model.cpp is compiled as C++17.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <vector>

namespace peers::simbody {

using Vec3 = Eigen::Vector3d;
using Quat = Eigen::Quaterniond;

struct Body {
  double mass;
  Vec3 inertia, position;
  Quat orientation;
  Vec3 velocity, turn;  ///< in the world
  bool is_point;
};

struct Joint {
  enum class Type { rod, pin, ball };
  Type type;
  int a, b;           ///< bodies by number; -1: the world
  Vec3 end_a, end_b;  ///< in the world, at the start
  Vec3 axis;
};

struct Mechanism {
  std::vector<Body> bodies;
  std::vector<Joint> tree;   ///< one for each body, whose `b` it is; empty: bodies are free
  std::vector<Joint> loops;  ///< all others
  Vec3 gravity;
  double step = 0;
  double accuracy = 0;  ///< 0: steps of that length; else they are chosen
};

struct State {
  Vec3 position;
  Quat orientation;
  Vec3 velocity, turn;  ///< in the world
};

class Model {
 public:
  explicit Model(const Mechanism& mechanism);
  ~Model();
  void advance_to(double time);
  void states(std::vector<State>& out) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

std::string version();

}  // namespace peers::simbody
