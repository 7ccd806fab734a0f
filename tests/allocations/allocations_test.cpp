// After its first step no method allocates memory. Counted at malloc itself, which Eigen, the
// standard library and operator new all end in. Not under the sanitizers: they own malloc.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/builders.hpp"
#include "support/contact_scenes.hpp"
#include "taut/base/error.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/collision/cast.hpp"
#include "taut/collision/contacts.hpp"
#include "taut/collision/sheet_contacts.hpp"
#include "taut/collision/sheet_shapes.hpp"
#include "taut/collision/tree.hpp"
#include "taut/constraints/rolling.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/haptics/moved_device.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/scene/scene.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
thread_local long allocations = 0;
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  ++allocations;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : 12;
}
}

namespace taut {
namespace {

// Particles and rigid bodies, fixed and driven constraints, springs.
System mixed() {
  System system = testing::arm(3, 1);
  RigidBody block;
  block.position = {4, 0, 0};
  const BodyId body = system.add(block);
  constrain(system, Ball{Point(BodyId{2}), Point(body, {-1, 0, 0})});
  const BodyId lead = system.add(Particle{1, {0, 1, 0}});
  constrain(system, Pin{lead, SineMotion<Vec3>{{0, 1, 0}, {0.1, 0, 0}, 1, M_PI / 2}});
  return system;
}

long allocations_per_step(const System& system, std::string_view name, std::string solver,
                          int warm_up = 2) {
  State state = system.initial_state();
  Workspace workspace(system, std::move(solver));
  const auto method = make_method(name);
  for (int i = 0; i < warm_up; ++i) method->step(system, 1e-3, state, workspace);
  const long before = allocations;
  for (int i = 0; i < 20; ++i) method->step(system, 1e-3, state, workspace);
  return allocations - before;
}

TEST(Allocations, TheCounterCounts) {
  const long before = allocations;
  VecX v(100);
  std::vector<int> w(100);
  EXPECT_GE(allocations - before, 2) << v.size() + static_cast<long>(w.size());
}

TEST(Allocations, NoneInAStep) {
  const System chain = testing::arm(200, 0.1), few = testing::arm(2, 10), both = mixed();
  System redundant = testing::arm(3, 1);
  constrain(redundant, Distance{BodyId{0}, BodyId{1}, 1.0});
  for (const MethodInfo& method : methods()) {
    for (const SolverInfo& solver : linear_solvers()) {
      const std::string name(solver.name);
      EXPECT_EQ(allocations_per_step(few, method.name, name), 0) << method.name << " " << name;
      EXPECT_EQ(allocations_per_step(both, method.name, name), 0) << method.name << " " << name;
      EXPECT_EQ(allocations_per_step(chain, method.name, name), 0) << method.name << " " << name;
      EXPECT_EQ(allocations_per_step(redundant, method.name, name), 0)
          << method.name << " " << name;
    }
  }
}

TEST(Allocations, NoneInASolveWithCones) {
  for (const testing::ContactScene& scene :
       {testing::stack(6), testing::kicked_stack(10, 1e3), testing::grasp(5, 4, 1e-3),
        testing::chain(5, 100), testing::squeeze(0.1)}) {
    ConeSolver solver;
    solver.analyze(scene.pattern);
    ConeSolution solution;
    solver.solve(scene.problem, scene.options(), solution);
    solution.r.setZero();
    const long before = allocations;
    solver.analyze(scene.pattern);
    const ConeReport report = solver.solve(scene.problem, scene.options(), solution);
    EXPECT_EQ(allocations - before, 0);
    EXPECT_GT(report.factorisations, 0);
  }
}

// Rows on velocities.
TEST(Allocations, NoneInAStepOfWhatRolls) {
  System system;
  RigidBody ball;
  ball.position = {0, 0, 1};
  ball.velocity = {1, 0, 0};
  ball.angular_velocity = {0, 1, 0.5};
  const BodyId body = system.add(ball);
  apply(system, Gravity{{0, -1, -9.81}});
  constrain(system, Rolling{body, 1, world_point(0, 0, 0), {world_body, Vec3::UnitZ()}, {}});
  for (const MethodInfo& method : methods())
    EXPECT_EQ(allocations_per_step(system, method.name, "auto"), 0) << method.name;
}

// Large enough for the solvers that sheets are iterated with, and, the larger one, for all cores.
// What is needed only when the cloth has begun to bend, or when the projection gives way to
// Newton's method, is made when it is needed first.
TEST(Allocations, NoneInAStepOfCloth) {
  const auto cloth = [](int n) {
    System system;
    apply(system, Gravity{});
    Grid grid;
    grid.columns = grid.rows = n;
    const Surface surface = add_cloth(system, grid_mesh(grid), {}, "cloth", n);
    for (const int corner : {0, n - 1})
      constrain(system, Pin{surface.vertices[static_cast<std::size_t>(corner)], {}});
    return system;
  };
  const System small = cloth(25), large = cloth(102);
  for (const char* method :
       {"fast_projection", "sap", "icd", "icd2", "strain_limit_jacobi", "strain_limit_gauss_seidel",
        "implicit_springs", "implicit1", "sequential_impulse", "tgs_soft"})
    EXPECT_EQ(allocations_per_step(small, method, "pcg_paths", 40), 0) << method;
  EXPECT_EQ(allocations_per_step(large, "fast_projection", "pcg_paths", 25), 0);
}

// Contacts of all kinds of pairs, once the list has grown.
TEST(Allocations, Contacts) {
  using namespace collision;
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.1, 0.3, 0.8}};
  const Shape field = height_field(3, 3, 1, std::vector<double>(9, 0.0));
  const Shape floor =
      triangle_mesh({{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, {{0, 1, 2}, {0, 2, 3}});
  const std::vector<Shape> bodies = {
      sphere(0.5),
      capsule(0.5, 0.2),
      box({0.5, 0.4, 0.3}),
      cylinder(0.5, 0.5),
      collision::cone(0.5, 0.5),
      ellipsoid({0.5, 0.4, 0.3}),
      rounded(convex_hull(points), 0.1),
      compound({{sphere(0.5), Pose3()}, {box({1, 1, 0.2}), Pose3()}})};
  std::vector<ContactPoint> out;
  std::vector<std::pair<int, int>> pairs;
  BoxTree tree(0.1);
  std::vector<int> handles;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    handles.push_back(tree.insert(static_cast<int>(i), bounds(bodies[i], Pose3())));
  long found = 0;
  for (int round = 0; round < 3; ++round) {
    const long before = allocations;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Pose3 at(Vec3(1, 1, 0.1 + 0.01 * round));
      out.clear();
      contacts(plane(), Pose3(), bodies[i], at, 0.1, out);
      contacts(field, Pose3(), bodies[i], at, 0.1, out);
      contacts(floor, Pose3(), bodies[i], at, 0.1, out);
      for (const Shape& other : bodies)
        contacts(other, Pose3(Vec3(0.9, 1, 0.3)), bodies[i], at, 0.1, out);
      found += static_cast<long>(out.size());
      RayHit hit;
      ray_cast(bodies[i], at, Vec3(5, 5, 5), Vec3(-1, -1, -1), 10, hit);
      tree.move(handles[i], bounds(bodies[i], at));
    }
    tree.pairs(pairs);
    if (round > 0) EXPECT_EQ(allocations - before, 0);
  }
  EXPECT_GT(found, 200);
}

TEST(Allocations, NoneInSheetsAfterTheFirst) {
  using namespace collision;
  const int n = 40;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Vec3> x;
  for (int i = 0; i < n * n; ++i) {
    x.emplace_back(0.01 * (i % 10), 0.01 * (i / n), 0.002 * (i % n / 10));
    if (i % n == n - 1 || i / n == n - 1) continue;
    triangles.push_back({i, i + 1, i + n + 1});
    triangles.push_back({i, i + n + 1, i + n});
  }
  Sheet sheet;
  sheet.add_triangles(triangles, n * n, "cloth");
  SheetContacts contacts(sheet);
  SheetTree tree(sheet);
  NearShapeRoom room;
  std::vector<NearPair> pairs;
  std::vector<NearShape> shapes;
  const Shape ball = sphere(0.1);
  for (int round = 0; round < 4; ++round) {
    const long before = allocations;
    contacts.forget();
    contacts.find({x, 0.003}, pairs);
    shapes.clear();
    tree.refit({x, {}, {}, 0.0015});
    find_near_shape({sheet, tree, x, ball, Pose3(), 0.003}, room, shapes);
    contacts.first_impact({x, x, 1e-4, 1e-6});
    if (round > 1) EXPECT_EQ(allocations - before, 0);
  }
  EXPECT_GT(pairs.size(), 1000u);
  EXPECT_GT(shapes.size(), 10u);
}

/// A built-in scene whose hand has joints.
io::Scene with_joints(std::string_view name) {
  const std::string_view hands = "\"hands\": [\n    {";
  for (const EmbeddedText& scene : io::builtin_scenes()) {
    if (scene.name != name) continue;
    std::string text(scene.text);
    text.insert(text.find(hands) + hands.size(), "\"limbs\": \"jointed\",");
    return io::parse_scene(text, std::string(name), {});
  }
  throw Error("no such scene");
}

// A hand that grasps, lifts, puts down and lets go: contacts come and go all the time, and with
// them what is tied to what. One second after the first of them nothing allocates any more.
TEST(Allocations, NoneInTheStepOfAHandThatGrasps) {
  const std::pair<const char*, bool> hands[] = {
      {"grasp_box", false}, {"grasp_frame", false}, {"grasp_box", true}, {"grasp_frame", true}};
  for (const auto& [name, is_jointed] : hands) {
    SCOPED_TRACE(is_jointed ? "jointed" : "free");
    io::Scene scene = is_jointed ? with_joints(name) : io::load_scene(name);
    EXPECT_EQ(scene.system.constraints().empty(), !is_jointed);
    const int steps = static_cast<int>(scene.duration / 0.001);
    haptics::MovedDevice device(hand::hands_of(scene.system).front().ghost, 0.001);
    haptics::GraspSession session(std::move(scene.system), 0, {});
    int first = steps, counted = 0, allocating = 0;
    double felt = 0;
    for (int i = 0; i < steps; ++i) {
      const auto sample = device.read();
      const long before = allocations;
      const bool is_ok = session.step(sample);
      const bool allocates = allocations > before;
      ASSERT_TRUE(is_ok);
      const bool is_warm = i > first + 1000;
      allocating += is_warm && allocates;
      counted += is_warm;
      const double force = session.forces().fingers[0];
      felt = std::max(felt, force);
      if (first == steps && force > 0) first = i;
    }
    EXPECT_EQ(allocating, 0) << name << ": steps that allocate, of " << counted;
    EXPECT_GT(counted, 3000) << name;
    EXPECT_GT(felt, 3) << name;
    EXPECT_EQ(session.forces().fingers[0], 0) << name << " is let go";
  }
}

// A hand that presses on a table: the loop of its device does not allocate, nor does the search for
// what it needs to know.
TEST(Allocations, NoneInTheLoopOfADevice) {
  io::Scene scene = io::parse_scene(
      R"({"taut": 1, "name": "table", "title": "t", "description": "d",
          "shapes": [{"type": "plane", "friction": 0.5}],
          "hands": [{"name": "right", "position": [0, 0, 0.012]}],
          "simulation": {"method": "icd", "step": 0.001, "duration": 1}})",
      "table", {});
  haptics::GraspSession session(std::move(scene.system), 0, {});
  haptics::LocalForces local = session.local_forces();
  haptics::LocalModel model;
  devices::HandSample sample;
  double felt = 0;
  for (int i = 0; i < 60; ++i) {
    sample.pose.position.z() = 0.012 - 2e-5 * i;
    ASSERT_TRUE(session.step(sample));
    long before = allocations;
    session.look_around(model);
    if (i > 30) EXPECT_EQ(allocations - before, 0) << "search, step " << i;
    before = allocations;
    local.take(model);
    felt = local.step(sample, 0.001).fingers[2];
    EXPECT_EQ(allocations - before, 0) << "device, step " << i;
  }
  EXPECT_GT(felt, 0);
}

}  // namespace
}  // namespace taut

#else

TEST(Allocations, AreNotCountedUnderSanitizers) { GTEST_SKIP(); }

#endif
