#include "taut/solve/cone_islands.hpp"

#include <algorithm>
#include <chrono>

namespace taut {
namespace {

constexpr int rounds_of_rousing = 4;  // then all groups act

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void append(const KeptVec& from, int first, int count, KeptVec& to) {
  to.append(from.data() + first, count);
}

void add_groups(const RowGroups& all, const std::vector<int>& which, const std::vector<int>& number,
                std::vector<int>& bodies, RowGroups& out) {
  out.clear();
  for (const int g : which) {
    bodies.clear();
    for (const int body : all.bodies_of(g)) bodies.push_back(number[at(body)]);
    out.add(all.rows[at(g)], bodies);
  }
}

void add_cost(const ConeReport& island, ConeReport& all) {
  all.factorisations += island.factorisations;
  all.backsolves += island.backsolves;
  all.free_solves += island.free_solves;
  all.newton_steps += island.newton_steps;
  all.admm_iterations += island.admm_iterations;
  all.sweeps += island.sweeps;
}

void take_worst(const ConeReport& island, ConeReport& all) {
  const auto badness = [](const ConeReport& report) {
    return report.status == ConeReport::Status::converged    ? 0
           : report.status == ConeReport::Status::compromise ? 1
                                                             : 2;
  };
  if (badness(island) > badness(all)) all.status = island.status;
  all.residual = std::max(all.residual, island.residual);
  all.tolerance = std::max(all.tolerance, island.tolerance);
  all.equation_error = std::max(all.equation_error, island.equation_error);
}

}  // namespace

void ConeIslands::Places::set(const RowGroups& groups, const std::vector<int>& body_size) {
  first_row.assign(1, 0);
  first_value.assign(1, 0);
  for (int g = 0; g < groups.count(); ++g) {
    const int rows = groups.rows[at(g)];
    int velocities = 0;
    for (const int body : groups.bodies_of(g)) velocities += body_size[at(body)];
    first_row.push_back(first_row.back() + rows);
    first_value.push_back(first_value.back() + rows * velocities);
  }
}

int ConeIslands::root(int body) {
  while (parent_[at(body)] != body) body = parent_[at(body)] = parent_[at(parent_[at(body)])];
  return body;
}

void ConeIslands::join(int a, int b) {
  is_tied_[at(a)] = is_tied_[at(b)] = 1;
  a = root(a);
  b = root(b);
  parent_[at(std::max(a, b))] = std::min(a, b);
}

void ConeIslands::find_islands(const ConePattern& pattern) {
  const int bodies = static_cast<int>(pattern.body_size.size());
  parent_.resize(at(bodies));
  for (int i = 0; i < bodies; ++i) parent_[at(i)] = i;
  is_tied_.assign(at(bodies), 0);
  islands_.resize(at(bodies));
  for (const int body : in_use_) {
    if (body >= bodies) continue;
    Island& island = *islands_[at(body)];
    for (auto* list : {&island.bodies, &island.couplings, &island.equations, &island.groups})
      list->clear();
  }
  in_use_.clear();
  for (const auto& [a, b] : pattern.couplings) join(a, b);
  const auto join_all = [&](std::span<const int> of_group) {
    for (const int body : of_group) join(of_group.front(), body);
  };
  for (int g = 0; g < pattern.equations.count(); ++g) join_all(pattern.equations.bodies_of(g));
  for (int g = 0; g < pattern.groups.count(); ++g)
    if (!is_idle_[at(g)]) join_all(pattern.groups.bodies_of(g));

  for (int i = 0; i < bodies; ++i) parent_[at(i)] = root(i);
  const auto island_with = [&](int body) -> Island& { return *islands_[at(island_of(body))]; };
  for (int i = 0; i < bodies; ++i) {
    if (!is_tied_[at(i)]) continue;
    if (island_of(i) == i) {
      if (!islands_[at(i)]) islands_[at(i)] = std::make_unique<Island>();
      in_use_.push_back(i);
    }
    island_with(i).bodies.push_back(i);
  }
  for (std::size_t c = 0; c < pattern.couplings.size(); ++c)
    island_with(pattern.couplings[c][0]).couplings.push_back(static_cast<int>(c));
  for (int g = 0; g < pattern.equations.count(); ++g)
    if (const auto of = pattern.equations.bodies_of(g); !of.empty())
      island_with(of.front()).equations.push_back(g);
  for (int g = 0; g < pattern.groups.count(); ++g)
    if (const auto of = pattern.groups.bodies_of(g); !of.empty() && !is_idle_[at(g)])
      island_with(of.front()).groups.push_back(g);
}

void ConeIslands::gather(const ConePattern& pattern, const ConeProblem& problem,
                         const KeptVec& guess, Island& island) {
  ConePattern& p = island.pattern;
  ConeProblem& q = island.problem;
  p.body_size.clear();
  p.couplings.clear();
  KeptVec& r = island.solution.r;
  for (KeptVec* numbers : {&q.M, &q.f, &q.J, &q.H, &q.b, &q.w, &r}) numbers->clear();
  for (const int body : island.bodies) {
    const int size = pattern.body_size[at(body)];
    number_[at(body)] = static_cast<int>(p.body_size.size());
    p.body_size.push_back(size);
    append(problem.M, mass_[at(body)], size * size, q.M);
    append(problem.f, velocity_[at(body)], size, q.f);
  }
  for (const int c : island.couplings) {
    const auto [first, second] = pattern.couplings[at(c)];
    p.couplings.push_back({number_[at(first)], number_[at(second)]});
    append(problem.M, coupling_mass_[at(c)],
           pattern.body_size[at(first)] * pattern.body_size[at(second)], q.M);
  }
  std::vector<int>& bodies = in_group_;
  add_groups(pattern.equations, island.equations, number_, bodies, p.equations);
  add_groups(pattern.groups, island.groups, number_, bodies, p.groups);
  for (const int g : island.equations) {
    const int first = equations_.first_value[at(g)];
    append(problem.J, first, equations_.first_value[at(g) + 1] - first, q.J);
    append(problem.b, equations_.first_row[at(g)], pattern.equations.rows[at(g)], q.b);
  }
  q.laws.clear();
  for (const int g : island.groups) {
    const int first = groups_.first_value[at(g)], rows = pattern.groups.rows[at(g)];
    append(problem.H, first, groups_.first_value[at(g) + 1] - first, q.H);
    append(problem.w, groups_.first_row[at(g)], rows, q.w);
    append(guess, groups_.first_row[at(g)], rows, r);
    q.laws.push_back(problem.laws[at(g)]);
  }
}

void ConeIslands::scatter(const Island& island, ConeSolution& solution) const {
  int place = 0;
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    const int size = island.pattern.body_size[i];
    solution.v.segment(velocity_[at(island.bodies[i])], size) =
        island.solution.v.segment(place, size);
    place += size;
  }
  const auto take = [](const std::vector<int>& which, const RowGroups& groups, const Places& places,
                       const KeptVec& from, KeptVec& to) {
    int first = 0;
    for (std::size_t i = 0; i < which.size(); ++i) {
      to.segment(places.first_row[at(which[i])], groups.rows[i]) =
          from.segment(first, groups.rows[i]);
      first += groups.rows[i];
    }
  };
  take(island.equations, island.pattern.equations, equations_, island.solution.lambda,
       solution.lambda);
  take(island.groups, island.pattern.groups, groups_, island.solution.r, solution.r);
}

