// Random systems, and random constraints made from nothing but their field lists: what is listed in
// ConstraintTypes is tested the moment it is listed.
#pragma once

#include <optional>
#include <random>
#include <type_traits>

#include "taut/base/type_info.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/gravity.hpp"

namespace taut::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  Vec3 vector(double size = 1) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3 direction() {
    Vec3 v;
    do v = vector();
    while (v.norm() < 0.3);
    return v.normalized();
  }
  VecX vector_of(int n) {
    VecX v(n);
    for (double& x : v) x = uniform(-1, 1);
    return v;
  }

 private:
  std::mt19937 engine_;
};

inline RigidBody random_rigid_body(Random& random) {
  RigidBody body;
  body.mass = random.uniform(0.5, 2);
  const Vec3 a = random.vector(), b = random.vector();
  body.inertia = Vec3(1.0, 1.3, 1.7).asDiagonal().toDenseMatrix() + 0.1 * (a * a.transpose()) +
                 0.1 * (b * b.transpose());
  body.position = random.vector(2);
  body.orientation = Quat(Eigen::AngleAxisd(random.uniform(-3, 3), random.direction()));
  body.velocity = random.vector();
  body.angular_velocity = random.vector();
  return body;
}

/// Three particles and three rigid bodies, anywhere, moving.
inline System random_bodies(Random& random) {
  System system;
  for (int i = 0; i < 3; ++i) {
    system.add(Particle{random.uniform(0.5, 2), random.vector(2), random.vector()});
    system.add(random_rigid_body(random));
  }
  return system;
}

// A value for each type that a field may have.
class RandomField {
 public:
  RandomField(const System& system, Random& random, bool only_rigid)
      : system_(system), random_(random) {
    for (int i = -1; i < system.body_count(); ++i)
      if (i < 0 || system.is_rigid({i}) || !only_rigid) bodies_.push_back({i});
  }

  template <class Member>
  Member make() {
    if constexpr (std::is_same_v<Member, double>) {
      return random_.uniform(0.5, 2);
    } else if constexpr (std::is_same_v<Member, Vec3>) {
      return random_.vector();
    } else if constexpr (std::is_enum_v<Member>) {
      return static_cast<Member>(
          random_.integer(0, static_cast<int>(Choices<Member>::names.size()) - 1));
    } else if constexpr (std::is_same_v<Member, Point>) {
      // No body twice, so that two points can always move against each other; a direction may well
      // be fixed in the body of a point.
      return {another_body(), random_.vector()};
    } else if constexpr (std::is_same_v<Member, std::optional<Point>>) {
      return make<Point>();
    } else if constexpr (std::is_same_v<Member, std::optional<double>>) {
      return make<double>();
    } else if constexpr (std::is_same_v<Member, std::optional<Vec3>>) {
      return std::nullopt;
    } else if constexpr (std::is_same_v<Member, BodyId>) {
      BodyId body;
      do body = another_body();
      while (body.is_world() || !system_.is_rigid(body));
      return body;
    } else if constexpr (std::is_same_v<Member, Coordinate>) {
      // Of a joint between any two rigid bodies, of which one may be the world.
      JointFrame frame;
      const int first = random_.integer(0, 2);
      frame.a = Point(first == 2 ? world_body : BodyId{2 * first + 1}, random_.vector());
      frame.b = Point(BodyId{5}, random_.vector());
      frame.axis = {world_body, random_.direction()};
      frame.complete(system_, "joint");
      if (random_.integer(0, 1) == 0) return frame.turn(random_.uniform(-1, 1));
      return frame.slide(system_, frame.ua, random_.uniform(-1, 1));
    } else if constexpr (std::is_same_v<Member, Direction>) {
      BodyId body{random_.integer(-1, system_.body_count() - 1)};
      if (!body.is_world() && !system_.is_rigid(body)) body = world_body;
      return {body, random_.direction()};
    } else if constexpr (std::is_same_v<Member, Motion<double>>) {
      if (random_.integer(0, 1) == 0) return random_.uniform(1, 2);
      return SineMotion<double>{random_.uniform(1.2, 2), random_.uniform(0.1, 0.5), 0.7, 0.3};
    } else if constexpr (std::is_same_v<Member, Motion<Vec3>>) {
      switch (random_.integer(0, 4)) {
        case 0:
          return random_.vector();
        case 1:
          return LineMotion<Vec3>{random_.vector(), random_.vector()};
        case 2:
          return SineMotion<Vec3>{random_.vector(), random_.vector(), 0.7, 0.3};
        case 3: {
          const Vec3 a = random_.vector(), b = random_.vector(), c = random_.vector();
          return [=](double t) {  // a + b t³ + c eᵗ
            const double e = std::exp(t);
            return MotionSample<Vec3>{a + b * (t * t * t) + c * e, b * (3 * t * t) + c * e,
                                      b * (6 * t) + c * e};
          };
        }
        default:
          return KeyframeMotion<Vec3>{
              {-1, 0, 1, 3},
              {random_.vector(), random_.vector(), random_.vector(), random_.vector()}};
      }
    } else if constexpr (std::is_same_v<Member, bool>) {
      return false;  // what makes no equation of a constraint has tests of its own
    } else if constexpr (std::is_same_v<Member, Curve>) {
      std::vector<Vec3> points;
      for (int i = 0; i < 7; ++i) {
        const double angle = 2 * M_PI * i / 7;
        points.push_back(Vec3(2 * std::cos(angle), 2 * std::sin(angle), 0) + random_.vector(0.3));
      }
      return Curve(points, random_.integer(0, 1) == 1);
    } else {
      static_assert(!sizeof(Member), "teach RandomField this type of field");
    }
  }

 private:
  BodyId another_body() {
    const int pick = random_.integer(0, static_cast<int>(bodies_.size()) - 1);
    const BodyId body = bodies_[static_cast<std::size_t>(pick)];
    bodies_.erase(bodies_.begin() + pick);
    return body;
  }

  const System& system_;
  Random& random_;
  std::vector<BodyId> bodies_;  // those no point is on yet
};

template <class C>
C random_constraint(const System& system, Random& random) {
  C constraint;
  RandomField field_value(system, random, std::is_base_of_v<JointFrame, C>);
  for_each_field<C>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(constraint.*field.member)>;
    constraint.*field.member = field_value.template make<Member>();
  });
  // What cannot be just anything.
  if constexpr (std::is_same_v<C, Universal>) {
    const Vec3 u = system.initial_place(constraint.axis).normalized();
    constraint.second = {world_body, any_square_to(u)};
  } else if constexpr (std::is_same_v<C, Rack>) {
    while (constraint.first.is_turn()) constraint.first = field_value.template make<Coordinate>();
    while (!constraint.second.is_turn())
      constraint.second = field_value.template make<Coordinate>();
  } else if constexpr (std::is_same_v<C, Gear>) {
    constraint.ratio = random.integer(0, 1) == 0 ? -1.5 : 2;
  } else if constexpr (std::is_same_v<C, Limit>) {
    constraint.upper = constraint.lower + 1;
    constraint.restitution = 0.5;
  } else if constexpr (std::is_same_v<C, Screw>) {
    constraint.pitch = -5;
  }
  return constraint;
}

}  // namespace taut::testing
