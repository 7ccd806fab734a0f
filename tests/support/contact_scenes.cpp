#include "support/contact_scenes.hpp"

#include <array>
#include <cmath>

namespace taut::testing {
namespace {

Vec3 box_inertia(const Vec3& half, double mass) {
  const Vec3 squares = half.cwiseAbs2();
  return mass / 3 *
         Vec3(squares.sum() - squares.x(), squares.sum() - squares.y(),
              squares.sum() - squares.z());
}

Vec3 across(const Vec3& n) {
  const Vec3 axis = std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  return (axis - axis.dot(n) * n).normalized();
}

}  // namespace

int ContactScene::add(const Body& body) {
  bodies.push_back(body);
  is_particle_.push_back(0);
  return static_cast<int>(bodies.size()) - 1;
}

int ContactScene::add_box(const Vec3& position, const Vec3& half, double mass) {
  Body body;
  body.mass = mass;
  body.inertia = box_inertia(half, mass);
  body.position = position;
  body.half = half;
  return add(body);
}

int ContactScene::add_particle(double mass, const Vec3& position, const Vec3& velocity) {
  Body body;
  body.mass = mass;
  body.position = position;
  body.velocity = velocity;
  const int index = add(body);
  is_particle_.back() = 1;
  return index;
}

void ContactScene::add_direction(Rows& rows, const Vec3& point, const Vec3& direction) const {
  const auto append = [&](int body, double sign, std::vector<double>& values) {
    if (body < 0) return;
    const Vec3 arm = point - bodies[static_cast<std::size_t>(body)].position;
    const Vec3 turning = arm.cross(direction);
    for (int i = 0; i < 3; ++i) values.push_back(sign * direction[i]);
    if (size_of(body) == 6)
      for (int i = 0; i < 3; ++i) values.push_back(sign * turning[i]);
  };
  append(rows.a, 1, rows.of_a);
  append(rows.b, -1, rows.of_b);
  ++rows.rows;
}

void ContactScene::touch(int a, int b, const Vec3& point, const Vec3& normal, double mu,
                         double gap) {
  Rows rows{a, b, {}, {}, 0};
  const Vec3 first = across(normal);
  for (const Vec3& direction : {normal, first, Vec3(normal.cross(first))})
    add_direction(rows, point, direction);
  contacts_.push_back(rows);
  gaps_.push_back(gap);
  frictions_.push_back(mu);
}

void ContactScene::touch_boxes(int a, int b, double mu) {
  const Body &above = bodies[static_cast<std::size_t>(a)],
             &below = bodies[static_cast<std::size_t>(b)];
  Vec3 low, high;
  for (int i = 0; i < 2; ++i) {
    low[i] = std::max(above.position[i] - above.half[i], below.position[i] - below.half[i]);
    high[i] = std::min(above.position[i] + above.half[i], below.position[i] + below.half[i]);
    if (high[i] - low[i] < 1e-9) return;
  }
  const double z = above.position.z() - above.half.z();
  for (const double x : {low.x(), high.x()})
    for (const double y : {low.y(), high.y()}) touch(a, b, {x, y, z}, Vec3::UnitZ(), mu);
}

void ContactScene::touch_ground(int a, double mu) {
  const Body body = bodies[static_cast<std::size_t>(a)];
  for (const double x : {-body.half.x(), body.half.x()})
    for (const double y : {-body.half.y(), body.half.y()})
      touch(a, -1, body.position + Vec3(x, y, -body.half.z()), Vec3::UnitZ(), mu);
}

void ContactScene::join(int a, int b, const Vec3& point, const std::vector<Vec3>& directions) {
  Rows rows{a, b, {}, {}, 0};
  for (const Vec3& direction : directions) add_direction(rows, point, direction);
  joints_.push_back(rows);
}

void ContactScene::hold_turning(int a) {
  Rows rows{a, -1, {}, {}, 3};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) rows.of_a.push_back(j == 3 + i ? 1 : 0);
  joints_.push_back(rows);
}

