#include "taut/solve/body_diagonal.hpp"

#include <atomic>

#include "taut/base/share.hpp"

namespace taut {

using Mat6 = Eigen::Matrix<double, 6, 6>;

namespace {

constexpr int bodies_worth_sharing = 5'000;  // bodies

/// Gauss and Jordan's inverse in place: each unknown in turn changes sides with its equation. False
/// where a pivot shows that the symmetric matrix is not positive definite.
bool invert_definite(Eigen::Map<Mat6>& a) {
  for (int k = 0; k < 6; ++k) {
    if (!(a(k, k) > 0)) return false;
    const double inverse = 1 / a(k, k);
    a(k, k) = 1;
    for (int j = 0; j < 6; ++j) a(k, j) *= inverse;
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double factor = a(i, k);
      a(i, k) = 0;
      for (int j = 0; j < 6; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return true;
}

bool invert_block(double* values, int size) {
  if (size == 3) {
    Eigen::Map<Mat3> particle(values);
    if (!(particle(0, 0) > 0) || !(particle.topLeftCorner<2, 2>().determinant() > 0) ||
        !(particle.determinant() > 0))
      return false;
    particle = particle.inverse().eval();
    return true;
  }
  // Gyroscopic terms make it unsymmetric, which does not matter to a preconditioner.
  Eigen::Map<Mat6> rigid(values);
  rigid = (0.5 * (rigid + rigid.transpose())).eval();
  return invert_definite(rigid);
}

}  // namespace

BodyDiagonal::BodyDiagonal(const System& system) {
  body_at_.assign(static_cast<std::size_t>(system.velocity_size()), -1);
  bodies_.reserve(static_cast<std::size_t>(system.body_count()));
  int values = 0;
  for (int i = 0; i < system.body_count(); ++i) {
    const int size = system.is_rigid({i}) ? 6 : 3, dof = system.slot({i}).v;
    body_at_[static_cast<std::size_t>(dof)] = i;
    bodies_.push_back({dof, size, values});
    values += size * size;
  }
  values_.assign(static_cast<std::size_t>(values), 0.0);
}

void BodyDiagonal::set_mass(const System& system, double a, const std::vector<Mat3>* turning) {
  values_.assign(values_.size(), 0.0);
  for (int i = 0; i < system.body_count(); ++i) {
    const int size = bodies_[static_cast<std::size_t>(i)].size;
    const double mass = a * system.mass({i});
    for (int k = 0; k < 3; ++k) block(i)[k * (size + 1)] = mass;
    const int rigid = system.slot({i}).rigid;
    if (rigid < 0) continue;
    Eigen::Map<Mat6>(block(i)).bottomRightCorner<3, 3>() =
        turning ? (*turning)[static_cast<std::size_t>(rigid)] : Mat3(a * system.inertia({i}));
  }
}

bool BodyDiagonal::invert() {
  std::atomic<bool> is_definite = true;
  share(static_cast<int>(bodies_.size()), bodies_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end && is_definite.load(std::memory_order_relaxed); ++i)
      if (!invert_block(block(i), bodies_[static_cast<std::size_t>(i)].size)) is_definite = false;
  });
  return is_definite;
}

void BodyDiagonal::apply(const VecX& f, VecX& out) const {
  out.resize(f.size());
  share(static_cast<int>(bodies_.size()), bodies_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const auto& [dof, size, value] = bodies_[static_cast<std::size_t>(i)];
      const double* D = values_.data() + value;
      if (size == 3)
        out.segment<3>(dof) = Eigen::Map<const Mat3>(D) * f.segment<3>(dof);
      else
        out.segment<6>(dof) = (Eigen::Map<const Mat6>(D) * f.segment<6>(dof)).eval();
    }
  });
}

void BodyDiagonal::apply(const RowPattern& pattern, const VecX& B, VecX& out) const {
  out.resize(B.size());
  for (const JacobianBlock& block : pattern.blocks) {
    const double* D = values_.data() + bodies_[static_cast<std::size_t>(body_at(block.dof))].value;
    if (block.size == 3)
      out.segment<3>(block.value) = Eigen::Map<const Mat3>(D) * B.segment<3>(block.value);
    else
      out.segment<6>(block.value) = Eigen::Map<const Mat6>(D) * B.segment<6>(block.value);
  }
}

void BodyDiagonal::diagonal(VecX& out) const {
  out.resize(static_cast<Eigen::Index>(body_at_.size()));
  for (const auto& [dof, size, value] : bodies_)
    for (int k = 0; k < size; ++k) out[dof + k] = values_[value + k * (size + 1)];
}

}  // namespace taut
