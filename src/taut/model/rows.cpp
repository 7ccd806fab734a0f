#include "taut/model/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "taut/base/share.hpp"
#include "taut/model/system.hpp"

namespace taut {

namespace {

constexpr int constraints_worth_sharing = 9'000;  // constraints

/// The distinct bodies of some anchors, and for each anchor which of them it is on (−1: world).
class TouchedBodies {
 public:
  const std::vector<JacobianBlock>& find(const System& system, std::span<const Anchor> anchors,
                                         std::vector<int>& body_of_anchor) {
    touched_.clear();
    for (const Anchor& anchor : anchors) {
      if (anchor.body.is_world()) {
        body_of_anchor.push_back(-1);
        continue;
      }
      const int dof = system.slot(anchor.body).v;
      auto block = std::find_if(touched_.begin(), touched_.end(),
                                [&](const JacobianBlock& b) { return b.dof == dof; });
      if (block == touched_.end())
        block = touched_.insert(block, {dof, system.is_rigid(anchor.body) ? 6 : 3, 0});
      body_of_anchor.push_back(static_cast<int>(block - touched_.begin()));
    }
    return touched_;
  }
  /// The same, bodies in ascending order.
  const std::vector<JacobianBlock>& find_in_order(const System& system,
                                                  std::span<const Anchor> anchors,
                                                  std::vector<int>& body_of_anchor) {
    const std::size_t begin = body_of_anchor.size();
    find(system, anchors, body_of_anchor);
    for (std::size_t i = 0; i < touched_.size(); ++i) touched_[i].value = static_cast<int>(i);
    std::sort(touched_.begin(), touched_.end(),
              [](const JacobianBlock& x, const JacobianBlock& y) { return x.dof < y.dof; });
    rank_.resize(touched_.size());
    for (std::size_t i = 0; i < touched_.size(); ++i)
      rank_[touched_[i].value] = static_cast<int>(i);
    for (std::size_t k = begin; k < body_of_anchor.size(); ++k)
      if (body_of_anchor[k] >= 0) body_of_anchor[k] = rank_[body_of_anchor[k]];
    return touched_;
  }

 private:
  std::vector<JacobianBlock> touched_;
  std::vector<int> rank_;
};

StiffnessBlock stiffness_block(const JacobianBlock& row, const JacobianBlock& column, int value,
                               bool is_scalar = false) {
  return {row.dof,
          column.dof,
          value,
          static_cast<std::int8_t>(row.size),
          static_cast<std::int8_t>(column.size),
          is_scalar && row.size == 3 && column.size == 3};
}

/// A block for each pair of bodies, the lower half.
void add_pairs(const std::vector<JacobianBlock>& bodies, bool is_isotropic,
               std::vector<StiffnessBlock>& blocks, int& values) {
  const bool is_scalar =
      is_isotropic && std::all_of(bodies.begin(), bodies.end(),
                                  [](const JacobianBlock& body) { return body.size == 3; });
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      blocks.push_back(stiffness_block(bodies[i], bodies[j], values, is_scalar));
      values += blocks.back().value_count();
    }
  }
}

/// Growing by doubling would hold half as much again, which counts with millions of rows.
template <class T>
void reserve_more(std::vector<T>& vector, std::size_t count) {
  vector.reserve(vector.size() + count);
}

}  // namespace

RowPattern::RowPattern(const System& system, RowForm form) : stiffness_form(form) {
  add_constraints(system);
  add_couplings(system);
}

int RowPattern::constraint_of(int row) const {
  const auto after = std::upper_bound(constraint_row.begin(), constraint_row.end(), row);
  return static_cast<int>(after - constraint_row.begin()) - 1;
}