void ContactScene::build() {
  pattern = {};
  int velocities = 0, masses = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int size = size_of(static_cast<int>(i));
    pattern.body_size.push_back(size);
    velocities += size;
    masses += size * size;
  }
  problem = {};
  problem.M.setZero(masses);
  problem.f.setZero(velocities);
  int at = 0, first = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    const int size = pattern.body_size[i];
    const Vec3 momentum = body.mass * body.velocity + h * (body.mass * gravity + body.force);
    for (int j = 0; j < size; ++j) {
      problem.M[at + j * (size + 1)] = j < 3 ? body.mass : body.inertia[j - 3];
      problem.f[first + j] = j < 3 ? momentum[j] : body.inertia[j - 3] * body.spin[j - 3];
    }
    at += size * size;
    first += size;
  }
  const auto collect = [](const std::vector<Rows>& all, RowGroups& groups, KeptVec& values) {
    std::vector<double> numbers;
    for (const Rows& rows : all) {
      std::vector<int> of;
      if (rows.a >= 0) of.push_back(rows.a);
      if (rows.b >= 0) of.push_back(rows.b);
      groups.add(rows.rows, of);
      numbers.insert(numbers.end(), rows.of_a.begin(), rows.of_a.end());
      numbers.insert(numbers.end(), rows.of_b.begin(), rows.of_b.end());
    }
    values = Eigen::Map<VecX>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  };
  collect(joints_, pattern.equations, problem.J);
  collect(contacts_, pattern.groups, problem.H);
  int equations = 0;
  for (const Rows& rows : joints_) equations += rows.rows;
  problem.b.setZero(equations);
  problem.w.setZero(3 * static_cast<Eigen::Index>(contacts_.size()));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    problem.w[3 * static_cast<Eigen::Index>(c)] = gaps_[c] / h;
    ConeLaw law;
    law.kind = ConeLaw::Kind::friction;
    law.friction = frictions_[c];
    problem.laws.push_back(law);
  }
}

void ContactScene::advance(const VecX& v) {
  int first = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].velocity = v.segment<3>(first);
    if (pattern.body_size[i] == 6) bodies[i].spin = v.segment<3>(first + 3);
    first += pattern.body_size[i];
  }
}

double ContactScene::kinetic_energy(const VecX& v) const {
  double sum = 0;
  int first = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += 0.5 * bodies[i].mass * v.segment<3>(first).squaredNorm();
    if (pattern.body_size[i] == 6)
      sum += 0.5 * bodies[i].inertia.dot(v.segment<3>(first + 3).cwiseAbs2());
    first += pattern.body_size[i];
  }
  return sum;
}

ConeOptions ContactScene::options(double tolerance) const {
  ConeOptions options;
  options.tolerance = tolerance;
  options.speed = gravity.norm() * h;
  return options;
}

ContactScene stack(int boxes, double top, double mu) {
  ContactScene scene;
  for (int i = 0; i < boxes; ++i)
    scene.add_box({0, 0, 0.1 * i + 0.05}, {0.05, 0.05, 0.05}, i + 1 == boxes ? top : 1);
  scene.touch_ground(0, mu);
  for (int i = 1; i < boxes; ++i) scene.touch_boxes(i, i - 1, mu);
  scene.build();
  return scene;
}

ContactScene kicked_stack(int boxes, double top) {
  ContactScene scene = stack(boxes, top);
  ContactScene::Body& middle = scene.bodies[static_cast<std::size_t>(boxes / 2)];
  middle.velocity = {1, 0.3, 0};
  middle.spin = {0, 0, 2};
  scene.build();
  return scene;
}

ContactScene wall(int layers, int bricks, double top) {
  ContactScene scene;
  const Vec3 half{0.1, 0.05, 0.05};
  for (int l = 0; l < layers; ++l)
    for (int i = 0; i < bricks; ++i) {
      const int brick = scene.add_box({0.2 * i + (l % 2) * 0.1, 0, 0.1 * l + 0.05}, half,
                                      l + 1 == layers ? top : 1);
      if (l == 0) {
        scene.touch_ground(brick, 0.5);
        continue;
      }
      for (int j = std::max(0, i - 1); j <= std::min(bricks - 1, i + 1); ++j)
        scene.touch_boxes(brick, (l - 1) * bricks + j, 0.5);
    }
  scene.build();
  return scene;
}

ContactScene kicked_wall(int layers, int bricks) {
  ContactScene scene = wall(layers, bricks);
  ContactScene::Body& middle =
      scene.bodies[static_cast<std::size_t>(layers / 2 * bricks + bricks / 2)];
  middle.velocity = {0.2, 1, 0};
  middle.spin = {0, 0, 2};
  scene.build();
  return scene;
}

