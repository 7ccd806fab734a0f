#include "support/hard_cones.hpp"

#include <fmt/format.h>

#include <Eigen/QR>

#include "support/cone_check.hpp"
#include "support/dice.hpp"

namespace taut::testing {
namespace {

enum class Group { stop, motor, rolling, friction };  // and more of friction

constexpr double tolerated = 1e-6;  // of the largest speed; the solver is asked for 1e-8

VecX vector_from(const std::vector<double>& from) {
  return Eigen::Map<const VecX>(from.data(), static_cast<Eigen::Index>(from.size()));
}

}  // namespace

HardCones::HardCones(unsigned seed) {
  Dice dice(seed);
  const int bodies = 1 + dice.below(6);
  const double spread = dice.below(2) == 0 ? 0.5 : 4.5;  // of masses, in powers of ten
  const double mass_scale = dice.power(-6, 6), speed_scale = dice.power(-6, 6);
  const double most_friction = dice.below(2) == 0 ? 1 : 10;
  std::vector<double> M, J, H;
  for (int i = 0; i < bodies; ++i) {
    pattern.body_size.push_back(6);
    const double mass = mass_scale * dice.power(-spread, spread), inertia = dice.between(0.1, 0.4);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) M.push_back(r != c ? 0 : r < 3 ? mass : mass * inertia);
  }
  // Rows of points at most 1 from the centres; of two bodies, or one and the world.
  const auto bodies_of = [&] {
    std::vector<int> of{dice.below(bodies)};
    const int other = dice.below(bodies + 1);
    if (other < bodies && other != of.front()) of.push_back(other);
    return of;
  };
  const auto add_row = [&](std::vector<double>& to, const Vec3& axis, const Vec3& arm,
                           double sign) {
    const Vec3 turn = arm.cross(axis);
    for (int i = 0; i < 3; ++i) to.push_back(sign * axis[i]);
    for (int i = 0; i < 3; ++i) to.push_back(sign * turn[i]);
  };
  const int joints = bodies > 1 ? dice.below(bodies) : 0;
  for (int j = 0; j < joints; ++j) {
    const std::vector<int> of = bodies_of();
    const int rows = 1 + dice.below(3), times = 1 + (dice.below(3) == 0);
    std::vector<double> values;
    for (std::size_t k = 0; k < of.size(); ++k) {
      const Vec3 arm = dice.vector();
      for (int r = 0; r < rows; ++r) add_row(values, Vec3::Unit(r), arm, k == 0 ? 1 : -1);
    }
    for (int t = 0; t < times; ++t) {
      pattern.equations.add(rows, of);
      J.insert(J.end(), values.begin(), values.end());
    }
  }
  const int pairs = 1 + dice.below(2 * bodies);
  for (int p = 0; p < pairs; ++p) {
    const std::vector<int> of = bodies_of();
    const Vec3 normal = (dice.vector() + Vec3(0, 0, 1e-3)).normalized();
    const Mat3 axes = Quat::FromTwoVectors(Vec3::UnitX(), normal).toRotationMatrix().transpose();
    const Vec3 centre[2] = {dice.vector(), dice.vector()};
    const int points = 1 + dice.below(8);
    ConeLaw law;
    const Group group = static_cast<Group>(std::min(dice.below(8), 3));
    law.kind = group == Group::stop      ? ConeLaw::Kind::half_line
               : group == Group::motor   ? ConeLaw::Kind::interval
               : group == Group::rolling ? ConeLaw::Kind::rolling
                                         : ConeLaw::Kind::friction;
    law.friction = dice.below(6) == 0 ? 0 : dice.between(0, most_friction);
    law.spinning = dice.between(0, 0.3);
    law.rolling = dice.between(0, 0.3);
    const bool is_soft = dice.below(4) == 0;
    for (int i = 0; i < points; ++i) {
      const Vec3 along = 0.5 * dice.vector();
      const Vec3 offset = along - along.dot(normal) * normal;
      if (is_soft) law.compliance = dice.power(-6, 0) / mass_scale;
      if (law.kind == ConeLaw::Kind::interval) {
        law.lower = -mass_scale * speed_scale * dice.between(0, 1);
        law.upper = mass_scale * speed_scale * dice.between(0, 1);
      }
      pattern.groups.add(law.rows(), of);
      for (std::size_t k = 0; k < of.size(); ++k) {
        const double sign = k == 0 ? 1 : -1;
        for (int r = 0; r < std::min(law.rows(), 3); ++r)
          add_row(H, axes.row(r), centre[k] + offset, sign);
        for (int r = 0; r < law.rows() - 3; ++r) {
          for (int c = 0; c < 3; ++c) H.push_back(0);
          for (int c = 0; c < 3; ++c) H.push_back(sign * axes(r, c));
        }
      }
      problem.laws.push_back(law);
    }
  }
  problem.M = vector_from(M);
  problem.J = vector_from(J);
  problem.H = vector_from(H);
  VecX motion(6 * bodies), thrown(6 * bodies);
  for (int i = 0; i < motion.size(); ++i) {
    motion[i] = speed_scale * dice.between(-1, 1);
    thrown[i] = speed_scale * dice.between(-3, 3);
  }
  const DenseCones all = dense(pattern, problem);
  problem.f = all.M * thrown;
  problem.b = all.J * motion;
  problem.w = -all.H * motion;
  for (std::size_t g = 0, row = 0; g < problem.laws.size();
       row += static_cast<std::size_t>(problem.laws[g++].rows()))
    problem.w[static_cast<Eigen::Index>(row)] += speed_scale * dice.between(0.01, 1);
}

std::string wrong_answer(const HardCones& hard, const ConeSolution& solution) {
  const ConeErrors errors = check(hard.pattern, hard.problem, solution);
  const DenseCones all = dense(hard.pattern, hard.problem);
  // The motion without impulses, J v = b included: what they have to resist.
  const VecX root = all.M.diagonal().cwiseSqrt();
  VecX free = hard.problem.f.cwiseQuotient(all.M.diagonal());
  if (hard.problem.b.size() > 0) {
    const MatX scaled = all.J * root.cwiseInverse().asDiagonal();
    const VecX wanted = hard.problem.b - all.J * free;
    free += Eigen::CompleteOrthogonalDecomposition<MatX>(scaled).solve(wanted).cwiseQuotient(root);
  }
  const double speed = std::max((all.H * free + hard.problem.w).lpNorm<Eigen::Infinity>(),
                                free.lpNorm<Eigen::Infinity>());
  if (!(errors.laws <= tolerated * speed))
    return fmt::format("laws violated by {:.2g} of the speed", errors.laws / speed);
  if (!(errors.equations <= tolerated * speed))
    return fmt::format("equations violated by {:.2g} of the speed", errors.equations / speed);
  if (!(errors.cones <= 1e-9)) return fmt::format("impulses {:.2g} outside", errors.cones);
  // As a speed, r of heavy bodies that does next to nothing to others is full of round-off.
  if (!(errors.dynamics <= tolerated * speed))
    return fmt::format("dynamics violated by {:.2g} of the speed", errors.dynamics / speed);
  return {};
}

}  // namespace taut::testing
