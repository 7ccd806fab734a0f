#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "engine.hpp"
#include "taut/reference/planar_pendulum.hpp"

namespace peers {
namespace {

const Vec3 down{0, -9.81, 0};
const std::vector<double> usual_steps{1.0 / 60, 1.0 / 240};

Scene mechanism(std::string name) {
  Scene scene;
  scene.name = std::move(name);
  scene.kind = Kind::mechanism;
  scene.gravity = down;
  return scene;
}

Body point(double mass, const Vec3& at) {
  Body body;
  body.mass = mass;
  body.inertia.setZero();
  body.position = at;
  body.is_point = true;
  return body;
}

/// A rod of square section from `begin` to `end`, along its x axis.
Body rod(double mass, double width, const Vec3& begin, const Vec3& end) {
  Body body;
  const double length = (end - begin).norm(), thick = width * width;
  body.mass = mass;
  body.inertia = mass / 12 * Vec3(2 * thick, length * length + thick, length * length + thick);
  body.position = 0.5 * (begin + end);
  body.orientation = Quat::FromTwoVectors(Vec3::UnitX(), end - begin);
  return body;
}

/// Rods between point masses one after the other, the first from a place of the world.
void join_by_rods(Scene& scene, const Vec3& from) {
  for (int i = 0; i < static_cast<int>(scene.bodies.size()); ++i)
    scene.joints.push_back({JointType::rod, i - 1, i, from});
}

/// Where bodies are at multiples of `between` seconds, from a run of taut that is a thousand times
/// as accurate as what is compared; made when it is first asked for. check.cpp compares such runs
/// with Simbody's.
std::function<void(double, std::vector<Vec3>&)> accurate_run(const Scene& scene) {
  struct Table {
    Scene scene;
    std::vector<std::vector<Vec3>> places;
  };
  const auto table = std::make_shared<Table>();
  table->scene = scene;
  return [table](double time, std::vector<Vec3>& places) {
    constexpr double between = 1.0 / 30;
    if (table->places.empty()) table->places = accurate_places(table->scene, between);
    places = table->places.at(static_cast<std::size_t>(std::lround(time / between)));
  };
}

}  // namespace

std::string rod_in_a_loop(const Scene& scene) {
  for (const Joint& joint : scene.loops())
    if (joint.type == JointType::rod) return "has nothing that closes a loop with a rod";
  return "";
}

std::vector<int> Scene::tree() const {
  std::vector<int> joint_of(bodies.size(), -1);
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    const int body = joints[static_cast<std::size_t>(j)].b;
    if (body >= 0 && joint_of[static_cast<std::size_t>(body)] < 0)
      joint_of[static_cast<std::size_t>(body)] = j;
  }
  return joint_of;
}

std::vector<Joint> Scene::loops() const {
  const std::vector<int> joint_of = tree();
  std::vector<Joint> loops;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (joints[j].b < 0 || joint_of[static_cast<std::size_t>(joints[j].b)] != static_cast<int>(j))
      loops.push_back(joints[j]);
  return loops;
}

Vec3 Scene::end_of(const Joint& joint, int body) const {
  const bool is_centre = joint.type == JointType::rod && body >= 0;
  return is_centre ? bodies[static_cast<std::size_t>(body)].position : joint.at;
}

Scene two_link() {
  Scene scene = mechanism("two_link");
  scene.about = "Two point masses on rods: the motion is known for 10 s.";
  constexpr double length = 10;
  scene.size = length;
  scene.is_planar = true;
  scene.bodies = {point(1, {length, 0, 0}), point(1, {2 * length, 0, 0})};
  join_by_rods(scene, Vec3::Zero());
  scene.windows = {{"swings", 0, 10, false}};
  taut::reference::PlanarPendulum::Setup setup;
  setup.masses = {1, 1};
  setup.lengths = {length, length};
  setup.angles = {M_PI / 2, M_PI / 2};
  std::vector<std::function<double(double)>> tracks;
  for (const int link : {0, 1})
    for (const int axis : {0, 1})
      tracks.push_back(taut::reference::coordinate_track(setup, link, axis));
  scene.reference = [tracks](double time, std::vector<Vec3>& places) {
    places = {{tracks[0](time), tracks[1](time), 0}, {tracks[2](time), tracks[3](time), 0}};
  };
  return scene;
}

Scene two_link_for_long() {
  Scene scene = two_link();
  scene.name += ", 73 s";
  scene.about =
      "Long enough to see what drifts. The motion is chaotic by then: the error is that of the "
      "rods, and "
      "of the energy times their length.";
  scene.windows.front().end = 73;
  scene.reference = nullptr;
  scene.keeps_energy = true;
  scene.longest_step = 0.05;
  scene.equal_steps = {0.05, 0.0125, 0.05 / 32};
  return scene;
}

