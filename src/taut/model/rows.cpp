#include "taut/model/rows.hpp"

#include <algorithm>

#include "taut/model/system.hpp"

namespace taut {

RowPattern::RowPattern(const System& system) {
  std::vector<Anchor> anchors;
  std::vector<JacobianBlock> touched;  // the distinct bodies of one constraint
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      touched.clear();
      for (const Anchor& anchor : anchors) {
        if (anchor.body.is_world()) {
          anchor_block.push_back(-1);
          continue;
        }
        const int dof = system.slot(anchor.body).v;
        auto block = std::find_if(touched.begin(), touched.end(),
                                  [&](const JacobianBlock& b) { return b.dof == dof; });
        if (block == touched.end())
          block = touched.insert(block, {dof, system.is_rigid(anchor.body) ? 6 : 3, 0});
        anchor_block.push_back(static_cast<int>(block - touched.begin()));
      }
      constraint_row.push_back(rows());
      for (int r = 0; r < batch->rows_per_constraint(); ++r) {
        for (JacobianBlock block : touched) {
          block.value = jacobian_values;
          jacobian_values += block.size;
          blocks.push_back(block);
        }
        first_block.push_back(static_cast<int>(blocks.size()));
      }
      first_stiffness_block.push_back(static_cast<int>(stiffness_blocks.size()));
      for (std::size_t i = 0; i < touched.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          stiffness_blocks.push_back(
              {touched[i].dof, touched[i].size, touched[j].dof, touched[j].size, stiffness_values});
          stiffness_values += touched[i].size * touched[j].size;
        }
      }
    }
  }
}

void Rows::resize(const RowPattern& pattern) {
  C.setZero(pattern.rows());
  C_t.setZero(pattern.rows());
  bias.setZero(pattern.rows());
  J.setZero(pattern.jacobian_values);
  G.resize(0);  // few methods want it: sized when it is first asked for
}

namespace {

template <class Visit>
void for_each_batch(const System& system, Visit&& visit) {
  ConstraintBatch::Start start;
  for (const auto& batch : system.constraints()) {
    visit(*batch, start);
    start.row += batch->size() * batch->rows_per_constraint();
    start.constraint += batch->size();
    start.anchor += batch->size() * batch->anchors_per_constraint();
  }
}

}  // namespace

void Rows::linearize(const System& system, const RowPattern& pattern, const Pose& pose,
                     double time) {
  J.setZero();
  for_each_batch(system, [&](const ConstraintBatch& batch, ConstraintBatch::Start start) {
    batch.linearize(pose, time, pattern, start, *this);
  });
}

void Rows::add_bias(const System& system, const RowPattern& pattern, const Pose& pose,
                    const VecX& v, double time) {
  for_each_batch(system, [&](const ConstraintBatch& batch, ConstraintBatch::Start start) {
    batch.add_bias(pose, v, time, pattern, start, *this);
  });
}

void Rows::add_stiffness(const System& system, const RowPattern& pattern, const Pose& pose,
                         double time, const VecX& lambda) {
  G.setZero(pattern.stiffness_values);
  for_each_batch(system, [&](const ConstraintBatch& batch, ConstraintBatch::Start start) {
    batch.add_stiffness(pose, time, lambda, pattern, start, *this);
  });
}

void multiply(const RowPattern& pattern, const VecX& J, const VecX& v, VecX& out) {
  out.resize(pattern.rows());
  for (int r = 0; r < pattern.rows(); ++r) {
    double sum = 0;
    for (int b = pattern.first_block[r]; b < pattern.first_block[r + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      sum += J.segment<3>(block.value).dot(v.segment<3>(block.dof));
      if (block.size == 6) sum += J.segment<3>(block.value + 3).dot(v.segment<3>(block.dof + 3));
    }
    out[r] = sum;
  }
}

void multiply_transposed(const RowPattern& pattern, const VecX& J, const VecX& lambda, VecX& out) {
  out.setZero();
  for (int r = 0; r < pattern.rows(); ++r) {
    for (int b = pattern.first_block[r]; b < pattern.first_block[r + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      out.segment<3>(block.dof) += lambda[r] * J.segment<3>(block.value);
      if (block.size == 6)
        out.segment<3>(block.dof + 3) += lambda[r] * J.segment<3>(block.value + 3);
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

MatX dense_stiffness(const RowPattern& pattern, const VecX& G, int velocity_size) {
  MatX dense = MatX::Zero(velocity_size, velocity_size);
  for (const StiffnessBlock& block : pattern.stiffness_blocks) {
    const Eigen::Map<const MatX> values(G.data() + block.value, block.rows, block.cols);
    dense.block(block.row_dof, block.col_dof, block.rows, block.cols) += values;
    if (block.row_dof != block.col_dof)
      dense.block(block.col_dof, block.row_dof, block.cols, block.rows) += values.transpose();
  }
  return dense;
}

}  // namespace taut
