// One definition of each scene, for all engines: rigid bodies of simple shapes, planes of the
// world, friction, no restitution; or mechanisms, of bodies and point masses without shapes that
// rods, ball joints and hinges hold together; or cloth, of point masses and rods, with soft springs
// across. What is measured is the same for all (measure.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/collision/shape.hpp"

namespace peers {

using taut::Quat;
using taut::Vec3;

/// A sphere, a capsule along z or a box: shapes for which every engine has contacts of its own.
struct Body {
  taut::collision::Shape shape;
  double mass = 1;
  Vec3 inertia = Vec3::Ones();  ///< along the axes of the shape
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero(), turn = Vec3::Zero();  ///< in the world
  bool is_point = false;                              ///< a mass at the position; it does not turn
  Vec3 push = Vec3::Zero();                           ///< N: a force that stays, beside gravity
  bool is_guided = false;                             ///< along x alone, without turning
};

enum class JointType {
  rod,    ///< massless, between the centres of two point masses, or of one and a place
  ball,   ///< a place of both bodies
  hinge,  ///< … and an axis
};

/// Where the bodies are at the start. A body's first joint as `b` joins it to one before it in the
/// list, or to the world, so that these joints make trees; all others close loops.
struct Joint {
  JointType type = JointType::ball;
  int a = -1, b = -1;      ///< bodies by number; -1: the world
  Vec3 at = Vec3::Zero();  ///< of a rod: its end in the world, if it has one there
  Vec3 axis = Vec3::UnitZ();
};

/// A rod that gives way.
struct Spring {
  Joint rod;
  double stiffness = 0;  ///< N/m
};

/// Solid below normal · x = offset.
struct Plane {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0;
};

/// A part of the run for which time and errors are given.
struct Window {
  std::string name;
  double begin = 0, end = 0;  ///< s
  bool rests = false;         ///< nothing should move: it is measured how far things do
};

enum class Kind { contacts, mechanism, cloth };

struct Scene {
  std::string name;
  std::string about;  ///< a sentence for the report: what is compared
  Kind kind = Kind::contacts;
  double friction = 0.5;
  Vec3 gravity{0, 0, -9.81};
  double step = 1.0 / 240;
  double size = 0.2;  ///< m, of a usual body
  std::vector<Body> bodies;
  std::vector<Plane> planes;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  int cloth_side = 0;           ///< vertices along a side of the cloth
  std::vector<int> held;        ///< which of its vertices, in rows, are places of the world
  bool is_planar = false;       ///< all moves in the xy plane
  std::vector<Window> windows;  ///< in order; the run ends with the last
  /// Where the bodies are after so many s, where that is known.
  std::function<void(double, std::vector<Vec3>&)> reference;
  bool keeps_energy = false;        ///< any change of the energy is an error, not only its growth
  double longest_step = 1.0 / 30;   ///< s: halved again and again
  std::vector<double> equal_steps;  ///< s: at which engines are seen side by side; of the halved
  double effort = 1;                ///< how much longer its runs may take than usual

  double duration() const { return windows.back().end; }
  bool has_contacts() const { return kind == Kind::contacts; }  ///< others have no shapes
  /// The joint that joins each body to its tree.
  std::vector<int> tree() const;
  /// The joints that close loops.
  std::vector<Joint> loops() const;
  /// The ends of a joint in the world, where the bodies are at the start.
  Vec3 end_of(const Joint& joint, int body) const;
  double mass() const;
  /// J: what energies are compared with. To lift all bodies by the size of one, or the kinetic
  /// energy of the start, whichever is more.
  double energy_scale() const;
};

/// With mass and inertia of its shape, at a density in kg/m³.
Body solid(taut::collision::Shape shape, double density);

// The scenes. ------------------------------------------------------------------------------------
/// A column of boxes; the uppermost is so many times as heavy.
Scene stack(int boxes, double heavy_top);
/// Boxes in courses, each half a box beside those below. The number of courses is even: those at
/// the ends of every second one would fall without something upon them.
Scene wall(int courses, int boxes_in_a_course);
/// Boxes, capsules and spheres fall into a tray, tumble, and settle. Some go on rolling.
Scene pile(int bodies);
/// The same of boxes alone, which come to rest.
Scene heap(int bodies);
/// The same kinds of bodies fly at each other, without gravity: momentum stays.
Scene swarm(int bodies);
/// Balls fall, hit the ground, slide and roll: known in closed form.
Scene balls(int count);
/// A block of n³ boxes at rest; with `kicked`, the lowest layer gets a push.
Scene cube(int n, bool is_kicked, double step);

/// A box of 1 kg between fingers that slide along x and are pressed against it, against gravity:
/// two pads, or a round thumb and round fingers on the other side. `margin`: by how much more
/// friction there may be than gravity asks for; below 0 it slips, as is known.
Scene grasp(int fingers, double margin);
/// A box on a plane that is inclined by `angle` towards `azimuth`. (It is gravity that is turned.)
Scene incline(double angle, double azimuth);

// Mechanisms, as taut's built-in scenes of these names have them. -------------------------------
/// Two point masses on two rods, released from horizontal. Its motion is known for 10 s.
Scene two_link();
/// Ten rods between two fixed points, with a snap when they are all taut.
Scene ten_link();
/// The same for 73 s, from 0.05 s steps on. By then the motion is chaotic: what is judged are the
/// rods and the energy.
Scene two_link_for_long();
/// Point masses on rods of 0.1 m; the last is so many times as heavy.
Scene heavy_chain(int links, double heavy_end);
/// Rigid rods on ball joints; the last is so many times as heavy.
Scene rigid_chain(int links, double heavy_end);
/// Rigid rods on parallel hinges, all alike. Its motion is known.
Scene hinge_chain(int links);
/// Crossed bars on hinges, one pair above the other, with a load on top, let go from high up. The
/// foot that moves is on a rocker, for want of rails in some engines. Its motion is known.
Scene scissor_lift(int stages);
/// A crank that turns a rocker: a loop of hinges. Its motion is known.
Scene four_bar();
/// A heavy top on its tip. Its motion is known.
Scene spinning_top();

/// A square metre of cloth, horizontal, of n × n vertices, held at two corners or along the side
/// between them. All edges are rods; across, springs resist shear.
Scene cloth(int n, bool by_side);

/// With steps that are still to be chosen.
std::vector<Scene> all_scenes();
std::vector<Scene> mechanisms();
std::vector<Scene> grasps();
std::vector<Scene> cloths();
/// Of the same kinds, with several hundred contacts.
std::vector<Scene> large_scenes();
/// Cubes and heaps of more and more boxes, up to about 10,000 contacts.
std::vector<Scene> growing_scenes();

}  // namespace peers