Scene ten_link() {
  Scene scene = mechanism("ten_link");
  scene.about =
      "Ten rods between two fixed points, which snap taut. The error is that of the rods, and of "
      "the energy times a metre.";
  scene.size = 1;
  scene.is_planar = true;
  const double way = std::sqrt(0.5);
  for (int i = 1; i < 10; ++i) scene.bodies.push_back(point(1, {i * way, i % 2 * way, 0}));
  join_by_rods(scene, Vec3::Zero());
  scene.joints.push_back({JointType::rod, 8, -1, {10 * way, 0, 0}});
  scene.windows = {{"swings", 0, 10, false}};
  scene.keeps_energy = true;
  scene.equal_steps = usual_steps;
  return scene;
}

Scene heavy_chain(int links, double heavy_end) {
  Scene scene = mechanism(fmt::format("heavy_chain of {}, end {:g}x", links, heavy_end));
  scene.about =
      "A chain of rods with a heavy end: who keeps its links from being stretched, without energy "
      "from nowhere? (0.1 % of a link is 10⁻⁴ m.)";
  constexpr double length = 0.1;
  scene.size = length;
  scene.is_planar = true;
  for (int i = 1; i <= links; ++i)
    scene.bodies.push_back(point(i < links ? 0.01 : 0.01 * heavy_end, {i * length, 0, 0}));
  join_by_rods(scene, Vec3::Zero());
  scene.windows = {{"swings", 0, 5, false}};
  scene.equal_steps = usual_steps;
  scene.effort = links > 200 ? 2 : 1;
  return scene;
}

namespace {

Scene chain_of_rods(std::string name, JointType joint, int links, double heavy_end) {
  Scene scene = mechanism(std::move(name));
  constexpr double length = 0.1;
  scene.size = length;
  for (int i = 0; i < links; ++i) {
    const Vec3 begin(i * length, 0, 0), end((i + 1) * length, 0, 0);
    scene.bodies.push_back(rod(i + 1 < links ? 0.01 : 0.01 * heavy_end, 0.02, begin, end));
    scene.joints.push_back({joint, i - 1, i, begin});
  }
  return scene;
}

}  // namespace

Scene rigid_chain(int links, double heavy_end) {
  Scene scene = chain_of_rods(fmt::format("rigid_chain of {}, end {:g}x", links, heavy_end),
                              JointType::ball, links, heavy_end);
  scene.about = "The same of rigid rods on ball joints: how far do joints come apart?";
  scene.windows = {{"swings", 0, 5, false}};
  scene.equal_steps = usual_steps;
  scene.effort = links > 200 ? 2 : 1;
  return scene;
}

Scene hinge_chain(int links) {
  Scene scene = chain_of_rods(fmt::format("hinge_chain of {}", links), JointType::hinge, links, 1);
  scene.about =
      "Rigid rods on parallel hinges, all alike, for one second: what joint angles are made for. "
      "The motion is known.";
  scene.is_planar = true;
  scene.windows = {{"falls", 0, 1, false}};
  scene.effort = links > 200 ? 12 : 1;
  scene.reference = accurate_run(scene);
  return scene;
}

Scene scissor_lift(int stages) {
  Scene scene = mechanism(fmt::format("scissor_lift of {}", stages));
  scene.about = "Loops on top of each other, which sink under a load. The motion is known.";
  constexpr double length = 1, high = 1, bar_mass = 2, load = 50;
  scene.size = length;
  scene.is_planar = true;
  const double width = length * std::cos(high), height = length * std::sin(high);
  const auto corner = [&](double x, int stage) { return Vec3(x, stage * height, 0); };
  // Bodies 2i and 2i + 1 are the rising and the falling bar of stage i; then the load, and a
  // rocker.
  for (int i = 0; i < stages; ++i) {
    scene.bodies.push_back(rod(bar_mass, 0.06, corner(0, i), corner(width, i + 1)));
    scene.bodies.push_back(rod(bar_mass, 0.06, corner(0, i + 1), corner(width, i)));
  }
  const auto hinge = [&](int a, int b, const Vec3& at) {
    scene.joints.push_back({JointType::hinge, a, b, at});
  };
  hinge(-1, 0, corner(0, 0));
  for (int i = 0; i < stages; ++i) {
    const Vec3 middle = 0.5 * (corner(0, i) + corner(width, i + 1));
    hinge(2 * i, 2 * i + 1, middle);
    if (i + 1 == stages) break;
    hinge(2 * i + 1, 2 * i + 2, corner(0, i + 1));
    hinge(2 * i, 2 * i + 3, corner(width, i + 1));
  }
  Body weight;
  weight.mass = load;
  weight.inertia = 0.01 * load * Vec3::Ones();
  weight.position = corner(0, stages);
  scene.bodies.push_back(weight);
  hinge(2 * stages - 1, 2 * stages, weight.position);
  const Vec3 foot = corner(width, 0), below = foot - length * Vec3::UnitY();
  scene.bodies.push_back(rod(bar_mass, 0.06, below, foot));
  hinge(-1, 2 * stages + 1, below);
  hinge(1, 2 * stages + 1, foot);
  scene.windows = {{"sinks", 0, 1, false}};
  scene.reference = accurate_run(scene);
  return scene;
}

