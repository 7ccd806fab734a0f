#include "support/random_tumbles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <array>
#include <chrono>
#include <cmath>

#include "support/dice.hpp"
#include "taut/collision/distance.hpp"
#include "taut/collision/mass_properties.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/slider.hpp"
#include "taut/forces/gravity.hpp"

namespace taut::testing {
namespace {

using namespace collision;

constexpr double g = 9.81;

Dice dice_of(unsigned seed) { return Dice(seed * 2654435761u + 17); }

Shape any_shape(Dice& dice) {
  const double s = dice.power(-1.2, -0.4);
  const auto part = [&] { return s * dice.between(0.15, 1); };
  switch (dice.below(8)) {
    case 0:
      return sphere(part());
    case 1:
      return capsule(part(), part());
    case 2:
      return box({part(), part(), part()});
    case 3:
      return cylinder(part(), part());
    case 4:
      return collision::cone(part(), part());
    case 5:
      return ellipsoid({part(), part(), part()});
    case 6: {
      std::vector<Vec3> points;
      for (int i = 0; i < 12; ++i) points.push_back(s * dice.vector());
      return convex_hull(points);
    }
    default:
      return rounded(box({part(), part(), part()}), 0.1 * s);
  }
}

struct Builder {
  Dice& dice;
  Tumble& tumble;
  collision::Surface surface;

  void add(BodyId body, Shape shape, const Pose3& pose) {
    tumble.shapes.push_back({body, std::move(shape), pose, surface, 0, {}});
  }
  /// Solid behind it, seen along the normal.
  void add_plane(const Vec3& normal, const Vec3& through) {
    add(BodyId{}, plane(),
        {through, Quat::FromTwoVectors(Vec3::UnitZ(), normal).toRotationMatrix()});
  }
  void add_room(const Vec3& half) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0})
        add_plane(-side * Vec3::Unit(axis), side * half[axis] * Vec3::Unit(axis));
  }

  /// The body's frame is at its centre of mass.
  BodyId add_body(const Shape& shape, const Vec3& at, const Quat& turn, double density,
                  const Vec3& velocity, const Vec3& spin) {
    const MassProperties mass = mass_properties(shape);
    RigidBody body;
    body.mass = density * mass.volume;
    body.inertia = density * mass.inertia;
    body.position = at;
    body.orientation = turn;
    body.velocity = velocity;
    body.angular_velocity = spin;
    const BodyId id = tumble.system.add(body);
    add(id, shape, Pose3(-mass.centre));
    return id;
  }
  bool is_clear(const Shape& shape, const Vec3& at, const Quat& turn) const {
    const Pose3 pose = Pose3(at, turn.toRotationMatrix()) * Pose3(-mass_properties(shape).centre);
    return std::all_of(tumble.shapes.begin(), tumble.shapes.end(), [&](const BodyShape& other) {
      const Pose3 there =
          other.body.is_world() ? other.pose : pose_at(tumble.system.initial_state(), other);
      return distance(other.shape, there, shape, pose).gap > 1e-3;
    });
  }
  Pose3 pose_at(const State& state, const BodyShape& shape) const {
    return body_pose_of(tumble.system, state, shape.body) * shape.pose;
  }
  static Pose3 body_pose_of(const System& system, const State& state, BodyId body) {
    const int at = system.slot(body).q;
    const Quat turn(state.q[at + 3], state.q[at + 4], state.q[at + 5], state.q[at + 6]);
    return {state.q.segment<3>(at), turn.toRotationMatrix()};
  }

  void add_anywhere(const Vec3& half, int bodies) {
    const double spread = dice.below(3) == 0 ? 3 : dice.between(0, 1);
    double heaviest = 0, lightest = INFINITY;
    for (int i = 0; i < bodies; ++i) {
      const Shape shape = any_shape(dice);
      const double density = 1000 * dice.power(-spread, spread);
      for (int attempt = 0; attempt < 50; ++attempt) {
        const Vec3 at = dice.vector().cwiseProduct(half);
        const Quat turn = dice.rotation();
        if (!is_clear(shape, at, turn)) continue;
        const double speed = dice.below(4) == 0 ? 0 : dice.power(-1, 2);
        const Vec3 velocity = speed * dice.vector();
        const double tip = dice.below(2) ? 0 : dice.power(-1, std::log10(std::max(speed, 1.0)));
        const Vec3 spin = tip / reach(shape) * dice.vector();
        add_body(shape, at, turn, density, velocity, spin);
        const double mass = density * mass_properties(shape).volume;
        heaviest = std::max(heaviest, mass);
        lightest = std::min(lightest, mass);
        tumble.fastest = std::max(tumble.fastest, velocity.norm() + spin.norm() * reach(shape));
        break;
      }
    }
    tumble.mass_ratio = lightest > 0 && std::isfinite(lightest) ? heaviest / lightest : 1;
  }

  void room() {
    const Vec3 half(dice.between(0.8, 2), dice.between(0.8, 2), dice.between(0.8, 2));
    add_room(half);
    for (int i = dice.below(4); i > 0; --i)
      add(BodyId{}, box(Vec3(0.1, 0.2, 0.3) + 0.1 * dice.vector()),
          {dice.vector().cwiseProduct(half), dice.rotation().toRotationMatrix()});
    add_anywhere(0.95 * half, 1 + dice.below(7));
  }

  void divided_room() {
    const Vec3 half(2, 1, 1);
    add_room(half);
    add(BodyId{}, box({0.5 * dice.power(-3, -1.5), 1.1, 1.1}), Pose3());
    add_anywhere(0.9 * half, 1 + dice.below(5));
    tumble.keeps_sides = true;
  }

  /// Cubes and balls too wide to pass each other, and thin plates that slide along the tube.
  void tube() {
    const double half = 0.25;
    add_room({3, half, half});
    const int bodies = 2 + dice.below(4);
    for (int i = 0; i < bodies; ++i) {
      const Vec3 at(-2.5 + 5.0 * (i + 0.5) / bodies, 0, 0);
      const double wide = half * dice.between(0.75, 0.95);
      const Vec3 velocity(dice.power(0, 2) * (dice.below(2) ? 1 : -1), 0, 0);
      const double density = 1000 * dice.power(-2, 2);
      const int kind = dice.below(3);
      const Shape shape = kind == 0   ? sphere(wide)
                          : kind == 1 ? box({wide, 0.7 * wide, 0.7 * wide})
                                      : box({0.5 * dice.power(-3, -1), wide, wide});
      const BodyId id = add_body(shape, at, Quat::Identity(), density, velocity, Vec3::Zero());
      if (kind == 2) {
        Slider slider;
        slider.a = world_point(at);
        slider.b = Point{id, Vec3::Zero()};
        slider.axis = {world_body, Vec3::UnitX()};
        constrain(tumble.system, slider);
        tumble.joined.push_back({-1, id.index});
      }
      tumble.fastest = std::max(tumble.fastest, velocity.norm());
    }
    tumble.keeps_order = true;
  }

  void jointed() {
    room();
    System& system = tumble.system;
    for (int i = 0; i + 1 < system.body_count(); i += 2) {
      const BodyId a{i}, b{i + 1};
      const State state = system.initial_state();
      const Vec3 xa = state.q.segment<3>(system.slot(a).q),
                 xb = state.q.segment<3>(system.slot(b).q);
      if (dice.below(2)) {
        constrain(system, taut::Distance{a, b, (xa - xb).norm()});
      } else {
        const Vec3 middle = 0.5 * (xa + xb);
        const Point at_a{a, body_pose_of(system, state, a).to_local(middle)};
        const Point at_b{b, body_pose_of(system, state, b).to_local(middle)};
        constrain(system, Ball{at_a, at_b});
      }
      tumble.joined.push_back({i, i + 1});
    }
  }
};

