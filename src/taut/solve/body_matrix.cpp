#include "taut/solve/body_matrix.hpp"

#include <algorithm>

namespace taut {

BodyMatrix::BodyMatrix(const System& system, const RowPattern& pattern)
    : inverse_diagonal_(system) {
  std::vector<BlockMatrix::Body> bodies;
  for (int i = 0; i < system.body_count(); ++i)
    bodies.push_back({system.slot({i}).v, system.is_rigid({i}) ? 6 : 3});
  std::vector<BlockMatrix::Pair> pairs;
  for (const auto* blocks : {&pattern.coupling_blocks, &pattern.stiffness_blocks})
    for (const StiffnessBlock& block : *blocks)
      if (block.row_dof != block.col_dof)
        pairs.push_back({inverse_diagonal_.body_at(block.row_dof),
                         inverse_diagonal_.body_at(block.col_dof), block.is_scalar});
  H_.analyze(std::move(bodies), std::move(pairs));
  force_places_ = places(pattern.coupling_blocks);
  constraint_places_ = places(pattern.stiffness_blocks);
}

std::vector<BodyMatrix::Place> BodyMatrix::places(const std::vector<StiffnessBlock>& blocks) const {
  std::vector<Place> result;
  result.reserve(blocks.size());
  for (const StiffnessBlock& block : blocks)
    result.push_back(H_.find(inverse_diagonal_.body_at(block.row_dof),
                             inverse_diagonal_.body_at(block.col_dof)));
  return result;
}

void BodyMatrix::add(const std::vector<StiffnessBlock>& blocks, const std::vector<Place>& to,
                     const VecX& values, double factor) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const StiffnessBlock& block = blocks[b];
    const double* from = values.data() + block.value;
    double* target = H_.values() + to[b].value;
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
  const auto each_diagonal = [&](const auto& copy) {
    for (int i = 0; i < H_.body_count(); ++i) {
      double* of_H = H_.values() + H_.find(i, i).value;
      copy(of_H, inverse_diagonal_.block(i), H_.body(i).size * H_.body(i).size);
    }
  };
  H_.set_zero();
  inverse_diagonal_.set_mass(system, terms.mass, terms.turning);
  each_diagonal(
      [](double* of_H, const double* of_D, int count) { std::copy_n(of_D, count, of_H); });
  if (terms.G && terms.G->size() > 0)
    add(pattern.stiffness_blocks, constraint_places_, *terms.G, terms.stiffness);
  if (terms.K && terms.K->size() > 0)
    add(pattern.coupling_blocks, force_places_, *terms.K, terms.stiffness);
  each_diagonal(
      [](const double* of_H, double* of_D, int count) { std::copy_n(of_H, count, of_D); });
  const bool is_definite = inverse_diagonal_.invert();
  inverse_diagonal_.diagonal(mobility_);
  return is_definite;
}

}  // namespace taut
