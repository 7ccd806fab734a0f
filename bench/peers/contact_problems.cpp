// The contacts of one step of taut's as Siconos has such problems: W, q and μ of u = W r + q, where
// u is how fast contacts open and slide at the end of the step. No solver gets a guess.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "friction_problem.hpp"
#include "run.hpp"
#include "siconos_solvers.hpp"
#include "side_by_side.hpp"
#include "taut/collision/contacts.hpp"

namespace peers {
namespace {

using bench::FrictionProblem;
using taut::MatX;
using taut::VecX;

constexpr double wanted = 1e-8;
constexpr int most_seconds = 20;

/// Rows of H M^-½ of one contact, and what it is without impulses. W = L Lᵀ.
class Builder {
 public:
  Builder(const Scene& scene, const std::vector<BodyState>& states)
      : scene_(scene), states_(states) {}

  FrictionProblem problem() {
    using namespace taut::collision;
    const double margin = 1e-3 * scene_.size;
    std::vector<ContactPoint> points;
    const auto pose = [&](std::size_t i) {
      return Pose3(states_[i].position, states_[i].orientation);
    };
    const int count = static_cast<int>(states_.size());
    for (int a = 0; a < count; ++a) {
      const auto i = static_cast<std::size_t>(a);
      const Shape& shape = scene_.bodies[i].shape;
      for (const Plane& plane : scene_.planes) {
        points.clear();
        const Pose3 at(Vec3(plane.offset * plane.normal),
                       Quat::FromTwoVectors(Vec3::UnitZ(), plane.normal));
        contacts(taut::collision::plane(), at, shape, pose(i), margin, points);
        for (const ContactPoint& point : points) add(-1, a, point);
      }
      for (int b = 0; b < a; ++b) {
        const auto j = static_cast<std::size_t>(b);
        const double far = reach(shape) + reach(scene_.bodies[j].shape) + margin;
        if ((states_[i].position - states_[j].position).squaredNorm() > far * far) continue;
        points.clear();
        contacts(scene_.bodies[j].shape, pose(j), shape, pose(i), margin, points);
        for (const ContactPoint& point : points) add(b, a, point);
      }
    }
    FrictionProblem out;
    out.dimension = 3;
    out.L.setZero(static_cast<Eigen::Index>(q_.size()), 6 * count);
    for (const Entry& entry : entries_)
      out.L.block<1, 6>(entry.row, 6 * entry.body) = entry.numbers;
    out.q = Eigen::Map<const VecX>(q_.data(), static_cast<Eigen::Index>(q_.size()));
    out.mu.assign(q_.size() / 3, scene_.friction);
    return out;
  }

 private:
  struct Entry {
    int row, body;
    Eigen::Matrix<double, 1, 6> numbers;
  };

  /// The normal points from a to b, and u is of b against a.
  void add(int a, int b, const taut::collision::ContactPoint& point) {
    const Vec3 across = point.normal.unitOrthogonal();
    const double h = scene_.step;
    const Vec3 at = 0.5 * (point.on_a + point.on_b);
    for (const Vec3& along : {point.normal, across, Vec3(point.normal.cross(across))}) {
      double free = along == point.normal ? std::max(point.gap, 0.0) / h : 0;
      for (const auto& [body, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
        if (body < 0) continue;
        const Body& of = scene_.bodies[static_cast<std::size_t>(body)];
        const BodyState& state = states_[static_cast<std::size_t>(body)];
        Vec3 velocity = state.velocity + h * (scene_.gravity + of.push / of.mass);
        if (of.is_guided) velocity = velocity.x() * Vec3::UnitX();
        const Vec3 arm = at - state.position;
        free += sign * along.dot(velocity + state.turn.cross(arm));
        Entry entry{static_cast<int>(q_.size()), body, {}};
        const Vec3 turns = state.orientation.conjugate() * arm.cross(along);
        entry.numbers << sign / std::sqrt(of.mass) * along.transpose(),
            sign * turns.cwiseQuotient(of.inertia.cwiseSqrt()).transpose();
        if (of.is_guided) entry.numbers.tail<5>().setZero();
        entries_.push_back(entry);
      }
      q_.push_back(free);
    }
  }

  const Scene& scene_;
  const std::vector<BodyState>& states_;
  std::vector<Entry> entries_;
  std::vector<double> q_;
};

FrictionProblem problem_of(Scene scene, double time) {
  scene.step = 1.0 / 240;
  const auto engine = taut_setups().front().make(scene);
  for (long i = std::lround(time / scene.step); i > 0; --i) engine->step();
  std::vector<BodyState> states;
  engine->states(states);
  return Builder(scene, states).problem();
}

std::string shown(const std::optional<bench::Outcome>& outcome) {
  if (!outcome) return fmt::format("- (> {} s)", most_seconds);
  return fmt::format("{:.3g} ms, {:.0e}{}", 1e3 * outcome->seconds, outcome->error,
                     outcome->error <= wanted ? "" : " *");
}

/// The quickest of several cold starts.
template <class Solve>
void quickest(bench::Outcome& outcome, Solve&& solve) {
  double spent = 0;
  outcome.seconds = 1e9;
  for (int i = 0; i < 20 && (i == 0 || spent < 0.2); ++i) {
    double seconds = 0;
    solve(seconds);
    spent += seconds;
    outcome.seconds = std::min(outcome.seconds, seconds);
  }
}

}  // namespace

TextTable contact_problems() {
  struct Case {
    Scene scene;
    double time;  ///< s after the start
  };
  const std::vector<Case> cases{
      {stack(10, 1), 0.1},    {stack(10, 1e3), 0.1},  {wall(4, 7), 0.1},
      {wall(10, 21), 0.1},    {pile(16), 0.5},        {pile(64), 0.5},
      {grasp(2, 0.001), 0.1}, {grasp(5, 0.001), 0.1}, {grasp(5, -0.01), 0.1}};
  TextTable table;
  table.title = "One step's contacts: taut's solver and those of Siconos";
  table.about = fmt::format(
      "ms of CPU for a cold start, and the error of the answer as Siconos judges it; *: not solved "
      "to "
      "{:.0e}; the quickest of up to 20 solves. taut gets the bodies, Siconos W: what it costs to "
      "make "
      "W is not counted. Each solver has {} s.",
      wanted, most_seconds);
  table.columns = {"", "contacts", "taut"};
  for (const SiconosSolver& solver : siconos_solvers())
    table.columns.push_back("Siconos " + solver.name);
  for (const Case& each : cases) {
    const FrictionProblem problem = problem_of(each.scene, each.time);
    if (problem.contacts() == 0) continue;
    std::vector<std::string> row{each.scene.name, std::to_string(problem.contacts())};
    row.push_back(shown(bench::apart(most_seconds, [&](bench::Outcome& outcome) {
      quickest(outcome, [&](double& seconds) {
        taut::ConeReport report;
        outcome.error = error_of(problem, solve_with_taut(problem, report, &seconds));
      });
    })));
    for (const SiconosSolver& solver : siconos_solvers())
      row.push_back(shown(bench::apart(most_seconds, [&](bench::Outcome& outcome) {
        quickest(outcome, [&](double& seconds) {
          outcome.error = error_of(problem, solver.solve(problem.dimension, problem.L, problem.q,
                                                         problem.mu, {}, &seconds));
        });
      })));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string siconos_version() { return TAUT_SICONOS_VERSION; }

}  // namespace peers
