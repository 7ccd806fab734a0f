#include "taut/solve/body_matrix.hpp"

#include <algorithm>

namespace taut {

void BodyMatrix::analyze(const System& system, const RowPattern& pattern, bool with_forces,
                         Plan& plan) const {
  std::vector<BlockMatrix::Body> bodies;
  for (int i = 0; i < system.body_count(); ++i)
    bodies.push_back({system.slot({i}).v, system.is_rigid({i}) ? 6 : 3});
  const auto body_at = [&](int dof) { return inverse_diagonal_.body_at(dof); };
  std::vector<BlockMatrix::Pair> pairs;
  const auto add_pairs = [&](const std::vector<StiffnessBlock>& blocks) {
    for (const StiffnessBlock& block : blocks)
      if (block.row_dof != block.col_dof)
        pairs.push_back({body_at(block.row_dof), body_at(block.col_dof), block.is_scalar});
  };
  const auto find = [&](const std::vector<StiffnessBlock>& blocks, std::vector<Place>& places) {
    places.reserve(blocks.size());
    for (const StiffnessBlock& block : blocks)
      places.push_back(plan.matrix.find(body_at(block.row_dof), body_at(block.col_dof)));
  };
  add_pairs(pattern.stiffness_blocks);
  if (with_forces) add_pairs(pattern.coupling_blocks);
  plan.matrix.analyze(std::move(bodies), std::move(pairs));
  find(pattern.stiffness_blocks, plan.constraints);
  if (with_forces) find(pattern.coupling_blocks, plan.forces);
}

void BodyMatrix::add(const std::vector<StiffnessBlock>& blocks, const std::vector<Place>& to,
                     const VecX& values, double factor, BlockMatrix& H) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const StiffnessBlock& block = blocks[b];
    const double* from = values.data() + block.value;
    double* target = H.values() + to[b].value;
    if (to[b].is_scalar) {
      *target += factor * from[0];
    } else if (block.is_scalar) {
      for (int i = 0; i < 9; i += 4) target[i] += factor * from[0];
    } else if (!to[b].transposed) {
      for (int i = 0; i < block.rows * block.cols; ++i) target[i] += factor * from[i];
    } else {
      for (int c = 0; c < block.cols; ++c)
        for (int r = 0; r < block.rows; ++r)
          target[r * block.cols + c] += factor * from[c * block.rows + r];
    }
  }
}

bool BodyMatrix::assemble(const System& system, const RowPattern& pattern, const Terms& terms) {
  const bool with_forces = terms.K && terms.K->size() > 0;
  H_ = &plans_[with_forces];
  BlockMatrix& H = H_->matrix;
  if (H.body_count() == 0) analyze(system, pattern, with_forces, *H_);
  const auto each_diagonal = [&](const auto& copy) {
    for (int i = 0; i < H.body_count(); ++i)
      copy(H.values() + H.find(i, i).value, inverse_diagonal_.block(i),
           H.body(i).size * H.body(i).size);
  };
  H.set_zero();
  inverse_diagonal_.set_mass(system, terms.mass, terms.turning);
  each_diagonal(
      [](double* of_H, const double* of_D, int count) { std::copy_n(of_D, count, of_H); });
  if (terms.G && terms.G->size() > 0)
    add(pattern.stiffness_blocks, H_->constraints, *terms.G, terms.stiffness, H);
  if (with_forces) add(pattern.coupling_blocks, H_->forces, *terms.K, terms.stiffness, H);
  each_diagonal(
      [](const double* of_H, double* of_D, int count) { std::copy_n(of_H, count, of_D); });
  added_ = terms.added;
  if (added_) added_->add_to(inverse_diagonal_);
  const bool is_definite = inverse_diagonal_.invert();
  inverse_diagonal_.diagonal(mobility_);
  return is_definite;
}

}  // namespace taut