Scene four_bar() {
  Scene scene = mechanism("four_bar");
  scene.about =
      "A loop of hinges that turns: joint angles need a constraint to close it. The motion is "
      "known.";
  scene.gravity.setZero();
  scene.size = 0.5;
  scene.is_planar = true;
  constexpr double crank = 0.2, coupler = 0.7, rocker = 0.5, ground = 0.8, per_length = 2;
  constexpr double start = 1.2, speed = 4 * M_PI;
  const Vec3 A(0, 0, 0), D(ground, 0, 0), B(crank * std::cos(start), crank * std::sin(start), 0);
  const Vec3 diagonal = D - B;
  const double d = diagonal.norm();
  const double along = (coupler * coupler - rocker * rocker + d * d) / (2 * d);
  const double across = std::sqrt(coupler * coupler - along * along);
  const Vec3 z = Vec3::UnitZ();
  const Vec3 C = B + along / d * diagonal + across / d * z.cross(diagonal);
  // Speeds of the bars about z: B + … moves as C seen from D does.
  const Vec3 at_B = speed * z.cross(B), BC = z.cross(C - B), DC = z.cross(C - D);
  const double det = DC.x() * BC.y() - BC.x() * DC.y();
  const double rocking = (at_B.x() * BC.y() - BC.x() * at_B.y()) / det;
  const double tilting = (at_B.x() * DC.y() - DC.x() * at_B.y()) / det;
  const auto bar = [&](const Vec3& from, const Vec3& to, const Vec3& moves, double turns) {
    const double length = (to - from).norm();
    Body body = rod(per_length * length, 0.1 * length, from, to);
    body.turn = turns * z;
    body.velocity = moves + body.turn.cross(body.position - from);
    scene.bodies.push_back(body);
  };
  bar(A, B, Vec3::Zero(), speed);
  bar(B, C, at_B, tilting);
  bar(D, C, Vec3::Zero(), rocking);
  scene.joints = {{JointType::hinge, -1, 0, A},
                  {JointType::hinge, 0, 1, B},
                  {JointType::hinge, 1, 2, C},
                  {JointType::hinge, 2, -1, D}};
  scene.windows = {{"turns", 0, 5, false}};
  scene.reference = accurate_run(scene);
  return scene;
}

Scene spinning_top() {
  Scene scene = mechanism("spinning_top");
  scene.about = "A heavy top that nutates. The motion is known.";
  constexpr double length = 0.06, lean = M_PI / 6, spin = 150;
  scene.size = length;
  Body top;
  top.mass = 0.2;
  top.inertia = {1.6e-4, 2e-4, 1.6e-4};
  const Vec3 axis(std::sin(lean), std::cos(lean), 0);
  top.position = length * axis;
  top.orientation = Eigen::AngleAxisd(-lean, Vec3::UnitZ());
  top.turn = spin * axis;
  scene.bodies = {top};
  scene.joints = {{JointType::ball, -1, 0, Vec3::Zero()}};
  scene.windows = {{"nutates", 0, 2, false}};
  scene.reference = accurate_run(scene);
  return scene;
}

std::vector<Scene> mechanisms() {
  return {two_link(),
          two_link_for_long(),
          ten_link(),
          heavy_chain(50, 100),
          heavy_chain(50, 1e4),
          heavy_chain(200, 100),
          heavy_chain(200, 1e4),
          heavy_chain(1000, 100),
          heavy_chain(1000, 1e4),
          rigid_chain(100, 1e4),
          rigid_chain(1000, 1e4),
          hinge_chain(20),
          hinge_chain(1000),
          four_bar(),
          scissor_lift(20),
          spinning_top()};
}

}  // namespace peers
