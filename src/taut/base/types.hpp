// The few number and vector types everything else is written in.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "taut/base/plain_operators.hpp"
#include "taut/base/type_info.hpp"

namespace taut {

using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

/// K vectors of space side by side: where the K anchors of a constraint are, or how fast they move.
/// Generic in the number type, so that a formula can be differentiated automatically.
template <class T, int K>
using Columns = Eigen::Matrix<T, 3, K>;

template <>
inline constexpr ValueType value_type<Vec3>{ValueKind::vector};

}  // namespace taut