void ConeIslands::find_places(const ConePattern& pattern) {
  velocity_.assign(1, 0);
  mass_.assign(1, 0);
  for (const int size : pattern.body_size) {
    velocity_.push_back(velocity_.back() + size);
    mass_.push_back(mass_.back() + size * size);
  }
  coupling_mass_.assign(1, mass_.back());
  for (const auto& [a, b] : pattern.couplings)
    coupling_mass_.push_back(coupling_mass_.back() +
                             pattern.body_size[at(a)] * pattern.body_size[at(b)]);
  number_.resize(pattern.body_size.size());
  equations_.set(pattern.equations, pattern.body_size);
  groups_.set(pattern.groups, pattern.body_size);
}

ConeReport ConeIslands::solve(const ConePattern& pattern, const ConeProblem& problem,
                              const ConeOptions& options, ConeSolution& solution) {
  find_places(pattern);
  if (solution.r.size() != groups_.first_row.back() || !solution.r.allFinite())
    solution.r.setZero(groups_.first_row.back());
  solution.v.resize(velocity_.back());
  solution.lambda.resize(equations_.first_row.back());
  find_idle(pattern, problem, options, solution);
  ++solves_;

  ConeReport report;
  report.status = ConeReport::Status::converged;
  const auto begin = std::chrono::steady_clock::now();
  ConeOptions left = options;
  for (int round = 0;; ++round) {
    find_islands(pattern);
    for (std::size_t i = 0; i < is_tied_.size(); ++i)
      if (!is_tied_[i]) release(pattern, problem, static_cast<int>(i), solution);
    for (const int first : in_use_) {
      Island& island = *islands_[at(first)];
      if (island.solved_in == solves_ && island.solved_bodies == island.bodies.size() &&
          island.solved_groups == island.groups.size())
        continue;
      if (!solve_alone(pattern, problem, options, island, solution)) {
        gather(pattern, problem, solution.r, island);
        island.solver.analyze(island.pattern);
        if (options.most_time > 0) {
          const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
          left.most_time = std::max(options.most_time - used.count(), 1e-9);
        }
        island.report = island.solver.solve(island.problem, left, island.solution);
        scatter(island, solution);
      }
      island.solved_in = solves_;
      island.solved_bodies = island.bodies.size();
      island.solved_groups = island.groups.size();
      add_cost(island.report, report);
    }
    // An impact that goes up a stack would rouse one contact after the other.
    const Idle which = round + 1 < rounds_of_rousing ? Idle::that_close : Idle::all;
    if (!rouse(pattern, problem, options, solution.v, which)) break;
  }
  for (const int first : in_use_) take_worst(islands_[at(first)]->report, report);
  return report;
}

}  // namespace taut