void RowPattern::add_constraints(const System& system) {
  const State start = system.initial_state();
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slots()[static_cast<std::size_t>(i)];
    length = std::max(length, start.q.segment<3>(slot.q).lpNorm<Eigen::Infinity>());
    // Bodies that all turn about one place have a size, too.
    if (system.is_rigid({i}))
      length = std::max(length, std::sqrt(system.inertia({i}).trace() / system.mass({i})));
  }
  std::vector<Anchor> anchors;
  TouchedBodies touched;
  for (const auto& batch : system.constraints()) {
    batch_start.push_back(
        {rows(), static_cast<int>(constraint_row.size()), static_cast<int>(anchor_block.size())});
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    const std::size_t count = static_cast<std::size_t>(batch->size()), most = anchors.size();
    const bool is_isotropic =
        stiffness_form == RowForm::smooth && batch->smooth_stiffness_is_isotropic();
    reserve_more(blocks, count * static_cast<std::size_t>(batch->rows_per_constraint()) * most);
    reserve_more(stiffness_blocks, count * most * (most + 1) / 2);
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      length = std::max(length, batch->natural_length(c));
      for (const Anchor& anchor : anchors)
        if (!anchor.is_direction) length = std::max(length, anchor.local.lpNorm<Eigen::Infinity>());
      const std::vector<JacobianBlock>& bodies = touched.find(system, anchors, anchor_block);
      constraint_row.push_back(rows());
      for (int r = 0; r < batch->rows_per_constraint(); ++r) {
        natural_length.push_back(batch->natural_length(c));
        is_angle.push_back(batch->force_unit(c, r) == "N·m" ? 1 : 0);
        const RowLaw law = batch->law(c, r);
        if (!law.holds_always()) bounded.push_back({rows(), law});
        if (law.kind == RowLaw::Kind::velocity) velocity_rows.push_back(rows());
        for (JacobianBlock block : bodies) {
          block.value = jacobian_values;
          jacobian_values += block.size;
          blocks.push_back(block);
        }
        first_block.push_back(static_cast<int>(blocks.size()));
      }
      first_stiffness_block.push_back(static_cast<int>(stiffness_blocks.size()));
      add_pairs(bodies, is_isotropic, stiffness_blocks, stiffness_values);
    }
  }
}