ContactScene cubes(int n, bool kicked) {
  ContactScene scene;
  const Vec3 half{0.05, 0.05, 0.05};
  for (int l = 0; l < n; ++l)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double shift = 0.05 * (l % 2);
        const int cube = scene.add_box({0.1 * i + shift, 0.1 * j + shift, 0.1 * l + 0.05}, half, 1);
        if (l == 0) {
          scene.touch_ground(cube, 0.5);
          continue;
        }
        for (int a = std::max(0, i - 1); a <= std::min(n - 1, i + 1); ++a)
          for (int b = std::max(0, j - 1); b <= std::min(n - 1, j + 1); ++b)
            scene.touch_boxes(cube, ((l - 1) * n + a) * n + b, 0.5);
      }
  if (kicked) {
    ContactScene::Body& middle =
        scene.bodies[static_cast<std::size_t>((n / 2 * n + n / 2) * n + n / 2)];
    middle.velocity = {1, 0.3, 0};
    middle.spin = {0, 0, 2};
  }
  scene.build();
  return scene;
}

ContactScene incline(double angle, double azimuth, double mu) {
  const Vec3 down(std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
                  -std::cos(angle));
  ContactScene scene(1e-3, 9.81 * down);
  scene.add_box({0, 0, 0.05}, {0.5, 0.5, 0.05}, 2);
  scene.touch_ground(0, mu);
  scene.build();
  return scene;
}

ContactScene grasp(int fingers, int contacts_each, double margin) {
  ContactScene scene;
  const double radius = 0.03, mu = 0.8, mass = 0.3;
  ContactScene::Body drum;
  drum.mass = mass;
  drum.inertia = {1e-4, 1e-4, 8e-5};
  scene.add(drum);
  const double press = (1 + margin) * mass * 9.81 / (mu * fingers);
  for (int i = 0; i < fingers; ++i) {
    const double angle = 2 * M_PI * i / fingers;
    const Vec3 out(std::cos(angle), std::sin(angle), 0), side(-out.y(), out.x(), 0);
    ContactScene::Body finger;
    finger.mass = 0.05;
    finger.inertia = {1e-5, 1e-5, 1e-5};
    finger.position = (radius + 0.01) * out;
    finger.force = -press * out;
    const int index = scene.add(finger);
    scene.hold_turning(index);
    scene.join(index, -1, finger.position, {Vec3::UnitZ(), side});
    for (int k = 0; k < contacts_each; ++k) {
      const double turn = 2 * M_PI * k / contacts_each;
      const Vec3 point =
          radius * out + 0.004 * (std::cos(turn) * side + std::sin(turn) * Vec3::UnitZ());
      scene.touch(0, index, point, -out, mu);
    }
  }
  scene.build();
  return scene;
}

ContactScene chain(int links, double end) {
  ContactScene scene;
  const std::vector<Vec3> all{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  for (int i = 0; i < links; ++i) {
    const bool is_last = i + 1 == links;
    const double x = 0.1 * i + 0.05;
    scene.add_box({x, 0, is_last ? 0.05 : 0.1},
                  is_last ? Vec3(0.05, 0.05, 0.05) : Vec3(0.05, 0.01, 0.01), is_last ? end : 1);
    scene.join(i, i - 1, {0.1 * i, 0, 0.1}, all);
  }
  scene.touch_ground(links - 1, 0.5);
  scene.build();
  return scene;
}

ContactScene rod(double angle, double mu, double speed, double sinking) {
  ContactScene scene;
  ContactScene::Body body;
  body.mass = 1;
  body.inertia = {1e-3, 1.0 / 12, 1.0 / 12};
  body.position = {0.5 * std::cos(angle), 0, 0.5 * std::sin(angle)};
  body.velocity = {speed, 0, -sinking};
  scene.add(body);
  scene.touch(0, -1, {0, 0, 0}, Vec3::UnitZ(), mu);
  scene.build();
  return scene;
}

ContactScene squeeze(double speed) {
  ContactScene scene(1e-3, {0, 0, 0});
  scene.add_box({0, 0, 0}, {0.05, 0.05, 0.05}, 1);
  for (const double side : {-1.0, 1.0})
    for (const double x : {-0.05, 0.05})
      for (const double y : {-0.05, 0.05})
        scene.touch(0, -1, {x, y, 0.05 * side}, {0, 0, -side}, 0.5, -speed * scene.h);
  scene.build();
  return scene;
}

ContactScene ball(double mu, const Vec3& velocity, const Vec3& spin) {
  ContactScene scene(1e-3, {0, 0, 0});
  ContactScene::Body body;
  body.mass = 0.7;
  body.inertia = Vec3::Constant(0.4 * 0.7 * 0.2 * 0.2);
  body.position = {0, 0, 0.2};
  body.velocity = velocity;
  body.spin = spin;
  scene.add(body);
  scene.touch(0, -1, {0, 0, 0}, Vec3::UnitZ(), mu);
  scene.build();
  return scene;
}

}  // namespace taut::testing
