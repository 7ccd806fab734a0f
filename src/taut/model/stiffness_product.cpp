#include "taut/model/stiffness_product.hpp"

#include <algorithm>

#include "taut/base/share.hpp"

namespace taut {
namespace {

constexpr int products_worth_sharing = 50'000;  // blocks

void add_block(const Eigen::Map<const MatX>& values, const StiffnessBlock& block, const VecX& x,
               VecX& out) {
  out.segment(block.row_dof, block.rows).noalias() +=
      values.lazyProduct(x.segment(block.col_dof, block.cols));
  if (block.row_dof != block.col_dof)
    out.segment(block.col_dof, block.cols).noalias() +=
        values.transpose().lazyProduct(x.segment(block.row_dof, block.rows));
}

/// Of the blocks [begin, end) those whose column is not before `first_column`.
void add_blocks(const StiffnessBlock* begin, const StiffnessBlock* end, int first_column,
                const VecX& values, const VecX& x, VecX& out) {
  // Blocks of one particle mostly come one after the other: what they add to it is kept.
  int particle = -1;
  Vec3 mine = Vec3::Zero(), sum = Vec3::Zero();
  const auto leave = [&] {
    if (particle >= 0) out.segment<3>(particle) += sum;
    particle = -1;
  };
  for (const StiffnessBlock* at = begin; at != end; ++at) {
    const StiffnessBlock& block = *at;
    if (block.col_dof < first_column) continue;
    const double* from = values.data() + block.value;
    if (block.rows != 3 || block.cols != 3) [[unlikely]] {
      leave();
      add_block(Eigen::Map<const MatX>(from, block.rows, block.cols), block, x, out);
      continue;
    }
    if (block.row_dof != particle) {
      leave();
      particle = block.row_dof;
      mine = x.segment<3>(particle);
      sum.setZero();
    }
    const bool is_diagonal = block.row_dof == block.col_dof;
    if (block.is_scalar) {
      sum += *from * x.segment<3>(block.col_dof);
      if (!is_diagonal) out.segment<3>(block.col_dof) += *from * mine;
    } else {
      const Eigen::Map<const Mat3> matrix(from);
      sum += matrix * x.segment<3>(block.col_dof);
      if (!is_diagonal) out.segment<3>(block.col_dof) += matrix.transpose() * mine;
    }
  }
  leave();
}

}  // namespace

void add_product(const std::vector<StiffnessBlock>& blocks, const VecX& values, const VecX& x,
                 VecX& out) {
  add_blocks(blocks.data(), blocks.data() + blocks.size(), 0, values, x, out);
}

StiffnessProduct::StiffnessProduct(const std::vector<StiffnessBlock>& blocks) {
  const int count = static_cast<int>(blocks.size());
  begin_.push_back(0);
  if (count >= products_worth_sharing) {
    for (int part = 1; part < share_count(); ++part) {
      int at = static_cast<int>(static_cast<long>(count) * part / share_count());
      while (at < count && at > 0 && blocks[at].row_dof == blocks[at - 1].row_dof) ++at;
      begin_.push_back(at);
    }
  }
  begin_.push_back(count);
  for (std::size_t part = 1; part + 1 < begin_.size(); ++part)
    for (int i = begin_[part]; i < begin_[part + 1]; ++i)
      if (blocks[i].col_dof < blocks[begin_[part]].row_dof) crossing_.push_back(i);
}

void StiffnessProduct::add(const std::vector<StiffnessBlock>& blocks, const VecX& values,
                           const VecX& x, VecX& out) const {
  const int parts = static_cast<int>(begin_.size()) - 1;
  share(parts, 2, [&](int first, int last) {
    for (int part = first; part < last; ++part) {
      const int begin = begin_[part], end = begin_[part + 1];
      if (begin == end) continue;
      add_blocks(blocks.data() + begin, blocks.data() + end, blocks[begin].row_dof, values, x, out);
    }
  });
  for (const int i : crossing_)
    add_blocks(blocks.data() + i, blocks.data() + i + 1, 0, values, x, out);
}

}  // namespace taut
