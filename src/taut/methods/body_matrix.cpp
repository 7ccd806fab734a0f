#include "taut/methods/body_matrix.hpp"

#include <Eigen/Cholesky>

namespace taut {

using Mat6 = Eigen::Matrix<double, 6, 6>;

BodyMatrix::BodyMatrix(const System& system, const RowPattern& pattern, Couples couples) {
  std::vector<BlockMatrix::Body> bodies;
  body_at_.assign(static_cast<std::size_t>(system.velocity_size()), -1);
  int values = 0;
  for (int i = 0; i < system.body_count(); ++i) {
    const int size = system.is_rigid({i}) ? 6 : 3;
    body_at_[system.slot({i}).v] = i;
    bodies.push_back({system.slot({i}).v, size});
    inverse_at_.push_back(values);
    values += size * size;
  }
  inverse_.assign(static_cast<std::size_t>(values), 0.0);
  mobility_.setZero(system.velocity_size());

  const bool has_constraints = couples == Couples::forces_and_constraints;
  std::vector<std::pair<int, int>> pairs;
  const auto add_pairs = [&](const std::vector<StiffnessBlock>& blocks) {
    for (const StiffnessBlock& block : blocks)
      if (block.row_dof != block.col_dof)
        pairs.push_back({body_at_[block.row_dof], body_at_[block.col_dof]});
  };
  add_pairs(pattern.coupling_blocks);
  if (has_constraints) add_pairs(pattern.stiffness_blocks);
  H_.analyze(std::move(bodies), std::move(pairs));
  force_places_ = places(pattern.coupling_blocks);
  if (has_constraints) constraint_places_ = places(pattern.stiffness_blocks);
}

std::vector<BodyMatrix::Place> BodyMatrix::places(const std::vector<StiffnessBlock>& blocks) const {
  std::vector<Place> result;
  result.reserve(blocks.size());
  for (const StiffnessBlock& block : blocks)
    result.push_back(H_.find(body_at_[block.row_dof], body_at_[block.col_dof]));
  return result;
}

void BodyMatrix::add(const std::vector<StiffnessBlock>& blocks, const std::vector<Place>& to,
                     const VecX& values, double factor) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const StiffnessBlock& block = blocks[b];
    const double* from = values.data() + block.value;
    double* target = H_.values() + to[b].value;
    if (!to[b].transposed) {
      for (int i = 0; i < block.rows * block.cols; ++i) target[i] += factor * from[i];
    } else {
      for (int c = 0; c < block.cols; ++c)
        for (int r = 0; r < block.rows; ++r)
          target[r * block.cols + c] += factor * from[c * block.rows + r];
    }
  }
}

bool BodyMatrix::assemble(const System& system, const RowPattern& pattern, const Terms& terms) {
  H_.set_zero();
  for (int i = 0; i < system.body_count(); ++i) {
    double* block = H_.values() + H_.find(i, i).value;
    const int size = H_.body(i).size;
    for (int k = 0; k < 3; ++k) block[k * (size + 1)] = terms.mass * system.mass({i});
    const int rigid = system.slot({i}).rigid;
    if (rigid < 0) continue;
    Eigen::Map<Mat6>(block).bottomRightCorner<3, 3>() =
        terms.turning ? (*terms.turning)[static_cast<std::size_t>(rigid)]
                      : Mat3(terms.mass * system.inertia({i}));
  }
  if (terms.G && terms.G->size() > 0)
    add(pattern.stiffness_blocks, constraint_places_, *terms.G, terms.stiffness);
  if (terms.K && terms.K->size() > 0)
    add(pattern.coupling_blocks, force_places_, *terms.K, terms.stiffness);
  return invert_diagonal();
}

bool BodyMatrix::invert_diagonal() {
  for (int i = 0; i < H_.body_count(); ++i) {
    const auto [dof, size] = H_.body(i);
    const double* block = H_.values() + H_.find(i, i).value;
    double* out = inverse_.data() + inverse_at_[i];
    if (size == 3) {
      const Eigen::Map<const Mat3> particle(block);
      if (!(particle(0, 0) > 0) || !(particle.topLeftCorner<2, 2>().determinant() > 0) ||
          !(particle.determinant() > 0))
        return false;
      Eigen::Map<Mat3>{out} = particle.inverse();
    } else {
      // Gyroscopic terms make it unsymmetric, which does not matter to a preconditioner.
      const Eigen::Map<const Mat6> rigid(block);
      const Eigen::LLT<Mat6> llt(0.5 * (rigid + rigid.transpose()));
      if (llt.info() != Eigen::Success) return false;
      Eigen::Map<Mat6>{out} = llt.solve(Mat6::Identity());
    }
    for (int k = 0; k < size; ++k) mobility_[dof + k] = out[k * (size + 1)];
  }
  return true;
}

void BodyMatrix::apply_inverse_diagonal(const VecX& f, VecX& out) const {
  out.resize(f.size());
  for (int i = 0; i < H_.body_count(); ++i) {
    const auto [dof, size] = H_.body(i);
    if (size == 3)
      out.segment<3>(dof) = Eigen::Map<const Mat3>(inverse(i)) * f.segment<3>(dof);
    else
      out.segment<6>(dof) = (Eigen::Map<const Mat6>(inverse(i)) * f.segment<6>(dof)).eval();
  }
}

void BodyMatrix::apply_inverse_diagonal(const RowPattern& pattern, const VecX& B, VecX& out) const {
  out.resize(B.size());
  for (const JacobianBlock& block : pattern.blocks) {
    const double* D = inverse(body_at_[block.dof]);
    if (block.size == 3)
      out.segment<3>(block.value) = Eigen::Map<const Mat3>(D) * B.segment<3>(block.value);
    else
      out.segment<6>(block.value) = Eigen::Map<const Mat6>(D) * B.segment<6>(block.value);
  }
}

}  // namespace taut
