#include "support/random_scene.hpp"

#include "taut/base/error.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/servo.hpp"

namespace taut::testing {

RigidBody random_rigid_body(Random& random) {
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

System random_bodies(Random& random) {
  System system;
  for (int i = 0; i < 3; ++i) {
    system.add(Particle{random.uniform(0.5, 2), random.vector(2), random.vector()});
    system.add(random_rigid_body(random));
  }
  return system;
}

namespace {

/// A value for each kind that a field may have.
class RandomField {
 public:
  RandomField(const System& system, Random& random, bool only_rigid)
      : system_(system), random_(random) {
    for (int i = -1; i < system.body_count(); ++i)
      if (i < 0 || system.is_rigid({i}) || !only_rigid) bodies_.push_back({i});
  }

  void make(const ValueType& type, void* out) {
    switch (type.kind) {
      case ValueKind::number:
        set(out, random_.uniform(0.5, 2));
        return;
      case ValueKind::vector:
        set(out, random_.vector());
        return;
      case ValueKind::choice:
        set(out, random_.integer(0, static_cast<int>(type.choices.size()) - 1));
        return;
      case ValueKind::flag:
        set(out, false);  // what makes no equation of a constraint has tests of its own
        return;
      case ValueKind::point:
        // No body twice, so that two points can always move against each other; a direction may
        // well be fixed in the body of a point.
        set(out, Point(another_body(), random_.vector()));
        return;
      case ValueKind::optional:
        if (type.inner->kind != ValueKind::vector) make(*type.inner, type.emplace(out));
        return;
      case ValueKind::body:
        set(out, rigid_body());
        return;
      case ValueKind::joint:
        set(out, coordinate());
        return;
      case ValueKind::direction:
        set(out, direction());
        return;
      case ValueKind::number_motion:
        set(out, number_motion());
        return;
      case ValueKind::vector_motion:
        set(out, vector_motion());
        return;
      case ValueKind::particle_group:
        set(out, particles());
        return;
      case ValueKind::list:
        type.resize(out, 2);
        for (std::size_t i = 0; i < 2; ++i) make(*type.inner, type.item(out, i));
        return;
      case ValueKind::curve:
        set(out, curve());
        return;
      default:
        throw Error("teach RandomField this kind of field");
    }
  }

  /// Of a joint between any two rigid bodies, of which one may be the world.
  Coordinate coordinate() {
    JointFrame frame;
    const int first = random_.integer(0, 2);
    frame.a = Point(first == 2 ? world_body : BodyId{2 * first + 1}, random_.vector());
    frame.b = Point(BodyId{5}, random_.vector());
    frame.axis = {world_body, random_.direction()};
    frame.complete(system_, "joint");
    if (random_.integer(0, 1) == 0) return frame.turn(random_.uniform(-1, 1));
    return frame.slide(system_, frame.ua, random_.uniform(-1, 1));
  }

 private:
  template <class T>
  static void set(void* out, T value) {
    *static_cast<T*>(out) = std::move(value);
  }

  /// Three or four of them, in any order; groups may share some.
  ParticleGroup particles() {
    std::vector<BodyId> all;
    for (int i = 0; i < system_.body_count(); ++i)
      if (!system_.is_rigid({i})) all.push_back({i});
    std::rotate(all.begin(), all.begin() + random_.integer(0, 2), all.end());
    if (all.size() == 3 || random_.integer(0, 1) == 0) return {all[0], all[1], all[2]};
    return {all[0], all[1], all[2], all[3]};
  }
  BodyId rigid_body() {
    BodyId body;
    do body = another_body();
    while (body.is_world() || !system_.is_rigid(body));
    return body;
  }
  Direction direction() {
    BodyId body{random_.integer(-1, system_.body_count() - 1)};
    if (!body.is_world() && !system_.is_rigid(body)) body = world_body;
    return {body, random_.direction()};
  }
  Motion<double> number_motion() {
    if (random_.integer(0, 1) == 0) return random_.uniform(1, 2);
    return SineMotion<double>{random_.uniform(1.2, 2), random_.uniform(0.1, 0.5), 0.7, 0.3};
  }
  Motion<Vec3> vector_motion() {
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
  }
  Curve curve() {
    std::vector<Vec3> points;
    for (int i = 0; i < 7; ++i) {
      const double angle = 2 * M_PI * i / 7;
      points.push_back(Vec3(2 * std::cos(angle), 2 * std::sin(angle), 0) + random_.vector(0.3));
    }
    switch (random_.integer(0, 2)) {
      case 0:
        return Curve(points, true);
      case 1:
        return Curve(points, false, CurveEnds::extended);
      default: {  // (2 cos s, 2 sin s, 0) + a sin 2s
        const Vec3 a = random_.vector(0.3);
        const auto formula = [a](double s) {
          const Vec3 c(2 * std::cos(s), 2 * std::sin(s), 0), d(-c[1], c[0], 0);
          const double C = std::cos(2 * s), S = std::sin(2 * s);
          return std::array<Vec3, 4>{c + S * a, d + 2 * C * a, -c - 4 * S * a, -d - 8 * C * a};
        };
        return Curve(formula, 0, 2 * M_PI, true);
      }
    }
  }
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

}  // namespace

std::shared_ptr<void> random_constraint(const ConstraintInfo& info, const System& system,
                                        Random& random) {
  const std::shared_ptr<void> object = info.make();
  RandomField values(system, random, info.is_joint);
  for (const FieldInfo& field : info.fields) values.make(*field.type, field.in(object.get()));
  // What cannot be just anything.
  if (info.type == Universal::type) {
    auto& universal = *static_cast<Universal*>(object.get());
    const Vec3 u = system.initial_place(universal.axis).normalized();
    universal.second = {world_body, any_square_to(u)};
  } else if (info.type == Rack::type) {
    auto& rack = *static_cast<Rack*>(object.get());
    while (rack.first.is_turn()) rack.first = values.coordinate();
    while (!rack.second.is_turn()) rack.second = values.coordinate();
  } else if (info.type == Gear::type) {
    static_cast<Gear*>(object.get())->ratio = random.integer(0, 1) == 0 ? -1.5 : 2;
  } else if (info.type == Limit::type) {
    auto& limit = *static_cast<Limit*>(object.get());
    limit.upper = limit.lower + 1;
    limit.restitution = 0.5;
  } else if (info.type == KnifeEdge::type) {
    auto& knife = *static_cast<KnifeEdge*>(object.get());
    knife.point.body = BodyId{2 * random.integer(0, 2) + 1};
    knife.edge.body = random.integer(0, 1) == 0 ? world_body : knife.point.body;
  } else if (info.type == Rolling::type) {
    auto& rolling = *static_cast<Rolling*>(object.get());
    rolling.center.body = BodyId{1};
    if (rolling.through.body == rolling.center.body) rolling.through.body = BodyId{3};
    const bool turns = !rolling.through.body.is_world() && system.is_rigid(rolling.through.body);
    rolling.normal.body = turns && random.integer(0, 1) == 0 ? rolling.through.body : world_body;
    rolling.axis->body = random.integer(0, 1) == 0 ? world_body : rolling.center.body;
    if (random.integer(0, 1) == 0) rolling.axis.reset();
  } else if (info.type == Screw::type) {
    static_cast<Screw*>(object.get())->pitch = -5;
  }
  return object;
}

void add_random_force(const ForceInfo& info, System& system, Random& random) {
  const std::shared_ptr<void> object = info.make();
  RandomField values(system, random, false);
  for (const FieldInfo& field : info.fields) values.make(*field.type, field.in(object.get()));
  if (info.type == Servo::type) {
    auto& servo = *static_cast<Servo*>(object.get());
    servo.min = -0.5 * servo.max;
    servo.max_speed *= 0.1;  // so that it matters
  }
  info.add(system, object.get());
}

void add_random_constraint(const ConstraintInfo& info, System& system, Random& random) {
  info.add(system, random_constraint(info, system, random).get(), "");
}

}  // namespace taut::testing
