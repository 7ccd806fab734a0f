#include "taut/model/inertia.hpp"

#include <fmt/core.h>

#include "taut/base/symmetric_eigenvalues.hpp"

namespace taut {
namespace {

constexpr double rounding = 0.01;   // of the largest moment: three digits
constexpr double round_off = 1e-9;  // of the largest moment

/// Sylvester's criterion, of a matrix scaled to 1.
bool is_positive_definite(const Mat3& matrix) {
  const Mat3 m = matrix / matrix.cwiseAbs().maxCoeff();
  return m(0, 0) > 0 && m.topLeftCorner<2, 2>().determinant() > 0 && m.determinant() > 0;
}

}  // namespace

std::string moments_fault(const Mat3& inertia) {
  // Of a matrix scaled to 1, so that the squares of huge or tiny numbers do no harm.
  const double size = inertia.cwiseAbs().maxCoeff();
  if (size == 0) return "";
  const Vec3 moments = symmetric_eigenvalues(inertia / size);
  const auto found = [&](const char* expected) {
    return fmt::format("found the principal moments {:.6g}, {:.6g}, {:.6g}, expected {}",
                       size * moments[0], size * moments[1], size * moments[2], expected);
  };
  if (moments[0] < -round_off) return found("none below 0");
  if (moments[2] > moments[0] + moments[1] + rounding * moments[2])
    return found("the largest to be at most the sum of the other two, as in every real body");
  return "";
}

std::string inertia_fault(const Mat3& inertia) {
  if (!inertia.isApprox(inertia.transpose(), 1e-9))
    return "found an inertia that is not symmetric, expected a symmetric one";
  std::string fault = moments_fault(inertia);
  if (fault.empty() && !is_positive_definite(inertia))
    fault = "found an inertia that is zero about some axis, expected moments > 0 about all axes";
  return fault;
}

}  // namespace taut