double energy_of(const System& system, const State& state) {
  double energy = system.kinetic_energy(state.v);
  for (int i = 0; i < system.body_count(); ++i)
    energy += system.mass({i}) * g * state.q[system.slot({i}).q + 2];
  return energy;
}

}  // namespace

Tumble random_tumble(unsigned seed) {
  Dice dice = dice_of(seed);
  Tumble tumble;
  constexpr std::array methods{"dop853", "energy_momentum", "icd2", "implicit1", "rattle", "icd"};
  tumble.method = methods[static_cast<std::size_t>(dice.below(static_cast<int>(methods.size())))];
  tumble.step = dice.power(-4, std::log10(1.0 / 30));
  apply(tumble.system, Gravity{{0, 0, -g}});
  tumble.restitution = dice.below(3) == 0 ? 0 : dice.below(4) == 0 ? 1 : dice.between(0, 1);
  tumble.friction = dice.below(4) == 0 ? 0 : dice.between(0, dice.below(2) ? 0.8 : 2);
  Builder builder{dice, tumble, {tumble.friction, tumble.restitution}};
  switch (dice.below(4)) {
    case 0:
      tumble.kind = "room";
      builder.room();
      break;
    case 1:
      tumble.kind = "divided room";
      builder.divided_room();
      break;
    case 2:
      tumble.kind = "tube";
      builder.tube();
      break;
    default:
      tumble.kind = "jointed";
      builder.jointed();
  }
  tumble.size = 2;
  auto contacts = std::make_unique<ShapeContacts>();
  for (const BodyShape& shape : tumble.shapes) contacts->add(shape);
  contacts->ignore_joined(tumble.system);
  tumble.system.add_contacts(std::move(contacts));
  return tumble;
}

