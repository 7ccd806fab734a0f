// Rigid bodies that touch, as problems for a ConeSolver: one step of h from given velocities.
#pragma once

#include <vector>

#include "taut/solve/cone_solver.hpp"

namespace taut::testing {

/// Bodies are rigid, with velocity and angular velocity in world axes. World: body −1.
class ContactScene {
 public:
  struct Body {
    double mass = 1;
    Vec3 inertia{1, 1, 1};  // in world axes
    Vec3 position{0, 0, 0}, half{0, 0, 0};
    Vec3 velocity{0, 0, 0}, spin{0, 0, 0};
    Vec3 force{0, 0, 0};  // beside gravity
  };
  explicit ContactScene(double step = 1e-3, const Vec3& g = {0, 0, -9.81}) : h(step), gravity(g) {}

  int add(const Body& body);
  int add_box(const Vec3& position, const Vec3& half, double mass);
  int add_particle(double mass, const Vec3& position, const Vec3& velocity);
  /// `normal` points from b to a: a positive impulse pushes a along it.
  void touch(int a, int b, const Vec3& point, const Vec3& normal, double mu, double gap = 0);
  /// Where two boxes with parallel edges lie on one another, a on b: the corners of what they
  /// share.
  void touch_boxes(int a, int b, double mu);
  void touch_ground(int a, double mu);
  /// The points of two bodies at `point` move together in these directions.
  void join(int a, int b, const Vec3& point, const std::vector<Vec3>& directions);
  void hold_turning(int a);

  /// Makes `pattern` and `problem` of what was added; b and f from the velocities.
  void build();
  /// Takes the solution's velocities, and moves on: positions stay, as in a step that is short.
  void advance(const VecX& v);
  double kinetic_energy(const VecX& v) const;
  ConeOptions options(double tolerance = 1e-8) const;

  double h;
  Vec3 gravity;
  std::vector<Body> bodies;
  ConePattern pattern;
  ConeProblem problem;

 private:
  struct Rows {
    int a, b;
    std::vector<double> of_a, of_b;  // rows × size
    int rows;
  };
  int size_of(int body) const { return is_particle_[static_cast<std::size_t>(body)] ? 3 : 6; }
  void add_direction(Rows& rows, const Vec3& point, const Vec3& direction) const;

  std::vector<char> is_particle_;
  std::vector<Rows> contacts_, joints_;
  std::vector<double> gaps_, frictions_;
};

/// Boxes of 0.1 m on each other; the top one has `top` times the mass of the others.
ContactScene stack(int boxes, double top = 1, double mu = 0.5);
/// The same; the box in the middle is hit from the side.
ContactScene kicked_stack(int boxes, double top = 1);
/// Bricks in layers that are shifted by half a brick; every brick of the top layer is heavy.
ContactScene wall(int layers, int bricks, double top = 1);
ContactScene kicked_wall(int layers, int bricks);
/// n layers of n × n cubes, every second one shifted by half a cube in both directions.
ContactScene cubes(int n, bool kicked);
/// A cube on a plane, with gravity at an angle to its normal, in the direction of an azimuth.
ContactScene incline(double angle, double azimuth, double mu);
/// A drum held by fingers on guides that are pressed against it. `margin`: the friction that there
/// is, relative to its weight, less 1.
ContactScene grasp(int fingers, int contacts_each, double margin);
/// A chain of rods on ball joints, hung up at one end, with a box on the ground at the other.
ContactScene chain(int links, double end);
/// A rod whose end touches the ground, and slides.
ContactScene rod(double angle, double mu, double speed, double sinking);
/// A box between two walls that close on it.
ContactScene squeeze(double speed);
/// Like `rod` the scene of one body, thrown on the ground: position −radius above it.
ContactScene ball(double mu, const Vec3& velocity, const Vec3& spin);

}  // namespace taut::testing