void RowPattern::add_couplings(const System& system) {
  TouchedBodies touched;
  // Calls visit(row, column, batch) for each pair of bodies of each coupling, in order.
  const auto each_pair = [&](const auto& begin_coupling, const auto& visit) {
    for (const auto& batch : system.all_forces())
      batch->visit_couplings(system, [&](std::span<const Anchor> anchors) {
        const std::vector<JacobianBlock>& bodies = begin_coupling(anchors);
        for (std::size_t i = 0; i < bodies.size(); ++i)
          for (std::size_t j = 0; j <= i; ++j) visit(bodies[i], bodies[j], *batch);
      });
  };
  std::vector<int> unused;
  const auto in_order = [&](std::span<const Anchor> anchors) -> const auto& {
    unused.clear();
    return touched.find_in_order(system, anchors, unused);
  };

  // For each body, by its first velocity, those before it that something ties it to.
  struct Column {
    JacobianBlock body;  // its value: the number of the block
    bool is_scalar;
  };
  std::vector<int> begin(static_cast<std::size_t>(system.velocity_size()) + 1, 0);
  each_pair(in_order, [&](const auto& row, const auto&, const auto&) { ++begin[row.dof + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Column> columns(static_cast<std::size_t>(begin.back()));
  std::vector<int> end(begin.begin(), begin.end() - 1);
  each_pair(in_order,
            [&](const JacobianBlock& row, const JacobianBlock& column, const ForceBatch& batch) {
              columns[end[row.dof]++] = {column, batch.stiffness_is_isotropic()};
            });
  const auto by_dof = [](const Column& x, const Column& y) { return x.body.dof < y.body.dof; };
  for (int dof = 0; dof < system.velocity_size(); ++dof) {
    const auto first = columns.begin() + begin[dof], last = columns.begin() + end[dof];
    if (first == last) continue;
    std::sort(first, last, by_dof);
    auto rest = first;  // the end of the distinct ones
    for (auto column = first; column != last; ++column) {
      if (rest != first && (rest - 1)->body.dof == column->body.dof)
        (rest - 1)->is_scalar = (rest - 1)->is_scalar && column->is_scalar;
      else
        *rest++ = *column;
    }
    end[dof] = static_cast<int>(rest - columns.begin());
    const JacobianBlock row = (rest - 1)->body;  // the body itself comes last
    for (auto column = first; column != rest; ++column) {
      column->body.value = static_cast<int>(coupling_blocks.size());
      coupling_blocks.push_back(
          stiffness_block(row, column->body, coupling_values, column->is_scalar));
      coupling_values += coupling_blocks.back().value_count();
    }
  }

  each_pair(
      [&](std::span<const Anchor> anchors) -> const auto& {
        first_coupling_pair.push_back(static_cast<int>(coupling_pairs.size()));
        return touched.find_in_order(system, anchors, coupling_anchor_block);
      },
      [&](const JacobianBlock& row, const JacobianBlock& column, const ForceBatch&) {
        const auto first = columns.begin() + begin[row.dof], last = columns.begin() + end[row.dof];
        coupling_pairs.push_back(
            std::lower_bound(first, last, Column{column, false}, by_dof)->body.value);
      });
}

void Rows::resize(const RowPattern& pattern) {
  C.setZero(pattern.rows());
  C_t.setZero(pattern.rows());
  bias.setZero(pattern.rows());
  J.setZero(pattern.jacobian_values);
  // Few methods want G and K: they are sized when they are first asked for.
}

void Rows::linearize(const System& system, const RowPattern& pattern, const Pose& pose, double time,
                     RowForm form) {
  for (std::size_t b = 0; b < system.constraints().size(); ++b) {
    const ConstraintBatch& batch = *system.constraints()[b];
    const BatchStart start = pattern.batch_start[b];
    if (batch.size() < constraints_worth_sharing) {
      batch.linearize(pose, time, form, pattern, start, {0, batch.size()}, *this);
      continue;
    }
    share(batch.size(), constraints_worth_sharing, [&](int begin, int end) {
      batch.linearize(pose, time, form, pattern, start, {begin, end}, *this);
    });
  }
}

void Rows::add_bias(const System& system, const RowPattern& pattern, const Pose& pose,
                    const VecX& v, double time) {
  for (std::size_t b = 0; b < system.constraints().size(); ++b)
    system.constraints()[b]->add_bias(pose, v, time, pattern, pattern.batch_start[b], *this);
}

void Rows::add_stiffness(const System& system, const RowPattern& pattern, const Pose& pose,
                         double time, const VecX& lambda, RowForm form, Definiteness wanted) {
  if (form != pattern.stiffness_form) throw std::logic_error("G: a pattern of the other form");
  G.setZero(pattern.stiffness_values);
  for (std::size_t b = 0; b < system.constraints().size(); ++b)
    system.constraints()[b]->add_stiffness(pose, time, lambda, form, wanted, pattern,
                                           pattern.batch_start[b], *this);
}

void Rows::measure_way(const System& system, const RowPattern& pattern, const Way& way,
                       WayJacobian wanted) {
  for (std::size_t b = 0; b < system.constraints().size(); ++b)
    system.constraints()[b]->measure_way(way, wanted, pattern, pattern.batch_start[b], *this);
}

void Rows::linearize_between(const System& system, const RowPattern& pattern,
                             const Passage& passage) {
  for (std::size_t b = 0; b < system.constraints().size(); ++b)
    system.constraints()[b]->linearize_between(passage, pattern, pattern.batch_start[b], *this);
}

void Rows::add_stiffness_between(const System& system, const RowPattern& pattern,
                                 const Passage& passage, const VecX& lambda, Definiteness wanted) {
  G.setZero(pattern.stiffness_values);
  for (std::size_t b = 0; b < system.constraints().size(); ++b)
    system.constraints()[b]->add_stiffness_between(passage, lambda, wanted, pattern,
                                                   pattern.batch_start[b], *this);
}

void Rows::add_force_stiffness(const System& system, const RowPattern& pattern, const Pose& pose,
                               const VecX& v, double rate, double time) {
  K.setZero(pattern.coupling_values);
  ForceBatch::Start start;
  for (const auto& batch : system.all_forces()) {
    batch->add_stiffness(system, pose, v, time, rate, pattern, start, K);
    const int couplings = batch->couplings(system);
    start.coupling += couplings;
    start.anchor += couplings * batch->anchors_per_coupling();
  }
}

void Rows::add_force_stiffness_between(const System& system, const RowPattern& pattern,
                                       const Passage& passage, const VecX& v_mean, double rate) {
  K.setZero(pattern.coupling_values);
  ForceBatch::Start start;
  for (const auto& batch : system.all_forces()) {
    batch->add_stiffness_between(system, passage, v_mean, rate, pattern, start, K);
    const int couplings = batch->couplings(system);
    start.coupling += couplings;
    start.anchor += couplings * batch->anchors_per_coupling();
  }
}

namespace {

/// Of a row between two particles, the bulk of a cloth.
[[gnu::always_inline]] inline bool is_pair(const JacobianBlock* block, const JacobianBlock* end) {
  return end - block == 2 && block[0].size == 3 && block[1].size == 3;
}
[[gnu::always_inline]] inline double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
[[gnu::always_inline]] inline void add(double factor, const double* from, double* to) {
  for (int k = 0; k < 3; ++k) to[k] += factor * from[k];
}

}  // namespace

void multiply(const RowPattern& pattern, const VecX& J, const VecX& v, VecX& out) {
  out.resize(pattern.rows());
  const double *from = J.data(), *x = v.data();
  const JacobianBlock* block = pattern.blocks.data();
  for (int r = 0; r < pattern.rows(); ++r) {
    const JacobianBlock* end = pattern.blocks.data() + pattern.first_block[r + 1];
    double sum = 0;
    if (is_pair(block, end)) {
      sum = dot(from + block[0].value, x + block[0].dof) +
            dot(from + block[1].value, x + block[1].dof);
      block = end;
    }
    for (; block != end; ++block) {
      sum += dot(from + block->value, x + block->dof);
      if (block->size == 6) sum += dot(from + block->value + 3, x + block->dof + 3);
    }
    out[r] = sum;
  }
}

RowRate row_rate(const RowPattern& pattern, const Rows& rows, const VecX& v, int row) {
  RowRate rate{rows.C_t[row], std::abs(rows.C_t[row])};
  for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
    const JacobianBlock& block = pattern.blocks[b];
    for (int i = 0; i < block.size; ++i) {
      const double part = rows.J[block.value + i] * v[block.dof + i];
      rate.value += part;
      rate.size += std::abs(part);
    }
  }
  return rate;
}

void multiply_transposed(const RowPattern& pattern, const VecX& J, const VecX& lambda, VecX& out) {
  out.setZero();
  const double* from = J.data();
  double* to = out.data();
  const JacobianBlock* block = pattern.blocks.data();
  for (int r = 0; r < pattern.rows(); ++r) {
    const JacobianBlock* end = pattern.blocks.data() + pattern.first_block[r + 1];
    const double force = lambda[r];
    if (is_pair(block, end)) {
      add(force, from + block[0].value, to + block[0].dof);
      add(force, from + block[1].value, to + block[1].dof);
      block = end;
    }
    for (; block != end; ++block) {
      add(force, from + block->value, to + block->dof);
      if (block->size == 6) add(force, from + block->value + 3, to + block->dof + 3);
    }
  }
}

MatX dense_jacobian(const RowPattern& pattern, const VecX& J, int velocity_size) {
  MatX dense = MatX::Zero(pattern.rows(), velocity_size);
  for (int r = 0; r < pattern.rows(); ++r)
    for (int b = pattern.first_block[r]; b < pattern.first_block[r + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      dense.row(r).segment(block.dof, block.size) = J.segment(block.value, block.size);
    }
  return dense;
}

MatX dense_stiffness(const std::vector<StiffnessBlock>& blocks, const VecX& values,
                     int velocity_size) {
  MatX dense = MatX::Zero(velocity_size, velocity_size);
  for (const StiffnessBlock& block : blocks) {
    const double* from = values.data() + block.value;
    const MatX full = block.is_scalar ? MatX(*from * Mat3::Identity())
                                      : MatX(Eigen::Map<const MatX>(from, block.rows, block.cols));
    dense.block(block.row_dof, block.col_dof, block.rows, block.cols) += full;
    if (block.row_dof != block.col_dof)
      dense.block(block.col_dof, block.row_dof, block.cols, block.rows) += full.transpose();
  }
  return dense;
}

}  // namespace taut
