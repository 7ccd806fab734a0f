#include "taut/base/largest.hpp"

namespace taut {

double largest(const VecX& values) {
  return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0;
}

}  // namespace taut
