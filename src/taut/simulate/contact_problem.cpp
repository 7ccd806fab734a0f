#include "taut/simulate/contact_problem.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/dense_solve.hpp"

namespace taut {

void ContactProblem::adapt(const System& system, const Workspace& w) {
  if (topology_ == system.topology()) return;
  topology_ = system.topology();
  body_at_.assign(static_cast<std::size_t>(system.velocity_size()), -1);
  pattern_ = {};
  constraints_.clear();
  std::vector<double> mass;
  for (int i = 0; i < system.body_count(); ++i) {
    const BodyId body{i};
    const int size = system.is_rigid(body) ? 6 : 3;
    body_at_[static_cast<std::size_t>(system.slot(body).v)] = i;
    pattern_.body_size.push_back(size);
    Eigen::Matrix<double, 6, 6, Eigen::RowMajor> block;
    block.setZero();
    block.topLeftCorner<3, 3>().diagonal().setConstant(system.mass(body));
    if (size == 6) block.bottomRightCorner<3, 3>() = system.inertia(body);
    for (int row = 0; row < size; ++row)
      for (int column = 0; column < size; ++column) mass.push_back(block(row, column));
  }
  for (const StiffnessBlock& block : w.pattern.coupling_blocks) {
    if (block.row_dof == block.col_dof) continue;
    pattern_.couplings.push_back({body_at_[static_cast<std::size_t>(block.row_dof)],
                                  body_at_[static_cast<std::size_t>(block.col_dof)]});
    mass.insert(mass.end(), static_cast<std::size_t>(block.rows * block.cols), 0.0);
  }
  mass_ = Eigen::Map<const VecX>(mass.data(), static_cast<Eigen::Index>(mass.size()));
  const std::vector<int>& first = w.pattern.constraint_row;
  for (std::size_t c = 0; c < first.size(); ++c) {
    const int end = c + 1 < first.size() ? first[c + 1] : w.pattern.rows();
    if (w.pattern.first_block[first[c]] < w.pattern.first_block[first[c] + 1])
      constraints_.push_back({first[c], end - first[c]});
  }
  pattern_rows_ = w.pattern.rows();
  constexpr int contacts = ContactRows::usual_count;
  rows_of_.reserve(contacts);
  problem_.laws.reserve(contacts);
  H_.reserve(2 * 18 * contacts);
  pattern_.groups.reserve(contacts);
  problem_.H.reserve(2 * 18 * contacts);
  for (KeptVec* per_row : {&problem_.w, &solution_.r, &bias, &impulse})
    per_row->reserve(3 * contacts);
}

void ContactProblem::set_mass(double mass) { problem_.M = mass * mass_; }

void ContactProblem::set_mass(const RowPattern& pattern, double mass, const VecX& K,
                              double factor) {
  set_mass(mass);
  std::vector<int>& first = bodies_;  // per body: where its block is
  first.clear();
  int place = 0;
  for (const int size : pattern_.body_size) {
    first.push_back(place);
    place += size * size;
  }
  for (const StiffnessBlock& block : pattern.coupling_blocks) {
    const int body = body_at_[static_cast<std::size_t>(block.row_dof)];
    const bool is_diagonal = block.row_dof == block.col_dof;
    double* to = problem_.M.data() + (is_diagonal ? first[static_cast<std::size_t>(body)] : place);
    for (int i = 0; i < block.rows; ++i)
      for (int j = 0; j < block.cols; ++j) {
        const double value = !block.is_scalar ? K[block.value + j * block.rows + i]
                             : i == j         ? K[block.value]
                                              : 0;
        to[i * block.cols + j] += factor * value;
      }
    if (!is_diagonal) place += block.rows * block.cols;
  }
}

void ContactProblem::solve_alone(const VecX& given, VecX& v) const {
  Eigen::Matrix<double, 6, 6> block;
  Eigen::Matrix<double, 6, 1> x;
  const double* from = problem_.M.data();
  int dof = 0;
  for (const int size : pattern_.body_size) {
    std::copy_n(from, size * size, block.data());
    x.head(size) = given.segment(dof, size);
    if (solve_positive_definite(block.data(), size, x.data())) v.segment(dof, size) = x.head(size);
    from += size * size;
    dof += size;
  }
}

void ContactProblem::add_rows(const RowPattern& pattern, const VecX& J, Group rows, double sign,
                              RowGroups& groups, std::vector<double>& values) {
  const int begin = pattern.first_block[rows.row], end = pattern.first_block[rows.row + 1];
  bodies_.clear();
  for (int b = begin; b < end; ++b)
    bodies_.push_back(body_at_[static_cast<std::size_t>(pattern.blocks[b].dof)]);
  groups.add(rows.rows, bodies_);
  for (int k = 0; k < end - begin; ++k)
    for (int row = rows.row; row < rows.row + rows.rows; ++row) {
      const JacobianBlock& block = pattern.blocks[pattern.first_block[row] + k];
      for (int i = 0; i < block.size; ++i) values.push_back(sign * J[block.value + i]);
    }
}

void ContactProblem::set_rows(const RowPattern& pattern, const Rows& rows,
                              const std::vector<LawRow>& laws, const std::vector<int>& left_out) {
  pattern_.equations.clear();
  equations_.clear();
  J_.clear();
  laws_ = laws;
  auto law = laws.begin();
  auto out = left_out.begin();
  for (const Group& constraint : constraints_) {
    const int end = constraint.row + constraint.rows;
    while (law != laws.end() && law->row < constraint.row) ++law;
    while (out != left_out.end() && *out < constraint.row) ++out;
    const bool is_whole =
        (law == laws.end() || law->row >= end) && (out == left_out.end() || *out >= end);
    if (is_whole) {
      equations_.push_back(constraint);
      continue;
    }
    for (int row = constraint.row; row < end; ++row) {
      while (law != laws.end() && law->row < row) ++law;
      while (out != left_out.end() && *out < row) ++out;
      const bool is_equation =
          (law == laws.end() || law->row != row) && (out == left_out.end() || *out != row);
      if (is_equation) equations_.push_back({row, 1});
    }
  }
  for (const Group& group : equations_) add_rows(pattern, rows.J, group, 1, pattern_.equations, J_);
  problem_.J = Eigen::Map<const VecX>(J_.data(), static_cast<Eigen::Index>(J_.size()));

  pattern_.groups.clear();
  problem_.laws.clear();
  rows_of_.clear();
  contacts_ = 0;
  H_.clear();
  for (const LawRow& row : laws_) {
    add_rows(pattern, rows.J, {row.row, 1}, row.sign, pattern_.groups, H_);
    problem_.laws.push_back(row.law);
  }
}

void ContactProblem::set_contacts(const ContactRows& contacts, Friction friction, Which which) {
  contacts_ = contacts.count();
  impulses_ = contacts.size();
  for (int c = 0; c < contacts_; ++c) {
    ConeLaw law;
    if (which == Which::rigid && contacts.contacts()[static_cast<std::size_t>(c)].is_compliant()) {
      law.kind = ConeLaw::Kind::interval;  // of 0 alone
    } else if (friction == Friction::as_it_is) {
      const Contact& contact = contacts.contacts()[static_cast<std::size_t>(c)];
      law.friction = contacts.friction(c);
      if (const double lever = contacts.lever(c); lever > 0) {
        law.kind = ConeLaw::Kind::rolling;
        law.spinning = contact.spinning_friction / lever;
        law.rolling = contact.rolling_friction / lever;
      } else if (law.friction > 0) {
        law.kind = ConeLaw::Kind::friction;
      }
    }
    const int rows = law.rows();
    rows_of_.push_back(rows);
    bodies_.clear();
    for (const ContactRows::Block& block : contacts.blocks(c)) {
      bodies_.push_back(block.body);
      H_.insert(H_.end(), block.values, block.values + std::min(rows, 3) * block.size);
      if (rows == 6)
        H_.insert(H_.end(), contacts.turning(block), contacts.turning(block) + 3 * block.size);
    }
    pattern_.groups.add(rows, bodies_);
    problem_.laws.push_back(law);
  }
}

void ContactProblem::set_gaps(const ContactRows& contacts, const std::vector<char>& bears_load) {
  const std::size_t first = problem_.laws.size();
  set_contacts(contacts, Friction::none, Which::rigid);
  compliance.resize(0);
  for (std::size_t c = 0; c < bears_load.size(); ++c) {
    if (!bears_load[c] || contacts.contacts()[c].is_compliant()) continue;
    ConeLaw& law = problem_.laws[first + c];
    law.kind = ConeLaw::Kind::interval;
    law.lower = -INFINITY;
    law.upper = INFINITY;
  }
}

ConeReport ContactProblem::solve(const ConeOptions& options) {
  problem_.H = Eigen::Map<const VecX>(H_.data(), static_cast<Eigen::Index>(H_.size()));
  problem_.f = momentum;
  int count = 0;
  for (const Group& group : equations_) count += group.rows;
  problem_.b.resize(count);
  count = 0;
  for (const Group& group : equations_) {
    problem_.b.segment(count, group.rows) = right_side.segment(group.row, group.rows);
    count += group.rows;
  }
  int rows = static_cast<int>(laws_.size());
  for (const int of_contact : rows_of_) rows += of_contact;
  problem_.w.resize(rows);
  KeptVec& r = solution_.r;
  r.resize(rows);
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    problem_.w[static_cast<int>(i)] = laws_[i].w;
    r[static_cast<int>(i)] = laws_[i].impulse;
  }
  const bool has_guess = impulse.size() == impulses_;
  const bool has_compliance = compliance.size() == contacts_;
  const auto each_contact = [&](auto&& visit) {
    int place = static_cast<int>(laws_.size());
    for (int c = 0; c < contacts_; ++c) {
      const int of_contact = rows_of_[static_cast<std::size_t>(c)];
      visit(c, place, 3 * c, std::min(of_contact, 3));
      if (of_contact == 6) visit(c, place + 3, 3 * (contacts_ + c), 3);
      place += of_contact;
    }
  };
  each_contact([&](int c, int place, int first, int size) {
    const bool is_turning = first >= 3 * contacts_;
    if (is_turning)
      problem_.w.segment(place, size).setZero();
    else
      problem_.w.segment(place, size) = bias.segment(first, size);
    if (!is_turning && has_compliance)
      problem_.laws[laws_.size() + static_cast<std::size_t>(c)].compliance = compliance[c];
    if (has_guess)
      r.segment(place, size) = impulse.segment(first, size);
    else
      r.segment(place, size).setZero();
  });
  const ConeReport report = solver_.solve(pattern_, problem_, options, solution_);
  velocity_ = solution_.v;
  impulse.setZero(impulses_);
  each_contact([&](int, int place, int first, int size) {
    impulse.segment(first, size) = r.segment(place, size);
  });
  return report;
}

// The solver's multipliers push along Jᵀ, ours pull.
void ContactProblem::row_impulses(VecX& out) const {
  out.setZero(pattern_rows_);
  int place = 0;
  for (const Group& group : equations_) {
    out.segment(group.row, group.rows) = -solution_.lambda.segment(place, group.rows);
    place += group.rows;
  }
  for (std::size_t i = 0; i < laws_.size(); ++i)
    out[laws_[i].row] = -laws_[i].sign * solution_.r[static_cast<int>(i)];
}

}  // namespace taut
