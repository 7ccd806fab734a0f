#include "taut/constraints/list.hpp"

namespace taut {

#define TAUT_INSTANTIATE(Type) template class Batch<Type>;
TAUT_JOINT_CONSTRAINTS(TAUT_INSTANTIATE)
#undef TAUT_INSTANTIATE

}  // namespace taut