TumbleResult judge_tumble(const Tumble& tumble, double most_seconds) {
  TumbleResult result;
  const System& system = tumble.system;
  if (system.body_count() == 0) return result;
  const State initial = system.initial_state();
  double scale = system.kinetic_energy(initial.v);
  for (int i = 0; i < system.body_count(); ++i) scale += system.mass({i}) * g * tumble.size;
  double least = energy_of(system, initial);

  const auto may_touch = [&](BodyId a, BodyId b) {
    const std::pair<int, int> pair = std::minmax(a.index, b.index);
    return a != b &&
           std::find(tumble.joined.begin(), tumble.joined.end(), pair) == tumble.joined.end();
  };
  std::vector<int> order(static_cast<std::size_t>(system.body_count()));
  for (int i = 0; i < system.body_count(); ++i) order[static_cast<std::size_t>(i)] = i;
  const auto x_of = [&](const State& state, int body) { return state.q[system.slot({body}).q]; };
  const auto fault = [&](std::string text) {
    if (result.faults.empty()) result.faults.push_back(std::move(text));
  };
  std::vector<Pose3> at(tumble.shapes.size());
  const auto judge = [&](const State& state) {
    for (const VecX* numbers : {&state.q, &state.v})
      for (const double number : *numbers)
        result.fingerprint = (result.fingerprint ^ std::bit_cast<std::uint64_t>(number)) *
                             std::uint64_t{0x100000001b3};
    if (!state.q.allFinite() || !state.v.allFinite()) return fault("not finite");
    const double energy = energy_of(system, state);
    if (energy - least > result.gain * scale) {
      result.gain = (energy - least) / scale;
      result.gain_at = state.time;
    }
    least = std::min(least, energy);
    for (int i = 0; i < system.body_count(); ++i)
      result.turn =
          std::max(result.turn, tumble.step * state.v.segment<3>(system.slot({i}).v + 3).norm());
    for (int i = 0; i < system.body_count(); ++i) {
      const double side = x_of(state, i) * x_of(initial, i);
      if (tumble.keeps_sides && side < 0)
        fault(fmt::format("body {} went through the wall by {:.4g} s", i, state.time));
      if (tumble.keeps_order && i > 0 && x_of(state, i) < x_of(state, i - 1))
        fault(fmt::format("body {} went through body {} by {:.4g} s", i, i - 1, state.time));
    }
    for (std::size_t i = 0; i < tumble.shapes.size(); ++i) {
      const BodyShape& shape = tumble.shapes[i];
      at[i] = shape.body.is_world() ? shape.pose
                                    : Builder::body_pose_of(system, state, shape.body) * shape.pose;
    }
    for (std::size_t i = 0; i < tumble.shapes.size(); ++i)
      for (std::size_t j = i + 1; j < tumble.shapes.size(); ++j) {
        const BodyShape &a = tumble.shapes[i], &b = tumble.shapes[j];
        if (!may_touch(a.body, b.body) || !bounds(a.shape, at[i]).overlaps(bounds(b.shape, at[j])))
          continue;
        const double depth = -distance(a.shape, at[i], b.shape, at[j]).gap / tumble.size;
        if (depth > result.overlap) {
          result.overlap = depth;
          result.overlap_at = state.time;
        }
      }
  };
  RunOptions options;
  options.step = tumble.step;
  options.duration = tumble.step * static_cast<double>(tumble.steps);
  options.record_states = judge;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  options.keep_going = [&](const RunProgress&) { return elapsed() < most_seconds; };
  result.report = simulate(system, initial, *make_method(tumble.method), options);
  result.seconds = elapsed();
  result.is_late = result.report.status == RunStatus::interrupted;
  if (result.overlap > 1e-6)
    fault(fmt::format("overlap of {:.2g} of the size at {:.4g} s", result.overlap,
                      result.overlap_at));
  // What follows energy only roughly does so in flight, too; so does all that turns too fast.
  const auto method = make_method(tumble.method);
  const bool is_strict =
      result.turn < 0.5 &&
      (method->promises.energy == Promises::Energy::conserves || method->order() >= 4);
  // Joints with long arms turn light bodies faster than any of this tells.
  const double most_gain = !is_strict ? 1e-2 : tumble.joined.empty() ? 1e-6 : 1e-4;
  if (result.gain > most_gain)
    fault(fmt::format("energy grew by {:.2g} of all there is by {:.4g} s", result.gain,
                      result.gain_at));
  return result;
}

}  // namespace taut::testing
